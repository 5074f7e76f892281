"""Composition root: configuration in, actors out. Only this file and those below it see every part.

What is wired, outermost first: ladder, cassette, retries, budget, limits, adapter. One limiter a provider, one budget a
run, one ladder a model and set of parameters.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from debate_cli.debaters.debater import Debater
from debate_cli.domain.config import DebateConfig, ModelSpec
from debate_cli.domain.debate import FIRST_RUN, Debate
from debate_cli.domain.exchange import TotalUsage
from debate_cli.domain.tasks import Brief
from debate_cli.engine import Cast
from debate_cli.errors import ConfigError
from debate_cli.judging.bench import role
from debate_cli.judging.judge import Judge
from debate_cli.llm.budget import Budget, Budgeted
from debate_cli.llm.ladder import Ladder, Voice
from debate_cli.llm.limits import Limited, Limiter
from debate_cli.llm.port import Model
from debate_cli.llm.prices import price_of
from debate_cli.llm.retry import Retrying
from debate_cli.llm.template import Prompts


class Tape(Protocol):
    """A cassette: wraps the model of a name so that its exchanges are recorded, or served from a recording."""

    def wrap(self, name: str, model: Model) -> Model:
        """The model with the tape around it."""
        ...


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a run finds around it, besides its configuration."""

    folder: Path
    """Folder of the configuration; relative paths in it start here."""
    env: Mapping[str, str]
    prompts: Mapping[str, str] = field(default_factory=dict[str, str])
    """Name of a shipped prompt -> text in its place."""
    tape: Tape | None = None
    note: Callable[[str], None] = lambda _: None
    """Told of retries and the like, one line each."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
