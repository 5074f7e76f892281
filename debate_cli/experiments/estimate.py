"""Estimates calls, tokens, cost and time of an experiment, without asking a model."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from debate_cli.app.estimate import NO_CALLS, CallTotals, RoleEstimate, estimate_run
from debate_cli.domain.config import ModelSpec
from debate_cli.domain.judging_config import judge_ids
from debate_cli.domain.model_call import Usage
from debate_cli.experiments.cells import Cell, CellPlan
from debate_cli.llm.usage import compute_cost, halve_price
from debate_cli.providers.registry import ProviderRegistry, split_model_name

TOKENS_PER_SECOND = 50
"""Assumed number of tokens per second in a model's answer."""
SECONDS_TO_FIRST_TOKEN = 1.0
"""Assumed seconds from a request to the first token of its answer."""


class ParticipantEstimate(NamedTuple):
    """Estimate for one player, for one judge, or for all judges of the base configuration together."""

    name: str
    model: str
    debates: int
    """Number of debates in which the player speaks, or which the judge judges."""
    planned: CallTotals
    worst: CallTotals


@dataclass(frozen=True, slots=True)
class ExperimentEstimate:
    """Estimate of the unfinished cells."""

    cells: int
    """Number of cells, including finished ones."""
    done: int
    """Number of finished cells, which are not estimated."""
    players: tuple[ParticipantEstimate, ...]
    judges: tuple[ParticipantEstimate, ...]
    seconds: float
    """Estimated minimum duration in seconds."""
    slowest: str
    """The limit that determines the duration, e.g. `16 requests at once`."""

    @property
    def planned(self) -> CallTotals:
        """Planned calls of all players and judges together."""
        return sum((each.planned for each in (*self.players, *self.judges)), NO_CALLS)

    @property
    def worst(self) -> CallTotals:
        """Calls of all players and judges together in the worst case."""
        return sum((each.worst for each in (*self.players, *self.judges)), NO_CALLS)


@dataclass(slots=True)
class _Total:
    spec: ModelSpec
    can_be_batched: bool
    debates: int = 0
    planned: CallTotals = NO_CALLS
    worst: CallTotals = NO_CALLS

    def add(self, planned: CallTotals, worst: CallTotals, count: int) -> None:
        self.debates += count
        self.planned += _multiply(planned, count)
        self.worst += _multiply(worst, count)

    def price(self, name: str, registry: ProviderRegistry, *, batch: bool) -> ParticipantEstimate:
        full = registry.price(self.spec)
        price = halve_price(full) if batch and self.can_be_batched else full
        planned, worst = (
            replace(total, cost_usd=compute_cost(total.usage, price)) for total in (self.planned, self.worst)
        )
        return ParticipantEstimate(name, self.spec.model, self.debates, planned, worst)


class _Sample(NamedTuple):
    debaters: list[RoleEstimate]
    base_judges: list[RoleEstimate]
    added_judge: list[RoleEstimate]


async def estimate_experiment(
    plan: CellPlan, cells: Iterable[Cell], done: int, *, batch: bool = False
) -> ExperimentEstimate:
    """Estimate the unfinished `cells`.

    `done`: number of finished cells. `batch`: whether judges are asked in batches.
    """
    groups: dict[tuple[str, str, str], list[Cell]] = defaultdict(list)
    for cell in cells:
        groups[cell.axes, cell.first, cell.second].append(cell)
    samples: dict[str, _Sample] = {}
    players: dict[str, _Total] = {}
    judges: dict[str, _Total] = {}
    for group in groups.values():
        cell, count = group[0], len(group)
        inputs = plan.inputs_of(cell)
        if cell.axes not in samples:
            samples[cell.axes] = await _simulate(plan, cell)
        sample = samples[cell.axes]
        for name, spec, role in zip((cell.first, cell.second), inputs.models, sample.debaters, strict=True):
            players.setdefault(name, _Total(spec, can_be_batched=False)).add(role.planned, role.worst, count)
        systems = [system for system in inputs.context.config.judging.systems if not system.steers_debate]
        afterwards = {f"{system.kind} {seat}" for system in systems for seat in judge_ids(system)}
        for role in sample.base_judges:
            total = judges.setdefault(role.role, _Total(role.spec, role.role in afterwards))
            total.add(role.planned, role.worst, count)
        planned = sum((role.planned for role in sample.added_judge), NO_CALLS)
        worst = sum((role.worst for role in sample.added_judge), NO_CALLS)
        for judge in inputs.judges.values():
            judges.setdefault(judge.name, _Total(judge.spec, can_be_batched=True)).add(planned, worst, count)
    registry = ProviderRegistry(plan.context.config, plan.context.env, folder=plan.context.folder)
    seconds, slowest = _least_time(plan, registry, [*players.values(), *judges.values()])
    return ExperimentEstimate(
        sum(map(len, groups.values())) + done,
        done,
        tuple(total.price(name, registry, batch=batch) for name, total in players.items()),
        tuple(total.price(name, registry, batch=batch) for name, total in judges.items()),
        seconds,
        slowest,
    )


async def _simulate(plan: CellPlan, cell: Cell) -> _Sample:
    motions = sorted(plan.experiment.motions, key=lambda motion: len(motion.topic + (motion.background or "")))
    inputs = plan.inputs_of(replace(cell, motion=motions[len(motions) // 2].id))
    config = inputs.context.config
    names = {debater.name for debater in config.debaters}
    roles = (await estimate_run(inputs.context)).roles
    added: list[RoleEstimate] = []
    for judge in [*inputs.judges.values()][:1]:
        judged = config.model_copy(update={"models": {**config.models, "judge": judge.spec}, "judging": judge.judging})
        added = [*(await estimate_run(replace(inputs.context, config=judged))).roles]
    return _Sample(
        [role for role in roles if role.role in names],
        [role for role in roles if role.role not in names],
        [role for role in added if role.role not in names],
    )


def _least_time(plan: CellPlan, registry: ProviderRegistry, totals: Iterable[_Total]) -> tuple[float, str]:
    concurrency = plan.experiment.file.config.limits.concurrency
    by_provider: dict[str, CallTotals] = defaultdict(lambda: NO_CALLS)
    for total in totals:
        by_provider[split_model_name(total.spec.model)[0]] += total.planned
    busy = {
        name: total.calls * SECONDS_TO_FIRST_TOKEN + total.usage.output_tokens / TOKENS_PER_SECOND
        for name, total in by_provider.items()
    }
    times = {f"{concurrency} requests at once": sum(busy.values()) / concurrency}
    for name, total in by_provider.items():
        row = registry.rows[name]
        times[f"{row.max_concurrency} requests at once to {name}"] = busy[name] / row.max_concurrency
        if row.requests_per_minute:
            limit = f"{row.requests_per_minute} requests a minute to {name}"
            times[limit] = total.calls * 60 / row.requests_per_minute
        if row.tokens_per_minute:
            tokens = total.usage.input_tokens + total.usage.output_tokens
            times[f"{row.tokens_per_minute} tokens a minute to {name}"] = tokens * 60 / row.tokens_per_minute
    slowest = max(times, key=lambda limit: times[limit])
    return times[slowest], slowest


def _multiply(total: CallTotals, count: int) -> CallTotals:
    usage = Usage(
        input_tokens=total.usage.input_tokens * count,
        cached_tokens=total.usage.cached_tokens * count,
        output_tokens=total.usage.output_tokens * count,
    )
    return CallTotals(total.calls * count, usage, None if total.cost_usd is None else total.cost_usd * count)
