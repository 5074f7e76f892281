"""Who speaks next: pure functions of a `Debate`, without clock, model or randomness.

A format is a list of stages, which `timetable` turns into rounds and cues. A debate ends early when at most one debater
is left, or, in the free-flowing format, when a round brings no new claim and no new rebuttal. The engine handles
budget, interruption and failure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import CloseReason
from debate_cli.domain.frozen_model import memoize_on_value
from debate_cli.domain.judging_run import FIRST_RUN
from debate_cli.domain.model_call import TERMINAL_PROVIDERS
from debate_cli.domain.tasks import Brief, Cue
from debate_cli.domain.turn import Turn
from debate_cli.formats.timetable import Timetable, active_debaters, add_guidance, build_timetable, stages
from debate_cli.systems.registry import active_systems

_Point = tuple[str, ...]
"""One claim, rebuttal or unstructured text of a speech; see `_points_made`."""
_key_of: Callable[[Brief], str] = attrgetter("key")
MIN_ROUNDS_TO_CONVERGE = 2
"""Minimum number of full rounds before a debate can converge."""


@dataclass(frozen=True, slots=True)
class Step:
    """The next step. Without cues and without a reason to close, the debate waits for an answer or a judge."""

    cues: tuple[Cue, ...] = ()
    """Turns to ask for now, all at once."""
    close: CloseReason | None = None
    """`complete`, `surrender` or `converged` if no further speech will be made; else None."""


@memoize_on_value
def next_step(debate: Debate) -> Step:
    """Return who speaks now, or why the debate is over. A debate that closed for good has no cues."""
    if debate.status == "complete":
        return Step(close=debate.closed)
    table = build_timetable(debate)
    if not debate.settled_keys.issuperset(map(_key_of, _awaited_briefs(debate, table))):
        return Step()
    is_new_wave = not any(cue.index in debate.turns_by_index for cue in table.due_cues)
    if is_new_wave and (reason := _stop_reason(debate, table)):
        return Step(close=reason)
    if not table.due_cues:
        return Step(close="complete")
    return Step(cues=tuple(add_guidance(debate, cue) for cue in table.due_cues if not debate.is_settled(cue)))


def planned_turns(config: DebateConfig) -> int:
    """Return the number of turns if the debate runs to its end and every possible follow-up question is asked."""
    return len(stages(config.format)) * len(config.debaters)


@memoize_on_value
def finished_rounds(debate: Debate) -> tuple[int, ...]:
    """Return the numbers of the rounds in which no further speech will be made."""
    table = build_timetable(debate)
    over = debate.status == "complete" or next_step(debate).close is not None
    return tuple(
        item.number for item in table.rounds if item.is_complete or (over and item.number in debate.turns_by_round)
    )


def list_cues(debate: Debate) -> tuple[Cue, ...]:
    """Return the cue of every turn that was made or is due, by index, up to the first gap."""
    return tuple(add_guidance(debate, cue) for item in build_timetable(debate).rounds for cue in item.cues)


def has_converged(debate: Debate, rounds: int) -> bool:
    """Return whether the last full round brought no new claim or rebuttal. `rounds`: number of full rounds so far."""
    if rounds < MIN_ROUNDS_TO_CONVERGE:
        return False
    new = {point for turn in debate.turns_by_round.get(rounds, ()) for point in _points_made(turn)}
    return new <= {point for turn in debate.turns if turn.round < rounds for point in _points_made(turn)}


def _awaited_briefs(debate: Debate, table: Timetable) -> Iterable[Brief]:
    """Return the briefs of the debate's own judges that must be settled before the debate goes on."""
    number = table.due_cues[0].round if table.due_cues else None
    return chain.from_iterable(
        system.awaited(debate, settings, table.next_index, number)
        for system, settings in active_systems(debate.run(FIRST_RUN))
    )


def _stop_reason(debate: Debate, table: Timetable) -> CloseReason | None:
    """Return why the debate ends before the next turns; None if it continues."""
    next_round = table.due_cues[0].round if table.due_cues else len(table.rounds) + 1
    if len(active_debaters(debate, table.next_index, next_round)) <= 1:
        return "surrender"
    full = len(table.rounds) - bool(table.due_cues)
    begun = bool(table.due_cues) and len(table.rounds[-1].cues) > len(table.due_cues)
    is_free_flowing = debate.config.format.kind == "free_flowing"
    if is_free_flowing and table.due_cues and not begun and has_converged(debate, full):
        return "converged"
    return None


@memoize_on_value
def _points_made(turn: Turn) -> set[_Point]:
    """Return the claims and rebuttals of a speech, normalized; if it is unstructured, its whole text."""
    if turn.arguments is None and turn.responses is None:
        return {("text", _normalize_words(turn.text))}
    claims = {("claim", _normalize_words(argument.claim)) for argument in turn.arguments or ()}
    return claims | {("rebuttal", item.target, _normalize_words(item.reasoning)) for item in turn.responses or ()}


def _normalize_words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def turns_hidden_from_people(debate: Debate) -> tuple[Turn, ...]:
    """Return the speeches that a person who is due to speak at the terminal must not see; empty if none is due."""
    config = debate.config
    for cue in next_step(debate).cues:
        spec = config.model_for_debater(config.debater(cue.speaker))
        if spec is not None and spec.model.partition("/")[0] in TERMINAL_PROVIDERS:
            seen = debate.visible_to(cue).turns
            return tuple(turn for turn in debate.turns if turn not in seen)
    return ()
