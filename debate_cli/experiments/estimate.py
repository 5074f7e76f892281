"""Estimates calls, tokens, cost and time of an experiment for each player and judge. No model is asked.

One debate of each combination of axes and players is estimated as in `app.estimate`, and counts for all its cells.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from debate_cli.app.context import RunContext
from debate_cli.app.estimate import NO_CALLS, CallTotals, estimate_run
from debate_cli.domain.config import ModelSpec
from debate_cli.domain.judging_config import judge_ids
from debate_cli.domain.model_call import Usage
from debate_cli.experiments.cells import Cell, CellPlan
from debate_cli.experiments.definition import Judge
from debate_cli.llm.prices import compute_cost, halve_price
from debate_cli.providers.registry import ProviderRegistry, split_model_name

TOKENS_PER_SECOND = 50
"""Assumed speed of a model's answer."""
SECONDS_TO_FIRST_TOKEN = 1.0
"""Assumed seconds from a request to the first token of its answer."""


class ParticipantEstimate(NamedTuple):
    """Estimate for a player, a judge, or the judges of the base."""

    name: str
    model: str
    debates: int
    """Number of debates of the player, or of debates that the judge judges."""
    planned: CallTotals
    worst: CallTotals


@dataclass(frozen=True, slots=True)
class ExperimentEstimate:
    """Estimate of the unfinished cells."""

    cells: int
    """Number of cells of the experiment or of the shard."""
    done: int
    """Number of finished cells, which are not part of the estimate."""
    players: tuple[ParticipantEstimate, ...]
    judges: tuple[ParticipantEstimate, ...]
    seconds: float
    """Minimum time within the limits, with the assumed speed of answers."""
    slowest: str
    """Name of the limit that determines the time."""

    @property
    def planned(self) -> CallTotals:
        """Sum of the planned calls."""
        return sum((each.planned for each in (*self.players, *self.judges)), NO_CALLS)

    @property
    def worst(self) -> CallTotals:
        """Sum of the calls at worst."""
        return sum((each.worst for each in (*self.players, *self.judges)), NO_CALLS)


class _Load(NamedTuple):
    """Calls and tokens of one role in a simulated debate."""

    planned: CallTotals
    worst: CallTotals


async def estimate_experiment(
    plan: CellPlan, cells: Iterable[Cell], done: int, *, batch: bool = False
) -> ExperimentEstimate:
    """Estimate the unfinished `cells`. `done`: number of finished ones."""
    estimator = _Estimator(plan)
    alike: dict[tuple[str, str, str], Cell] = {}
    counts: Counter[tuple[str, str, str]] = Counter()
    for cell in cells:
        group = (cell.axes, cell.first, cell.second)
        alike.setdefault(group, cell)
        counts[group] += 1
    for group, cell in alike.items():
        await estimator.add(cell, counts[group])
    seconds, slowest = estimator.least_time()
    return ExperimentEstimate(
        counts.total() + done,
        done,
        tuple(estimator.participants("player")),
        tuple(estimator.participants("judge", batch=batch)),
        seconds,
        slowest,
    )


class _Estimator:
    """Adds up the loads of cells."""

    def __init__(self, plan: CellPlan) -> None:
        self._plan = plan
        self._samples: dict[str, tuple[list[_Load], list[tuple[str, ModelSpec, _Load]], _Load]] = {}
        """Axes -> loads of the two debaters, of the debate's own judges, and of one added judge."""
        self._totals: dict[tuple[str, str], _Load] = {}
        """Kind (`player` or `judge`) and name -> sum of the loads."""
        self._models: dict[tuple[str, str], ModelSpec] = {}
        self._debates: Counter[tuple[str, str]] = Counter()
        self._never_batched: set[tuple[str, str]] = set()
        """Kind and name of the roles, apart from players, that are asked while the debate runs, so not in batches."""

    async def add(self, cell: Cell, count: int) -> None:
        if cell.axes not in self._samples:
            self._samples[cell.axes] = await self._simulate(cell)
        debaters, own, added = self._samples[cell.axes]
        for name, spec, load in zip(
            (cell.first, cell.second), self._plan.inputs_of(cell).models, debaters, strict=True
        ):
            self._add(("player", name), spec, load, count)
        for name, spec, load in own:
            self._add(("judge", name), spec, load, count)
        for judge in self._plan.inputs_of(cell).judges.values():
            self._add(("judge", judge.name), judge.spec, added, count)

    def least_time(self) -> tuple[float, str]:
        """Minimum number of seconds that the limits allow, and the limit that determines it."""
        concurrency = self._plan.experiment.file.config.limits.concurrency
        context = self._plan.context
        rows = ProviderRegistry(context.config, context.env, folder=context.folder).rows
        by_provider: defaultdict[str, list[CallTotals]] = defaultdict(list)
        for key, load in self._totals.items():
            by_provider[split_model_name(self._models[key].model)[0]].append(load.planned)
        totals = {name: sum(loads, NO_CALLS) for name, loads in by_provider.items()}
        busy = {
            name: total.calls * SECONDS_TO_FIRST_TOKEN + total.usage.output_tokens / TOKENS_PER_SECOND
            for name, total in totals.items()
        }
        times = {f"{concurrency} requests at once": sum(busy.values()) / concurrency}
        for name, total in totals.items():
            row = rows[name]
            times[f"{row.max_concurrency} requests at once to {name}"] = busy[name] / row.max_concurrency
            if row.requests_per_minute:
                times[f"{row.requests_per_minute} requests a minute to {name}"] = (
                    total.calls * 60 / row.requests_per_minute
                )
            if row.tokens_per_minute:
                tokens = total.usage.input_tokens + total.usage.output_tokens
                times[f"{row.tokens_per_minute} tokens a minute to {name}"] = tokens * 60 / row.tokens_per_minute
        slowest = max(times, key=lambda limit: times[limit])
        return times[slowest], slowest

    async def _simulate(self, cell: Cell) -> tuple[list[_Load], list[tuple[str, ModelSpec, _Load]], _Load]:
        """Loads as in `_samples`, from simulated debates like `cell` on the motion of median length."""
        motions = sorted(
            self._plan.experiment.motions, key=lambda motion: len(motion.topic + (motion.background or ""))
        )
        inputs = self._plan.inputs_of(replace(cell, motion=motions[len(motions) // 2].id))
        context = inputs.context
        roles = (await estimate_run(context)).roles
        names = [debater.name for debater in context.config.debaters]
        debaters = [_Load(role.planned, role.worst) for role in roles if role.role in names]
        own = [(role.role, role.spec, _Load(role.planned, role.worst)) for role in roles if role.role not in names]
        systems = [system for system in context.config.judging.systems if not system.steers_debate]
        afterwards = {f"{system.kind} {seat}" for system in systems for seat in judge_ids(system)}
        self._never_batched |= {("judge", name) for name, _, _ in own if name not in afterwards}
        judges = [*inputs.judges.values()]
        return debaters, own, await self._simulate_judge(context, judges[0]) if judges else _NO_LOAD

    async def _simulate_judge(self, context: RunContext, judge: Judge) -> _Load:
        config = context.config
        judged = config.model_copy(update={"models": {**config.models, "judge": judge.spec}, "judging": judge.judging})
        roles = (await estimate_run(replace(context, config=judged))).roles
        names = {debater.name for debater in config.debaters}
        judges = [role for role in roles if role.role not in names]
        return _Load(sum((role.planned for role in judges), NO_CALLS), sum((role.worst for role in judges), NO_CALLS))

    def _add(self, key: tuple[str, str], spec: ModelSpec, load: _Load, count: int) -> None:
        self._models[key] = spec
        self._debates[key] += count
        planned, worst = self._totals.get(key, _NO_LOAD)
        self._totals[key] = _Load(planned + _multiply(load.planned, count), worst + _multiply(load.worst, count))

    def participants(self, wanted: str, *, batch: bool = False) -> Iterator[ParticipantEstimate]:
        context = self._plan.context
        registry = ProviderRegistry(context.config, context.env, folder=context.folder)
        for (kind, name), load in self._totals.items():
            if kind == wanted:
                spec = self._models[kind, name]
                in_batch = batch and (kind, name) not in self._never_batched
                price = halve_price(registry.price(spec)) if in_batch else registry.price(spec)
                planned, worst = (replace(each, cost_usd=compute_cost(each.usage, price)) for each in load)
                yield ParticipantEstimate(name, spec.model, self._debates[kind, name], planned, worst)


_NO_LOAD = _Load(NO_CALLS, NO_CALLS)


def _multiply(total: CallTotals, count: int) -> CallTotals:
    usage = Usage(
        input_tokens=total.usage.input_tokens * count,
        cached_tokens=total.usage.cached_tokens * count,
        output_tokens=total.usage.output_tokens * count,
    )
    return CallTotals(total.calls * count, usage, None if total.cost_usd is None else total.cost_usd * count)
