"""The timetable of a debate: its rounds so far and the one that is due, with the cue of every turn.

It is worked out anew from the debate each time, past cues included, so a resumed debate goes on exactly as it would have.
"""

from __future__ import annotations

from dataclasses import dataclass

from debate_cli.domain.debate import Debate
from debate_cli.domain.tasks import Cue, FollowUpQuestion
from debate_cli.domain.turn import Turn
from debate_cli.formats import free_flowing, semi_structured, structured
from debate_cli.formats.stage import Stage
from debate_cli.formats.stopping import active_debaters
from debate_cli.formats.waiting import has_feedback, moderator_guidance

STAGES_BY_FORMAT = {
    "structured": structured.structured_stages,
    "semi_structured": semi_structured.semi_structured_stages,
    "free_flowing": free_flowing.free_flowing_stages,
}


@dataclass(frozen=True, slots=True)
class ScheduledRound:
    """One round: the cues known so far, in the order of their indices (which have no gaps)."""

    number: int
    cues: tuple[Cue, ...]
    is_complete: bool
    """Whether all its turns are made."""


@dataclass(frozen=True, slots=True)
class Timetable:
    """All rounds until the one that is due, that one included."""

    rounds: tuple[ScheduledRound, ...]
    due_cues: tuple[Cue, ...]
    """The wave to be asked, turns of it that are made already included; empty when the plan is fulfilled."""

    @property
    def next_index(self) -> int:
        """Index of the first turn of the wave that is due, or of the one that would follow the last."""
        return self.due_cues[0].index if self.due_cues else sum(len(item.cues) for item in self.rounds)


def is_sequential(debate: Debate) -> bool:
    """Whether the debaters of a round are asked one after the other."""
    config = debate.config.format
    return config.kind == "free_flowing" or config.order == "sequential" or has_feedback(debate)


def build_timetable(debate: Debate) -> Timetable:
    """Work out who spoke and who is to speak."""
    one_by_one = is_sequential(debate)
    rounds: list[ScheduledRound] = []
    index = 0
    for stage in STAGES_BY_FORMAT[debate.config.format.kind](debate.config.format):
        board = _RoundBuilder(debate, tuple(rounds), stage, len(rounds) + 1, index)
        current = board.sequential_round() if one_by_one else board.parallel_round()
        if not current.cues:
            continue
        rounds.append(current)
        if not current.is_complete:
            return Timetable(tuple(rounds), current.cues[-1:] if one_by_one else current.cues)
        index += len(current.cues)
    return Timetable(tuple(rounds), ())


@dataclass(frozen=True, slots=True)
class _RoundBuilder:
    """What is needed to set up one round: `start` is the index of its first turn."""

    debate: Debate
    earlier: tuple[ScheduledRound, ...]
    stage: Stage
    number: int
    start: int

    def parallel_round(self) -> ScheduledRound:
        """Everybody sees all earlier rounds and nothing of this one."""
        spoke = {turn.speaker for turn in self.debate.select_turns(round_number=self.number)}
        questions = self._questions()
        names = [name for name in self._names() if not self._has_no_question(name, questions)]
        if not spoke.issuperset(names):
            upright = {*active_debaters(self.debate, self.start), *spoke}
            names = [name for name in names if name in upright]
        cues = tuple(
            self._build_cue(name, self.start + place, self.start, questions.get(name, ()))
            for place, name in enumerate(names)
        )
        return ScheduledRound(self.number, cues, all(self._is_spoken(cue) for cue in cues))

    def sequential_round(self) -> ScheduledRound:
        """Everybody sees all that was said before; the round is known up to the turn that is due."""
        questions = self._questions()
        cues: list[Cue] = []
        for name in self._names():
            if self._has_no_question(name, questions):
                continue
            index = self.start + len(cues)
            cue = self._build_cue(name, index, index, questions.get(name, ()))
            if self._is_spoken(cue):
                cues.append(cue)
            elif name in active_debaters(self.debate, index):
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
        """Per name, the questions to be answered now; in a follow-up, the own ones to which an answer came."""
        if self.stage.phase != "answers" and not self.stage.follow_up:
            return {}
        put = semi_structured.follow_up_questions(self.debate, self._latest_turns("cross_examination"))
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
        return Cue(
            index=index,
            round=self.number,
            phase=self.stage.phase,
            speaker=name,
            sees=tuple(range(horizon)),
            questions=questions,
            guidance=moderator_guidance(self.debate, self.number),
        )
