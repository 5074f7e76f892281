"""Who speaks next: pure schedulers over a `Debate`. No clock, no model, no randomness.

A format is a tuple of stages (`structured`, `semi_structured`, `free_flowing`); `timetable` turns stages into rounds and
cues, `stopping` and `waiting` say when a debate ends early and which judge's word it waits for.
"""

from __future__ import annotations

from dataclasses import dataclass

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import CloseReason
from debate_cli.domain.tasks import Cue
from debate_cli.formats import free_flowing, stopping, waiting
from debate_cli.formats.timetable import STAGES_BY_FORMAT, Timetable, build_timetable


@dataclass(frozen=True, slots=True)
class Step:
    """What comes next. Neither cues nor a reason to close: the debate waits for an answer, or for a judge's word."""

    cues: tuple[Cue, ...] = ()
    """Cues of the current wave that are neither answered nor given up; all may be asked at once."""
    close: CloseReason | None = None
    """`complete`, `surrender` or `converged` when no more speeches are to be made."""


def next_step(debate: Debate) -> Step:
    """Who speaks now, or why nobody does any more."""
    table = build_timetable(debate)
    if not all(debate.is_settled(brief) for brief in _awaited_briefs(debate, table)):
        return Step()
    fresh = not any(cue.index in debate.turns_by_index for cue in table.due_cues)
    if fresh and (reason := _stop_reason(debate, table)):
        return Step(close=reason)
    if not table.due_cues:
        return Step(close="complete")
    return Step(cues=tuple(cue for cue in table.due_cues if not debate.is_settled(cue)))


def planned_turns(config: DebateConfig) -> int:
    """How many turns a debate has when nothing stops it and every possible follow-up question is asked."""
    return len(STAGES_BY_FORMAT[config.format.kind](config.format)) * len(config.debaters)


def finished_rounds(debate: Debate) -> tuple[int, ...]:
    """Numbers of the rounds in which nobody will speak any more."""
    table = build_timetable(debate)
    over = debate.status == "complete" or next_step(debate).close is not None
    return tuple(
        item.number
        for item in table.rounds
        if item.is_complete or (over and debate.select_turns(round_number=item.number))
    )


def list_cues(debate: Debate) -> tuple[Cue, ...]:
    """The cue of every turn that was made or is due, as it was given, by index (there are no gaps)."""
    return tuple(cue for item in build_timetable(debate).rounds for cue in item.cues)


def _awaited_briefs(debate: Debate, table: Timetable) -> tuple[waiting.Brief, ...]:
    if not table.due_cues:
        return tuple(waiting.briefs_before_close(debate, table.next_index))
    return tuple(waiting.briefs_before_turn(debate, table.next_index, table.due_cues[0].round))


def _stop_reason(debate: Debate, table: Timetable) -> CloseReason | None:
    """Why the wave that is due is not to be asked, if so."""
    if len(stopping.active_debaters(debate, table.next_index)) <= 1:
        return "surrender"
    full = sum(item.is_complete for item in table.rounds)
    begun = bool(table.due_cues) and len(table.rounds[-1].cues) > len(table.due_cues)
    if (
        debate.config.format.kind == "free_flowing"
        and table.due_cues
        and not begun
        and free_flowing.has_converged(debate, full)
    ):
        return "converged"
    return None
