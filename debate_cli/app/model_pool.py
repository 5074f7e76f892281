"""Creates and shares the model clients of one or more runs, and creates the debaters and judges that use them.

A call first waits for the rate limit, and only then reserves its part of the budget.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from debate_cli.app.batches.model import QueuedModel, WaitingModel, wrap_actors
from debate_cli.app.batches.queue import BatchQueue
from debate_cli.app.context import RunContext
from debate_cli.app.model_roles import mock_spec, with_mock_providers, with_run_providers
from debate_cli.debaters.debater import Debater
from debate_cli.domain.config import DebateConfig, EvidenceConfig, ModelSpec, Price
from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_config import judge_model_role, judge_title
from debate_cli.domain.model_call import ModelCall, StructuredOutputMode
from debate_cli.domain.tasks import Brief
from debate_cli.engine import Actors
from debate_cli.errors import ConfigError, format_page_hint
from debate_cli.evidence.retrieval import JudgeLookup, PassageFinder
from debate_cli.judging.judge import Judge
from debate_cli.llm.budget import Budget, BudgetAmount, BudgetedModel
from debate_cli.llm.history_policy import HistoryPolicy
from debate_cli.llm.model import Model, Profile
from debate_cli.llm.prompts import Prompts
from debate_cli.llm.rate_limit import MAX_CLOSED_S, ProviderGate, RateLimitedModel, RateLimiter, SharedRates
from debate_cli.llm.redaction import RedactingModel, Redactor
from debate_cli.llm.retry import ExternalModel, ParameterFallbackModel, RetryingModel, SilenceReportingModel
from debate_cli.llm.search import Reranker, SearchClient
from debate_cli.llm.structured_output import ModelHandle, ModeRecord, StructuredOutputClient
from debate_cli.llm.usage import halve_price
from debate_cli.providers.endpoint import answer_deadline
from debate_cli.providers.people.person import PeopleAccess, PromptFolder, default_files_folder
from debate_cli.providers.provider_table import PERSON_KIND, ProviderRow, build_provider_table
from debate_cli.providers.registry import (
    EMBEDDING_KINDS,
    FREE_PRICE,
    ProviderRegistry,
    collect_provider_secrets,
    split_model_name,
)
from debate_cli.providers.search.table import (
    find_search_target,
    format_no_embeddings,
    rerank_spec,
    with_lookup_search,
)
from debate_cli.systems.registry import get_system, settings_for


class PooledModel(NamedTuple):
    """A model in all its wrappers (retries, limits, budget) except structured output."""

    model: Model
    profile: Profile
    price: Price | None
    rejected_parameters: set[str]
    """Parameters that the server rejected so far, such as `temperature`."""


class ModelPool:
    """Creates, shares and closes model clients. Debates that share a pool share its limits and its budget."""

    def __init__(
        self,
        context: RunContext,
        budget: Budget | None = None,
        rates: SharedRates | None = None,
        *,
        used: Sequence[ModelCall] = (),
        patience_s: float = MAX_CLOSED_S,
    ) -> None:
        """`context`: supplies limits, environment, secrets and observer.

        - `budget`: the shared budget. None: the budget of `context`. If `context` has no budget, a new budget.
        - `rates`: limits per minute that several processes share. None: the limits of this process alone.
        - `used`: earlier calls. A new budget counts their tokens and cost as used.
        - `patience_s`: seconds for which a provider may refuse all calls. After this time, calls to the provider fail.
        """
        limits = context.config.limits
        self._context = context
        self._limits = limits
        self._people = context.people or PeopleAccess(
            PromptFolder(default_files_folder(context.config), context.observer.note)
        )
        self._concurrency = asyncio.Semaphore(limits.concurrency)
        self._limiters: list[tuple[ProviderRow | str, RateLimiter]] = []
        """Pairs of a provider and its rate limiter. For a caller's own model object, the pair has its `provider/model`
        instead of a provider."""
        self._providers: list[_ProviderContext] = []
        self._without_usage: set[str] = set()
        self._reported_silences: dict[str, float] = {}
        self._rates = rates
        self._patience_s = patience_s
        self.budget = (
            budget or context.budget or Budget(limits.max_cost_usd, limits.max_tokens, BudgetAmount.of_calls(used))
        )

    def handle_for(
        self,
        spec: ModelSpec,
        config: DebateConfig,
        rejected: Iterable[StructuredOutputMode] = (),
        batches: BatchQueue | None = None,
    ) -> ModelHandle:
        """Return a handle for asking the model `spec`. The providers and the seed come from `config`.

        `rejected`: structured-output modes that failed before. With `batches`, requests wait for a batch.
        """
        spec = mock_spec(spec) if self._context.mock else spec
        providers = self._providers_of(config)
        key = (spec.model_dump_json(), batches is not None)
        if key not in providers.handles:
            providers.handles[key] = self._build_handle(spec, providers, rejected, batches)
        return providers.handles[key]

    def model_for(self, spec: ModelSpec, config: DebateConfig) -> PooledModel:
        """Return a client for the model `spec`, without structured output. Raises ConfigError.

        The providers and the seed come from `config`.
        """
        return self._build_model(spec, self._providers_of(config), None)

    def search_client(self, config: DebateConfig, prompts: Prompts) -> SearchClient | None:
        """Return the client for web searches; None if `config` has no web search. Raises ConfigError."""
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
        """Return the client that sorts passages by relevance; None without `evidence.rerank`. Raises ConfigError."""
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
        """Names of the providers that get no calls for now, because they refused a call."""
        return frozenset(
            owner.name for owner, limiter in self._limiters if isinstance(owner, ProviderRow) and limiter.is_closed
        )

    async def aclose(self) -> None:
        """Close all connections and embedded models."""
        for providers in self._providers:
            await providers.registry.aclose()

    def _providers_of(self, config: DebateConfig) -> _ProviderContext:
        for known in self._providers:
            if known.config.seed == config.seed and (
                known.config.providers == config.providers or known.registry.rows == build_provider_table(config)
            ):
                return known
        context = self._context
        redact = Redactor((*context.secrets, *collect_provider_secrets(config, context.env)))
        registry = ProviderRegistry(config, context.env, folder=context.folder, people=self._people)
        self._providers.append(_ProviderContext(config, registry, redact))
        return self._providers[-1]

    def _build_handle(
        self,
        spec: ModelSpec,
        providers: _ProviderContext,
        rejected: Iterable[StructuredOutputMode],
        batches: BatchQueue | None,
    ) -> ModelHandle:
        model, profile, price, _ = self._build_model(spec, providers, batches)
        record = providers.mode_records.get(spec.model)
        if record is None:
            record = ModeRecord(spec.model, rejected, note=self._context.observer.note)
            providers.mode_records[spec.model] = record
        is_given = spec.model in self._context.models
        context_tokens = None if is_given else providers.registry.context_tokens(spec.model)
        return ModelHandle(
            StructuredOutputClient(
                model, profile, name=spec.model, price=price, record=record, context_tokens=context_tokens
            ),
            name=spec.model,
            max_output_tokens=spec.max_output_tokens or profile.max_output_tokens,
            temperature=spec.temperature,
            seed=providers.config.seed,
            context_tokens=context_tokens,
        )

    def _build_model(self, spec: ModelSpec, providers: _ProviderContext, batches: BatchQueue | None) -> PooledModel:
        refused = providers.rejected_parameters.setdefault(spec.model, set())
        given = self._context.models.get(spec.model)
        if given is not None:
            profile, price = Profile(), spec.price or FREE_PRICE
            deadline_s = answer_deadline(self._limits.timeout_s, self._limits.answer_timeout_s)
            guarded = ExternalModel(given, spec.model, deadline_s=deadline_s, advice="correct its `complete`")
            retrying = self._with_retries(self._add_limits(None, spec, price, profile, guarded))
            return PooledModel(RedactingModel(retrying, providers.redact), profile, price, refused)
        registry = providers.registry
        row, profile, price = registry.row(spec.model), registry.profile(spec.model), registry.price(spec)
        if row.kind == PERSON_KIND:
            return PooledModel(self._with_cassette(registry.adapter(spec), spec, providers), profile, price, refused)
        if batches is None:
            asked = self._with_retries(registry.adapter(spec, partial(self._add_limits, row, spec, price, profile)))
        else:
            price = halve_price(price)
            asked = self._build_batched_model(spec, price, profile, providers, batches)
        asked = ParameterFallbackModel(asked, refused, name=spec.model, note=self._context.observer.note)
        return PooledModel(self._with_cassette(asked, spec, providers), profile, price, refused)

    def _build_batched_model(
        self, spec: ModelSpec, price: Price | None, profile: Profile, providers: _ProviderContext, batches: BatchQueue
    ) -> Model:
        """Return a model that asks in batches.

        The journal gets no `asked` lines for its calls. The store of batches lists the calls in flight instead.
        """
        open_api = partial(providers.registry.batches, spec)
        queued = QueuedModel(batches, spec.model, open_api, profile, price, providers.redact)
        provider = split_model_name(spec.model)[0]
        budgeted = BudgetedModel(
            queued, self.budget, price, profile, on_estimate=partial(self._note_estimated_usage, provider)
        )
        waiting = WaitingModel(budgeted, batches)
        return RetryingModel(waiting, max_attempts=self._limits.max_attempts, sleep=lambda _: asyncio.sleep(0))

    def _add_limits(
        self, row: ProviderRow | None, spec: ModelSpec, price: Price | None, profile: Profile, model: Model
    ) -> Model:
        is_local = row is not None and row.kind == "embedded"
        remark = ", as is normal for a model on this computer" if is_local else ""
        budgeted = BudgetedModel(
            SilenceReportingModel(
                model,
                self._context.observer.note,
                subject=f"still waiting for {spec.model}{remark}",
                reported=self._reported_silences,
                only_longer=is_local,
            ),
            self.budget,
            price,
            profile,
            name=None if row is not None and row.kind == "mock" else spec.model,
            on_estimate=partial(self._note_estimated_usage, spec.model if row is None else row.name),
        )
        return RateLimitedModel(budgeted, self._limiter_for(row or spec.model), profile, self._concurrency)

    def _with_cassette(self, model: Model, spec: ModelSpec, providers: _ProviderContext) -> Model:
        cassette = self._context.cassette
        taped = cassette.wrap(spec.model, model, providers.redact) if cassette is not None else model
        return RedactingModel(taped, providers.redact)

    def _with_retries(self, model: Model) -> Model:
        context = self._context
        return RetryingModel(
            model, max_attempts=self._limits.max_attempts, on_retry=context.observer.note, sleep=context.sleep
        )

    def _note_estimated_usage(self, provider: str) -> None:
        if provider not in self._without_usage:
            self._without_usage.add(provider)
            self._context.observer.note(
                f"{provider} reports no usage: its tokens are estimated{format_page_hint('budget')}"
            )

    def _limiter_for(self, owner: ProviderRow | str) -> RateLimiter:
        for known, limiter in self._limiters:
            if known == owner:
                return limiter
        context = self._context
        name = owner if isinstance(owner, str) else owner.name
        gate = ProviderGate(name, note=context.send_warning, clock=context.clock, patience_s=self._patience_s)
        context.waits[name] = gate.describe_wait
        if isinstance(owner, str):
            limiter = RateLimiter(self._limits.concurrency, gate=gate, clock=context.clock, sleep=context.sleep)
        else:
            requests, tokens = owner.requests_per_minute, owner.tokens_per_minute
            shared = None
            if self._rates is not None and (requests is not None or tokens is not None):
                key = context.env.get(owner.api_key_env or "", "")
                account = f"{name} {owner.base_url or ''} {hashlib.sha256(key.encode()).hexdigest()[:16]}"
                shared = self._rates(account, requests, tokens)
            limiter = RateLimiter(
                owner.max_concurrency,
                requests,
                tokens,
                gate=gate,
                clock=context.clock,
                sleep=context.sleep,
                shared=shared,
            )
        self._limiters.append((owner, limiter))
        return limiter


@dataclass(frozen=True, slots=True)
class _ProviderContext:
    config: DebateConfig
    registry: ProviderRegistry
    redact: Redactor
    handles: dict[tuple[str, bool], ModelHandle] = field(default_factory=dict[tuple[str, bool], ModelHandle])
    mode_records: dict[str, ModeRecord] = field(default_factory=dict[str, ModeRecord])
    rejected_parameters: dict[str, set[str]] = field(default_factory=dict[str, set[str]])


def build_actors(
    pool: ModelPool,
    context: RunContext,
    rejected_modes: Mapping[str, Iterable[StructuredOutputMode]] | None = None,
    *,
    speeches: bool = True,
) -> Actors:
    """Create the actors of one debate: debaters and a judge. If `speeches` is False, create no debaters.

    `rejected_modes`: structured-output modes that failed before, by model.
    """
    config = with_mock_providers(context.config) if context.mock else context.config
    prompts = Prompts(context.prompts).validate()
    rejected = rejected_modes or {}
    history = HistoryPolicy(config.format.history, context.observer.note)

    def judge_handle(brief: Brief, debate: Debate) -> ModelHandle:
        run, system = debate.run(brief.run), settings_for(brief, debate)
        spec = run.model_for_judge(debate.config, judge_model_role(system, brief.assessor))
        if spec is None:
            raise ConfigError(
                f"the {judge_title(brief.system, brief.assessor)} has no model; set the system's `judge`, or models.judge"
            )
        own = config if context.mock else with_run_providers(config, run)
        batches = None if system.steers_debate else context.batches
        return pool.handle_for(spec, own, rejected.get(spec.model, ()), batches)

    debaters: dict[str, Debater] = {}
    for debater in config.debaters if speeches else ():
        spec = config.model_for_debater(debater)
        if spec is not None:
            handle = pool.handle_for(spec, config, rejected.get(spec.model, ()))
            debaters[debater.name] = Debater(debater, handle, prompts, history, keeps_raw=config.output.raw)
    judge = Judge(judge_handle, prompts, history=history, keeps_raw=config.output.raw)
    actors = Actors(debaters, judge, _build_passages(pool, context, config, prompts, speeches=speeches))
    return actors if context.batches is None else wrap_actors(actors, context.batches)


def _build_passages(
    pool: ModelPool, context: RunContext, own: DebateConfig, prompts: Prompts, *, speeches: bool
) -> PassageFinder | None:
    config, corpus = with_lookup_search(own), context.corpus
    evidence = config.evidence or EvidenceConfig()
    own_web = own.evidence.web if speeches and own.evidence is not None else None
    searches = own_web is not None or "web" in config.judging.lookup_places
    web = pool.search_client(config, prompts) if searches else None
    if web is None and corpus is None:
        return None
    queries = 0 if own_web is None or web is None else 1 if web.settings.by_model else own_web.max_searches
    ranker = pool.reranker(config) if speeches and corpus is not None else None

    def find_lookup(brief: Brief, debate: Debate) -> JudgeLookup | None:
        places = settings_for(brief, debate).lookup_places
        return JudgeLookup(places, get_system(brief.system).lookup_queries(debate, brief)) if places else None

    return PassageFinder(corpus, evidence.passages, web and web.search, queries, find_lookup, ranker and ranker.order)
