"""A debate held on the mock, unseen and in no time, to learn what a real one would ask: no model is asked for that."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from debate_cli import __version__
from debate_cli.domain.config import DebateConfig, Limits, ModelSpec
from debate_cli.domain.debate import Debate, opened
from debate_cli.domain.events import Event, Generator, Opened
from debate_cli.engine import Run, Stop
from debate_cli.llm import estimate
from debate_cli.llm.port import Model, OnText, Reply, Request
from debate_cli.render.plain.watchers import QuietWatcher
from debate_cli.wiring import Studio, Surroundings, mocked

_START = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class Meter:
    """A tape that records how long questions are, and nothing else."""

    serves: bool = True
    longest: dict[str, int] = field(default_factory=dict[str, int])
    """Purpose of a request -> tokens of the longest prompt with it, estimated on the high side."""

    def wrap(self, name: str, model: Model) -> Model:
        """`model`, measured."""
        del name
        return _Measured(model, self)


@dataclass(frozen=True, slots=True)
class _Measured:
    model: Model
    meter: Meter

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        longest = self.meter.longest
        longest[request.purpose] = max(longest.get(request.purpose, 0), estimate.input_tokens(request))
        return await self.model.complete(request, on_text)


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """What was learnt."""

    debate: Debate
    """As it went on the mock; the usage of its turns and assessments is the mock's."""
    meter: Meter

    def longest(self, *purposes: str) -> int:
        """Tokens of the longest prompt among the requests whose purpose begins with one of `purposes`; 0 for none."""
        return max((size for name, size in self.meter.longest.items() if name.startswith(purposes)), default=0)


async def rehearse(config: DebateConfig, around: Surroundings) -> Rehearsed:
    """Hold the debate of `config` on the mock, without its limits and without a search for manipulation."""
    meter = Meter()
    unhurried = _on_plain_mocks(config).model_copy(update={"limits": Limits()})
    studio = Studio(unhurried, replace(around, tape=meter, note=_unheard))
    start = Opened(
        at=_START,
        id="rehearsal",
        generator=Generator(name="debate-cli", version=__version__),
        config=unhurried,
        config_sha256=unhurried.sha256(),
    )
    try:
        run = Run(
            opened(start), studio.cast(searching=False), _forget, QuietWatcher(), clock=lambda: _START, stop=Stop()
        )
        return Rehearsed(await run.conduct(), meter)
    finally:
        await studio.aclose()


def _on_plain_mocks(config: DebateConfig) -> DebateConfig:
    """The debate on mocks that are fast, faultless and know no script."""
    mock = mocked(config)
    models = {
        name: ModelSpec(model="mock/rehearsal", max_output_tokens=spec.max_output_tokens)
        for name, spec in mock.models.items()
    }
    return mock.model_copy(update={"models": models})


def _forget(_event: Event) -> None:
    """Nothing is kept."""


def _unheard(_note: str) -> None:
    """Nobody is told."""
