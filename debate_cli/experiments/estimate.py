"""Estimates calls, tokens, cost and time of an experiment, without asking a model."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from debate_cli.app.estimate import NO_CALLS, CallTotals, RoleEstimate, estimate_run
from debate_cli.domain.config import ModelSpec
from debate_cli.domain.judging_config import judge_ids
from debate_cli.domain.model_call import is_person
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
    """Estimated calls, cost and duration of the unfinished cells."""

    cells: int
    """Number of all cells, including finished cells."""
    done: int
    """Number of finished cells, which the estimate leaves out."""
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


class _Sample(NamedTuple):
    debaters: tuple[RoleEstimate, ...]
    base_roles: tuple[RoleEstimate, ...]
    added_judge: RoleEstimate | None


async def estimate_experiment(
    plan: CellPlan, cells: Iterable[Cell], done: int, *, batch: bool = False
) -> ExperimentEstimate:
    """Estimate the calls, cost and duration of `cells`, the unfinished cells of `plan`.

    `done`: number of finished cells, which are not in `cells`. `batch`: whether judges are asked in batches.
    """
    groups: dict[tuple[str, str, str], list[Cell]] = defaultdict(list)
    for cell in cells:
        groups[cell.axes, cell.first, cell.second].append(cell)
    registry = ProviderRegistry(plan.context.config, plan.context.env, folder=plan.context.folder)
    estimate_model = partial(_estimate_model, registry=registry)
    samples: dict[str, _Sample] = {}
    players: dict[str, ParticipantEstimate] = {}
    judges: dict[str, ParticipantEstimate] = {}
    for group in groups.values():
        cell, count = group[0], len(group)
        if cell.axes not in samples:
            samples[cell.axes] = await _simulate(plan, cell)
        sample, inputs = samples[cell.axes], plan.inputs_of(cell)
        for name, spec, role in zip((cell.first, cell.second), inputs.models, sample.debaters, strict=True):
            _add(players, estimate_model(role, name, spec), count)
        systems = [system for system in inputs.context.config.judging.systems if not system.steers_debate]
        afterwards = {f"{system.kind} {seat}" for system in systems for seat in judge_ids(system)} if batch else ()
        for role in sample.base_roles:
            is_batched = role.role in afterwards
            _add(judges, estimate_model(role, role.role, role.spec, batch=True) if is_batched else role, count)
        for judge in inputs.judges.values():
            assert sample.added_judge is not None
            _add(judges, estimate_model(sample.added_judge, judge.name, judge.spec, batch=batch), count)
    seconds, slowest = _least_time(plan, registry, [*players.values(), *judges.values()])
    total = sum(map(len, groups.values())) + done
    return ExperimentEstimate(total, done, tuple(players.values()), tuple(judges.values()), seconds, slowest)


def _estimate_model(
    role: RoleEstimate, name: str, spec: ModelSpec, *, registry: ProviderRegistry, batch: bool = False
) -> RoleEstimate:
    if is_person(spec.model):
        return replace(role, role=name, spec=spec)
    price = halve_price(registry.price(spec)) if batch else registry.price(spec)
    planned, worst = (replace(calls, cost_usd=compute_cost(calls.usage, price)) for calls in (role.planned, role.worst))
    return replace(role, role=name, spec=spec, planned=planned, worst=worst)


def _add(found: dict[str, ParticipantEstimate], role: RoleEstimate, debates: int) -> None:
    known = found.get(role.role, ParticipantEstimate(role.role, role.spec.model, 0, NO_CALLS, NO_CALLS))
    planned, worst = known.planned + role.planned * debates, known.worst + role.worst * debates
    found[role.role] = known._replace(debates=known.debates + debates, planned=planned, worst=worst)


async def _simulate(plan: CellPlan, cell: Cell) -> _Sample:
    motions = sorted(plan.experiment.motions, key=lambda motion: len(motion.topic + (motion.background or "")))
    inputs = plan.inputs_of(replace(cell, motion=motions[len(motions) // 2].id))
    config = inputs.context.config
    names = {debater.name for debater in config.debaters}
    roles = (await estimate_run(inputs.context)).roles
    added: RoleEstimate | None = None
    for judge in [*inputs.judges.values()][:1]:
        judged = config.model_copy(update={"models": {**config.models, "judge": judge.spec}, "judging": judge.judging})
        own = [
            role
            for role in (await estimate_run(replace(inputs.context, config=judged))).roles
            if role.role not in names
        ]
        planned, worst = sum((role.planned for role in own), NO_CALLS), sum((role.worst for role in own), NO_CALLS)
        added = RoleEstimate(judge.name, judge.spec, planned, worst)
    return _Sample(
        tuple(role for role in roles if role.role in names),
        tuple(role for role in roles if role.role not in names),
        added,
    )


def _least_time(plan: CellPlan, registry: ProviderRegistry, totals: Iterable[ParticipantEstimate]) -> tuple[float, str]:
    concurrency = plan.config.limits.concurrency
    by_provider: dict[str, CallTotals] = defaultdict(lambda: NO_CALLS)
    for total in totals:
        by_provider[split_model_name(total.model)[0]] += total.planned
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
