"""What a run will ask before it asks: calls, tokens and cost, as planned and at the worst, for each role.

Planned is what a rehearsal on the mock needed. At the worst every speech fills its limit, every question is asked again as
often as is allowed, and panels deliberate to their last round; requests that a provider answers with a fault are tried
again beyond that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from debate_cli.app.model_factory import ModelFactory, RunContext, with_mock_models
from debate_cli.domain.config import DebateConfig, Limits, ModelSpec
from debate_cli.domain.debate import Debate, initial_debate
from debate_cli.domain.events import DebateOpened, Event, Generator
from debate_cli.domain.judges import judge_ids, judge_model_role
from debate_cli.domain.judging_config import SystemSettings
from debate_cli.domain.model_call import ModelCall, Usage
from debate_cli.engine import DebateRun, StopSignal
from debate_cli.formats import planned_turns
from debate_cli.judging import schedule
from debate_cli.llm import usage as usage_module
from debate_cli.llm.model import Model, OnText, Reply, Request
from debate_cli.llm.prices import compute_cost
from debate_cli.llm.structured_output import MAX_REASKS
from debate_cli.observer import NullObserver
from debate_cli.providers.registry import ProviderRegistry
from debate_cli.version import __version__

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
        longest[request.purpose] = max(longest.get(request.purpose, 0), usage_module.estimate_input_tokens(request))
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


MAX_ASKS = 1 + MAX_REASKS
"""How often one question is asked at the most, as answers come without the right form."""
MAX_SPEECH_ASKS = 2 * MAX_ASKS
"""The same of a speech, which is asked for once more where its shape is broken."""
REASK_TOKENS = 600
"""What is wrong with an answer, in words, generously."""


@dataclass(frozen=True, slots=True)
class CallTotals:
    """Requests and what they take."""

    calls: int
    usage: Usage
    cost_usd: float | None
    """None where the price is not known."""

    def __add__(self, other: CallTotals) -> CallTotals:
        known = self.cost_usd is not None and other.cost_usd is not None
        both = (self.cost_usd or 0.0) + (other.cost_usd or 0.0)
        return CallTotals(self.calls + other.calls, self.usage + other.usage, both if known else None)


NO_CALLS = CallTotals(0, Usage(), 0.0)


@dataclass(frozen=True, slots=True)
class RoleEstimate:
    """What one debater, or one judge of a system, is expected to be asked."""

    role: str
    spec: ModelSpec
    planned: CallTotals
    worst: CallTotals


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """A whole run."""

    speeches: int
    assessments: int
    """At the least: a panel may deliberate further, a narrative may have to be resolved."""
    roles: tuple[RoleEstimate, ...]

    @property
    def planned(self) -> CallTotals:
        """Of all roles."""
        return sum((share.planned for share in self.roles), NO_CALLS)

    @property
    def worst(self) -> CallTotals:
        """Of all roles."""
        return sum((share.worst for share in self.roles), NO_CALLS)


def planned_calls(config: DebateConfig) -> int:
    """Calls that a run makes when nothing is asked again, at the least."""
    return planned_turns(config) + schedule.planned_briefs(config)


async def estimate_run(config: DebateConfig, around: RunContext) -> RunEstimate:
    """What running `config` would ask. No model is asked for it."""
    reckoning = _Estimator(
        config, ProviderRegistry(config, around.env, folder=around.folder), await simulate_debate(config, around)
    )
    shares = (
        *reckoning.estimate_debaters(),
        *(share for system in config.judging.systems for share in reckoning.estimate_judges(system)),
    )
    return RunEstimate(planned_turns(config), schedule.planned_briefs(config), shares)


@dataclass(frozen=True, slots=True)
class _QuestionLoad:
    """What is asked of one role again and again."""

    planned: int
    worst: int
    """How often, with every further round."""
    max_asks: int
    """How often one is asked at the most."""
    prompt_tokens: int
    """Tokens of its prompt at the most, whatever was said before at its longest."""


@dataclass(frozen=True, slots=True)
class _Estimator:
    config: DebateConfig
    registry: ProviderRegistry
    simulation: Simulation

    def estimate_debaters(self) -> Iterator[RoleEstimate]:
        """The shares of the debaters."""
        turns = planned_turns(self.config) // max(1, len(self.config.debaters))
        speech = self.simulation.longest_prompt(
            "opening", "cross_examination", "answers", "rebuttal", "closing", "speech"
        )
        for debater in self.config.debaters:
            spec = self.config.model_for_debater(debater)
            spoken = [turn.exchange for turn in self.simulation.debate.turns if turn.speaker == debater.name]
            if spec is not None:
                question = _QuestionLoad(turns, turns, MAX_SPEECH_ASKS, speech + self._debate_tokens_for_speaker(turns))
                yield self._estimate_role(debater.name, spec, question, spoken)

    def estimate_judges(self, system: SystemSettings) -> Iterator[RoleEstimate]:
        """The shares of a system's judges."""
        seats = judge_ids(system)
        calls = schedule.planned_calls(self.config, system)
        asked = calls.planned // max(1, len(seats))
        for seat in seats:
            spec = self.config.model_for_judge(judge_model_role(system, seat))
            told = self.simulation.debate.assessments_of_system(system.kind, "r1")
            if spec is not None:
                read = self._debate_tokens() + self._max_output_tokens(spec) * calls.quoted_answers
                question = _QuestionLoad(
                    asked,
                    asked + calls.follow_ups,
                    MAX_ASKS,
                    self.simulation.longest_prompt(f"judge.{system.kind}") + read,
                )
                name = f"{system.kind} {seat}"
                yield self._estimate_role(
                    name, spec, question, [item.exchange for item in told if item.assessor == seat]
                )

    def _estimate_role(
        self, name: str, spec: ModelSpec, question: _QuestionLoad, rehearsed: Sequence[ModelCall]
    ) -> RoleEstimate:
        price, output = self.registry.price(spec), self._max_output_tokens(spec)
        calls = question.worst * question.max_asks
        again = sum(range(question.max_asks)) * (output + REASK_TOKENS)
        worst = Usage(
            input_tokens=calls * question.prompt_tokens + question.worst * again, output_tokens=calls * output
        )
        planned = _scale_average_usage(rehearsed, question.planned)
        return RoleEstimate(
            name,
            spec,
            CallTotals(question.planned, planned, compute_cost(planned, price)),
            CallTotals(calls, worst, compute_cost(worst, price)),
        )

    def _debate_tokens_for_speaker(self, turns: int) -> int:
        """The same as a speaker of so many turns hears of it before each, on the average and last in every round."""
        speakers = len(self.config.debaters)
        before = speakers - 1 + speakers * (turns - 1) / 2
        return math.ceil(self._debate_tokens() / max(1, turns * speakers) * before)

    def _debate_tokens(self) -> int:
        """Tokens of the whole debate, every speech at its full length."""
        speakers = [self.config.model_for_debater(debater) for debater in self.config.debaters]
        longest = max((self._max_output_tokens(spec) for spec in speakers if spec is not None), default=0)
        return planned_turns(self.config) * longest

    def _max_output_tokens(self, spec: ModelSpec) -> int:
        return spec.max_output_tokens or self.registry.profile(spec.model).max_output_tokens


def _scale_average_usage(rehearsed: Sequence[ModelCall], calls: int) -> Usage:
    """What so many calls use, if each uses what those of the rehearsal did on the average."""
    count = max(1, len(rehearsed))
    spent = sum((exchange.usage for exchange in rehearsed), Usage())
    return Usage(
        input_tokens=round(spent.input_tokens * calls / count), output_tokens=round(spent.output_tokens * calls / count)
    )
