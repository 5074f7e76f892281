"""Runs a whole debate in one call, with the real engine and model wrappers around the models of a test."""

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from debate_cli.app.context import Cassette, RunContext
from debate_cli.app.model_pool import ModelPool, build_actors
from debate_cli.app.session import Outcome, Session
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate, initial_debate
from debate_cli.domain.events import DebateClosed, DebateOpened, Generator
from debate_cli.engine import DebateRun, NullEventLog, StopSignal
from debate_cli.observer import NullObserver, Observer
from debate_cli.storage.transcript_store import StoredDebate

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
MICROSERVICES = "Should a startup of under ten people adopt microservices from day one?"


def config_of(**fields: Any) -> DebateConfig:
    """Two debaters and the mock; `fields` override the rest."""
    plain: dict[str, Any] = {
        "topic": MICROSERVICES,
        "seed": 7,
        "models": {"default": {"model": "mock/rehearsal"}},
        "debaters": [{"name": "Pro", "side": "for"}, {"name": "Con", "side": "against"}],
    }
    return DebateConfig.model_validate(plain | fields)


def run_debate(
    config: DebateConfig, *, cassette: Cassette | None = None, folder: Path = Path(), observer: Observer | None = None
) -> Debate:
    """Run the debate of `config` to its last assessment; without debaters, judge its document."""
    return asyncio.run(
        _run_debate(RunContext(config, folder, cassette=cassette, sleep=_skip_wait), observer or NullObserver())
    )


async def _run_debate(context: RunContext, observer: Observer) -> Debate:
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
    pool = ModelPool(context)
    try:
        actors = build_actors(pool, context)
        return await DebateRun(debate, actors, NullEventLog(), observer, clock=lambda: NOON, stop=StopSignal()).run()
    finally:
        await pool.aclose()


@dataclass(frozen=True)
class Sessions:
    """Runs sessions that differ only in their configuration."""

    context: RunContext

    async def begin(self, config: DebateConfig, debate_id: str, folder: Path | None) -> Outcome:
        """Run a new debate of `config`."""
        return await Session(replace(self.context, config=config)).begin(debate_id, folder)

    async def resume(self, stored: StoredDebate, config: DebateConfig | None = None) -> Outcome:
        """Resume a debate, within the limits of `config` or its own."""
        return await Session(replace(self.context, config=config or stored.debate.config)).resume(stored)


async def _skip_wait(_seconds: float) -> None:
    await asyncio.sleep(0)
