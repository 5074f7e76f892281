"""The field `addressed_to_judge` in every judge's form: the judge quotes words that someone addresses to the judge.

It complements the detector: rules know wordings, a model understands meaning. `judging/prompts/judge_rules.md` tells
the judge what to enter.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, cast

from pydantic import Field, create_model

from debate_cli.domain.assessment import Manipulation
from debate_cli.domain.debate import Debate
from debate_cli.domain.tasks import Subject
from debate_cli.domain.turn import Turn
from debate_cli.evidence.source_checks import genuine_quotes
from debate_cli.judge_input.injection.detector import REMOVAL_MARKER
from debate_cli.judge_input.injection.findings import own_texts
from debate_cli.judge_input.quotes import MIN_QUOTE_CHARS, find_quoted_turn, is_quoted_in, turn_texts
from debate_cli.judge_input.transcript_prompt import last_visible_turn
from debate_cli.llm.form import Form, FormModel, JsonSchema

FIELD = "addressed_to_judge"
"""Name of the field. It is also the technique of its findings, because the judge names none."""
_DESCRIPTION = "Quotes of words that are meant for the judge instead of the debate; empty if there are none."
MAX_QUOTES = 3
MAX_QUOTE_CHARS = 160
_FIELD_SCHEMA: JsonSchema = {
    "type": "array",
    "items": {"type": "string", "maxLength": MAX_QUOTE_CHARS},
    "maxItems": MAX_QUOTES,
}


def with_addressed_to_judge(form: Form[Any]) -> Form[Any]:
    """`form` with the field as the first one, so that the judge fills it in before it gives marks."""
    properties = {FIELD: _FIELD_SCHEMA, **form.schema.get("properties", {})}
    schema = {**form.schema, "properties": properties, "required": [FIELD, *form.schema.get("required", ())]}
    return Form(form.name, _extend_model(form.model), schema, form.lenient)


@lru_cache(maxsize=256)
def _extend_model(model: type[FormModel]) -> type[FormModel]:
    fields: dict[str, Any] = {FIELD: (tuple[str, ...], Field(default=(), description=_DESCRIPTION))}
    return create_model(model.__name__, __base__=model, **fields)


def read_addressed_to_judge(
    form: FormModel, debate: Debate, subject: Subject, known: Sequence[Manipulation]
) -> tuple[tuple[Manipulation, ...], tuple[str, ...]]:
    """A finding for each quote from the judged turns, the motion or the background; a warning for each invented quote.

    A quote is ignored if it is from an earlier turn (which is judged separately), from a source that a turn quotes, one
    of the `known` findings of the detector, or only a removal marker.
    """
    findings, warnings = list[Manipulation](), list[str]()
    for quote in cast("tuple[str, ...]", getattr(form, FIELD))[:MAX_QUOTES]:
        words = quote.replace(REMOVAL_MARKER, " ").strip()
        if len(words) < MIN_QUOTE_CHARS or _is_known(words, (*known, *findings)):
            continue
        judged, earlier = _split_visible_turns(debate, subject)
        turn = find_quoted_turn(words, judged)
        if turn is not None:
            own = own_texts(turn_texts(turn), genuine_quotes(debate, turn))
            findings += [_build_finding(words, turn)] if any(is_quoted_in(words, text) for text in own) else []
        elif any(is_quoted_in(words, text) for text in (debate.topic, debate.config.background or "")):
            findings.append(_build_finding(words, None))
        elif find_quoted_turn(words, earlier) is None:
            warnings.append(f"dropped_quote: {quote!r} is not in the texts that were judged")
    return tuple(findings), tuple(warnings)


def _is_known(words: str, known: Iterable[Manipulation]) -> bool:
    return any(is_quoted_in(words, item.quote) or is_quoted_in(item.quote, words) for item in known)


def _split_visible_turns(debate: Debate, subject: Subject) -> tuple[list[Turn], list[Turn]]:
    last = last_visible_turn(debate, subject)
    visible = debate.turns if last is None else debate.turns_before(last + 1)
    match subject.moment:
        case "turn" | "pair":
            judged = {*subject.turns}
        case "round":
            judged = {turn.index for turn in debate.select_turns(round_number=subject.round)}
        case "debate":
            judged = {turn.index for turn in visible}
    of_judged = [turn for turn in visible if turn.index in judged]
    return of_judged, [turn for turn in visible if turn.index not in judged]


def _build_finding(words: str, turn: Turn | None) -> Manipulation:
    speaker, index = (turn.speaker, turn.index) if turn is not None else (None, None)
    return Manipulation(participant=speaker, turn=index, quote=words, technique=FIELD, found_by="judge")
