"""Builds findings of the kind `manipulation`, about words that address the judge.

The detector finds the words, or the judge reports them.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, cast

from pydantic import Field, create_model

from debate_cli.domain.assessment import Manipulation
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import memoize_on_value
from debate_cli.domain.tasks import Subject
from debate_cli.domain.turn import Turn
from debate_cli.evidence.source_checks import genuine_quotes
from debate_cli.judge_input.injection.detector import REMOVAL_MARKER, Hit, detect_injection
from debate_cli.judge_input.injection.name_aliases import debate_names
from debate_cli.judge_input.quotes import MIN_QUOTE_CHARS, find_quoted_turn, is_quoted_in, turn_texts
from debate_cli.judge_input.transcript_prompt import (
    debater_names,
    last_passage_before,
    last_visible_turn,
    visible_texts,
)
from debate_cli.llm.form import Form, FormModel

ADDRESSED_TO_JUDGE = "addressed_to_judge"
"""Name of the form field in which a judge reports words meant for the judge. The resulting findings have this `technique`."""
_DESCRIPTION = "Quotes of words that are meant for the judge instead of the debate; empty if there are none."
MAX_QUOTES = 3
"""Maximum number of quotes that a judge may report in one form."""
MAX_QUOTE_CHARS = 160


def find_manipulations(debate: Debate, subject: Subject) -> tuple[Manipulation, ...]:
    """Return the findings about words in `subject` that address the judge. Quotes of sources are not searched.

    If the subject is the whole debate, the motion, the background and the names are searched too. If the subject is a
    pair or a selection of turns, the result is empty.
    """
    if subject.moment in {"pair", "debate"} and subject.turns:
        return ()
    names = debater_names(debate)
    found: list[Manipulation] = []
    if subject.moment == "debate":
        for text in (debate.topic, debate.config.background or ""):
            found += map(_build_finding, detect_injection(text, names))
        for name in debate_names(debate):
            found += map(_build_finding, detect_injection(name))
    for turn in _judged_turns(debate, subject):
        found += _find_in_turn(turn, names, last_passage_before(turn, debate), genuine_quotes(debate, turn))
    return tuple(dict.fromkeys(found))


def _judged_turns(debate: Debate, subject: Subject) -> list[Turn]:
    match subject.moment:
        case "turn" | "pair":
            return [debate.turns_by_index[index] for index in subject.turns if index in debate.turns_by_index]
        case "round":
            return list(debate.select_turns(round_number=subject.round))
        case "debate":
            return list(debate.turns)


@memoize_on_value
def _find_in_turn(turn: Turn, names: tuple[str, ...], after: str, quotes: tuple[str, ...]) -> tuple[Manipulation, ...]:
    found: dict[str, Manipulation] = {}
    texts = _own_texts(chain(visible_texts(turn), turn_texts(turn)), quotes)
    for hit in (hit for text in texts for hit in detect_injection(text, names, after=after)):
        if not any(hit.quote in other or other in hit.quote for other in found):
            found[hit.quote] = _build_finding(hit, turn)
    return tuple(found.values())


def _own_texts(texts: Iterable[str], quotes: tuple[str, ...]) -> Iterator[str]:
    for text in texts:
        own = "" if text in quotes else text
        for quote in quotes:
            own = own.replace(f"“{quote}”", "“”")
        if own:
            yield own


def _build_finding(hit: Hit, turn: Turn | None = None) -> Manipulation:
    speaker, index = (turn.speaker, turn.index) if turn is not None else (None, None)
    return Manipulation(participant=speaker, turn=index, quote=hit.quote, technique=hit.technique)


def with_addressed_to_judge(form: Form[Any]) -> Form[Any]:
    """Return `form` with the field `addressed_to_judge` before all other fields."""
    item = {"type": "string", "maxLength": MAX_QUOTE_CHARS}
    properties = {
        ADDRESSED_TO_JUDGE: {"type": "array", "items": item, "maxItems": MAX_QUOTES},
        **form.schema.get("properties", {}),
    }
    schema = {
        **form.schema,
        "properties": properties,
        "required": [ADDRESSED_TO_JUDGE, *form.schema.get("required", ())],
    }
    return Form(form.name, _extend_model(form.model), schema, form.lenient)


@lru_cache(maxsize=256)
def _extend_model(model: type[FormModel]) -> type[FormModel]:
    fields: dict[str, Any] = {ADDRESSED_TO_JUDGE: (tuple[str, ...], Field(default=(), description=_DESCRIPTION))}
    return create_model(model.__name__, __base__=model, **fields)


def read_addressed_to_judge(
    form: FormModel, debate: Debate, subject: Subject, known: Sequence[Manipulation]
) -> tuple[tuple[Manipulation, ...], tuple[str, ...]]:
    """Return findings and warnings about the quotes in the field `addressed_to_judge` of `form`.

    - A quote from the judged turns, the motion or the background becomes a finding.
    - A quote of words that the judge did not read becomes a warning.
    - A quote from an earlier turn or from a source is ignored.
    - A quote is ignored if it is too short, or if it repeats an earlier quote or a finding in `known`.
    """
    last = last_visible_turn(debate, subject)
    visible = debate.turns if last is None else debate.turns_before(last + 1)
    findings, warnings = list[Manipulation](), list[str]()
    for quote in cast("tuple[str, ...]", getattr(form, ADDRESSED_TO_JUDGE))[:MAX_QUOTES]:
        words = quote.replace(REMOVAL_MARKER, " ").strip()
        others = [item.quote for item in (*known, *findings)]
        is_known = any(is_quoted_in(words, other) or is_quoted_in(other, words) for other in others)
        if len(words) < MIN_QUOTE_CHARS or is_known:
            continue
        hit = Hit(0, 0, words, ADDRESSED_TO_JUDGE)
        turn = find_quoted_turn(words, _judged_turns(debate, subject))
        if turn is not None:
            own = _own_texts(turn_texts(turn), genuine_quotes(debate, turn))
            findings += [_build_finding(hit, turn)] if any(is_quoted_in(words, text) for text in own) else []
        elif any(is_quoted_in(words, text) for text in (debate.topic, debate.config.background or "")):
            findings.append(_build_finding(hit))
        elif find_quoted_turn(words, visible) is None:
            warnings.append(f"dropped_quote: {quote!r} is not in the texts that were judged, so the quote is dropped")
    return tuple(item.model_copy(update={"found_by": "judge"}) for item in findings), tuple(warnings)
