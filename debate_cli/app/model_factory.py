"""Creates the debater and the judge of a run, and selects the models of its roles.

`app.model_pool` creates and owns the model clients.
"""

from collections.abc import Iterable, Mapping, Sequence

from debate_cli.app.batches import BatchQueue, wrap_actors
from debate_cli.app.context import RunContext
from debate_cli.app.model_pool import ModelPool, mock_spec
from debate_cli.debaters.debater import Debater
from debate_cli.domain.config import DebateConfig, EvidenceConfig, ModelSpec
from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_config import SystemSettings, judge_ids, judge_model_role, judge_title
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.model_call import ModelCall, StructuredOutputMode
from debate_cli.domain.tasks import Brief
from debate_cli.engine import Actors
from debate_cli.errors import ConfigError
from debate_cli.evidence.retrieval import Lookup, PassageFinder
from debate_cli.judging.judge import Judge
from debate_cli.llm.budget import Budget
from debate_cli.llm.history_policy import HistoryPolicy
from debate_cli.llm.prompts import Prompts
from debate_cli.llm.structured_output import ModelHandle
from debate_cli.providers.search.table import with_lookup_search
from debate_cli.systems.registry import get_system, settings_for


class ModelFactory:
    """Creates the debaters and the judge of one debate."""

    def __init__(
        self,
        context: RunContext,
        *,
        used: Sequence[ModelCall] = (),
        rejected_modes: Mapping[str, Iterable[StructuredOutputMode]] | None = None,
        pool: ModelPool | None = None,
    ) -> None:
        """`used`: earlier calls of the debate, which count against the budget; of unpriced calls only the tokens count.

        `used` is ignored with a `pool` or a budget of the context, which already counts these calls. `pool`: model
        clients that several debates share; None creates them. `rejected_modes`: model -> modes of structured output
        that do not work.
        """
        self._config = with_mock_providers(context.config) if context.mock else context.config
        self._context = context
        limits = context.config.limits
        budget = context.budget or Budget.of_calls(limits.max_cost_usd, limits.max_tokens, used)
        self._owns_pool = pool is None
        self._pool = pool or ModelPool(context, budget)
        self._rejected_modes = rejected_modes or {}
        self._prompts = Prompts(context.prompts).validate()

    def build_actors(self, *, speeches: bool = True) -> Actors:
        """Create the actors. Without `speeches` only judges are created."""
        history = HistoryPolicy(self._config.format.history, self._context.observer.note)
        keeps_raw = self._config.output.raw
        debaters: dict[str, Debater] = {}
        for debater in self._config.debaters if speeches else ():
            spec = self._config.model_for_debater(debater)
            if spec is not None:
                debaters[debater.name] = Debater(
                    debater, self.handle_for(spec), self._prompts, history, keeps_raw=keeps_raw
                )
        judge = Judge(self._judge_handle, self._prompts, history=history, keeps_raw=keeps_raw)
        actors = Actors(debaters, judge, self._build_passages(speeches=speeches))
        return actors if self._context.batches is None else wrap_actors(actors, self._context.batches)

    def _build_passages(self, *, speeches: bool) -> PassageFinder | None:
        """The search for passages, or None if there is nothing to search.

        Judges that look up facts use it; with `speeches`, debaters too.
        """
        config, corpus = with_lookup_search(self._config), self._context.corpus
        evidence = config.evidence or EvidenceConfig()
        own_web = self._config.evidence.web if speeches and self._config.evidence is not None else None
        searches = own_web is not None or "web" in config.judging.lookup_places
        web = self._pool.search_client(config, self._prompts) if searches else None
        if web is None and corpus is None:
            return None
        queries = 0 if own_web is None or web is None else 1 if web.settings.by_model else own_web.max_searches
        ranker = self._pool.reranker(config) if speeches and corpus is not None else None
        return PassageFinder(corpus, evidence.passages, web, queries, _find_lookup, ranker)

    def handle_for(
        self, spec: ModelSpec, run: JudgingRun | None = None, batches: BatchQueue | None = None
    ) -> ModelHandle:
        """The handle for a model. Equal specs share one handle.

        `run`: the judging run, whose providers are used; None for the debate. With `batches` requests wait for a batch.
        """
        has_own_providers = run is not None and bool(run.providers) and not self._context.mock
        config = with_run_providers(self._config, run) if run is not None and has_own_providers else self._config
        return self._pool.handle_for(spec, config, self._rejected_modes.get(spec.model, ()), batches)

    async def aclose(self) -> None:
        """Close connections and embedded models, unless the pool belongs to the context."""
        if self._owns_pool:
            await self._pool.aclose()

    def _judge_handle(self, brief: Brief, debate: Debate) -> ModelHandle:
        run = debate.run(brief.run)
        system = next(system for system in run.judging.systems if system.kind == brief.system)
        spec = judge_model_spec(debate.config, run, judge_model_role(system, brief.assessor))
        if spec is None:
            raise ConfigError(
                f"the {judge_title(brief.system, brief.assessor)} has no model; name one in the system's `judge`, or set models.judge"
            )
        return self.handle_for(spec, run, None if system.steers_debate else self._context.batches)


def _find_lookup(brief: Brief, debate: Debate) -> Lookup | None:
    """Where and for what to search on behalf of the judge of `brief`; None if its system's settings say nowhere."""
    places = settings_for(brief, debate).lookup_places
    return Lookup(places, get_system(brief.system).lookup_queries(debate, brief)) if places else None


def with_mock_providers(config: DebateConfig) -> DebateConfig:
    """`config` without providers, and with web search by the mock."""
    return config.model_copy(update={"providers": {}, "evidence": _mock_search(config.evidence)})


def _mock_search(evidence: EvidenceConfig | None) -> EvidenceConfig | None:
    if evidence is None:
        return None
    web, rerank = evidence.web, evidence.rerank
    if web is not None:
        web = web.model_copy(update={"provider": "mock", "base_url": None, "model": None, "allowed_domains": ()})
    if rerank is not None:
        rerank = rerank.model_copy(update={"model": mock_spec(ModelSpec(model=rerank.model)).model})
    return evidence.model_copy(update={"web": web, "rerank": rerank})


def with_run_providers(config: DebateConfig, run: JudgingRun) -> DebateConfig:
    """`config` with the judging run's own providers added or replaced."""
    return config.model_copy(update={"providers": {**config.providers, **run.providers}})


def judge_model_spec(config: DebateConfig, run: JudgingRun, judge_role: str | None) -> ModelSpec | None:
    """The model of a role in a judging run. The run's own models take precedence over the configuration's."""
    models = {**config.models, **run.models}
    return config.model_copy(update={"models": models}).model_for_judge(judge_role)


def judge_roles(system: SystemSettings) -> tuple[str | None, ...]:
    """The roles, as in `models` of the configuration, of a system's judges; empty if the system asks no model."""
    return tuple(dict.fromkeys(judge_model_role(system, assessor) for assessor in judge_ids(system)))


def all_model_specs(config: DebateConfig) -> tuple[ModelSpec, ...]:
    """All models of debaters and judges in `config`, each once."""
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
    return with_mock_providers(config).model_copy(
        update={
            "models": models,
            "debaters": debaters,
            "judging": config.judging.model_copy(update={"systems": systems}),
        }
    )


def _mock_role(model: str | None, models: Mapping[str, ModelSpec]) -> str | None:
    if model is None or model in models:
        return model
    return mock_spec(ModelSpec(model=model)).model


def _mock_system(system: SystemSettings, models: Mapping[str, ModelSpec]) -> SystemSettings:
    return system.with_models(lambda role: _mock_role(role, models))
