"""Which words of the judges the next turn has to wait for. Only the debate's own judging run can hold a debater up."""

from __future__ import annotations

from collections.abc import Iterator

from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import FIRST_RUN
from debate_cli.domain.systems import Live, Moderator, Persuasion
from debate_cli.domain.tasks import Brief, Subject
from debate_cli.formats.stopping import judged_by

JUDGE = "judge"
"""Id of the one judge of a system."""


def feedback(debate: Debate) -> bool:
    """Whether a live judge's pressure reaches the debaters, so that each turn waits for the judging of the one before."""
    return any(isinstance(system, Live) and system.feedback for system in judged_by(debate))


def before_turn(debate: Debate, index: int, round_number: int) -> Iterator[Brief]:
    """The briefs to be settled before turn `index`, the first of a wave in round `round_number`, may be asked for."""
    for system in judged_by(debate):
        if isinstance(system, Live) and system.feedback:
            yield from _live(debate, index)
        elif isinstance(system, Moderator) and system.guidance and round_number > 1:
            yield from _chair(system, round_number - 1)
    yield from before_close(debate, index)


def before_close(debate: Debate, index: int) -> Iterator[Brief]:
    """The briefs to be settled before it is known who still stands when turn `index` would be due."""
    for system in judged_by(debate):
        if isinstance(system, Persuasion) and system.effects == "judge":
            yield from (_brief("persuasion", Subject(moment="turn", turns=(turn,))) for turn in range(index))


def guidance(debate: Debate, round_number: int) -> str | None:
    """The chair's word on the round before `round_number`; None where guidance is off or nothing was said."""
    if not any(isinstance(system, Moderator) and system.guidance for system in judged_by(debate)):
        return None
    said = [
        finding.guidance.strip()
        for item in debate.of_system("moderator", FIRST_RUN)
        if item.subject.moment == "round" and item.subject.round == round_number - 1
        for finding in item.findings
        if finding.kind == "summary"
    ]
    return "\n".join(text for text in said if text) or None


def _live(debate: Debate, index: int) -> Iterator[Brief]:
    turns = debate.turns_by_index
    for turn in range(index):
        yield _brief("live", Subject(moment="turn", turns=(turn,)))
        if turn and turns[turn].speaker != turns[turn - 1].speaker:
            yield _brief("live", Subject(moment="pair", turns=(turn - 1, turn)))


def _chair(system: Moderator, round_number: int) -> Iterator[Brief]:
    chairs = (JUDGE,) if system.judges == 1 else tuple(f"{JUDGE}-{n}" for n in range(1, system.judges + 1))
    for chair in chairs:
        yield _brief("moderator", Subject(moment="round", round=round_number), chair)


def _brief(system: str, subject: Subject, assessor: str = JUDGE) -> Brief:
    return Brief(run=FIRST_RUN, system=system, assessor=assessor, subject=subject)
