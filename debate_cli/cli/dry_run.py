"""What `debate run --dry-run` prints."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from typing import Any

import yaml

from debate_cli.cli.json_output import print_json
from debate_cli.domain.config import DebateConfig
from debate_cli.forecast import NO_CALLS, CallTotals, RunEstimate, estimate_run
from debate_cli.render import hostile
from debate_cli.storage.json_form import config_to_json
from debate_cli.storage.plain import is_list, is_mapping
from debate_cli.storage.redact import Redactor, redact_values
from debate_cli.wiring import RunContext

PLAN_HEADINGS = ("role", "model", "", "calls", "tokens in", "tokens out", "USD")


def show_plan(config: DebateConfig, around: RunContext, *, as_json: bool) -> None:
    """The resolved configuration, and calls, tokens and cost as planned and at the worst; nothing is asked.

    As text, only what is set of the configuration; as JSON, all of it.
    """
    plan = asyncio.run(estimate_run(config, around))
    redact = Redactor(around.secrets)
    if as_json:
        data = redact_values(config_to_json(config), redact)
        print_json({"config": data, "plan": _plan_data(plan)})
        return
    written = redact_values(_drop_empty(_explicit_settings(config)), redact)
    shown = yaml.safe_dump(written, sort_keys=False, allow_unicode=True, width=120).rstrip()
    print(hostile.sanitize_text(shown) if sys.stdout.isatty() else shown)
    speeches, assessments = (
        _format_count(plan.speeches, "speech", "es"),
        _format_count(plan.assessments, "assessment", "s"),
    )
    print(f"\n# planned: {speeches} and at least {assessments}")
    for line in _format_table(plan):
        print(f"# {line}".rstrip())
    for line in _format_notes(config):
        print(f"# {line}")


def _format_count(count: int, one: str, more: str) -> str:
    """`1 speech`, `2 speeches`: `more` is what is added to `one`."""
    return f"{count} {one}{'' if count == 1 else more}"


def _format_table(plan: RunEstimate) -> Iterator[str]:
    """Two lines a role, and two for all; columns aligned."""
    rows: list[tuple[str, ...]] = [PLAN_HEADINGS]
    for share in plan.roles:
        rows += _format_rows(share.role, share.spec.model, share.planned, share.worst)
    rows += _format_rows("all", "", plan.planned, plan.worst)
    widths = [max(len(row[column]) for row in rows) for column in range(len(PLAN_HEADINGS))]
    for row in rows:
        cells = zip(row, widths, strict=True)
        yield "  ".join(
            text.ljust(width) if column < 3 else text.rjust(width)  # noqa: PLR2004 - three columns of words
            for column, (text, width) in enumerate(cells)
        )


def _format_rows(role: str, model: str, planned: CallTotals, worst: CallTotals) -> list[tuple[str, ...]]:
    return [(role, model, "planned", *_format_cells(planned)), ("", "", "at worst", *_format_cells(worst))]


def _format_cells(amount: CallTotals) -> tuple[str, ...]:
    usage = amount.usage
    money = "unknown" if amount.cost_usd is None else f"{amount.cost_usd:.4f}"
    return f"{amount.calls:,}", f"{usage.input_tokens:,}", f"{usage.output_tokens:,}", money


def _format_notes(config: DebateConfig) -> Iterator[str]:
    limits = config.limits
    bounds = [
        *([f"{limits.max_cost_usd:g} USD"] if limits.max_cost_usd is not None else []),
        *([f"{limits.max_tokens:,} tokens"] if limits.max_tokens is not None else []),
    ]
    if bounds:
        yield f"The run ends before it exceeds {' or '.join(bounds)} (limits)."
    yield "Planned: as on the mock. At worst: every answer at its full length and asked for as often as is allowed."
    yield "Nothing was asked."


def _plan_data(plan: RunEstimate) -> dict[str, object]:
    return {
        "speeches": plan.speeches,
        "assessments": plan.assessments,
        "roles": [
            {
                "role": share.role,
                "model": share.spec.model,
                "planned": _amount_data(share.planned),
                "worst": _amount_data(share.worst),
            }
            for share in plan.roles
        ],
        "models": _group_by_model(plan),
        "planned": _amount_data(plan.planned),
        "worst": _amount_data(plan.worst),
        "worst_cost_usd": plan.worst.cost_usd,
    }


def _group_by_model(plan: RunEstimate) -> list[dict[str, object]]:
    """The roles of each model together: planned calls, and tokens and cost at the worst."""
    found: list[dict[str, object]] = []
    for model in dict.fromkeys(share.spec.model for share in plan.roles):
        shares = [share for share in plan.roles if share.spec.model == model]
        worst = sum((share.worst for share in shares), NO_CALLS)
        found.append({"model": model, **_amount_data(worst), "calls": sum(share.planned.calls for share in shares)})
    return found


def _amount_data(amount: CallTotals) -> dict[str, object]:
    return {
        "calls": amount.calls,
        "input_tokens": amount.usage.input_tokens,
        "output_tokens": amount.usage.output_tokens,
        "cost_usd": amount.cost_usd,
    }


def _explicit_settings(config: DebateConfig) -> dict[str, Any]:
    """What is set of a configuration; a judging system always names its kind, be it there by default."""
    data = config.model_dump(mode="json", exclude_unset=True)
    judging = data.get("judging", {})
    if "systems" in judging:
        pairs = zip(config.judging.systems, judging["systems"], strict=True)
        judging["systems"] = [{"kind": system.kind} | told for system, told in pairs]
    return data


def _drop_empty(data: Any) -> Any:
    """The same without keys that hold nothing, save where a null says something: a provider without a key."""
    if is_mapping(data):
        kept = {key: _drop_empty(value) for key, value in data.items()}
        return {key: value for key, value in kept.items() if value not in (None, [], {}) or key == "api_key_env"}
    return [_drop_empty(item) for item in data] if is_list(data) else data
