"""The timetable of a debate: its rounds so far and the one that is due.

It is computed from the debate only, including past cues, so a resumed debate continues as if it had not been
interrupted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple

from debate_cli.domain.config import FormatConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import fold_growing, memoize_on_value
from debate_cli.domain.judging_run import FIRST_RUN
from debate_cli.domain.tasks import Cue, FollowUpQuestion
from debate_cli.domain.turn import Phase, Turn
from debate_cli.systems.registry import active_systems, stopped_debaters


class ScheduledTurn(NamedTuple):
    """A turn in the plan. `build_cue` creates its cue."""

    turn: int
    """Index of the turn."""
    round: int
    phase: Phase
    speaker: str
    horizon: int
    """The speaker sees only turns with a lower index."""
    questions: tuple[FollowUpQuestion, ...]


@dataclass(frozen=True, slots=True)
class ScheduledRound:
    """A round: its known turns by index, without gaps."""

    number: int
    turns: tuple[ScheduledTurn, ...]
    is_complete: bool
    """Whether all turns of the round were made."""


@dataclass(frozen=True, slots=True)
class Timetable:
    """All rounds up to and including the one that is due."""

    rounds: tuple[ScheduledRound, ...]
    due_turns: tuple[ScheduledTurn, ...]
    """The turns to be asked at once, including those that are already made; empty when the plan is complete."""

    @property
    def next_index(self) -> int:
        """Index of the first due turn, or of the turn that would follow the last one."""
        return self.due_turns[0].turn if self.due_turns else sum(len(item.turns) for item in self.rounds)

    @property
    def next_round(self) -> int:
        """Number of the due round, or of the round that would follow the last one."""
        return self.due_turns[0].round if self.due_turns else len(self.rounds) + 1


@memoize_on_value
def build_timetable(debate: Debate) -> Timetable:
    """Compute the rounds so far and the one that is due."""
    if debate.origin is not None:
        return Timetable(tuple(_held_rounds(debate)), ())
    one_by_one = debate.is_sequential
    plan = stages(debate.config.format)
    rounds = list(_past_speeches(debate)[: len(plan)])
    index = rounds[-1].turns[-1].turn + 1 if rounds else 0
    for stage in plan[len(rounds) :]:
        board = _RoundBuilder(debate, rounds, stage, len(rounds) + 1, index)
        current = board.sequential_round() if one_by_one else board.parallel_round()
        if not current.turns:
            continue
        rounds.append(current)
        if not current.is_complete:
            return Timetable(tuple(rounds), current.turns[-1:] if one_by_one else current.turns)
        index += len(current.turns)
    return Timetable(tuple(rounds), ())


def _past_speeches(debate: Debate) -> tuple[ScheduledRound, ...]:
    """The rounds of a free-flowing debate except the last two, which may still change; empty in other formats."""
    made = tuple(debate.turns_by_round.values())[:-1]
    if debate.config.format.kind != "free_flowing" or not made:
        return ()
    names = tuple(participant.name for participant in debate.participants)
    return fold_growing(debate.turns[0], ("rounds", names), made, (), partial(_add_speeches, names))[:-1]


def _add_speeches(
    names: tuple[str, ...], rounds: tuple[ScheduledRound, ...], made: tuple[Turn, ...]
) -> tuple[ScheduledRound, ...]:
    """`rounds` and the round of the turns `made`, unless a turn of it is missing or not in the order of `names`."""
    number, start = len(rounds) + 1, rounds[-1].turns[-1].turn + 1 if rounds else 0
    places = [names.index(turn.speaker) if turn.speaker in names else -1 for turn in made]
    is_planned = (
        [(turn.round, turn.index) for turn in made] == [(number, start + place) for place in range(len(made))]
        and places == sorted(set(places))
        and -1 not in places
    )
    if not is_planned:
        return rounds
    scheduled = (ScheduledTurn(turn.index, number, "speech", turn.speaker, turn.index, questions=()) for turn in made)
    return (*rounds, ScheduledRound(number, tuple(scheduled), is_complete=True))


def _held_rounds(debate: Debate) -> Iterator[ScheduledRound]:
    for number, turns in debate.turns_by_round.items():
        scheduled = (
            ScheduledTurn(turn.index, number, turn.phase, turn.speaker, turn.index, questions=()) for turn in turns
        )
        yield ScheduledRound(number, tuple(scheduled), is_complete=True)


def build_cue(debate: Debate, scheduled: ScheduledTurn) -> Cue:
    """The cue for a turn, with the guidance of the debate's judges for its round."""
    return _make_cue(scheduled, _guidance(debate, scheduled.round))


@lru_cache(maxsize=4096)
def _make_cue(scheduled: ScheduledTurn, guidance: str | None) -> Cue:
    """Create the cue. Cached, because each prompt with the whole debate needs the cues of all earlier turns."""
    return Cue.model_construct(
        index=scheduled.turn,
        round=scheduled.round,
        phase=scheduled.phase,
        speaker=scheduled.speaker,
        sees=tuple(range(scheduled.horizon)),
        questions=scheduled.questions,
        guidance=guidance,
    )


@memoize_on_value
def active_debaters(debate: Debate, index: int, round_number: int) -> tuple[str, ...]:
    """Names of the debaters who had not given up when turn `index` of a round was due, in their order."""
    cue = _make_cue(ScheduledTurn(index, round=1, phase="speech", speaker="", horizon=index, questions=()), None)
    stopped = stopped_debaters(debate.visible_to(cue), round_number)
    return tuple(item.name for item in debate.participants if item.name not in stopped)


@memoize_on_value
def _guidance(debate: Debate, round_number: int) -> str | None:
    active = active_systems(debate.run(FIRST_RUN))
    given = [system.guidance(debate, settings, round_number) for system, settings in active]
    return "\n".join(text for text in given if text) or None


@dataclass(frozen=True, slots=True)
class _RoundBuilder:
    """Builds one round. `start`: index of its first turn.

    The speakers of a past round are read from its turns. Who has given up is computed for the due round only.
    """

    debate: Debate
    earlier: Sequence[ScheduledRound]
    stage: Stage
    number: int
    start: int

    def parallel_round(self) -> ScheduledRound:
        """A round in which every debater sees all earlier rounds but nothing of this one."""
        spoke = {turn.speaker for turn in self.debate.turns_by_round.get(self.number, ())}
        questions = self._questions()
        names = [name for name in self._names() if not self._has_no_question(name, questions)]
        if not spoke.issuperset(names):
            is_past = self.debate.turns[-1].round > self.number if self.debate.turns else False
            upright = spoke if is_past else {*active_debaters(self.debate, self.start, self.number), *spoke}
            names = [name for name in names if name in upright]
        turns = tuple(
            self._schedule(name, self.start + place, self.start, questions) for place, name in enumerate(names)
        )
        return ScheduledRound(self.number, turns, all(self._is_made(turn) for turn in turns))

    def sequential_round(self) -> ScheduledRound:
        """A round in which every debater sees all earlier turns. If it is not complete, its last turn is the due one."""
        questions = self._questions()
        turns: list[ScheduledTurn] = []
        for name in self._names():
            if self._has_no_question(name, questions):
                continue
            index = self.start + len(turns)
            turn = self._schedule(name, index, index, questions)
            if self._is_made(turn):
                turns.append(turn)
            elif index not in self.debate.turns_by_index and name in active_debaters(self.debate, index, self.number):
                return ScheduledRound(self.number, (*turns, turn), is_complete=False)
        return ScheduledRound(self.number, tuple(turns), is_complete=True)

    def _names(self) -> list[str]:
        return [participant.name for participant in self.debate.participants]

    def _is_made(self, scheduled: ScheduledTurn) -> bool:
        turn = self.debate.turns_by_index.get(scheduled.turn)
        return turn is not None and turn.speaker == scheduled.speaker

    def _has_no_question(self, name: str, questions: dict[str, tuple[FollowUpQuestion, ...]]) -> bool:
        return (self.stage.phase == "answers" or self.stage.follow_up) and not questions.get(name)

    def _questions(self) -> dict[str, tuple[FollowUpQuestion, ...]]:
        """Debater -> questions. In a stage of answers: those to answer. In a follow-up: those that the debater asked."""
        if self.stage.phase != "answers" and not self.stage.follow_up:
            return {}
        put = follow_up_questions(self.debate, self._latest_turns("cross_examination"))
        if self.stage.phase == "answers":
            pairs = put
        else:
            answered = {turn.speaker for turn in self._latest_turns("answers")}
            pairs = tuple((question.asked_by, question) for asked, question in put if asked in answered)
        return {name: tuple(item for key, item in pairs if key == name) for name in self._names()}

    def _latest_turns(self, phase: str) -> tuple[Turn, ...]:
        for item in reversed(self.earlier):
            if item.turns[0].phase == phase:
                return self.debate.turns_by_round.get(item.number, ())
        return ()

    def _schedule(
        self, name: str, index: int, horizon: int, questions: Mapping[str, tuple[FollowUpQuestion, ...]]
    ) -> ScheduledTurn:
        return ScheduledTurn(index, self.number, self.stage.phase, name, horizon, questions.get(name, ()))


@dataclass(frozen=True, slots=True)
class Stage:
    """A step of the plan for all debaters. If no debater has anything to say in it, it makes no round."""

    phase: Phase
    follow_up: bool = False
    """Whether this stage is a cross-examination about the answers of the stage before."""


@memoize_on_value
def stages(config: FormatConfig) -> tuple[Stage, ...]:
    """The plan of a format.

    Free-flowing: stages of speeches. Otherwise the configured phases; after each cross-examination come its exchanges:
    a stage of answers, then for every further exchange a stage of questions and one of answers.
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
    """(debater to answer, question) for every follow-up question in the turns `asking`, in order.

    Questions about an unknown argument and questions to oneself are left out.
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
