"""A whole debate in one call: the real schedulers, actors, ladder and stack around whatever models a test names."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from debate_cli.app.context import Cassette, RunContext
from debate_cli.app.model_factory import ModelFactory
from debate_cli.app.session import Outcome, Session
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate, initial_debate
from debate_cli.domain.events import DebateClosed, DebateOpened, Event, Generator
from debate_cli.domain.tasks import Cue, Task
from debate_cli.engine import DebateRun, StopSignal
from debate_cli.storage.transcript_store import StoredDebate

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
MICROSERVICES = "Should a startup of under ten people adopt microservices from day one?"


class Deaf:
    """A watcher that looks away."""

    def event(self, event: Event, debate: Debate) -> None:
        """Nothing."""

    def asking(self, task: Task) -> None:
        """Nothing."""

    def text(self, cue: Cue, piece: str) -> None:
        """Nothing."""

    def note(self, note: str) -> None:
        """Nothing."""


def config_of(**fields: Any) -> DebateConfig:
    """Two debaters and the mock, with whatever else `fields` says."""
    plain: dict[str, Any] = {
        "topic": MICROSERVICES,
        "seed": 7,
        "models": {"default": {"model": "mock/rehearsal"}},
        "debaters": [{"name": "Pro", "side": "for"}, {"name": "Con", "side": "against"}],
    }
    return DebateConfig.model_validate(plain | fields)


def hold(config: DebateConfig, *, tape: Cassette | None = None, folder: Path = Path(), watcher: Any = None) -> Debate:
    """The debate that `config` asks for, from the opening to the last assessment; without debaters, a judged document."""
    return asyncio.run(_hold(RunContext(config, folder, cassette=tape, sleep=_at_once), watcher or Deaf()))


async def _hold(context: RunContext, watcher: Any) -> Debate:
    config = context.config
    debate = initial_debate(
        DebateOpened(
            at=NOON,
            id="rehearsal",
            generator=Generator(name="debate-cli", version="test"),
            config=config,
            config_sha256=config.sha256(),
        )
    )
    if not config.debaters:
        debate = debate.apply(DebateClosed(at=NOON, reason="complete"))
    factory = ModelFactory(context)
    try:
        run = DebateRun(debate, factory.build_actors(), lambda _: None, watcher, clock=lambda: NOON, stop=StopSignal())
        return await run.run()
    finally:
        await factory.aclose()


@dataclass(frozen=True)
class Sessions:
    """Sessions that differ in their configuration alone."""

    context: RunContext

    async def begin(self, config: DebateConfig, debate_id: str, folder: Path | None) -> Outcome:
        """Run a new debate of `config`."""
        return await Session(replace(self.context, config=config)).begin(debate_id, folder)

    async def resume(self, stored: StoredDebate, config: DebateConfig | None = None) -> Outcome:
        """Resume a debate, within the limits of `config` or its own."""
        return await Session(replace(self.context, config=config or stored.debate.config)).resume(stored)


async def _at_once(_seconds: float) -> None:
    await asyncio.sleep(0)
