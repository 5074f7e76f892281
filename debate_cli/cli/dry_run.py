"""Output of --dry-run: calls, tokens and cost, planned and at worst."""

import asyncio
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from debate_cli.app.config_resolution import escape_variables
from debate_cli.app.consent import describe_destinations
from debate_cli.app.context import RunContext
from debate_cli.app.estimate import (
    NO_CALLS,
    CallTotals,
    RunEstimate,
    estimate_judging,
    estimate_run,
)
from debate_cli.app.judge import JudgeTask
from debate_cli.cli.console import is_interactive, print_json, print_lines, print_status, show_tables, write_document
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.message_text import count_noun, sanitize_text
from debate_cli.domain.nested_texts import map_texts
from debate_cli.render import sanitize, theme
from debate_cli.render.theme import count_speeches
from debate_cli.storage.serialization import config_to_json
from debate_cli.systems.tables import Table, join_row_groups
from debate_cli.yaml_positions import dump_yaml

PLAN_HEADINGS = ("role and model", "", "calls", "tokens in", "tokens out", "USD")
NOTHING_ASKED = "No model was asked."
PlanRows = tuple[tuple[str, ...], tuple[str, ...]]
"""Two rows of a plan: the planned totals, and the totals at worst."""


def show_plan(context: RunContext, *, as_json: bool) -> None:
    """Print the configuration and the estimate. JSON has all settings; text has only settings that the user gave."""
    config = context.config
    plan = asyncio.run(estimate_run(context))
    for line in plan.warnings(config.limits):
        print_status(f"warning: {line}")
    if as_json:
        print_json(
            {
                "config": map_texts(config_to_json(config), context.redact),
                "plan": _run_data(plan),
                "hosts": describe_destinations(context.destinations),
            }
        )
        return
    settings = map_texts(_explicit_settings(config), context.redact)
    if len((config.background or "").splitlines()) > theme.BACKGROUND_LINES:
        settings["background"] = "\n".join(theme.background_excerpt(settings["background"]))
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else 120
    text = dump_yaml(settings, columns).rstrip()
    write_document([sanitize_text(text) if sys.stdout.isatty() else text, "\n"])
    title = f"planned: {count_speeches(plan.speeches)} and at least {count_noun(plan.assessments, 'assessment')}"
    notes = [*_format_servers([context]), *_format_notes(config), NOTHING_ASKED]
    show_plan_table(title, PLAN_HEADINGS, _plan_groups(plan), notes, prefix="# ")


def show_plan_table(
    title: str, headings: Sequence[str], groups: Sequence[PlanRows], notes: Sequence[str], *, prefix: str = ""
) -> None:
    """Print totals as a table on a terminal, elsewhere as lines with aligned columns.

    `groups`: results of `format_plan_rows`. `prefix`: text before each line.
    """
    if is_interactive(sys.stdout):
        numbers = frozenset(range(headings.index("") + 1, len(headings)))
        show_tables([Table(title, tuple(headings), join_row_groups(groups), tuple(notes), numbers)])
        return
    lines = [title, *_align_rows([headings, *(row for rows in groups for row in rows)]), *notes]
    print_lines(["", *(f"{prefix}{line}".rstrip() for line in lines)] if prefix else lines)


def show_judging_plans(tasks: Sequence[JudgeTask], *, as_json: bool, each: bool = True, batch: bool = False) -> None:
    """Print the estimate for judging all files together. With `each`, also print an estimate for each file.

    `batch`: whether batch prices apply.
    """
    plans = [(task, asyncio.run(estimate_judging(task, batch=batch))) for task in tasks]
    if as_json:
        print_json(
            [
                {
                    "path": str(task.source),
                    "plan": _run_data(plan),
                    "hosts": describe_destinations(task.context.destinations),
                }
                for task, plan in plans
            ]
        )
        return
    what = "The judging of each file" if each else "All judging"
    notes = [line for task in tasks[:1] for line in _format_notes(task.context.config, what=what)]
    servers = _format_servers(task.context for task in tasks)
    for task, plan in plans if each else ():
        source = sanitize.sanitize_line(str(task.source))
        title = f"{source}: about {count_noun(plan.assessments, 'assessment')}"
        show_plan_table(title, PLAN_HEADINGS, _plan_groups(plan), ())
    if len(plans) > 1 or not each:
        whole = RunEstimate(0, 0, tuple(role for _, plan in plans for role in plan.roles))
        show_plan_table(f"all {len(plans)} files", PLAN_HEADINGS, _plan_groups(whole)[-1:], ())
    print_lines([*servers, *notes, NOTHING_ASKED])


def _format_servers(contexts: Iterable[RunContext]) -> Iterator[str]:
    for destination in dict.fromkeys(
        destination.format() for context in contexts for destination in context.destinations
    ):
        yield f"Server: {sanitize.sanitize_line(destination)}."


def _plan_groups(plan: RunEstimate) -> list[PlanRows]:
    roles = [format_plan_rows(role.role, role.spec.model, role.planned, role.worst) for role in plan.roles]
    return [*roles, format_plan_rows("all", "", plan.planned, plan.worst)]


def _align_rows(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the rows as lines with aligned columns. `rows[0]` has the headings.

    One column has no heading. This column and the columns before it are aligned to the left, the others to the right.
    """
    texts = rows[0].index("") + 1
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = zip(row, widths, range(len(row)), strict=True)
        line = (text.ljust(width) if column < texts else text.rjust(width) for text, width, column in cells)
        yield "  ".join(line).rstrip()


def format_plan_rows(name: str, model: str, planned: CallTotals, worst: CallTotals, *columns: str) -> PlanRows:
    """Return two rows of a plan.

    - First row: `name`, the texts in `columns`, the word "planned", and the totals `planned`.
    - Second row: `model`, empty cells below `columns`, the words "at worst", and the totals `worst`.
    """
    below = f"  {sanitize.sanitize_line(model)}" if model else ""
    return (
        (sanitize.sanitize_line(name), *columns, "planned", *_format_totals(planned)),
        (below, *("" for _ in columns), "at worst", *_format_totals(worst)),
    )


def _format_totals(totals: CallTotals) -> tuple[str, ...]:
    cost = "unknown" if totals.cost_usd is None else f"{totals.cost_usd:.4f}"
    return f"{totals.calls:,}", f"{totals.usage.input_tokens:,}", f"{totals.usage.output_tokens:,}", cost


def _format_notes(config: DebateConfig, what: str = "The run") -> Iterator[str]:
    limits = config.limits
    bounds = [
        *([f"costs more than {limits.max_cost_usd:g} USD"] if limits.max_cost_usd is not None else []),
        *([f"uses more than {limits.max_tokens:,} tokens"] if limits.max_tokens is not None else []),
    ]
    if bounds:
        yield f"{what} stops before it {' or '.join(bounds)} (limits)."
    yield (
        "Planned: measured in a simulation on the mock. Of a long debate, a part is simulated, and its numbers are scaled up. "
        "At worst: every answer has full length, and every allowed attempt is used."
    )


def _run_data(plan: RunEstimate) -> dict[str, object]:
    return {
        "speeches": plan.speeches,
        "assessments": plan.assessments,
        "roles": [
            {"role": role.role, "model": role.spec.model, **plan_data(role.planned, role.worst)} for role in plan.roles
        ],
        "models": _group_by_model(plan),
        **plan_data(plan.planned, plan.worst),
        "worst_cost_usd": plan.worst.cost_usd,
    }


def _group_by_model(plan: RunEstimate) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for model in dict.fromkeys(role.spec.model for role in plan.roles):
        roles = [role for role in plan.roles if role.spec.model == model]
        worst = sum((role.worst for role in roles), NO_CALLS)
        found.append({"model": model, **_total_data(worst), "calls": sum(role.planned.calls for role in roles)})
    return found


def plan_data(planned: CallTotals, worst: CallTotals) -> dict[str, object]:
    """Return the totals, planned and at worst, as JSON data."""
    return {"planned": _total_data(planned), "worst": _total_data(worst)}


def _total_data(totals: CallTotals) -> dict[str, object]:
    return {
        "calls": totals.calls,
        "input_tokens": totals.usage.input_tokens,
        "output_tokens": totals.usage.output_tokens,
        "cost_usd": totals.cost_usd,
    }


def _explicit_settings(config: DebateConfig) -> dict[str, Any]:
    """Return the settings that the user gave, in the form of a configuration file."""
    data = escape_variables(config.model_dump(mode="json", exclude_unset=True, exclude={"vars"}))
    judging = data.get("judging", {})
    if "systems" in judging:
        pairs = zip(config.judging.systems, judging["systems"], strict=True)
        judging["systems"] = [{"kind": system.kind} | settings for system, settings in pairs]
    return data
