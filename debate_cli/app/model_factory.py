"""Composition root: configuration in, actors out. Only this file and those below it see every part.

What is wired, outermost first: ladder, redaction, cassette, sampling, retries, limits, budget, adapter. The budget is asked last, so that what
waits for its turn holds none of it, and is not sent once it is closed. One limiter a provider, one budget a
run, one ladder a model and set of parameters.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from debate_cli.debaters.debater import Debater
from debate_cli.domain.config import DebateConfig, ModelSpec, Price
from debate_cli.domain.debate import Debate
from debate_cli.domain.judges import judge_ids, judge_model_role, judge_title
from debate_cli.domain.judging_config import SystemSettings
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.model_call import TotalUsage
from debate_cli.domain.tasks import Brief
from debate_cli.engine import Actors
from debate_cli.errors import ConfigError, format_page_hint
from debate_cli.judging.judge import Judge
from debate_cli.llm.budget import Budget, BudgetedModel
from debate_cli.llm.model import Model
from debate_cli.llm.parameter_fallback import ParameterFallbackModel
from debate_cli.llm.prompts import Prompts
from debate_cli.llm.rate_limit import RateLimitedModel, RateLimiter
from debate_cli.llm.redaction import RedactingModel
from debate_cli.llm.retry import RetryingModel
from debate_cli.llm.structured_output import ModelHandle, StructuredOutputClient
from debate_cli.providers.mock.model import SCRIPTED_MODEL
from debate_cli.providers.provider_table import ProviderRow
from debate_cli.providers.registry import ProviderRegistry, collect_provider_secrets, split_model_name
from debate_cli.storage.redact import Redactor

UNSCRIPTED_NAME = "unscripted"
"""What a mock is called that stands for a model named as the scripted mock is."""


class Cassette(Protocol):
    """A cassette: puts itself around a model, so that its exchanges are recorded, or served from a recording."""

    serves: bool
    """Whether it answers by itself, so that nothing behind it (keys, prices) is needed."""

    def wrap(self, name: str, model: Model) -> Model:
        """`model` (known as `name`) with the tape around it."""
        ...


@dataclass(frozen=True, slots=True)
class RunContext:
    """What a run finds around it, besides its configuration."""

    folder: Path
    """Folder of the configuration; relative paths in it start here."""
    env: Mapping[str, str]
    prompts: Mapping[str, str] = field(default_factory=dict[str, str])
    """Name of a shipped prompt -> text in its place."""
    cassette: Cassette | None = None
    mock: bool = False
    """Whether the mock stands in the place of every model, those too that a stored debate names."""
    secrets: Sequence[str] = ()
    """Values that no model's answer may hold, besides the keys of the configuration's providers."""
    note: Callable[[str], None] = lambda _: None
    """Told of retries and the like, one line each."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic
    """Seconds, for rates a minute; `sleep` moves it on."""


class ModelFactory:
    """Everything that one run of a configuration needs to ask models. `aclose` ends its connections."""

    def __init__(self, config: DebateConfig, around: RunContext, *, used: TotalUsage | None = None) -> None:
        """`used` was spent before, by the part of the debate that is resumed."""
        before = used or TotalUsage()
        limits = config.limits
        config = config.model_copy(update={"providers": {}}) if around.mock else config
        self._config = config
        self._context = around
        self._concurrency = asyncio.Semaphore(limits.concurrency)
        self._limiters: list[tuple[ProviderRow, RateLimiter]] = []
        self._main_providers = _ProviderContext.create(config, around)
        self._without_usage: set[str] = set()
        """Providers that reported no usage."""
        self._run_providers: dict[str, _ProviderContext] = {}
        """By judging run, of those that brought providers of their own."""
        self._prompts = Prompts(around.prompts).validate()
        self._budget = Budget(
            limits.max_cost_usd, limits.max_tokens, before.cost_usd or 0.0, before.input_tokens + before.output_tokens
        )

    def build_actors(self, *, speeches: bool = True, searching: bool = True) -> Actors:
        """The actors; without `speeches` the judges alone, and no debater's model is looked at.

        Without `searching` no judge looks for manipulation.
        """
        debaters: dict[str, Debater] = {}
        for debater in self._config.debaters if speeches else ():
            spec = self._config.model_for_debater(debater)
            if spec is not None:
                debaters[debater.name] = Debater(debater, self.handle_for(spec), self._prompts)
        return Actors(debaters, Judge(self._judge_handle, self._prompts, searching=searching))

    def handle_for(self, spec: ModelSpec, run: JudgingRun | None = None) -> ModelHandle:
        """What an actor speaks with who is given the model of `spec`, by a judging `run` or the debate; one for equal specs."""
        spec = mock_spec(spec) if self._context.mock else spec
        reach = self._main_providers if run is None else self._providers_for(run)
        key = spec.model_dump_json()
        if key not in reach.handles:
            reach.handles[key] = self._build_handle(spec, reach)
        return reach.handles[key]

    async def aclose(self) -> None:
        """End connections and embedded models."""
        for reach in (self._main_providers, *self._run_providers.values()):
            await reach.registry.aclose()

    def _providers_for(self, run: JudgingRun) -> _ProviderContext:
        """What the names of providers mean in a judging run: the debate's own, under those that it brought."""
        if self._context.mock or not run.providers:
            return self._main_providers
        if run.id not in self._run_providers:
            meant = _ProviderContext.create(with_run_providers(self._config, run), self._context)
            known = (
                reach
                for reach in (self._main_providers, *self._run_providers.values())
                if reach.registry.rows == meant.registry.rows
            )
            self._run_providers[run.id] = next(known, meant)
        return self._run_providers[run.id]

    def _build_handle(self, spec: ModelSpec, reach: _ProviderContext) -> ModelHandle:
        profile = reach.registry.profile(spec.model)
        price = reach.registry.price(spec)
        rejected = reach.rejected_rungs.setdefault(spec.model, set())
        return ModelHandle(
            StructuredOutputClient(
                self._build_model(spec, price, reach), profile, name=spec.model, price=price, rejected=rejected
            ),
            name=spec.model,
            max_output_tokens=spec.max_output_tokens or profile.max_output_tokens,
            temperature=spec.temperature,
            seed=self._config.seed,
        )

    def _build_model(self, spec: ModelSpec, price: Price | None, reach: _ProviderContext) -> Model:
        row = reach.registry.row(spec.model)

        def limited(model: Model) -> Model:
            budgeted = BudgetedModel(
                model, self._budget, price, on_estimate=lambda: self._note_estimated_usage(row.name)
            )
            return RateLimitedModel(budgeted, self._limiter_for(row), self._concurrency)

        retrying = RetryingModel(
            reach.registry.adapter(spec, limited),
            max_attempts=self._config.limits.max_attempts,
            on_retry=self._context.note,
            sleep=self._context.sleep,
        )
        refused = reach.rejected_parameters.setdefault(spec.model, set())
        sampled = ParameterFallbackModel(retrying, refused, name=spec.model, note=self._context.note)
        taped = self._context.cassette.wrap(spec.model, sampled) if self._context.cassette else sampled
        return RedactingModel(taped, reach.redact)

    def _note_estimated_usage(self, provider: str) -> None:
        """Tell once of a provider that its servers count no tokens."""
        if provider not in self._without_usage:
            self._without_usage.add(provider)
            self._context.note(f"{provider} reports no usage: its tokens are estimated{format_page_hint('budget')}")

    def _limiter_for(self, row: ProviderRow) -> RateLimiter:
        """One for equal rows, whoever is asked by them."""
        known = next((limiter for other, limiter in self._limiters if other == row), None)
        if known is not None:
            return known
        limiter = RateLimiter(
            row.max_concurrency,
            row.requests_per_minute,
            row.tokens_per_minute,
            clock=self._context.clock,
            sleep=self._context.sleep,
        )
        self._limiters.append((row, limiter))
        return limiter

    def _judge_handle(self, brief: Brief, debate: Debate) -> ModelHandle:
        run = debate.run(brief.run)
        system = next(system for system in run.judging.systems if system.kind == brief.system)
        spec = judge_model_spec(debate.config, run, judge_model_role(system, brief.assessor))
        if spec is None:
            raise ConfigError(
                f"the {judge_title(brief.system, brief.assessor)} has no model; name one in the system's `judge`, or set models.judge"
            )
        return self.handle_for(spec, run)


@dataclass(frozen=True, slots=True)
class _ProviderContext:
    """One meaning of the providers' names: where models are reached by them, and what was learnt of these."""

    registry: ProviderRegistry
    redact: Redactor
    """Takes the secrets of its providers out of what its models say."""
    handles: dict[str, ModelHandle] = field(default_factory=dict[str, ModelHandle])
    rejected_rungs: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """Rungs that a model's server turned down, by model: found out once, known to all that speak with it."""
    rejected_parameters: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """Sampling parameters that it turned down."""

    @classmethod
    def create(cls, config: DebateConfig, around: RunContext) -> _ProviderContext:
        redact = Redactor((*around.secrets, *collect_provider_secrets(config, around.env)))
        return cls(ProviderRegistry(config, around.env, folder=around.folder), redact)


def with_run_providers(config: DebateConfig, run: JudgingRun) -> DebateConfig:
    """`config` with the providers that a judging run brought in the place of those of the same names."""
    return config.model_copy(update={"providers": {**config.providers, **run.providers}})


def judge_model_spec(config: DebateConfig, run: JudgingRun, judge_role: str | None) -> ModelSpec | None:
    """The model that a role means in a judging run; the run's own models go before the configuration's."""
    models = {**config.models, **run.models}
    return config.model_copy(update={"models": models}).model_for_judge(judge_role)


def judge_roles(system: SystemSettings) -> tuple[str | None, ...]:
    """The roles that a system asks; none where it asks no model."""
    return tuple(dict.fromkeys(judge_model_role(system, assessor) for assessor in judge_ids(system)))


def all_model_specs(config: DebateConfig) -> tuple[ModelSpec, ...]:
    """Every model that the debaters and judges of `config` speak with, each once."""
    found = [config.model_for_debater(debater) for debater in config.debaters]
    for system in config.judging.systems:
        found += [config.model_for_judge(judge_role) for judge_role in judge_roles(system)]
    return tuple({spec.model_dump_json(): spec for spec in found if spec is not None}.values())


def require_judge_models(config: DebateConfig) -> None:
    """Make sure that every judge of `config` has a model. Raises ConfigError."""
    for system in config.judging.systems:
        if any(config.model_for_judge(judge_role) is None for judge_role in judge_roles(system)):
            raise ConfigError(f"{system.kind}: its judge has no model; give --model, or a --config with models.judge")


def with_mock_models(config: DebateConfig) -> DebateConfig:
    """The same debate with the mock in the place of every model; their temperatures and limits stay."""
    models = {name: mock_spec(spec) for name, spec in config.models.items()}
    models.setdefault("default", ModelSpec(model="mock/default"))
    debaters = tuple(
        debater.model_copy(update={"model": _mock_role(debater.model, models)}) for debater in config.debaters
    )
    systems = tuple(_mock_system(system, models) for system in config.judging.systems)
    return config.model_copy(
        update={
            "models": models,
            "providers": {},
            "debaters": debaters,
            "judging": config.judging.model_copy(update={"systems": systems}),
        }
    )


def mock_spec(spec: ModelSpec) -> ModelSpec:
    """The mock in the place of `spec`: it writes its answers itself, whatever the model is called; a mock keeps its pace."""
    provider, name = split_model_name(spec.model)
    own = UNSCRIPTED_NAME if f"mock/{name}" == SCRIPTED_MODEL else name
    if provider == "mock":
        return spec.model_copy(update={"model": f"mock/{own}", "script": None})
    return ModelSpec(
        model=f"mock/{own.replace('/', '-')}", temperature=spec.temperature, max_output_tokens=spec.max_output_tokens
    )


def _mock_role(model: str | None, models: Mapping[str, ModelSpec]) -> str | None:
    if model is None or model in models:
        return model
    return mock_spec(ModelSpec(model=model)).model


def _mock_system(system: SystemSettings, models: Mapping[str, ModelSpec]) -> SystemSettings:
    return system.with_models(lambda role: _mock_role(role, models))
