"""Use case `estimate`: planned and highest possible calls, tokens and cost of each role. No model is asked.

Planned numbers come from a simulation with the mock. The highest numbers assume that every answer reaches its limit, and
that every question is repeated as often as allowed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, Self

from debate_cli.app.context import RunContext
from debate_cli.app.judge import JudgeTask
from debate_cli.app.model_roles import mock_spec, with_mock_models, with_run_providers
from debate_cli.app.session import Session
from debate_cli.domain.config import DebateConfig, FormatConfig, Limits, ModelSpec
from debate_cli.domain.debate import Debate, fold, usage_of_briefs
from debate_cli.domain.events import DebateResumed
from debate_cli.domain.evidence import SearchRecord
from debate_cli.domain.judging_config import judge_ids, judge_model_role, judge_title
from debate_cli.domain.judging_run import FIRST_RUN, JudgingRun
from debate_cli.domain.model_call import TotalUsage, Usage, is_person
from debate_cli.engine import StopSignal
from debate_cli.evidence.corpus import Corpus
from debate_cli.formats.schedule import planned_turns, stages
from debate_cli.judging.schedule import planned_briefs
from debate_cli.llm.budget import BudgetAmount
from debate_cli.llm.model import Model, OnText, Profile, Reply, Request
from debate_cli.llm.search import MAX_CONTINUATIONS, REPORT_TOKENS, RERANK_PURPOSE
from debate_cli.llm.structured_output import MAX_REASKS
from debate_cli.llm.usage import (
    TOKENS_PER_SEARCH,
    compute_cost,
    estimate_input_tokens,
    estimate_max_cost_usage,
    halve_price,
)
from debate_cli.observer import NullObserver
from debate_cli.providers.registry import ProviderRegistry
from debate_cli.providers.search.table import find_search_target, rerank_spec, with_lookup_search
from debate_cli.systems.registry import get_system

MAX_ESTIMATED_CALLS = 60
"""A run with at most this many planned calls is estimated without being asked to. With more calls, this would take too long."""
MAX_SIMULATED_TURNS = 120
MAX_ASKS = 1 + MAX_REASKS
"""Maximum number of requests for one answer. An answer that does not fit its form is requested again."""
MAX_SPEECH_ASKS = 2 * MAX_ASKS
"""Maximum number of requests for one speech. A speech of the wrong shape is requested a second time."""
TYPICAL_SEARCH_TOKENS, TYPICAL_REPORT_TOKENS = 6000, 500
"""Usual tokens of one web search's results (input), and of the model's report on them (output)."""
REASK_TOKENS = 600
"""Maximum number of tokens in the message that asks for a corrected answer."""
SPEECH_PURPOSES = ("opening", "cross_examination", "answers", "rebuttal", "closing", "speech")
"""Purposes of the requests for speeches, as in `Request.purpose`."""


@dataclass(slots=True)
class PromptMeter:
    """Measures the longest prompt of each purpose. An estimate passes this object to the run in place of a `Cassette`."""

    is_replay: bool = True
    failure: None = None
    longest_prompts: dict[str, int] = field(default_factory=dict[str, int])
    """Estimated tokens of the longest prompt, by the purpose of the request."""

    def wrap(self, name: str, model: Model, redact: Callable[[str], str]) -> Model:
        """Return `model` in a wrapper that measures the model's prompts."""
        del name, redact
        return _MeteredModel(model, self.longest_prompts)

    def longest(self, *purposes: str) -> int:
        """Return the tokens of the longest prompt whose purpose begins with one of `purposes`; 0 without such a prompt."""
        return max((size for name, size in self.longest_prompts.items() if name.startswith(purposes)), default=0)


@dataclass(frozen=True, slots=True)
class _MeteredModel:
    model: Model
    longest: dict[str, int]

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        size = estimate_input_tokens(request, Profile())
        self.longest[request.purpose] = max(self.longest.get(request.purpose, 0), size)
        return await self.model.complete(request, on_text)


@dataclass(frozen=True, slots=True)
class CallTotals:
    """Number of requests, their tokens and their cost."""

    calls: int
    usage: Usage
    cost_usd: float | None
    """Cost in US dollars; None if a price is unknown."""

    @property
    def tokens(self) -> int:
        """Tokens of the requests and their answers together."""
        return self.usage.input_tokens + self.usage.output_tokens

    def __add__(self, other: CallTotals) -> CallTotals:
        known = self.cost_usd is not None and other.cost_usd is not None
        both = (self.cost_usd or 0.0) + (other.cost_usd or 0.0)
        return CallTotals(self.calls + other.calls, self.usage + other.usage, both if known else None)

    def __mul__(self, count: int) -> CallTotals:
        cost = None if self.cost_usd is None else self.cost_usd * count
        return CallTotals(self.calls * count, self.usage * count, cost)


NO_CALLS = CallTotals(0, Usage(), 0.0)


@dataclass(frozen=True, slots=True)
class RoleEstimate:
    """Estimate for one debater, one judge of a system, or the searches."""

    role: str
    spec: ModelSpec
    planned: CallTotals
    worst: CallTotals
    longest_call_tokens: int = 0
    """Tokens of the longest planned prompt, plus the tokens of an average answer."""
    context_tokens: int | None = None
    """Size of the model's context in tokens; None if unknown."""
    reservation: CallTotals = NO_CALLS
    """The amount that the call with the longest planned prompt reserves in the budget."""


class SufficientLimits(NamedTuple):
    """Limits of the budget that are probably large enough: the planned use, and the largest reservation of one call."""

    tokens: int
    usd: float | None
    """US dollars; None if a price is unknown."""

    @classmethod
    def of_plan(cls, tokens: float, usd: float | None, roles: Sequence[RoleEstimate]) -> Self:
        """`tokens`, `usd`: the planned use. `roles`: those who make the calls. The results are rounded up to two digits."""
        reserved = max((role.reservation.tokens for role in roles), default=0)
        reserved_usd = max((role.reservation.cost_usd or 0.0 for role in roles), default=0.0)
        return cls(int(_round_up(tokens + reserved)), None if usd is None else _round_up(usd + reserved_usd))


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """Estimate of a whole run."""

    speeches: int
    assessments: int
    """Minimum number of judges' assessments. Judges who deliberate can add more."""
    roles: tuple[RoleEstimate, ...]

    @property
    def planned(self) -> CallTotals:
        """Planned calls, tokens and cost of all roles together."""
        return sum((role.planned for role in self.roles), NO_CALLS)

    @property
    def worst(self) -> CallTotals:
        """Highest possible calls, tokens and cost of all roles together."""
        return sum((role.worst for role in self.roles), NO_CALLS)

    def warnings(self, limits: Limits) -> Iterator[str]:
        """Yield warnings about calls that exceed the context of their model, and about a budget that is too small."""
        for role in self.roles:
            if role.context_tokens is not None and role.longest_call_tokens > role.context_tokens:
                yield (
                    f"{role.role}: a prompt and its answer have about {role.longest_call_tokens:,} tokens, but the context of "
                    f"{role.spec.model} has {role.context_tokens:,}; shorten the background, plan fewer turns, or choose "
                    "another model"
                )
        planned = self.planned
        enough = SufficientLimits.of_plan(planned.tokens, planned.cost_usd, self.roles)
        reason = "planned, and each call reserves its longest answer); with less it may stop without a verdict; raise the limit"
        if limits.max_tokens is not None and limits.max_tokens < enough.tokens:
            yield (
                f"limits.max_tokens is {limits.max_tokens}, but the run needs about {enough.tokens} "
                f"(about {planned.tokens} are {reason}"
            )
        if limits.max_cost_usd is not None and enough.usd is not None and limits.max_cost_usd < enough.usd:
            yield (
                f"limits.max_cost_usd is ${limits.max_cost_usd:.4g}, but the run needs about ${enough.usd:.4g} "
                f"(about ${planned.cost_usd:.4f} are {reason}"
            )


def planned_call_count(config: DebateConfig) -> int:
    """Return the minimum number of calls to models in a run."""
    return planned_turns(config) + planned_briefs(config)


async def estimate_run(context: RunContext) -> RunEstimate:
    """Estimate a run of `context.config`. Assumes that no debater surrenders."""
    config, meter = context.config, PromptMeter()
    shorter = _shorten_format(config.format, MAX_SIMULATED_TURNS // max(1, len(config.debaters)))
    mocked = _mock_without_surrender(config).model_copy(update={"format": shorter})
    debate = (await Session(_simulated(context, mocked, meter)).begin("simulation", None)).debate
    turns = planned_turns(config)
    growth = turns / max(1, planned_turns(mocked)) if debate.closed == "complete" else 1.0
    run = debate.run(FIRST_RUN).model_copy(update={"judging": config.judging})
    estimator = _Estimator(context, run, debate, meter, turns, turns // max(1, len(config.debaters)), growth)
    roles = (
        *estimator.estimate_debaters(),
        *estimator.estimate_judges(),
        *_estimate_searches(config, context.env, debate.searches, growth),
        *estimator.estimate_reranking(),
    )
    return RunEstimate(turns, planned_briefs(config), roles)


async def estimate_sufficient_limits(debate: Debate, corpus: Corpus | None = None) -> SufficientLimits:
    """Return limits with which `debate` can be expected to reach its end when it is resumed. Raises DebateError.

    The planned use is what is used already, and the rest as the mock simulates it. If the answers so far are longer than
    those of the mock, the rest is assumed to be longer by the same factor. `corpus`: see `RunContext`.
    """
    context, meter = RunContext(debate.config, corpus=corpus), PromptMeter()
    simulated = replace(_simulated(context, _mock_without_surrender(debate.config), meter), mock=True)
    resumed = debate.apply(DebateResumed(at=debate.started_at, config=simulated.config))
    fast = tuple(run.model_copy(update={"models": _fast_mocks(run.models)}) for run in resumed.runs)
    completed = (await Session(simulated).continue_unsaved(resumed.model_copy(update={"runs": fast}))).debate
    before, after = (RunEstimate(0, 0, tuple(_estimate_roles(context, state, meter))) for state in (debate, completed))
    done, whole = before.planned, after.planned
    rest, answers = whole.calls - done.calls, whole.usage.output_tokens - done.usage.output_tokens
    factor = max(1.0, done.usage.output_tokens / done.calls * rest / answers) if done.calls and answers else 1.0
    used = BudgetAmount.of_calls(debate.model_calls)
    tokens = used.tokens + whole.usage.input_tokens - done.usage.input_tokens + factor * answers
    usd = None
    if whole.cost_usd is not None and done.cost_usd is not None:
        usd = used.usd + factor * (whole.cost_usd - done.cost_usd)
    return SufficientLimits.of_plan(tokens, usd, after.roles)


def _estimate_roles(context: RunContext, debate: Debate, meter: PromptMeter) -> Iterator[RoleEstimate]:
    """Yield the estimates of all roles for what `debate` contains; nothing further is planned."""
    for run in debate.runs:
        estimator = _Estimator(context, run, debate, meter, len(debate.turns), len(debate.turns_by_round))
        if run.id == FIRST_RUN:
            yield from estimator.estimate_debaters()
            yield from _estimate_searches(context.config, context.env, debate.searches)
            yield from estimator.estimate_reranking()
        yield from estimator.estimate_judges()


def _round_up(amount: float) -> float:
    """Round a positive amount up to two significant digits, e.g. 37124 to 38000."""
    step = 10.0 ** (math.floor(math.log10(amount)) - 1) if amount > 0 else 1.0
    return float(f"{math.ceil(amount / step) * step:.2g}")


def _mock_without_surrender(config: DebateConfig) -> DebateConfig:
    mocked = with_mock_models(config)
    systems = tuple(system.without_surrender() for system in mocked.judging.systems)
    return mocked.model_copy(update={"judging": mocked.judging.model_copy(update={"systems": systems})})


def _shorten_format(form: FormatConfig, rounds: int) -> FormatConfig:
    if form.kind == "free_flowing":
        return form.model_copy(update={"turns": max(1, min(form.turns, rounds))})
    rebuttals = [place for place, phase in enumerate(form.phases) if phase == "rebuttal"]
    dropped = set(rebuttals[: max(0, len(stages(form)) - rounds)])
    return form.model_copy(update={"phases": tuple(p for place, p in enumerate(form.phases) if place not in dropped)})


async def estimate_judging(task: JudgeTask, *, batch: bool = False) -> RunEstimate:
    """Estimate the judging runs of `task`, with the prices of batches if `batch` is set."""
    meter, config = PromptMeter(), task.context.config
    context = replace(_simulated(task.context, config, meter), mock=True, models={})
    openings = tuple(item.model_copy(update={"models": _fast_mocks(item.models)}) for item in task.openings)
    judged = (await replace(task, openings=openings).judge(Session(context), save=False)).debate
    added = {
        *(opening.run for opening in task.openings),
        *task.runs_to_complete,
        *([FIRST_RUN] if task.is_text else []),
    }
    roles = [
        role
        for run in fold([*task.events, *task.openings]).runs
        if run.id in added
        for role in _Estimator(
            task.context, run, judged, meter, len(judged.turns), len(judged.turns_by_round), batch=batch
        ).estimate_judges(f"{run.id} ")
    ]
    assessments = sum(role.planned.calls for role in roles)
    made = Counter(judged.searches) - Counter(fold(task.events).searches)
    searches = _estimate_searches(config, task.context.env, tuple(made.elements()))
    return RunEstimate(0, assessments, (*roles, *searches))


def _simulated(context: RunContext, config: DebateConfig, meter: PromptMeter) -> RunContext:
    fast = config.model_copy(update={"models": _fast_mocks(config.models), "limits": Limits()})
    return replace(context, config=fast, cassette=meter, observer=NullObserver(), stop=StopSignal())


def _fast_mocks(models: Mapping[str, ModelSpec]) -> dict[str, ModelSpec]:
    return {
        name: ModelSpec(model=mock_spec(spec).model, max_output_tokens=spec.max_output_tokens)
        for name, spec in models.items()
    }


class _RoleLoad(NamedTuple):
    planned_questions: int
    used: Usage
    max_questions: int
    max_requests_per_answer: int
    prompt_tokens: int
    further_tokens: int


@dataclass(frozen=True)
class _Estimator:
    context: RunContext
    run: JudgingRun
    debate: Debate
    meter: PromptMeter
    turns: int
    rounds: int
    growth: float = 1.0
    batch: bool = False

    @cached_property
    def config(self) -> DebateConfig:
        return with_run_providers(self.context.config, self.run)

    @cached_property
    def registry(self) -> ProviderRegistry:
        return ProviderRegistry(self.config, self.context.env, folder=self.context.folder)

    def estimate_debaters(self) -> Iterator[RoleEstimate]:
        speakers = len(self.config.debaters)
        before = speakers - 1 + speakers * (self.rounds - 1) / 2  # mean number of speeches before a debater's speech
        further = math.ceil(self._speech_tokens() * before)
        for debater in self.config.debaters:
            spec = self.config.model_for_debater(debater)
            if spec is not None:
                made = [turn.exchange.usage for turn in self.debate.select_turns(speaker=debater.name)]
                calls, used = self._extrapolate(len(made), sum(made, Usage()), self.growth)
                prompt = math.ceil(self.growth * self.meter.longest(*SPEECH_PURPOSES))
                load = _RoleLoad(calls, used, self.rounds, MAX_SPEECH_ASKS, prompt, further)
                yield self._estimate_role(debater.name, spec, load)

    def estimate_judges(self, prefix: str = "") -> Iterator[RoleEstimate]:
        without_searches = self.debate.model_copy(update={"searches": ()})
        spoken = 0 if prefix else self._speech_tokens() * self.turns
        for system in self.run.active_systems():
            judging = get_system(system.kind)
            plan = judging.planned_calls(system, self.turns, self.rounds)
            part = judging.planned_calls(system, round(self.turns / self.growth), round(self.rounds / self.growth))
            call_growth = plan.planned / part.planned if part.planned else self.growth
            seats = judge_ids(system)
            for seat in seats:
                spec = self.run.model_for_judge(self.config, judge_model_role(system, seat))
                if spec is None:
                    continue
                mine = (self.run.id, system.kind, seat)
                total = usage_of_briefs(
                    without_searches, lambda brief, mine=mine: (brief.run, brief.system, brief.assessor) == mine
                )
                calls, used = self._extrapolate(total.calls, total, call_growth)
                worst = max(calls, plan.planned // len(seats) + plan.follow_ups)
                further = spoken + plan.quoted_answers * self._output_limit(spec)
                prompt = math.ceil(self.growth * self.meter.longest(f"judge.{system.kind}"))
                name = f"{prefix}{judge_title(system.kind, seat)}" if prefix else f"{system.kind} {seat}"
                yield self._estimate_role(name, spec, _RoleLoad(calls, used, worst, MAX_ASKS, prompt, further))

    def estimate_reranking(self) -> Iterator[RoleEstimate]:
        spec = rerank_spec(self.config)
        calls = round(self.growth * sum(item.kind == "rerank" for item in self.debate.searches))
        if spec is not None and calls:
            used = Usage(input_tokens=calls * self.meter.longest(RERANK_PURPOSE))
            totals = CallTotals(calls, used, compute_cost(used, self.registry.price(spec)))
            yield RoleEstimate("order of passages", spec, totals, totals)

    def _extrapolate(self, calls: int, used: Usage | TotalUsage, call_growth: float) -> tuple[int, Usage]:
        prompt_growth = self.growth * (call_growth if self.config.format.history == "full" else 1)
        tokens = Usage(
            input_tokens=round(prompt_growth * used.input_tokens), output_tokens=round(self.growth * used.output_tokens)
        )
        return round(call_growth * calls), tokens

    def _estimate_role(self, name: str, spec: ModelSpec, load: _RoleLoad) -> RoleEstimate:
        if is_person(spec.model):
            planned, most = (CallTotals(count, Usage(), 0.0) for count in (load.planned_questions, load.max_questions))
            return RoleEstimate(name, spec, planned, most)
        price = self.registry.price(spec)
        price = halve_price(price) if self.batch else price
        output, calls = self._output_limit(spec), load.max_questions * load.max_requests_per_answer
        repeated = load.max_questions * sum(range(load.max_requests_per_answer)) * (output + REASK_TOKENS)
        worst = Usage(
            input_tokens=calls * (load.prompt_tokens + load.further_tokens) + repeated, output_tokens=calls * output
        )
        longest = estimate_max_cost_usage(load.prompt_tokens, output, price)
        return RoleEstimate(
            name,
            spec,
            CallTotals(load.planned_questions, load.used, compute_cost(load.used, price)),
            CallTotals(calls, worst, compute_cost(worst, price)),
            longest_call_tokens=load.prompt_tokens + load.used.output_tokens // max(1, load.planned_questions),
            context_tokens=self.registry.context_tokens(spec.model),
            reservation=CallTotals(1, longest, compute_cost(longest, price)),
        )

    def _speech_tokens(self) -> int:
        specs = map(self.config.model_for_debater, self.config.debaters)
        return max((self._output_limit(spec) for spec in specs if spec is not None), default=0)

    def _output_limit(self, spec: ModelSpec) -> int:
        return spec.max_output_tokens or self.registry.profile(spec.model).max_output_tokens


def _estimate_searches(
    config: DebateConfig, env: Mapping[str, str], simulated: Sequence[SearchRecord], growth: float = 1.0
) -> Iterator[RoleEstimate]:
    target = find_search_target(with_lookup_search(config), env)
    made = [item for item in simulated if item.kind == "web"]
    if target is None or not made:
        return
    settings, price = target.settings, target.price
    if settings.by_model:
        calls = round(growth * len({item.key if item.key.startswith("turn/") else item.id for item in made}))
        planned = _search_usage(calls, TYPICAL_SEARCH_TOKENS, TYPICAL_REPORT_TOKENS)
        most = calls * (1 + MAX_CONTINUATIONS)
        longest = _search_usage(1, settings.max_searches * TOKENS_PER_SEARCH, REPORT_TOKENS, settings.max_searches)
    else:
        calls = most = round(growth * len(made))
        planned, longest = _search_usage(calls, 0, 0), _search_usage(1, 0, 0)
    totals = CallTotals(1, longest, compute_cost(longest, price))
    yield RoleEstimate(
        "web search",
        target.spec,
        CallTotals(calls, planned, compute_cost(planned, price)),
        totals * most,
        reservation=totals,
    )


def _search_usage(calls: int, input_tokens: int, output_tokens: int, searches: int = 1) -> Usage:
    return Usage(input_tokens=calls * input_tokens, output_tokens=calls * output_tokens, searches=calls * searches)
