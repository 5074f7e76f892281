"""Which words of the judges the next turn has to wait for. Only the debate's own judging run can hold a debater up."""

from __future__ import annotations

from collections.abc import Iterator

from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import FIRST_RUN
from debate_cli.domain.tasks import Brief, Subject
from debate_cli.formats.stopping import active_judging_systems
from debate_cli.systems.live.settings import LiveSettings
from debate_cli.systems.moderator.settings import ModeratorSettings
from debate_cli.systems.persuasion.settings import PersuasionSettings

SOLE_JUDGE_ID = "judge"
"""Id of the one judge of a system."""


def has_feedback(debate: Debate) -> bool:
    """Whether a live judge's pressure reaches the debaters, so that each turn waits for the judging of the one before."""
    return any(isinstance(system, LiveSettings) and system.feedback for system in active_judging_systems(debate))


def briefs_before_turn(debate: Debate, index: int, round_number: int) -> Iterator[Brief]:
    """The briefs to be settled before turn `index`, the first of a wave in round `round_number`, may be asked for."""
    for system in active_judging_systems(debate):
        if isinstance(system, LiveSettings) and system.feedback:
            yield from _live_briefs(debate, index)
        elif isinstance(system, ModeratorSettings) and system.guidance and round_number > 1:
            yield from _moderator_briefs(system, round_number - 1)
    yield from briefs_before_close(debate, index)


def briefs_before_close(debate: Debate, index: int) -> Iterator[Brief]:
    """The briefs to be settled before it is known who still stands when turn `index` would be due."""
    for system in active_judging_systems(debate):
        if isinstance(system, PersuasionSettings) and system.effects == "judge":
            yield from (_build_brief("persuasion", Subject(moment="turn", turns=(turn,))) for turn in range(index))


def moderator_guidance(debate: Debate, round_number: int) -> str | None:
    """The chair's word on the round before `round_number`; None where guidance is off or nothing was said."""
    if not any(isinstance(system, ModeratorSettings) and system.guidance for system in active_judging_systems(debate)):
        return None
    said = [
        finding.guidance.strip()
        for item in debate.assessments_of_system("moderator", FIRST_RUN)
        if item.subject.moment == "round" and item.subject.round == round_number - 1
        for finding in item.findings
        if finding.kind == "summary"
    ]
    return "\n".join(text for text in said if text) or None


def _live_briefs(debate: Debate, index: int) -> Iterator[Brief]:
    turns = debate.turns_by_index
    for turn in range(index):
        yield _build_brief("live", Subject(moment="turn", turns=(turn,)))
        if turn and turns[turn].speaker != turns[turn - 1].speaker:
            yield _build_brief("live", Subject(moment="pair", turns=(turn - 1, turn)))


def _moderator_briefs(system: ModeratorSettings, round_number: int) -> Iterator[Brief]:
    chairs = (
        (SOLE_JUDGE_ID,) if system.judges == 1 else tuple(f"{SOLE_JUDGE_ID}-{n}" for n in range(1, system.judges + 1))
    )
    for chair in chairs:
        yield _build_brief("moderator", Subject(moment="round", round=round_number), chair)


def _build_brief(system: str, subject: Subject, assessor: str = SOLE_JUDGE_ID) -> Brief:
    return Brief(run=FIRST_RUN, system=system, assessor=assessor, subject=subject)
