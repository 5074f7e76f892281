"""Replays the speeches and judgements of a saved debate to an observer, at the pace of `--speed`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate, initial_debate
from debate_cli.domain.events import (
    AssessmentCompleted,
    DebateClosed,
    DebateOpened,
    Event,
    JudgingOpened,
    PassagesShown,
    TaskFailed,
    TurnCompleted,
)
from debate_cli.domain.frozen_model import copy_fields
from debate_cli.domain.judging_run import FIRST_RUN
from debate_cli.domain.tasks import Cue
from debate_cli.domain.turn import UNSTRUCTURED, Turn
from debate_cli.observer import Observer

TYPING_CHUNK = 8
"""Number of characters that are typed at once."""
CHARACTERS_PER_SECOND = 240.0
"""Number of characters typed per second at speed 1."""


class Pause(NamedTuple):
    """A pause after typed characters or after a turn. `seconds`: length of the pause at speed 1."""

    after: Literal["piece", "turn"]
    seconds: float


class ReplayPlan(NamedTuple):
    """The debate to replay, and the options of the replay."""

    debate: Debate
    round_number: int | None = None
    """Number of the round to replay; None replays all rounds."""
    is_typed: bool = False
    """Whether the text of a speech appears piece by piece, as if someone typed it."""
    judged: bool = True
    one_by_one: bool = False
    """Whether simultaneous speeches are replayed one after the other."""

    def play(self, observer: Observer) -> Iterator[Pause]:
        """Replay the debate to `observer`. Yields a pause after each typed piece of text and after each speech."""
        stage = _ReplayState(observer, self.debate, self.round_number)
        waves = group_waves(self.debate, self.round_number)
        for wave in [[turn] for together in waves for turn in together] if self.one_by_one else waves:
            for turn in (
                wave if self.is_typed or len(wave) > 1 else ()
            ):  # a view would draw "thinking" for a single speech
                observer.asking(_cue(turn))
            if self.is_typed:
                yield from _type_wave(wave, observer)
            for turn in wave:
                stage.apply(TurnCompleted(at=self.debate.started_at, turn=turn))
                if turn is wave[-1] and self.judged:
                    stage.judges(item for item in self.debate.assessments if self._is_due(item, wave))
                yield Pause("turn", 0.5)
        if self.round_number is None:
            if self.judged:
                stage.judges(iter(self.debate.assessments))
            self._replay_close(stage)

    def _replay_close(self, stage: _ReplayState) -> None:
        for failure in self.debate.failures:
            stage.apply(TaskFailed(at=self.debate.started_at, failure=failure))
        if self.debate.closed is not None:
            at = self.debate.finished_at or self.debate.started_at
            stage.apply(DebateClosed(at=at, reason=self.debate.closed))

    def _is_due(self, assessment: Assessment, wave: Sequence[Turn]) -> bool:
        subject = assessment.subject
        if assessment.run != FIRST_RUN or subject.moment == "debate":
            return False
        if subject.round is not None:
            last = max((turn.index for turn in self.debate.select_turns(round_number=subject.round)), default=None)
            return any(turn.index == last for turn in wave) if wave[0].round == subject.round else False
        return bool(subject.turns) and max(subject.turns) in {turn.index for turn in wave}


def group_waves(debate: Debate, round_number: int | None = None) -> list[list[Turn]]:
    """Group turns that were made at the same time. `round_number`: return only the turns of this round."""
    turns = debate.select_turns(round_number=round_number)
    if debate.is_sequential:
        return [[turn] for turn in turns]
    return [list(wave) for _, wave in groupby(turns, key=lambda turn: (turn.round, turn.phase))]


class _ReplayState:
    def __init__(self, observer: Observer, debate: Debate, round_number: int | None = None) -> None:
        self._observer = observer
        self._later_runs = [run for run in debate.runs if run.id != FIRST_RUN]
        self._judged: set[str] = set()
        first = copy_fields(debate, DebateOpened, at=debate.started_at, kept_verdicts=())
        self._state = initial_debate(first).apply(PassagesShown(at=debate.started_at, passages=debate.passages))
        for turn in debate.turns:
            if round_number is not None and turn.round < round_number:
                self._state = self._state.apply(TurnCompleted(at=debate.started_at, turn=turn))
        observer.event(first, self._state)

    def apply(self, event: Event) -> None:
        self._state = self._state.apply(event)
        self._observer.event(event, self._state)

    def judges(self, assessments: Iterator[Assessment]) -> None:
        for assessment in assessments:
            if assessment.brief.key in self._judged:
                continue
            self._judged.add(assessment.brief.key)
            for run in [run for run in self._later_runs if run.id == assessment.run]:
                self._later_runs.remove(run)
                self.apply(copy_fields(run, JudgingOpened, at=run.started_at, run=run.id, replaces=False, heard=None))
            self.apply(AssessmentCompleted(at=self._state.started_at, assessment=assessment))


def _type_wave(wave: Sequence[Turn], observer: Observer) -> Iterator[Pause]:
    texts: list[tuple[Cue, str]] = []
    for turn in wave:
        fields = {"arguments", "responses", "answers", "closing"}
        is_free = UNSTRUCTURED in turn.warnings or turn.phase in ("rebuttal", "speech")
        form = {} if is_free else turn.model_dump(mode="json", include=fields, exclude_none=True)
        texts.append((_cue(turn), json.dumps(form, ensure_ascii=False) if form else turn.text))
    for start in range(0, max(len(raw) for _, raw in texts), TYPING_CHUNK):
        for cue, raw in texts:
            if raw[start : start + TYPING_CHUNK]:
                observer.text(cue, raw[start : start + TYPING_CHUNK])
        yield Pause("piece", TYPING_CHUNK / CHARACTERS_PER_SECOND)


def _cue(turn: Turn) -> Cue:
    return Cue(index=turn.index, round=turn.round, phase=turn.phase, speaker=turn.speaker)
