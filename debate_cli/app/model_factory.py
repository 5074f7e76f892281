"""Builds the actors of a run from its configuration.

Each model is wrapped, outermost first, in: structured output, redaction, cassette, parameter fallback, retries, rate
limit, budget, silence note, adapter. The budget comes after the limit, so that a call waiting in a queue reserves
nothing. There is one rate limiter per provider, one budget per run, and one structured-output client per model and set
of parameters.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from debate_cli.app.context import RunContext
from debate_cli.debaters.debater import Debater
from debate_cli.domain.config import DebateConfig, ModelSpec, Price
from debate_cli.domain.debate import Debate
from debate_cli.domain.judges import judge_ids, judge_model_role, judge_title
from debate_cli.domain.judging_config import SystemSettings
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.model_call import ModelCall, StructuredOutputMode
from debate_cli.domain.tasks import Brief
from debate_cli.engine import Actors
from debate_cli.errors import ConfigError, format_page_hint
from debate_cli.judging.judge import Judge
from debate_cli.llm.budget import Budget, BudgetedModel
from debate_cli.llm.history_policy import HistoryPolicy
from debate_cli.llm.model import Model
from debate_cli.llm.parameter_fallback import ParameterFallbackModel
from debate_cli.llm.profile import Profile
from debate_cli.llm.prompts import Prompts
from debate_cli.llm.provider_gate import ProviderGate
from debate_cli.llm.rate_limit import RateLimitedModel, RateLimiter
from debate_cli.llm.redaction import RedactingModel
from debate_cli.llm.retry import RetryingModel
from debate_cli.llm.silence import SilenceReportingModel
from debate_cli.llm.structured_output import ModelHandle, ModeRecord, StructuredOutputClient
from debate_cli.providers.mock.model import SCRIPTED_MODEL
from debate_cli.providers.provider_table import ProviderRow
from debate_cli.providers.registry import FREE_PRICE, ProviderRegistry, collect_provider_secrets, split_model_name
from debate_cli.storage.redact import Redactor

UNSCRIPTED_NAME = "unscripted"
"""Name of the mock that replaces `mock/scripted`."""


class ModelFactory:
    """Builds and owns the model clients of one run. `aclose` closes their connections."""

    def __init__(
        self,
        context: RunContext,
        *,
        used: Sequence[ModelCall] = (),
        rejected_modes: Mapping[str, Iterable[StructuredOutputMode]] | None = None,
    ) -> None:
        """`used`: the earlier calls of the debate, which count against the budget; one without a price counts its tokens.

        `rejected_modes`: by model, the modes of structured output that are known not to work.
        """
        config = context.config.model_copy(update={"providers": {}}) if context.mock else context.config
        limits = config.limits
        self._config = config
        self._context = context
        self._rejected_modes = rejected_modes or {}
        self._concurrency = asyncio.Semaphore(limits.concurrency)
        self._limiters: list[tuple[ProviderRow, RateLimiter]] = []
        self._limiters_of_given: dict[str, RateLimiter] = {}
        """By `provider/model`, for the models that the caller passed in."""
        self._main_providers = _ProviderContext.create(config, context)
        self._without_usage: set[str] = set()
        """Providers that reported no usage."""
        self._run_providers: dict[str, _ProviderContext] = {}
        """By judging run, for runs with their own providers."""
        self._prompts = Prompts(context.prompts).validate()
        self._budget = Budget(
            limits.max_cost_usd,
            limits.max_tokens,
            used_cost=sum(call.cost_usd or 0.0 for call in used),
            used_tokens=sum(call.usage.input_tokens + call.usage.output_tokens for call in used),
        )

    def build_actors(self, *, speeches: bool = True, searching: bool = True) -> Actors:
        """Build the actors.

        Without `speeches` only judges are built; without `searching` no judge looks for manipulation.
        """
        history = HistoryPolicy(self._config.format.history, self._context.observer.note)
        keeps_raw = self._config.output.raw
        debaters: dict[str, Debater] = {}
        for debater in self._config.debaters if speeches else ():
            spec = self._config.model_for_debater(debater)
            if spec is not None:
                debaters[debater.name] = Debater(
                    debater, self.handle_for(spec), self._prompts, history, keeps_raw=keeps_raw
                )
        judge = Judge(self._judge_handle, self._prompts, searching=searching, history=history, keeps_raw=keeps_raw)
        return Actors(debaters, judge, self._context.passages)

    def handle_for(self, spec: ModelSpec, run: JudgingRun | None = None) -> ModelHandle:
        """The handle for the model of `spec` in a judging `run`, or (None) in the debate.

        Equal specs share one handle.
        """
        spec = mock_spec(spec) if self._context.mock else spec
        providers = self._main_providers if run is None else self._providers_for(run)
        key = spec.model_dump_json()
        if key not in providers.handles:
            providers.handles[key] = self._build_handle(spec, providers)
        return providers.handles[key]

    async def aclose(self) -> None:
        """Close connections and embedded models."""
        for providers in (self._main_providers, *self._run_providers.values()):
            await providers.registry.aclose()

    def _providers_for(self, run: JudgingRun) -> _ProviderContext:
        """The providers of a judging run: those of the debate, overridden by its own."""
        if self._context.mock or not run.providers:
            return self._main_providers
        if run.id not in self._run_providers:
            wanted = _ProviderContext.create(with_run_providers(self._config, run), self._context)
            known = (
                providers
                for providers in (self._main_providers, *self._run_providers.values())
                if providers.registry.rows == wanted.registry.rows
            )
            self._run_providers[run.id] = next(known, wanted)
        return self._run_providers[run.id]

    def _build_handle(self, spec: ModelSpec, providers: _ProviderContext) -> ModelHandle:
        given = self._context.models.get(spec.model)
        profile = Profile() if given is not None else providers.registry.profile(spec.model)
        price = spec.price or FREE_PRICE if given is not None else providers.registry.price(spec)
        record = providers.mode_records.get(spec.model)
        if record is None:
            record = ModeRecord(spec.model, self._rejected_modes.get(spec.model, ()), note=self._context.observer.note)
            providers.mode_records[spec.model] = record
        return ModelHandle(
            StructuredOutputClient(
                self._build_model(spec, price, profile, providers),
                profile,
                name=spec.model,
                price=price,
                record=record,
            ),
            name=spec.model,
            max_output_tokens=spec.max_output_tokens or profile.max_output_tokens,
            temperature=spec.temperature,
            seed=self._config.seed,
            context_tokens=None if given is not None else providers.registry.context_tokens(spec.model),
        )

    def _build_model(
        self, spec: ModelSpec, price: Price | None, profile: Profile, providers: _ProviderContext
    ) -> Model:
        given = self._context.models.get(spec.model)
        if given is not None:
            budgeted = BudgetedModel(
                self._with_silence_notes(given, spec), self._budget, price, profile, name=spec.model
            )
            gated = RateLimitedModel(budgeted, self._limiter_of_given(spec.model), profile, self._concurrency)
            return RedactingModel(self._with_retries(gated), providers.redact)
        row = providers.registry.row(spec.model)

        def add_limits(model: Model) -> Model:
            budgeted = BudgetedModel(
                self._with_silence_notes(model, spec),
                self._budget,
                price,
                profile,
                name=None if row.kind == "mock" else spec.model,
                on_estimate=lambda: self._note_estimated_usage(row.name),
            )
            return RateLimitedModel(budgeted, self._limiter_for(row), profile, self._concurrency)

        retrying = self._with_retries(providers.registry.adapter(spec, add_limits))
        refused = providers.rejected_parameters.setdefault(spec.model, set())
        sampled = ParameterFallbackModel(retrying, refused, name=spec.model, note=self._context.observer.note)
        cassette = self._context.cassette
        taped = cassette.wrap(spec.model, sampled, providers.redact) if cassette is not None else sampled
        return RedactingModel(taped, providers.redact)

    def _with_silence_notes(self, model: Model, spec: ModelSpec) -> SilenceReportingModel:
        return SilenceReportingModel(model, self._context.observer.note, name=spec.model)

    def _with_retries(self, model: Model) -> RetryingModel:
        return RetryingModel(
            model,
            max_attempts=self._config.limits.max_attempts,
            on_retry=self._context.observer.note,
            sleep=self._context.sleep,
        )

    def _note_estimated_usage(self, provider: str) -> None:
        """Note once per provider that it reports no usage."""
        if provider not in self._without_usage:
            self._without_usage.add(provider)
            self._context.observer.note(
                f"{provider} reports no usage: its tokens are estimated{format_page_hint('budget')}"
            )

    def _limiter_for(self, row: ProviderRow) -> RateLimiter:
        """The rate limiter of a provider. Equal rows share one."""
        known = next((limiter for other, limiter in self._limiters if other == row), None)
        if known is not None:
            return known
        limiter = RateLimiter(
            row.max_concurrency,
            row.requests_per_minute,
            row.tokens_per_minute,
            gate=self._new_gate(row.name),
            clock=self._context.clock,
            sleep=self._context.sleep,
        )
        self._limiters.append((row, limiter))
        return limiter

    def _limiter_of_given(self, model: str) -> RateLimiter:
        """The rate limiter of a model that the caller passed in."""
        if model not in self._limiters_of_given:
            self._limiters_of_given[model] = RateLimiter(
                self._config.limits.concurrency,
                gate=self._new_gate(model),
                clock=self._context.clock,
                sleep=self._context.sleep,
            )
        return self._limiters_of_given[model]

    def _new_gate(self, name: str) -> ProviderGate:
        return ProviderGate(name, note=self._context.observer.note, clock=self._context.clock)

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
    """A set of providers, the handles of their models, and what these models' servers rejected."""

    registry: ProviderRegistry
    redact: Redactor
    """Removes the providers' secrets from model output."""
    handles: dict[str, ModelHandle] = field(default_factory=dict[str, ModelHandle])
    mode_records: dict[str, ModeRecord] = field(default_factory=dict[str, ModeRecord])
    """Structured-output modes that a model's server rejected or ignored, by model."""
    rejected_parameters: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """Sampling parameters that it rejected, by model."""

    @classmethod
    def create(cls, config: DebateConfig, context: RunContext) -> _ProviderContext:
        redact = Redactor((*context.secrets, *collect_provider_secrets(config, context.env)))
        return cls(ProviderRegistry(config, context.env, folder=context.folder), redact)


def with_run_providers(config: DebateConfig, run: JudgingRun) -> DebateConfig:
    """`config` with the judging run's own providers added or replaced."""
    return config.model_copy(update={"providers": {**config.providers, **run.providers}})


def judge_model_spec(config: DebateConfig, run: JudgingRun, judge_role: str | None) -> ModelSpec | None:
    """The model of a role in a judging run. The run's own models come before the configuration's."""
    models = {**config.models, **run.models}
    return config.model_copy(update={"models": models}).model_for_judge(judge_role)


def judge_roles(system: SystemSettings) -> tuple[str | None, ...]:
    """The model roles of a system's judges; empty if it asks no model."""
    return tuple(dict.fromkeys(judge_model_role(system, assessor) for assessor in judge_ids(system)))


def all_model_specs(config: DebateConfig) -> tuple[ModelSpec, ...]:
    """Every model that debaters and judges of `config` use, each once."""
    found = [config.model_for_debater(debater) for debater in config.debaters]
    for system in config.judging.systems:
        found += [config.model_for_judge(judge_role) for judge_role in judge_roles(system)]
    return tuple({spec.model_dump_json(): spec for spec in found if spec is not None}.values())


def require_judge_models(config: DebateConfig) -> None:
    """Check that every judge of `config` has a model. Raises ConfigError."""
    for system in config.judging.systems:
        if any(config.model_for_judge(judge_role) is None for judge_role in judge_roles(system)):
            raise ConfigError(f"{system.kind}: its judge has no model; give --model, or a --config with models.judge")


def with_mock_models(config: DebateConfig) -> DebateConfig:
    """`config` with the mock provider for every model. Temperatures and limits are kept."""
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
    """The mock model that replaces `spec`. A mock keeps its pace but loses its script."""
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
