"""The findings `manipulation` of a brief: what the detector finds in its subject. No model is involved."""

from collections.abc import Iterable, Iterator
from itertools import chain

from debate_cli.domain.assessment import Manipulation
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import memoize_on_value
from debate_cli.domain.tasks import Subject
from debate_cli.domain.turn import Turn
from debate_cli.evidence.source_checks import genuine_quotes
from debate_cli.judge_input.injection.detector import Hit, detect_injection
from debate_cli.judge_input.injection.name_aliases import debate_names
from debate_cli.judge_input.quotes import turn_texts
from debate_cli.judge_input.transcript_prompt import debater_names, last_passage_before, visible_texts


def find_manipulations(debate: Debate, subject: Subject) -> tuple[Manipulation, ...]:
    """One finding for each span that addresses the judge, in a turn, a round, or the whole debate.

    A pair of turns has no findings, because each of its turns is also judged separately. Motion, background and names
    are searched only for the whole debate. What a debater quotes word for word from a source is masked for judges, but is
    no finding.
    """
    names = debater_names(debate)
    found: list[Iterable[Manipulation]] = [
        _find_in_turn(turn, names, last_passage_before(turn, debate), genuine_quotes(debate, turn))
        for turn in _subject_turns(debate, subject)
    ]
    if subject.moment == "debate" and not subject.turns:
        texts = (debate.topic, debate.config.background or "")
        found.insert(0, (_build_finding(hit) for text in texts for hit in detect_injection(text, names)))
        found.insert(1, (_build_finding(hit) for name in debate_names(debate) for hit in detect_injection(name)))
    return tuple(dict.fromkeys(item for group in found for item in group))


def _subject_turns(debate: Debate, subject: Subject) -> Iterator[Turn]:
    match subject.moment:
        case "turn":
            yield from (debate.turns_by_index[index] for index in subject.turns if index in debate.turns_by_index)
        case "round":
            yield from debate.select_turns(round_number=subject.round)
        case "debate" if not subject.turns:
            yield from debate.turns
        case _:
            return


@memoize_on_value
def _find_in_turn(turn: Turn, names: tuple[str, ...], after: str, quotes: tuple[str, ...]) -> tuple[Manipulation, ...]:
    """The findings in a turn. Texts are searched as judges see them, so that a finding quotes exactly what was removed.

    Then the rest of the turn is searched. Memoized, because each judge of the whole debate needs the findings of all
    turns.
    """
    found: dict[str, Manipulation] = {}
    texts = own_texts(chain(visible_texts(turn), turn_texts(turn)), quotes)
    hits = (hit for text in texts for hit in detect_injection(text, names, after=after))
    for item in (_build_finding(hit, turn.speaker, turn.index) for hit in hits):
        if not any(item.quote in other or other in item.quote for other in found):
            found[item.quote] = item
    return tuple(found.values())


def own_texts(texts: Iterable[str], quotes: tuple[str, ...]) -> Iterator[str]:
    """`texts` without the words of `quotes`, which are from sources."""
    for text in texts:
        own = text
        for quote in quotes:
            own = "" if own == quote else own.replace(f"“{quote}”", "“”")
        if own:
            yield own


def _build_finding(hit: Hit, participant: str | None = None, turn: int | None = None) -> Manipulation:
    return Manipulation(participant=participant, turn=turn, quote=hit.quote, technique=hit.technique)
