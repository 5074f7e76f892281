"""Output of `experiment run --dry-run`: cells, and calls, tokens and cost per player and judge."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from debate_cli.app.consent import describe_destinations
from debate_cli.app.estimate import CallTotals
from debate_cli.cli.console import print_json
from debate_cli.cli.dry_run import NOTHING_ASKED, align_rows, format_total_cells, total_data
from debate_cli.experiments.cells import Cell, CellPlan
from debate_cli.experiments.definition import Experiment
from debate_cli.experiments.estimate import (
    SECONDS_TO_FIRST_TOKEN,
    TOKENS_PER_SECOND,
    ExperimentEstimate,
    ParticipantEstimate,
    estimate_experiment,
)
from debate_cli.experiments.ledger import Ledger
from debate_cli.experiments.ledger_file import LEDGER_NAME
from debate_cli.experiments.runner import describe_exclusions
from debate_cli.render import sanitize, theme

HEADINGS = ("who", "debates", "", "calls", "tokens in", "tokens out", "USD")


def show_plan(
    experiment: Experiment, folder: Path, *, shard: tuple[int, int], as_json: bool, batch: bool = False
) -> None:
    """Print the estimate of the unfinished cells of a shard. `batch`: whether judges are priced as in batches."""
    plan = CellPlan(experiment)
    cells = [cell for cell in plan.cells() if cell.bucket % shard[1] == shard[0] - 1]
    left = _drop_finished(cells, folder)
    estimate = asyncio.run(estimate_experiment(plan, left, len(cells) - len(left), batch=batch))
    notes = describe_exclusions(plan)
    notes += ["judges are asked in batches, at half the price; their answers may take a day"] if batch else []
    if as_json:
        print_json(_plan_data(estimate, notes) | {"hosts": describe_destinations(experiment.destinations)})
        return
    for line in _plan_lines(experiment, estimate, notes):
        print(line)


def _drop_finished(cells: list[Cell], folder: Path) -> list[Cell]:
    if not (folder / LEDGER_NAME).is_file():
        return cells
    with Ledger.open(folder) as ledger:
        return [cell for cell in cells if not _is_done(ledger, cell)]


def _is_done(ledger: Ledger, cell: Cell) -> bool:
    known = ledger.find(cell.key)
    return known is not None and known.state == "done" and known.cell.judges == cell.judges


def _plan_lines(experiment: Experiment, estimate: ExperimentEstimate, notes: list[str]) -> Iterator[str]:
    config = experiment.file.config
    parts = [f"{len(experiment.motions)} motions", f"{len(config.pairs())} pairs", f"sides: {config.sides}"]
    parts += [f"repeated {config.repeat} times"] if config.repeat > 1 else []
    parts += [f"{len(experiment.variants)} variants of the base"] if len(experiment.variants) > 1 else []
    yield f"{sanitize.sanitize_line(config.name)}: {estimate.cells:,} cells ({', '.join(parts)})"
    if estimate.done:
        yield f"{estimate.done:,} cells are done; this is the plan of the other {estimate.cells - estimate.done:,}"
    yield from _table(estimate)
    clock = theme.format_duration(estimate.seconds)
    yield f"At least {clock}: {estimate.slowest}, at {TOKENS_PER_SECOND} tokens a second and {SECONDS_TO_FIRST_TOKEN:g} s before an answer."
    limits = config.limits
    if limits.max_cost_usd is not None:
        yield f"The experiment starts no call that could exceed {limits.max_cost_usd:g} USD (limits)."
    yield from (f"Note: {sanitize.sanitize_line(note)}." for note in notes)
    yield "Planned: one debate simulated with the mock, times the number of cells. At worst: every answer has full length."
    yield NOTHING_ASKED


def _table(estimate: ExperimentEstimate) -> Iterator[str]:
    rows: list[tuple[str, ...]] = [HEADINGS]
    for each in (*estimate.players, *estimate.judges):
        rows += _rows(each.name, each.model, f"{each.debates:,}", each.planned, each.worst)
    rows += _rows("all", "", f"{estimate.cells - estimate.done:,}", estimate.planned, estimate.worst)
    yield from align_rows(rows)


def _rows(name: str, model: str, debates: str, planned: CallTotals, worst: CallTotals) -> list[tuple[str, ...]]:
    return [
        (sanitize.sanitize_line(name), debates, "planned", *format_total_cells(planned)),
        (f"  {sanitize.sanitize_line(model)}" if model else "", "", "at worst", *format_total_cells(worst)),
    ]


def _plan_data(estimate: ExperimentEstimate, notes: list[str]) -> dict[str, Any]:
    return {
        "cells": estimate.cells,
        "done": estimate.done,
        "players": [_participant_data(each) for each in estimate.players],
        "judges": [_participant_data(each) for each in estimate.judges],
        "planned": total_data(estimate.planned),
        "worst": total_data(estimate.worst),
        "seconds": round(estimate.seconds, 1),
        "slowest_limit": estimate.slowest,
        "notes": notes,
    }


def _participant_data(each: ParticipantEstimate) -> dict[str, Any]:
    return {
        "name": each.name,
        "model": each.model,
        "debates": each.debates,
        "planned": total_data(each.planned),
        "worst": total_data(each.worst),
    }
