"""The model clients of one or more runs: connections, rate limits, one budget.

Each model is wrapped, outermost first, in: structured output, redaction, cassette, parameter fallback, retries, rate
limit, budget, silence notes, adapter. The budget is inside the rate limit, so that a call waiting in a queue reserves
nothing. A person has only structured output, redaction and cassette. There is one rate limiter per provider, one budget
per pool, and one structured-output client per model and set of parameters.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial

from debate_cli.app.batches import BatchQueue, QueuedModel, WaitingModel
from debate_cli.app.context import RunContext
from debate_cli.domain.config import DebateConfig, ModelSpec, Price
from debate_cli.domain.model_call import StructuredOutputMode
from debate_cli.errors import ConfigError, format_page_hint
from debate_cli.llm.budget import Budget, BudgetedModel
from debate_cli.llm.model import Model
from debate_cli.llm.prices import halve_price
from debate_cli.llm.profile import Profile
from debate_cli.llm.prompts import Prompts
from debate_cli.llm.rate_limit import ProviderGate, RateLimitedModel, RateLimiter, SharedRates, SharedWindow
from debate_cli.llm.redaction import RedactingModel
from debate_cli.llm.retry import ParameterFallbackModel, RetryingModel, SilenceReportingModel
from debate_cli.llm.search import Reranker, SearchClient
from debate_cli.llm.structured_output import ModelHandle, ModeRecord, StructuredOutputClient
from debate_cli.providers.mock.model import SCRIPTED_MODEL
from debate_cli.providers.people.files import PromptFolder
from debate_cli.providers.people.person import PeopleAccess, default_files_folder
from debate_cli.providers.provider_table import PERSON_KIND, ProviderRow
from debate_cli.providers.registry import (
    EMBEDDING_KINDS,
    FREE_PRICE,
    ProviderRegistry,
    collect_provider_secrets,
    split_model_name,
)
from debate_cli.providers.search.table import find_search_target, format_no_embeddings, rerank_spec
from debate_cli.storage.redact import Redactor

UNSCRIPTED_NAME = "unscripted"
"""Name of the mock that replaces `mock/scripted`."""


class ModelPool:
    """Creates and owns model clients. Debates that share a pool share its connections, limits and budget."""

    def __init__(self, context: RunContext, budget: Budget | None = None, rates: SharedRates | None = None) -> None:
        """`context`: supplies limits, environment, secrets and observer. `budget`: None creates one from the limits.

        `rates`: requests and tokens per minute that are shared with other processes.
        """
        limits = context.config.limits
        if context.people is None:
            folder = default_files_folder(context.config)
            context = replace(context, people=PeopleAccess(PromptFolder(folder, context.observer.note)))
        self._context = context
        self._limits = limits
        self._concurrency = asyncio.Semaphore(limits.concurrency)
        self._limiters: list[tuple[ProviderRow, RateLimiter]] = []
        self._limiters_of_given: dict[str, RateLimiter] = {}
        """By `provider/model`, for the models that the caller passed in."""
        self._providers: list[_ProviderContext] = []
        self._without_usage: set[str] = set()
        """Providers that reported no usage."""
        self._rates = rates
        self.budget = budget or Budget(limits.max_cost_usd, limits.max_tokens)

    def handle_for(
        self,
        spec: ModelSpec,
        config: DebateConfig,
        rejected: Iterable[StructuredOutputMode] = (),
        batches: BatchQueue | None = None,
    ) -> ModelHandle:
        """The handle for a model, with the providers and the seed of `config`. Equal specs share one handle.

        `rejected`: modes of structured output that do not work. With `batches` requests wait for a batch.
        """
        spec = mock_spec(spec) if self._context.mock else spec
        providers = self._providers_of(config)
        key = (spec.model_dump_json(), batches is not None)
        if key not in providers.handles:
            providers.handles[key] = self._build_handle(spec, providers, rejected, batches)
        return providers.handles[key]

    def search_client(self, config: DebateConfig, prompts: Prompts) -> SearchClient | None:
        """The client for the web searches of `config`, limited like models; None if `config` has no web search.

        Raises ConfigError if searches are impossible.
        """
        target = find_search_target(config, self._context.env)
        if target is None or config.evidence is None:
            return None
        providers = self._providers_of(config)
        add_limits = partial(self._add_limits, target.provider, target.spec, target.price, Profile())
        name = split_model_name(target.spec.model)[1]
        retrying = self._with_retries(providers.registry.search_adapter(target.row, name, add_limits))
        return SearchClient(
            self._with_cassette(retrying, target.spec, providers),
            target.spec.model,
            target.price,
            target.settings,
            config.evidence.passage_words,
            prompts.render("debate_cli.evidence", "web_search") if target.settings.by_model else "",
        )

    def reranker(self, config: DebateConfig) -> Reranker | None:
        """The client that orders passages by meaning; None if not configured. Raises ConfigError."""
        spec = rerank_spec(config)
        if spec is None:
            return None
        providers = self._providers_of(config)
        row, price = providers.registry.row(spec.model), providers.registry.price(spec)
        if row.kind not in EMBEDDING_KINDS:
            raise ConfigError(format_no_embeddings(spec.model))
        add_limits = partial(self._add_limits, row, spec, price, Profile())
        retrying = self._with_retries(providers.registry.embedding_adapter(spec, add_limits))
        return Reranker(self._with_cassette(retrying, spec, providers), spec.model, price)

    @property
    def closed_providers(self) -> frozenset[str]:
        """Names of the providers that get no call for now because they refused one."""
        return frozenset(row.name for row, limiter in self._limiters if limiter.is_closed)

    async def aclose(self) -> None:
        """Close connections and embedded models."""
        for providers in self._providers:
            await providers.registry.aclose()

    def _providers_of(self, config: DebateConfig) -> _ProviderContext:
        """The providers of `config`. Configurations with equal providers and seeds share them."""
        for known in self._providers:
            if known.config.seed == config.seed and known.config.providers == config.providers:
                return known
        wanted = _ProviderContext.create(config, self._context)
        for known in self._providers:
            if known.config.seed == config.seed and known.registry.rows == wanted.registry.rows:
                return known
        self._providers.append(wanted)
        return wanted

    def _build_handle(
        self,
        spec: ModelSpec,
        providers: _ProviderContext,
        rejected: Iterable[StructuredOutputMode],
        batches: BatchQueue | None,
    ) -> ModelHandle:
        given = self._context.models.get(spec.model)
        profile = Profile() if given is not None else providers.registry.profile(spec.model)
        price = spec.price or FREE_PRICE if given is not None else providers.registry.price(spec)
        if batches is None:
            model = self._build_model(spec, price, profile, providers)
        else:
            price = halve_price(price)
            model = self._build_batched_model(spec, price, profile, providers, batches)
        record = providers.mode_records.get(spec.model)
        if record is None:
            record = ModeRecord(spec.model, rejected, note=self._context.observer.note)
            providers.mode_records[spec.model] = record
        return ModelHandle(
            StructuredOutputClient(model, profile, name=spec.model, price=price, record=record),
            name=spec.model,
            max_output_tokens=spec.max_output_tokens or profile.max_output_tokens,
            temperature=spec.temperature,
            seed=providers.config.seed,
            context_tokens=None if given is not None else providers.registry.context_tokens(spec.model),
        )

    def _build_model(
        self, spec: ModelSpec, price: Price | None, profile: Profile, providers: _ProviderContext
    ) -> Model:
        given = self._context.models.get(spec.model)
        if given is not None:
            budgeted = BudgetedModel(
                self._with_silence_notes(given, spec), self.budget, price, profile, name=spec.model
            )
            gated = RateLimitedModel(budgeted, self._limiter_of_given(spec.model), profile, self._concurrency)
            return RedactingModel(self._with_retries(gated), providers.redact)
        row = providers.registry.row(spec.model)
        if row.kind == PERSON_KIND:
            return self._with_cassette(providers.registry.adapter(spec), spec, providers)
        add_limits = partial(self._add_limits, row, spec, price, profile)
        retrying = self._with_retries(providers.registry.adapter(spec, add_limits))
        return self._with_cassette(self._with_fallback(retrying, spec, providers), spec, providers)

    def _build_batched_model(
        self, spec: ModelSpec, price: Price | None, profile: Profile, providers: _ProviderContext, batches: BatchQueue
    ) -> Model:
        """A model whose requests wait for a batch. It needs no rate limit and no retries.

        The journal records no reservation, because the batch is stored before it is submitted.
        """
        registry = providers.registry
        queued = QueuedModel(batches, spec.model, partial(registry.batches, spec), profile, price, providers.redact)
        row = registry.row(spec.model)
        budgeted = BudgetedModel(
            queued, self.budget, price, profile, on_estimate=lambda: self._note_estimated_usage(row.name)
        )
        retrying = RetryingModel(
            WaitingModel(budgeted, batches), max_attempts=self._limits.max_attempts, sleep=_skip_backoff
        )
        return self._with_cassette(self._with_fallback(retrying, spec, providers), spec, providers)

    def _with_fallback(self, model: Model, spec: ModelSpec, providers: _ProviderContext) -> Model:
        refused = providers.rejected_parameters.setdefault(spec.model, set())
        return ParameterFallbackModel(model, refused, name=spec.model, note=self._context.observer.note)

    def _add_limits(
        self, row: ProviderRow, spec: ModelSpec, price: Price | None, profile: Profile, model: Model
    ) -> Model:
        """Wrap an adapter with silence notes, budget and the rate limit of `row`."""
        budgeted = BudgetedModel(
            self._with_silence_notes(model, spec),
            self.budget,
            price,
            profile,
            name=None if row.kind == "mock" else spec.model,
            on_estimate=lambda: self._note_estimated_usage(row.name),
        )
        return RateLimitedModel(budgeted, self._limiter_for(row), profile, self._concurrency)

    def _with_cassette(self, model: Model, spec: ModelSpec, providers: _ProviderContext) -> Model:
        """Wrap `model` with the cassette of the run, if there is one, and remove secrets from its replies."""
        cassette = self._context.cassette
        taped = cassette.wrap(spec.model, model, providers.redact) if cassette is not None else model
        return RedactingModel(taped, providers.redact)

    def _with_silence_notes(self, model: Model, spec: ModelSpec) -> SilenceReportingModel:
        return SilenceReportingModel(model, self._context.observer.note, name=spec.model)

    def _with_retries(self, model: Model) -> RetryingModel:
        return RetryingModel(
            model,
            max_attempts=self._limits.max_attempts,
            on_retry=self._context.observer.note,
            sleep=self._context.sleep,
        )

    def _note_estimated_usage(self, provider: str) -> None:
        if provider not in self._without_usage:
            self._without_usage.add(provider)
            self._context.observer.note(
                f"{provider} reports no usage: its tokens are estimated{format_page_hint('budget')}"
            )

    def _limiter_for(self, row: ProviderRow) -> RateLimiter:
        """The rate limiter of a provider. Equal rows share one limiter."""
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
            shared=self._shared_window(row),
        )
        self._limiters.append((row, limiter))
        return limiter

    def _shared_window(self, row: ProviderRow) -> SharedWindow | None:
        """The calls of the last minute, shared by all processes with the same key; None without a limit per minute."""
        if self._rates is None or (row.requests_per_minute is None and row.tokens_per_minute is None):
            return None
        key = self._context.env.get(row.api_key_env or "", "")
        account = f"{row.name} {row.base_url or ''} {hashlib.sha256(key.encode()).hexdigest()[:16]}"
        return self._rates(account, row.requests_per_minute, row.tokens_per_minute)

    def _limiter_of_given(self, model: str) -> RateLimiter:
        """The rate limiter of a model object that the caller passed."""
        if model not in self._limiters_of_given:
            self._limiters_of_given[model] = RateLimiter(
                self._limits.concurrency,
                gate=self._new_gate(model),
                clock=self._context.clock,
                sleep=self._context.sleep,
            )
        return self._limiters_of_given[model]

    def _new_gate(self, name: str) -> ProviderGate:
        return ProviderGate(name, note=self._context.observer.note, clock=self._context.clock)


@dataclass(frozen=True, slots=True)
class _ProviderContext:
    """The providers of one configuration, with the handles of their models and what their servers rejected."""

    config: DebateConfig
    """Configuration, of which only providers and seed are used."""
    registry: ProviderRegistry
    redact: Redactor
    """Removes the providers' secrets from model output."""
    handles: dict[tuple[str, bool], ModelHandle] = field(default_factory=dict[tuple[str, bool], ModelHandle])
    """(model spec, whether requests wait for a batch) -> handle."""
    mode_records: dict[str, ModeRecord] = field(default_factory=dict[str, ModeRecord])
    """Model -> structured-output modes that its server rejected or ignored."""
    rejected_parameters: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """Model -> sampling parameters that its server rejected."""

    @classmethod
    def create(cls, config: DebateConfig, context: RunContext) -> _ProviderContext:
        redact = Redactor((*context.secrets, *collect_provider_secrets(config, context.env)))
        registry = ProviderRegistry(config, context.env, folder=context.folder, people=context.people)
        return cls(config, registry, redact)


async def _skip_backoff(_seconds: float) -> None:
    pass


def mock_spec(spec: ModelSpec) -> ModelSpec:
    """The mock model that replaces `spec`. A mock keeps its speed but not its script."""
    provider, name = split_model_name(spec.model)
    own = UNSCRIPTED_NAME if f"mock/{name}" == SCRIPTED_MODEL else name
    if provider == "mock":
        return spec.model_copy(update={"model": f"mock/{own}", "script": None})
    return ModelSpec(
        model=f"mock/{(own or provider).replace('/', '-')}",
        temperature=spec.temperature,
        max_output_tokens=spec.max_output_tokens,
    )
