"""The timetable of a debate: its rounds so far and the one that is due, with the cue of every turn.

It is recomputed from the debate each time, past cues included, so a resumed debate continues exactly as it would have.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import memoize_on_value
from debate_cli.domain.judging_run import FIRST_RUN
from debate_cli.domain.tasks import Cue, FollowUpQuestion
from debate_cli.domain.turn import Phase, Turn
from debate_cli.formats.stages import Stage, follow_up_questions, stages
from debate_cli.systems.registry import active_systems, stopped_debaters


@dataclass(frozen=True, slots=True)
class ScheduledRound:
    """One round: the cues known so far, in the order of their indices (which have no gaps)."""

    number: int
    cues: tuple[Cue, ...]
    is_complete: bool
    """Whether all its turns are made."""


@dataclass(frozen=True, slots=True)
class Timetable:
    """All rounds up to and including the one that is due."""

    rounds: tuple[ScheduledRound, ...]
    due_cues: tuple[Cue, ...]
    """The wave to be asked, including its turns that are already made; empty when the plan is complete."""

    @property
    def next_index(self) -> int:
        """Index of the first turn of the due wave, or of the turn that would follow the last one."""
        return self.due_cues[0].index if self.due_cues else sum(len(item.cues) for item in self.rounds)

    @property
    def next_round(self) -> int:
        """Number of the due round, or of the round that would follow the last one."""
        return self.due_cues[0].round if self.due_cues else len(self.rounds) + 1


@memoize_on_value
def build_timetable(debate: Debate) -> Timetable:
    """Compute the rounds so far and the one that is due."""
    one_by_one = debate.is_sequential
    rounds: list[ScheduledRound] = []
    index = 0
    for stage in stages(debate.config.format):
        board = _RoundBuilder(debate, tuple(rounds), stage, len(rounds) + 1, index)
        current = board.sequential_round() if one_by_one else board.parallel_round()
        if not current.cues:
            continue
        rounds.append(current)
        if not current.is_complete:
            return Timetable(tuple(rounds), current.cues[-1:] if one_by_one else current.cues)
        index += len(current.cues)
    return Timetable(tuple(rounds), ())


class _CueFields(NamedTuple):
    """The fields of a cue for `turn` that sees the turns before `horizon`."""

    turn: int
    round: int
    phase: Phase
    speaker: str
    horizon: int
    questions: tuple[FollowUpQuestion, ...]
    guidance: str | None


@lru_cache(maxsize=4096)
def _make_cue(fields: _CueFields) -> Cue:
    """The cue. Cached, because each state of a debate lists the cues of all turns."""
    return Cue.model_construct(
        index=fields.turn,
        round=fields.round,
        phase=fields.phase,
        speaker=fields.speaker,
        sees=tuple(range(fields.horizon)),
        questions=fields.questions,
        guidance=fields.guidance,
    )


@memoize_on_value
def active_debaters(debate: Debate, index: int, round_number: int) -> tuple[str, ...]:
    """Names of the debaters who had not given up when turn `index` of a round was due, in their order."""
    before = debate.visible_to(Cue(index=index, round=1, phase="speech", speaker="", sees=tuple(range(index))))
    stopped = stopped_debaters(before, round_number)
    return tuple(item.name for item in debate.participants if item.name not in stopped)


@memoize_on_value
def _guidance(debate: Debate, round_number: int) -> str | None:
    """The guidance of the debate's judges for a round, for all debaters."""
    active = active_systems(debate.run(FIRST_RUN))
    given = [system.guidance(debate, settings, round_number) for system, settings in active]
    return "\n".join(text for text in given if text) or None


@dataclass(frozen=True, slots=True)
class _RoundBuilder:
    """Everything that is needed to build one round. `start` is the index of its first turn."""

    debate: Debate
    earlier: tuple[ScheduledRound, ...]
    stage: Stage
    number: int
    start: int

    def parallel_round(self) -> ScheduledRound:
        """A round in which every debater sees all earlier rounds and nothing of this one."""
        spoke = {turn.speaker for turn in self.debate.select_turns(round_number=self.number)}
        questions = self._questions()
        names = [name for name in self._names() if not self._has_no_question(name, questions)]
        if not spoke.issuperset(names):
            upright = {*active_debaters(self.debate, self.start, self.number), *spoke}
            names = [name for name in names if name in upright]
        cues = tuple(
            self._build_cue(name, self.start + place, self.start, questions.get(name, ()))
            for place, name in enumerate(names)
        )
        return ScheduledRound(self.number, cues, all(self._is_spoken(cue) for cue in cues))

    def sequential_round(self) -> ScheduledRound:
        """A round in which every debater sees all earlier turns. It is known up to the turn that is due."""
        questions = self._questions()
        cues: list[Cue] = []
        for name in self._names():
            if self._has_no_question(name, questions):
                continue
            index = self.start + len(cues)
            cue = self._build_cue(name, index, index, questions.get(name, ()))
            if self._is_spoken(cue):
                cues.append(cue)
            elif name in active_debaters(self.debate, index, self.number):
                return ScheduledRound(self.number, (*cues, cue), is_complete=False)
        return ScheduledRound(self.number, tuple(cues), is_complete=True)

    def _names(self) -> list[str]:
        return [participant.name for participant in self.debate.participants]

    def _is_spoken(self, cue: Cue) -> bool:
        turn = self.debate.turns_by_index.get(cue.index)
        return turn is not None and turn.speaker == cue.speaker

    def _has_no_question(self, name: str, questions: dict[str, tuple[FollowUpQuestion, ...]]) -> bool:
        return (self.stage.phase == "answers" or self.stage.follow_up) and not questions.get(name)

    def _questions(self) -> dict[str, tuple[FollowUpQuestion, ...]]:
        """Questions per debater: in an answer stage those that the debater answers, in a follow-up those that it asked."""
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
        """The turns of the latest round of a phase."""
        for item in reversed(self.earlier):
            if item.cues[0].phase == phase:
                return self.debate.select_turns(round_number=item.number)
        return ()

    def _build_cue(self, name: str, index: int, horizon: int, questions: tuple[FollowUpQuestion, ...]) -> Cue:
        guidance = _guidance(self.debate, self.number)
        return _make_cue(_CueFields(index, self.number, self.stage.phase, name, horizon, questions, guidance))
