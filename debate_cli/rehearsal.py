"""A debate held on the mock, unseen and in no time, to learn what a real one would ask: no model is asked for that."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from debate_cli import __version__
from debate_cli.domain.config import DebateConfig, Limits, ModelSpec
from debate_cli.domain.debate import Debate, initial_debate
from debate_cli.domain.events import DebateOpened, Event, Generator
from debate_cli.engine import DebateRun, StopSignal
from debate_cli.llm import estimate
from debate_cli.llm.port import Model, OnText, Reply, Request
from debate_cli.render.plain.watchers import NullObserver
from debate_cli.wiring import ModelFactory, RunContext, with_mock_models

_START = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class PromptMeter:
    """A tape that records how long questions are, and nothing else."""

    serves: bool = True
    longest_prompts: dict[str, int] = field(default_factory=dict[str, int])
    """Purpose of a request -> tokens of the longest prompt with it, estimated on the high side."""

    def wrap(self, name: str, model: Model) -> Model:
        """`model`, measured."""
        del name
        return _MeteredModel(model, self)


@dataclass(frozen=True, slots=True)
class _MeteredModel:
    model: Model
    meter: PromptMeter

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        longest = self.meter.longest_prompts
        longest[request.purpose] = max(longest.get(request.purpose, 0), estimate.estimate_input_tokens(request))
        return await self.model.complete(request, on_text)


@dataclass(frozen=True, slots=True)
class Simulation:
    """What was learnt."""

    debate: Debate
    """As it went on the mock; the usage of its turns and assessments is the mock's."""
    meter: PromptMeter

    def longest_prompt(self, *purposes: str) -> int:
        """Tokens of the longest prompt among the requests whose purpose begins with one of `purposes`; 0 for none."""
        return max((size for name, size in self.meter.longest_prompts.items() if name.startswith(purposes)), default=0)


async def simulate_debate(config: DebateConfig, around: RunContext) -> Simulation:
    """Hold the debate of `config` on the mock, without its limits and without a search for manipulation."""
    meter = PromptMeter()
    unhurried = _with_plain_mocks(config).model_copy(update={"limits": Limits()})
    studio = ModelFactory(unhurried, replace(around, cassette=meter, note=_discard_note))
    start = DebateOpened(
        at=_START,
        id="rehearsal",
        generator=Generator(name="debate-cli", version=__version__),
        config=unhurried,
        config_sha256=unhurried.sha256(),
    )
    try:
        run = DebateRun(
            initial_debate(start),
            studio.build_actors(searching=False),
            _discard_event,
            NullObserver(),
            clock=lambda: _START,
            stop=StopSignal(),
        )
        return Simulation(await run.run(), meter)
    finally:
        await studio.aclose()


def _with_plain_mocks(config: DebateConfig) -> DebateConfig:
    """The debate on mocks that are fast, faultless and know no script."""
    mock = with_mock_models(config)
    models = {
        name: ModelSpec(model="mock/rehearsal", max_output_tokens=spec.max_output_tokens)
        for name, spec in mock.models.items()
    }
    return mock.model_copy(update={"models": models})


def _discard_event(_event: Event) -> None:
    """Nothing is kept."""


def _discard_note(_note: str) -> None:
    """Nobody is told."""
