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
from debate_cli.formats.timetable import STAGES, Timetable, timetable


@dataclass(frozen=True, slots=True)
class Step:
    """What comes next. Neither cues nor a reason to close: the debate waits for an answer, or for a judge's word."""

    cues: tuple[Cue, ...] = ()
    """Cues of the current wave that are neither answered nor given up; all may be asked at once."""
    close: CloseReason | None = None
    """`complete`, `surrender` or `converged` when no more speeches are to be made."""


def next_step(debate: Debate) -> Step:
    """Who speaks now, or why nobody does any more."""
    table = timetable(debate)
    if not all(debate.settled(brief) for brief in _awaited(debate, table)):
        return Step()
    fresh = not any(cue.index in debate.turns_by_index for cue in table.due)
    if fresh and (reason := _stopped(debate, table)):
        return Step(close=reason)
    if not table.due:
        return Step(close="complete")
    return Step(cues=tuple(cue for cue in table.due if not debate.settled(cue)))


def planned_turns(config: DebateConfig) -> int:
    """How many turns a debate has when nothing stops it and every possible follow-up question is asked."""
    return len(STAGES[config.format.kind](config.format)) * len(config.debaters)


def finished_rounds(debate: Debate) -> tuple[int, ...]:
    """Numbers of the rounds in which nobody will speak any more."""
    table = timetable(debate)
    over = debate.status == "complete" or next_step(debate).close is not None
    return tuple(
        item.number for item in table.rounds if item.complete or (over and debate.spoken(round_number=item.number))
    )


def cues(debate: Debate) -> tuple[Cue, ...]:
    """The cue of every turn that was made or is due, as it was given, by index (there are no gaps)."""
    return tuple(cue for item in timetable(debate).rounds for cue in item.cues)


def _awaited(debate: Debate, table: Timetable) -> tuple[waiting.Brief, ...]:
    if not table.due:
        return tuple(waiting.before_close(debate, table.index))
    return tuple(waiting.before_turn(debate, table.index, table.due[0].round))


def _stopped(debate: Debate, table: Timetable) -> CloseReason | None:
    """Why the wave that is due is not to be asked, if so."""
    if len(stopping.standing(debate, table.index)) <= 1:
        return "surrender"
    full = sum(item.complete for item in table.rounds)
    begun = bool(table.due) and len(table.rounds[-1].cues) > len(table.due)
    if debate.config.format.kind == "free_flowing" and table.due and not begun and free_flowing.converged(debate, full):
        return "converged"
    return None
