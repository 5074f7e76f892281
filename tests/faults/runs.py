"""Configurations, observer and sessions for debates against the fault server."""

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from faults.fault_server import FaultServer
from rehearsal_support import Sessions, config_of

from debate_cli.app.context import RunContext
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import AssessmentCompleted, Event, TaskFailed, TurnCompleted
from debate_cli.domain.model_call import Usage
from debate_cli.domain.tasks import Cue, Task
from debate_cli.llm.model import RESTART

NOW = datetime(2026, 1, 1, tzinfo=UTC)
MODES = ["native", "tool", "prompt"]


def config(server: FaultServer, kind: str, **changes: Any) -> DebateConfig:
    """Two debaters and a judge, each with its own model at `server`; `changes` override top-level keys."""
    provider = {"kind": kind, "base_url": server.url(kind), "api_key_env": None, "structured": MODES}
    parts: dict[str, Any] = {
        "topic": "Should a startup of ten people adopt microservices?",
        "providers": {"lab": provider | changes.pop("provider", {})},
        "models": {"judge": {"model": "lab/judge"}},
        "debaters": [
            {"name": "Pro", "side": "for", "model": "lab/pro"},
            {"name": "Con", "side": "against", "model": "lab/con"},
        ],
        "format": {"arguments": 1, "phases": ["opening", "closing"]},
        "judging": {"systems": [{"kind": "structured"}]},
    }
    return DebateConfig.model_validate(parts | changes)


@dataclass(slots=True)
class RecordingObserver:
    """An observer that records everything."""

    events: list[Event] = field(default_factory=list[Event])
    shown: dict[str, str] = field(default_factory=dict[str, str])
    """Streamed text of each speech, by the key of its cue."""
    asked: Counter[str] = field(default_factory=Counter[str])
    notes: list[str] = field(default_factory=list[str])
    settled: Callable[[str], None] = lambda _key: None
    """Called with the key of every finished or failed task."""

    def event(self, event: Event, debate: Debate) -> None:
        """See `Observer`."""
        self.events.append(event)
        match event:
            case TurnCompleted():
                self.settled(f"turn/{event.turn.index}")
            case AssessmentCompleted():
                self.settled(event.assessment.brief.key)
            case TaskFailed():
                self.settled(event.failure.task.key)
            case _:
                pass

    def asking(self, task: Task) -> None:
        """See `Observer`."""
        self.asked[task.key] += 1

    def text(self, cue: Cue, piece: str) -> None:
        """See `Observer`."""
        self.shown[cue.key] = "" if piece == RESTART else self.shown.get(cue.key, "") + piece

    def note(self, note: str) -> None:
        """See `Observer`."""
        self.notes.append(note)


@dataclass(slots=True)
class FakeSleep:
    """Replaces `asyncio.sleep`: records the seconds, advances `now` by them and calls `then`, without waiting."""

    waited: list[float] = field(default_factory=list[float])
    then: Callable[[], Awaitable[None]] | None = None
    now: float = 0.0

    def clock(self) -> float:
        """Seconds since the start."""
        return self.now

    async def __call__(self, seconds: float) -> None:
        """Record the wait."""
        self.waited.append(seconds)
        self.now += seconds
        if self.then is not None:
            await self.then()


def session(observer: RecordingObserver, waits: FakeSleep, notes: list[str] | None = None) -> Sessions:
    """Sessions in which retries cost no time. `notes` receives the notes."""
    observer.notes = notes if notes is not None else []
    return Sessions(RunContext(config_of(), observer=observer, sleep=waits, clock=waits.clock, now=lambda: NOW))


def used(debate: Debate) -> Usage:
    """Usage recorded in a debate."""
    usage = debate.usage
    return Usage(
        input_tokens=usage.input_tokens,
        cached_tokens=usage.cached_tokens,
        output_tokens=usage.output_tokens,
        estimated=usage.estimated,
    )
