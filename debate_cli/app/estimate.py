"""Use case `estimate`: the planned and the highest possible calls, tokens and cost of each role. No model is asked.

Planned numbers come from a simulation on the mock; those of a long debate are extrapolated from two shorter
simulations. At worst every speech reaches its limit, every question is repeated as often as allowed, and panels
deliberate to their last round. Retries after a provider's fault are not included.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import NamedTuple

from debate_cli.app.context import RunContext
from debate_cli.app.judge import JudgeTask
from debate_cli.app.model_factory import judge_model_spec, with_mock_models, with_run_providers
from debate_cli.app.session import Session
from debate_cli.domain.assessment import Assessment
from debate_cli.domain.config import DebateConfig, FormatConfig, Limits, ModelSpec
from debate_cli.domain.debate import Debate, fold, usage_of_briefs
from debate_cli.domain.evidence import SearchRecord
from debate_cli.domain.judging_config import SystemSettings, judge_ids, judge_model_role, judge_title
from debate_cli.domain.judging_run import FIRST_RUN, JudgingRun
from debate_cli.domain.model_call import Usage, is_person
from debate_cli.domain.turn import Turn
from debate_cli.engine import StopSignal
from debate_cli.formats.schedule import planned_turns
from debate_cli.judging import schedule
from debate_cli.llm.model import Model, OnText, Reply, Request
from debate_cli.llm.prices import BATCH_FACTOR, compute_cost
from debate_cli.llm.profile import Profile
from debate_cli.llm.search import MAX_CONTINUATIONS, REPORT_TOKENS, RERANK_PURPOSE
from debate_cli.llm.structured_output import MAX_REASKS
from debate_cli.llm.usage import TOKENS_PER_SEARCH, estimate_input_tokens
from debate_cli.observer import NullObserver
from debate_cli.providers.registry import ProviderRegistry
from debate_cli.providers.search.table import find_search_target, rerank_spec, with_lookup_search
from debate_cli.systems.registry import get_system

MAX_ASKS = 1 + MAX_REASKS
"""Maximum number of requests for one answer. It is asked for again if it does not fit its form."""
MAX_SPEECH_ASKS = 2 * MAX_ASKS
"""Maximum number of requests for one speech. It is asked for again if it does not have the right shape."""
TYPICAL_SEARCH_TOKENS, TYPICAL_REPORT_TOKENS = 6000, 500
"""Tokens that a model reads, and writes, in a call with one search."""
REASK_TOKENS = 600
"""Upper estimate of the tokens of a message that asks a question again."""
MAX_SIMULATED_TURNS = 80
"""Longest debate, in turns, that is simulated whole. Longer simulations would keep the user waiting."""
SHORT_TURNS, LONG_TURNS = 20, 60
"""Turns of the two simulations for a longer debate. In the last third of the longer one, prompts no longer grow
(`history_policy.MAX_FULL_TURNS`)."""


@dataclass(slots=True)
class PromptMeter:
    """A cassette that only records the longest prompt per purpose."""

    serves: bool = True
    longest_prompts: dict[str, int] = field(default_factory=dict[str, int])
    """Purpose of a request -> upper estimate of the tokens of its longest prompt."""

    def wrap(self, name: str, model: Model, redact: Callable[[str], str]) -> Model:
        """`model`, with its prompts measured."""
        del name, redact
        return _MeteredModel(model, self)

    def longest(self, *purposes: str) -> int:
        """Tokens of the longest prompt whose purpose begins with one of `purposes`; 0 for none."""
        return max((size for name, size in self.longest_prompts.items() if name.startswith(purposes)), default=0)


@dataclass(frozen=True, slots=True)
class _MeteredModel:
    model: Model
    meter: PromptMeter

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        longest = self.meter.longest_prompts
        longest[request.purpose] = max(longest.get(request.purpose, 0), estimate_input_tokens(request, Profile()))
        return await self.model.complete(request, on_text)


class Simulation(NamedTuple):
    """A debate that was simulated on the mock."""

    debate: Debate
    meter: PromptMeter

    @property
    def turns(self) -> int:
        """Number of planned turns."""
        return planned_turns(self.debate.config)


async def simulate_debate(context: RunContext, turns: int) -> Simulation:
    """Run the debate on fast mocks, without limits or files, shortened to about `turns` turns.

    No debater surrenders.
    """
    meter = PromptMeter()
    config = with_mock_models(context.config)
    shorter = _shorten_format(config.format, turns // max(1, len(config.debaters)))
    models = {
        name: ModelSpec(model=spec.model, max_output_tokens=spec.max_output_tokens)
        for name, spec in config.models.items()
    }
    systems = tuple(system.without_surrender() for system in config.judging.systems)
    judging = config.judging.model_copy(update={"systems": systems})
    config = config.model_copy(update={"models": models, "limits": Limits(), "judging": judging, "format": shorter})
    session = Session(replace(context, config=config, cassette=meter, observer=NullObserver(), stop=StopSignal()))
    return Simulation((await session.begin("simulation", None)).debate, meter)


def _shorten_format(form: FormatConfig, rounds: int) -> FormatConfig:
    """The format with at most `rounds` rounds: fewer speeches in a free-flowing debate, otherwise fewer rebuttals."""
    if form.kind == "free_flowing":
        return form.model_copy(update={"turns": min(form.turns, max(1, rounds))})
    places = [place for place, phase in enumerate(form.phases) if phase == "rebuttal"]
    dropped = set(places[: max(0, len(form.phases) - rounds)])
    return form.model_copy(update={"phases": tuple(p for place, p in enumerate(form.phases) if place not in dropped)})


@dataclass(frozen=True, slots=True)
class CallTotals:
    """Number of requests, and their tokens and cost."""

    calls: int
    usage: Usage
    cost_usd: float | None
    """Cost in US dollars; None if a price is not known."""

    def __add__(self, other: CallTotals) -> CallTotals:
        known = self.cost_usd is not None and other.cost_usd is not None
        both = (self.cost_usd or 0.0) + (other.cost_usd or 0.0)
        return CallTotals(self.calls + other.calls, self.usage + other.usage, both if known else None)


NO_CALLS = CallTotals(0, Usage(), 0.0)


@dataclass(frozen=True, slots=True)
class RoleEstimate:
    """Estimate for one debater, or one judge of a system."""

    role: str
    spec: ModelSpec
    planned: CallTotals
    worst: CallTotals
    max_prompt_tokens: int = 0
    """Tokens of the longest planned prompt plus an average answer."""
    context_tokens: int | None = None
    """The model's context window; None if it is not known."""


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """Estimate of a whole run."""

    speeches: int
    assessments: int
    """Lower bound of the number of assessments: a panel may deliberate further, and contradictions may need a
    resolution."""
    roles: tuple[RoleEstimate, ...]

    @property
    def planned(self) -> CallTotals:
        """Sum of the planned calls of all roles."""
        return sum((role.planned for role in self.roles), NO_CALLS)

    @property
    def worst(self) -> CallTotals:
        """Sum of the calls of all roles at worst."""
        return sum((role.worst for role in self.roles), NO_CALLS)

    def context_warnings(self) -> list[str]:
        """A sentence for each role whose longest prompt may exceed its model's context."""
        return [
            f"{role.role}: a prompt of about {role.max_prompt_tokens:,} tokens with its answer does not fit the context of {role.spec.model} "
            f"({role.context_tokens:,} tokens); shorten the background, plan fewer turns, or choose another model"
            for role in self.roles
            if role.context_tokens is not None and role.max_prompt_tokens > role.context_tokens
        ]


def planned_calls(config: DebateConfig) -> int:
    """Minimum number of calls of a run."""
    return planned_turns(config) + schedule.planned_briefs(config)


async def estimate_run(context: RunContext) -> RunEstimate:
    """Estimate a run of the context's configuration."""
    config = context.config
    registry = ProviderRegistry(config, context.env, folder=context.folder)
    turns = planned_turns(config)
    is_long = turns > MAX_SIMULATED_TURNS
    simulation = await simulate_debate(context, LONG_TURNS if is_long else turns)
    shorter = await simulate_debate(context, SHORT_TURNS) if is_long else simulation
    estimator = _Estimator(config, registry, simulation, shorter)
    judges = (role for system in config.judging.systems for role in estimator.estimate_judges(system))
    searches = (
        *estimate_searches(config, context.env, simulation.debate.searches, estimator.factor),
        *estimator.estimate_reranking(),
    )
    return RunEstimate(turns, schedule.planned_briefs(config), (*estimator.estimate_debaters(), *judges, *searches))


def estimate_searches(
    config: DebateConfig, env: Mapping[str, str], simulated: Sequence[SearchRecord], factor: float = 1.0
) -> Iterator[RoleEstimate]:
    """The estimate of the web searches; empty if there are none. `simulated`: the searches in the simulation.

    `factor`: length of the debate divided by that of the simulation. A model that searches makes one call where a
    search engine gets several queries. At worst it searches, and is asked to continue, as often as allowed.
    """
    target = find_search_target(with_lookup_search(config), env)
    made = [item for item in simulated if item.kind == "web"]
    if target is None or not made:
        return
    settings, price = target.settings, target.price
    if settings.by_model:
        calls = round(factor * len({item.key if item.key.startswith("turn/") else item.id for item in made}))
        planned = _search_usage(calls, TYPICAL_SEARCH_TOKENS, TYPICAL_REPORT_TOKENS)
        most = calls * (1 + MAX_CONTINUATIONS)
        worst = _search_usage(most, settings.max_searches * TOKENS_PER_SEARCH, REPORT_TOKENS, settings.max_searches)
    else:
        calls = most = round(factor * len(made))
        planned = worst = _search_usage(calls, 0, 0)
    yield RoleEstimate(
        "web search",
        target.spec,
        CallTotals(calls, planned, compute_cost(planned, price)),
        CallTotals(most, worst, compute_cost(worst, price)),
    )


def _search_usage(calls: int, input_tokens: int, output_tokens: int, searches: int = 1) -> Usage:
    return Usage(input_tokens=calls * input_tokens, output_tokens=calls * output_tokens, searches=calls * searches)


@dataclass(frozen=True, slots=True)
class QuestionLoad:
    """A question that a role is asked repeatedly."""

    worst: int
    """Number of questions if every possible further round takes place."""
    max_asks: int
    """Maximum number of requests for one answer."""
    simulated_prompt: int
    """Tokens of the question's longest prompt in the simulation."""
    further_tokens: int
    """Tokens by which its prompt may be longer at worst, from earlier speeches or quoted answers at full length."""


def estimate_role(
    name: str, spec: ModelSpec, registry: ProviderRegistry, question: QuestionLoad, planned: tuple[int, Usage]
) -> RoleEstimate:
    """The estimate of a role. `planned`: number and usage of its calls in the simulation."""
    count, used = planned
    if is_person(spec.model):
        return RoleEstimate(name, spec, CallTotals(count, Usage(), 0.0), CallTotals(question.worst, Usage(), 0.0))
    price, output = registry.price(spec), max_output_tokens(spec, registry)
    calls = question.worst * question.max_asks
    again = question.worst * sum(range(question.max_asks)) * (output + REASK_TOKENS)
    prompts = calls * (question.simulated_prompt + question.further_tokens)
    worst = Usage(input_tokens=prompts + again, output_tokens=calls * output)
    return RoleEstimate(
        name,
        spec,
        CallTotals(count, used, compute_cost(used, price)),
        CallTotals(calls, worst, compute_cost(worst, price)),
        question.simulated_prompt + used.output_tokens // max(1, count),
        registry.context_tokens(spec.model),
    )


def max_output_tokens(spec: ModelSpec, registry: ProviderRegistry) -> int:
    """Maximum length in tokens of an answer of a model."""
    return spec.max_output_tokens or registry.profile(spec.model).max_output_tokens


class _RoleUse(NamedTuple):
    calls: int
    usage: Usage
    longest_prompt: int
    """Tokens of the role's longest prompt."""


def _group_usage(answers: Iterable[Turn | Assessment]) -> dict[str, list[tuple[int, int]]]:
    """`speech`, or the moment of an assessment -> input and output tokens of each call."""
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for item in answers:
        usage = item.exchange.usage
        moment = item.subject.moment if isinstance(item, Assessment) else "speech"
        found[moment].append((usage.input_tokens, usage.output_tokens))
    return found


def _extrapolate_sum(values: Sequence[int], added: int, *, grows: bool) -> float:
    """Sum of a longer series: of `values`, and of `added` estimated values that follow them.

    Each estimated value is the mean of the last third of `values`. With `grows`, the trend of `values` is continued.
    """
    third = math.ceil(len(values) / 3)
    last = fmean(values[-third:])
    step = (last - fmean(values[:third])) / max(1, len(values) - third) if grows else 0.0
    return sum(values) + added * (last + step * (added + third) / 2)


@dataclass(frozen=True, slots=True)
class _Estimator:
    config: DebateConfig
    registry: ProviderRegistry
    simulation: Simulation
    shorter: Simulation
    """The shorter simulation for extrapolating a long debate; for a short debate, the same one."""

    @property
    def factor(self) -> float:
        return planned_turns(self.config) / max(1, self.simulation.turns)

    def estimate_debaters(self) -> Iterator[RoleEstimate]:
        turns = planned_turns(self.config) // max(1, len(self.config.debaters))
        phases = ("opening", "cross_examination", "answers", "rebuttal", "closing", "speech")
        for debater in self.config.debaters:
            spec = self.config.model_for_debater(debater)
            if spec is not None:
                use = self._extrapolate(phases, lambda debate, name=debater.name: debate.select_turns(speaker=name))
                further = self._debate_tokens_for_speaker(turns)
                question = QuestionLoad(turns, MAX_SPEECH_ASKS, use.longest_prompt, further)
                yield self._estimate(debater.name, spec, question, turns, use)

    def estimate_reranking(self) -> Iterator[RoleEstimate]:
        spec = rerank_spec(self.config)
        calls = round(self.factor * sum(item.kind == "rerank" for item in self.simulation.debate.searches))
        if spec is not None and calls:
            used = Usage(input_tokens=calls * self.simulation.meter.longest(RERANK_PURPOSE))
            totals = CallTotals(calls, used, compute_cost(used, self.registry.price(spec)))
            yield RoleEstimate("order of passages", spec, totals, totals)

    def estimate_judges(self, system: SystemSettings) -> Iterator[RoleEstimate]:
        seats = judge_ids(system)
        calls = schedule.planned_calls(self.config, system)
        asked = calls.planned // max(1, len(seats))
        for seat in seats:
            spec = self.config.model_for_judge(judge_model_role(system, seat))
            if spec is not None:
                read = self._debate_tokens() + max_output_tokens(spec, self.registry) * calls.quoted_answers
                use = self._extrapolate(
                    (f"judge.{system.kind}",),
                    lambda debate, seat=seat: [
                        item for item in debate.assessments_of_system(system.kind, FIRST_RUN) if item.assessor == seat
                    ],
                )
                question = QuestionLoad(asked + calls.follow_ups, MAX_ASKS, use.longest_prompt, read)
                yield self._estimate(f"{system.kind} {seat}", spec, question, asked, use)

    def _estimate(
        self, name: str, spec: ModelSpec, question: QuestionLoad, planned: int, use: _RoleUse
    ) -> RoleEstimate:
        """The estimate of a role. `planned`: number of its calls, used if it has no call in the simulation."""
        return estimate_role(name, spec, self.registry, question, (use.calls or planned, use.usage))

    def _extrapolate(
        self, purposes: Sequence[str], select: Callable[[Debate], Iterable[Turn | Assessment]]
    ) -> _RoleUse:
        """Usage of a role in the whole debate, estimated from the two simulations. `select` returns the role's answers.

        In a longer debate there are more speeches and more questions on turns, pairs and rounds; with `history: full`
        they are also longer. There are as many questions on the whole debate, but they are longer.
        """
        long, short = (_group_usage(select(item.debate)) for item in (self.simulation, self.shorter))
        grows_by = (planned_turns(self.config) - self.simulation.turns) / max(
            1, self.simulation.turns - self.shorter.turns
        )
        is_full = self.config.format.history == "full"
        calls, tokens = 0, [0.0, 0.0]
        for moment, used in long.items():
            is_whole = moment == "debate"
            count = len(used) if is_whole else round(self.factor * len(used))
            calls += count
            for side in (0, 1):
                values = [usage[side] for usage in used]
                if is_whole:
                    before = fmean(usage[side] for usage in short.get(moment, used))
                    tokens[side] += sum(values) + count * grows_by * max(0.0, fmean(values) - before)
                else:
                    tokens[side] += _extrapolate_sum(values, count - len(values), grows=is_full)
        prompt, before = (item.meter.longest(*purposes) for item in (self.simulation, self.shorter))
        longest = prompt + round(grows_by * (prompt - before)) if is_full or "debate" in long else prompt
        return _RoleUse(calls, Usage(input_tokens=round(tokens[0]), output_tokens=round(tokens[1])), longest)

    def _debate_tokens_for_speaker(self, turns: int) -> int:
        speakers = len(self.config.debaters)
        before = speakers - 1 + speakers * (turns - 1) / 2
        return math.ceil(self._debate_tokens() / max(1, turns * speakers) * before)

    def _debate_tokens(self) -> int:
        speakers = [self.config.model_for_debater(debater) for debater in self.config.debaters]
        longest = max((max_output_tokens(spec, self.registry) for spec in speakers if spec is not None), default=0)
        return planned_turns(self.config) * longest


async def estimate_judging(task: JudgeTask, *, batch: bool = False) -> RunEstimate:
    """Estimate the judging runs of `task`. `batch`: whether to use the prices of batches."""
    asked = fold([*task.events, *task.openings])
    before = fold(task.events)
    judged, meter = await _simulate(task)
    alone = judged.model_copy(update={"searches": ()})
    added = {*(opening.run for opening in task.openings), *task.completed, *([FIRST_RUN] if task.is_text else [])}
    roles = [
        role
        for run in asked.runs
        if run.id in added
        for system in run.active_systems()
        for role in _estimate_system(task, run, system, alone, meter)
    ]
    if batch:
        roles = [replace(role, planned=_in_batch(role.planned), worst=_in_batch(role.worst)) for role in roles]
    assessments = sum(role.planned.calls for role in roles)
    made = Counter(judged.searches) - Counter(before.searches)
    searches = estimate_searches(task.context.config, task.context.env, tuple(made.elements()))
    return RunEstimate(speeches=0, assessments=assessments, roles=(*roles, *searches))


def _in_batch(totals: CallTotals) -> CallTotals:
    return replace(totals, cost_usd=None if totals.cost_usd is None else BATCH_FACTOR * totals.cost_usd)


async def _simulate(task: JudgeTask) -> tuple[Debate, PromptMeter]:
    """Judge on fast mocks without limits or files. Returns the debate and the meter of its prompts."""
    meter = PromptMeter()
    config = task.context.config
    config = config.model_copy(update={"models": _fast_mocks(config.models), "limits": Limits()})
    context = replace(
        task.context, config=config, mock=True, models={}, cassette=meter, observer=NullObserver(), stop=StopSignal()
    )
    openings = tuple(item.model_copy(update={"models": _fast_mocks(item.models)}) for item in task.openings)
    return (await replace(task, openings=openings).judge(Session(context), save=False)).debate, meter


def _fast_mocks(models: Mapping[str, ModelSpec]) -> dict[str, ModelSpec]:
    return {
        name: ModelSpec(model="mock/rehearsal", max_output_tokens=spec.max_output_tokens)
        for name, spec in models.items()
    }


def _estimate_system(
    task: JudgeTask, run: JudgingRun, system: SystemSettings, judged: Debate, meter: PromptMeter
) -> Iterator[RoleEstimate]:
    config = task.context.config
    registry = ProviderRegistry(with_run_providers(config, run), task.context.env, folder=task.context.folder)
    plan = get_system(system.kind).planned_calls(system, 0, 0)
    prompt = meter.longest(f"judge.{system.kind}")
    for judge in judge_ids(system):
        spec = judge_model_spec(config, run, judge_model_role(system, judge))
        if spec is None:
            continue
        mine = (run.id, system.kind, judge)
        total = usage_of_briefs(judged, lambda brief, mine=mine: (brief.run, brief.system, brief.assessor) == mine)
        further = plan.quoted_answers * max_output_tokens(spec, registry)
        question = QuestionLoad(total.calls + plan.follow_ups, MAX_ASKS, prompt, further)
        used = Usage(input_tokens=total.input_tokens, output_tokens=total.output_tokens)
        name = f"{run.id} {judge_title(system.kind, judge)}"
        yield estimate_role(name, spec, registry, question, (total.calls, used))
