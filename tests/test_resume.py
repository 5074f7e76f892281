"""A crash is a shorter list: a journal cut after any event, resumed, ends as the undisturbed run did."""

import asyncio
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from rehearsal_support import Sessions
from saved_support import without_times

from debate_cli.app.context import RunContext
from debate_cli.app.model_roles import with_mock_models
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import AssessmentCompleted, Event, TurnCompleted
from debate_cli.llm.model import Model, OnText, Reply, Request
from debate_cli.observer import NullObserver, Observer
from debate_cli.storage.config_file import read_config_file
from debate_cli.storage.journal import Journal
from debate_cli.storage.transcript_store import open_debate

ROOT = Path(__file__).parent.parent
NOW = datetime(2026, 1, 1, tzinfo=UTC)
EVERY = 1 if os.environ.get("SOAK") else 11
"""Cut after every event in `make soak`, after some in CI."""


@dataclass
class Counting:
    """A tape that writes down which questions were answered."""

    is_replay: bool = False
    failure: None = None
    answered: Counter[str] = field(default_factory=Counter[str])

    def wrap(self, name: str, model: Model, redact: Callable[[str], str]) -> Model:
        """The model with the counter around it."""
        return _Counted(self, name, model)


class _Counted:
    def __init__(self, cassette: Counting, name: str, model: Model) -> None:
        self._cassette = cassette
        self._name = name
        self._model = model

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        reply = await self._model.complete(request, on_text)
        self._cassette.answered[f"{self._name} {request.fingerprint()}"] += 1
        return reply


def session(cassette: Counting, observer: Observer | None = None) -> Sessions:
    """Sessions on the mock in which the clock stands still."""
    observing = observer or NullObserver()
    return Sessions(RunContext(everything(), ROOT / "configs", cassette=cassette, observer=observing, now=lambda: NOW))


def everything() -> DebateConfig:
    """A debate that all systems judge, the panel so strict that it deliberates to the end."""
    changes = [("judging.systems.2.convergence_threshold", "1.0"), ("seed", "3")]
    return with_mock_models(read_config_file(ROOT / "configs" / "everything.yaml", overrides=changes, env={}).config)


@dataclass
class Noting(NullObserver):
    """An observer that keeps the events."""

    events: list[Event] = field(default_factory=list[Event])

    def event(self, event: Event, debate: Debate) -> None:
        """See `Watcher`."""
        self.events.append(event)


@dataclass(frozen=True)
class Whole:
    """An undisturbed run."""

    events: list[Event]
    transcript: dict[str, Any]
    asked: Counter[str]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """A whole run: its events, its transcript, and the questions it asked."""
    folder = tmp_path_factory.mktemp("undisturbed")
    cassette, observer = Counting(), Noting()
    asyncio.run(session(cassette, observer).begin(everything(), "cut", folder))
    return Whole(observer.events, without_times(folder / "cut.json"), cassette.answered)


def test_the_run_that_is_cut_has_it_all(undisturbed: Whole) -> None:
    """All systems judged, and the panel deliberated."""
    judged = {item["system"] for item in undisturbed.transcript["assessments"]}
    assert judged == {"structured", "moderator", "panel", "live", "sources"}
    assert {verdict["system"] for verdict in undisturbed.transcript["verdicts"]} == {*judged, "persuasion"}
    assert max(item["revision"] for item in undisturbed.transcript["assessments"] if item["system"] == "panel") >= 1


@pytest.mark.slow
def test_a_debate_cut_after_any_event_ends_the_same(undisturbed: Whole, tmp_path: Path) -> None:
    """The resumed run ends in the same transcript, and no answered call is repeated."""
    for keep in range(1, len(undisturbed.events) + 1, EVERY):
        kept = undisturbed.events[:keep]
        path = tmp_path / str(keep) / "cut.jsonl"
        Journal.create(path, kept, str).close()
        cassette = Counting()
        outcome = asyncio.run(session(cassette).resume(open_debate(path)))
        answered = sum(isinstance(event, TurnCompleted | AssessmentCompleted) for event in kept)
        assert outcome.halted is None
        assert without_times(path.with_suffix(".json")) == undisturbed.transcript, f"cut after event {keep}"
        assert not path.exists()
        assert cassette.answered.total() == undisturbed.asked.total() - answered, f"cut after event {keep}"
        assert not cassette.answered - undisturbed.asked
