"""A saved debate performed before a watcher as if it ran now. Who performs it decides how long the pauses are.

No Rich and no clock here: each pause is yielded, and whoever iterates waits for it, for a key, or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.content import UNSTRUCTURED, Turn
from debate_cli.domain.debate import Debate, opened
from debate_cli.domain.events import Assessed, Closed, Event, Failed, JudgingOpened, Opened, Turned
from debate_cli.domain.judging_run import FIRST_RUN
from debate_cli.domain.tasks import Cue, Task
from debate_cli.formats.timetable import sequential
from debate_cli.render.cast import stood_in
from debate_cli.render.watcher import Watcher

CHUNK = 8
"""Characters of a speech that are typed at once."""
CHARACTERS_PER_SECOND = 240.0
"""Pace at speed 1."""


class Pause(NamedTuple):
    """A moment between two things; `seconds` is how long it lasts at speed 1."""

    after: Literal["piece", "turn"]
    seconds: float


class Performance(NamedTuple):
    """What of a debate is performed, and how."""

    debate: Debate
    round_number: int | None = None
    """Only this round; None means all."""
    typed: bool = False
    """Whether speeches are typed out."""
    judged: bool = True
    """Whether the judges' reports are shown as well."""
    apart: bool = False
    """Whether speeches that were made at the same time are performed one after the other."""

    def before(self, watcher: Watcher) -> Iterator[Pause]:
        """Perform the debate for `watcher`, pausing after each piece of text and each speech."""
        stage = _Stage(watcher, self.debate, self.round_number)
        for wave in self._waves():
            for turn in wave:
                watcher.asking(_cue(turn))
            if self.typed:
                yield from _type(wave, watcher)
            for turn in wave:
                stage.happens(Turned(at=self.debate.started_at, turn=turn))
                if turn is wave[-1] and self.judged:
                    stage.judges(item for item in self.debate.assessments if self._due(item, wave))
                yield Pause("turn", 0.5)
        if self.judged and self.round_number is None:
            stage.judges(iter(self.debate.assessments))
        self._close(stage)

    def _waves(self) -> list[list[Turn]]:
        found = waves(self.debate, self.round_number)
        return [[turn] for wave in found for turn in wave] if self.apart else found

    def _close(self, stage: _Stage) -> None:
        if self.round_number is not None:
            return
        for failure in self.debate.failures:
            stage.asked(failure.task)
        for failure in self.debate.failures:
            stage.happens(Failed(at=self.debate.started_at, failure=failure))
        if self.debate.closed is not None:
            at = self.debate.finished_at or self.debate.started_at
            stage.happens(Closed(at=at, reason=self.debate.closed))

    def _due(self, assessment: Assessment, wave: Sequence[Turn]) -> bool:
        """Whether an assessment is about what was just said."""
        subject = assessment.subject
        if assessment.run != FIRST_RUN or subject.moment == "debate":
            return False
        if subject.round is not None:
            last = max((turn.index for turn in self.debate.spoken(round_number=subject.round)), default=None)
            return any(turn.index == last for turn in wave) if wave[0].round == subject.round else False
        return bool(subject.turns) and max(subject.turns) in {turn.index for turn in wave}


def waves(debate: Debate, round_number: int | None = None) -> list[list[Turn]]:
    """Speeches that were asked for at the same time; only those of a round, or of all."""
    turns = debate.spoken(round_number=round_number)
    if sequential(debate):
        return [[turn] for turn in turns]
    return [list(wave) for _, wave in groupby(turns, key=lambda turn: (turn.round, turn.phase))]


class _Stage:
    """Folds what was performed so far, so that the watcher sees the state of that moment."""

    def __init__(self, watcher: Watcher, debate: Debate, round_number: int | None = None) -> None:
        """Of a round alone, what was said before is known, but not performed."""
        self._watcher = watcher
        self._later_runs = [run for run in debate.runs if run.id != FIRST_RUN]
        self._judged: set[str] = set()
        first = Opened(
            at=debate.started_at,
            id=debate.id,
            generator=debate.generator,
            config=debate.config,
            config_sha256=debate.config_sha256,
        )
        self._state = opened(first)
        for turn in debate.turns:
            if round_number is not None and turn.round < round_number:
                self._state = self._state.apply(Turned(at=debate.started_at, turn=turn))
        watcher.event(first, self._state)
        others = stood_in(debate)
        if others:
            watcher.note(others)

    def asked(self, task: Task) -> None:
        """Perform a question."""
        self._watcher.asking(task)

    def happens(self, event: Event) -> None:
        """Perform one event."""
        self._state = self._state.apply(event)
        self._watcher.event(event, self._state)

    def judges(self, assessments: Iterator[Assessment]) -> None:
        """Perform those assessments that were not performed yet; a later run opens before its first one."""
        for assessment in assessments:
            if assessment.brief.key in self._judged:
                continue
            self._judged.add(assessment.brief.key)
            self._open_run(assessment.run)
            self.happens(Assessed(at=self._state.started_at, assessment=assessment))

    def _open_run(self, run_id: str) -> None:
        for run in [run for run in self._later_runs if run.id == run_id]:
            self._later_runs.remove(run)
            self.happens(JudgingOpened(at=run.started_at, run=run.id, judging=run.judging, models=run.models))


def _type(wave: Sequence[Turn], watcher: Watcher) -> Iterator[Pause]:
    """The speeches of a wave, typed at the same time."""
    texts = [(_cue(turn), _raw(turn)) for turn in wave]
    for start in range(0, max(len(raw) for _, raw in texts), CHUNK):
        for cue, raw in texts:
            if raw[start : start + CHUNK]:
                watcher.text(cue, raw[start : start + CHUNK])
        yield Pause("piece", CHUNK / CHARACTERS_PER_SECOND)


def _raw(turn: Turn) -> str:
    """The speech as a model would have streamed it."""
    if UNSTRUCTURED in turn.warnings or turn.phase in ("rebuttal", "speech"):
        return turn.text
    form = turn.model_dump(mode="json", include={"arguments", "responses", "answers", "closing"}, exclude_none=True)
    return json.dumps(form, ensure_ascii=False) if form else turn.text


def _cue(turn: Turn) -> Cue:
    return Cue(index=turn.index, round=turn.round, phase=turn.phase, speaker=turn.speaker)
