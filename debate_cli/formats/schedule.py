"""Pure functions that decide who speaks next, and when a debate is over."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from debate_cli.domain.config import DebateConfig, FormatConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import CloseReason
from debate_cli.domain.frozen_model import memoize_on_value
from debate_cli.domain.judging_run import FIRST_RUN
from debate_cli.domain.model_call import TERMINAL_PROVIDERS
from debate_cli.domain.tasks import Brief, Cue, FollowUpQuestion
from debate_cli.domain.turn import Phase, Turn
from debate_cli.systems.registry import active_systems, stopped_debaters


class Stage(NamedTuple):
    """A planned round of a debate.

    A stage without due speeches is skipped, e.g. a round of answers if no question was asked.
    """

    phase: Phase
    follow_up: bool = False
    """Whether this stage is a cross-examination about the answers of the previous stage."""


@memoize_on_value
def stages(config: FormatConfig) -> tuple[Stage, ...]:
    """Return all stages of a debate in this format, in order.

    Exchanges follow the cross-examination. The first exchange is one round, in which debaters answer the questions of the
    cross-examination. Each later exchange is two rounds: follow-up questions, then answers.
    """
    if config.kind == "free_flowing":
        return (Stage("speech"),) * config.turns
    exchanges = config.exchanges if config.kind == "semi_structured" else int(config.answers)
    again = (Stage("cross_examination", follow_up=True), Stage("answers"))
    answered = ((Stage("answers"), *again * (exchanges - 1))) if exchanges else ()
    found: list[Stage] = []
    for phase in config.phases:
        if phase != "answers":
            found += [Stage(phase), *(answered if phase == "cross_examination" else ())]
    return tuple(found)


def follow_up_questions(debate: Debate, asking: tuple[Turn, ...]) -> tuple[tuple[str, FollowUpQuestion], ...]:
    """Return (name of the debater who must answer, question) for each follow-up question in the turns `asking`.

    The author of the questioned argument must answer. A question is left out if its argument is unknown, or if the asker
    is the argument's author.
    """
    found = (
        (
            debate.arguments[response.target][0],
            FollowUpQuestion(asked_by=turn.speaker, target=response.target, text=follow_up),
        )
        for turn in asking
        for response in turn.responses or ()
        if response.target in debate.arguments and (follow_up := response.follow_up.strip())
    )
    return tuple((asked, question) for asked, question in found if asked != question.asked_by)


class ScheduledRound(NamedTuple):
    """A round, with its cues sorted by index.

    In these cues, `guidance` (the judges' advice to all debaters) is None. `add_guidance` returns a cue with this
    advice.
    """

    number: int
    cues: tuple[Cue, ...]
    is_complete: bool
    """Whether all turns of the round are finished."""


class Timetable(NamedTuple):
    """The rounds that have begun, the next round, and the cues to send next."""

    rounds: tuple[ScheduledRound, ...]
    due_cues: tuple[Cue, ...]
    """The next cue if debaters speak one after the other; otherwise all cues of the current round. Empty after the last
    planned round.
    """

    @property
    def next_index(self) -> int:
        """Index of the first due cue. If no cue is due, the number of planned turns."""
        return self.due_cues[0].index if self.due_cues else sum(len(item.cues) for item in self.rounds)


@memoize_on_value
def build_timetable(debate: Debate) -> Timetable:
    """Compute the rounds that have begun, the next round, and the cues to send next."""
    if debate.origin is not None:
        return Timetable(tuple(itertools.starmap(_round_of, debate.turns_by_round.items())), ())
    one_by_one = debate.is_sequential
    rounds: list[ScheduledRound] = []
    index = 0
    for stage in stages(debate.config.format):
        board = _RoundBuilder(debate, rounds, stage, len(rounds) + 1, index)
        current = board.sequential_round() if one_by_one else board.parallel_round()
        if not current.cues:
            continue
        rounds.append(current)
        if not current.is_complete:
            return Timetable(tuple(rounds), current.cues[-1:] if one_by_one else current.cues)
        index += len(current.cues)
    return Timetable(tuple(rounds), ())


def _round_of(number: int, turns: Sequence[Turn]) -> ScheduledRound:
    cues = tuple(_make_cue(turn.index, number, turn.phase, turn.speaker, turn.index) for turn in turns)
    return ScheduledRound(number, cues, is_complete=True)


def add_guidance(debate: Debate, cue: Cue) -> Cue:
    """Return the cue with the judges' guidance for the cue's round."""
    guidance = _guidance(debate, cue.round)
    return cue.model_copy(update={"guidance": guidance}) if guidance else cue


@lru_cache(maxsize=4096)
def _make_cue(
    index: int,
    round_number: int,
    phase: Phase,
    speaker: str,
    horizon: int,
    questions: tuple[FollowUpQuestion, ...] = (),
) -> Cue:
    return Cue.model_construct(
        index=index,
        round=round_number,
        phase=phase,
        speaker=speaker,
        sees=tuple(range(horizon)),
        questions=questions,
        guidance=None,
    )


@memoize_on_value
def active_debaters(debate: Debate, index: int, round_number: int) -> tuple[str, ...]:
    """Return the names of the debaters who had not surrendered before turn `index`, which is in round `round_number`."""
    cue = _make_cue(index, 1, "speech", "", index)
    stopped = stopped_debaters(debate.visible_to(cue), round_number)
    return tuple(item.name for item in debate.participants if item.name not in stopped)


@memoize_on_value
def _guidance(debate: Debate, round_number: int) -> str:
    active = active_systems(debate.run(FIRST_RUN))
    return "\n".join(filter(None, (system.guidance(debate, settings, round_number) for system, settings in active)))


class _RoundBuilder(NamedTuple):
    debate: Debate
    earlier: Sequence[ScheduledRound]
    stage: Stage
    number: int
    start: int

    def parallel_round(self) -> ScheduledRound:
        spoke = {turn.speaker for turn in self.debate.turns_by_round.get(self.number, ())}
        questions = self._questions()
        names = list(questions)
        if not spoke.issuperset(names):
            is_past = bool(self.debate.turns) and self.debate.turns[-1].round > self.number
            upright = spoke if is_past else {*active_debaters(self.debate, self.start, self.number), *spoke}
            names = [name for name in names if name in upright]
        cues = tuple(
            _make_cue(self.start + place, self.number, self.stage.phase, name, self.start, questions[name])
            for place, name in enumerate(names)
        )
        return ScheduledRound(self.number, cues, all(map(self._is_made, cues)))

    def sequential_round(self) -> ScheduledRound:
        cues: list[Cue] = []
        for name, questions in self._questions().items():
            index = self.start + len(cues)
            cue = _make_cue(index, self.number, self.stage.phase, name, index, questions)
            if self._is_made(cue):
                cues.append(cue)
            elif index not in self.debate.turns_by_index and name in active_debaters(self.debate, index, self.number):
                return ScheduledRound(self.number, (*cues, cue), is_complete=False)
        return ScheduledRound(self.number, tuple(cues), is_complete=True)

    def _is_made(self, cue: Cue) -> bool:
        turn = self.debate.turns_by_index.get(cue.index)
        return turn is not None and turn.speaker == cue.speaker

    def _questions(self) -> dict[str, tuple[FollowUpQuestion, ...]]:
        names = [participant.name for participant in self.debate.participants]
        if self.stage.phase != "answers" and not self.stage.follow_up:
            return dict.fromkeys(names, ())
        put = follow_up_questions(self.debate, self._latest_turns("cross_examination"))
        if self.stage.follow_up:
            answered = {turn.speaker for turn in self._latest_turns("answers")}
            put = tuple((question.asked_by, question) for asked, question in put if asked in answered)
        found = {name: tuple(item for key, item in put if key == name) for name in names}
        return {name: questions for name, questions in found.items() if questions}

    def _latest_turns(self, phase: str) -> tuple[Turn, ...]:
        for item in reversed(self.earlier):
            if item.cues[0].phase == phase:
                return self.debate.turns_by_round.get(item.number, ())
        return ()


_Point = tuple[str, ...]
_key_of: Callable[[Brief], str] = attrgetter("key")
MIN_ROUNDS_TO_CONVERGE = 2
"""Minimum number of finished rounds before a debate can end because nothing new was said."""


class Step(NamedTuple):
    """The next step of a debate.

    If `cues` is empty and `close` is None, the debate waits for answers from debaters or judges.
    """

    cues: tuple[Cue, ...] = ()
    """Cues to send to debaters now, all at the same time."""
    close: CloseReason | None = None
    """Why the debate is over, e.g. `surrender`; None if it continues."""


@memoize_on_value
def next_step(debate: Debate) -> Step:
    """Return who speaks now, or why the debate is over."""
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
    """Return the maximum number of turns of a debate with this configuration."""
    return len(stages(config.format)) * len(config.debaters)


@memoize_on_value
def finished_rounds(debate: Debate) -> tuple[int, ...]:
    """Return the numbers of the rounds that will have no further speech."""
    if debate.status == "complete":
        return tuple(sorted(debate.turns_by_round))
    is_over = next_step(debate).close is not None
    return tuple(
        item.number
        for item in build_timetable(debate).rounds
        if item.is_complete or (is_over and item.number in debate.turns_by_round)
    )


def list_cues(debate: Debate) -> tuple[Cue, ...]:
    """Return the cues of all finished turns and of the turns that come next, sorted by index."""
    return tuple(add_guidance(debate, cue) for item in build_timetable(debate).rounds for cue in item.cues)


def has_converged(debate: Debate, round_number: int) -> bool:
    """Return whether a round brought no new claim and no new rebuttal. Always false for round 1."""
    if round_number < MIN_ROUNDS_TO_CONVERGE:
        return False
    new = {point for turn in debate.turns_by_round.get(round_number, ()) for point in _points_made(turn)}
    return new <= {point for turn in debate.turns if turn.round < round_number for point in _points_made(turn)}


def _awaited_briefs(debate: Debate, table: Timetable) -> Iterable[Brief]:
    number = table.due_cues[0].round if table.due_cues else None
    return chain.from_iterable(
        system.awaited_briefs(debate, settings, table.next_index, number)
        for system, settings in active_systems(debate.run(FIRST_RUN))
    )


def _stop_reason(debate: Debate, table: Timetable) -> CloseReason | None:
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
    if turn.arguments is None and turn.responses is None:
        return {("text", _normalize_words(turn.text))}
    claims = {("claim", _normalize_words(argument.claim)) for argument in turn.arguments or ()}
    return claims | {("rebuttal", item.target, _normalize_words(item.reasoning)) for item in turn.responses or ()}


def _normalize_words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def turns_hidden_from_people(debate: Debate) -> tuple[Turn, ...]:
    """Return the turns that the person who speaks next must not see yet, e.g. another turn of a simultaneous round.

    Empty unless a person at this terminal speaks next.
    """
    config = debate.config
    for cue in next_step(debate).cues:
        spec = config.model_for_debater(config.debater(cue.speaker))
        if spec is not None and spec.model.partition("/")[0] in TERMINAL_PROVIDERS:
            seen = debate.visible_to(cue).turns
            return tuple(turn for turn in debate.turns if turn not in seen)
    return ()
