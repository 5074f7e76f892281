"""What `debate run --dry-run` prints."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from typing import Any

import yaml

from debate_cli.cli.json_output import print_json
from debate_cli.domain.config import DebateConfig
from debate_cli.forecast import NOTHING, Amount, Forecast, forecast
from debate_cli.render import hostile
from debate_cli.storage.json_form import config_data
from debate_cli.storage.plain import is_list, is_mapping
from debate_cli.storage.redact import Redactor, without_secrets
from debate_cli.wiring import Surroundings

HEADINGS = ("role", "model", "", "calls", "tokens in", "tokens out", "USD")


def show_plan(config: DebateConfig, around: Surroundings, *, as_json: bool) -> None:
    """The resolved configuration, and calls, tokens and cost as planned and at the worst; nothing is asked.

    As text, only what is set of the configuration; as JSON, all of it.
    """
    plan = asyncio.run(forecast(config, around))
    redact = Redactor(around.secrets)
    if as_json:
        data = without_secrets(config_data(config), redact)
        print_json({"config": data, "plan": _document(plan)})
        return
    written = without_secrets(_set_only(_written(config)), redact)
    shown = yaml.safe_dump(written, sort_keys=False, allow_unicode=True, width=120).rstrip()
    print(hostile.clean(shown) if sys.stdout.isatty() else shown)
    speeches, assessments = _counted(plan.speeches, "speech", "es"), _counted(plan.assessments, "assessment", "s")
    print(f"\n# planned: {speeches} and at least {assessments}")
    for line in _table(plan):
        print(f"# {line}".rstrip())
    for line in _remarks(config):
        print(f"# {line}")


def _counted(count: int, one: str, more: str) -> str:
    """`1 speech`, `2 speeches`: `more` is what is added to `one`."""
    return f"{count} {one}{'' if count == 1 else more}"


def _table(plan: Forecast) -> Iterator[str]:
    """Two lines a role, and two for all; columns aligned."""
    rows: list[tuple[str, ...]] = [HEADINGS]
    for share in plan.shares:
        rows += _rows(share.role, share.spec.model, share.planned, share.worst)
    rows += _rows("all", "", plan.planned, plan.worst)
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    for row in rows:
        cells = zip(row, widths, strict=True)
        yield "  ".join(
            text.ljust(width) if column < 3 else text.rjust(width)  # noqa: PLR2004 - three columns of words
            for column, (text, width) in enumerate(cells)
        )


def _rows(role: str, model: str, planned: Amount, worst: Amount) -> list[tuple[str, ...]]:
    return [(role, model, "planned", *_cells(planned)), ("", "", "at worst", *_cells(worst))]


def _cells(amount: Amount) -> tuple[str, ...]:
    usage = amount.usage
    money = "unknown" if amount.cost_usd is None else f"{amount.cost_usd:.4f}"
    return f"{amount.calls:,}", f"{usage.input_tokens:,}", f"{usage.output_tokens:,}", money


def _remarks(config: DebateConfig) -> Iterator[str]:
    limits = config.limits
    bounds = [
        *([f"{limits.max_cost_usd:g} USD"] if limits.max_cost_usd is not None else []),
        *([f"{limits.max_tokens:,} tokens"] if limits.max_tokens is not None else []),
    ]
    if bounds:
        yield f"The run ends before it exceeds {' or '.join(bounds)} (limits)."
    yield "Planned: as on the mock. At worst: every answer at its full length and asked for as often as is allowed."
    yield "Nothing was asked."


def _document(plan: Forecast) -> dict[str, object]:
    return {
        "speeches": plan.speeches,
        "assessments": plan.assessments,
        "roles": [
            {
                "role": share.role,
                "model": share.spec.model,
                "planned": _amount(share.planned),
                "worst": _amount(share.worst),
            }
            for share in plan.shares
        ],
        "models": _by_model(plan),
        "planned": _amount(plan.planned),
        "worst": _amount(plan.worst),
        "worst_cost_usd": plan.worst.cost_usd,
    }


def _by_model(plan: Forecast) -> list[dict[str, object]]:
    """The roles of each model together: planned calls, and tokens and cost at the worst."""
    found: list[dict[str, object]] = []
    for model in dict.fromkeys(share.spec.model for share in plan.shares):
        shares = [share for share in plan.shares if share.spec.model == model]
        worst = sum((share.worst for share in shares), NOTHING)
        found.append({"model": model, **_amount(worst), "calls": sum(share.planned.calls for share in shares)})
    return found


def _amount(amount: Amount) -> dict[str, object]:
    return {
        "calls": amount.calls,
        "input_tokens": amount.usage.input_tokens,
        "output_tokens": amount.usage.output_tokens,
        "cost_usd": amount.cost_usd,
    }


def _written(config: DebateConfig) -> dict[str, Any]:
    """What is set of a configuration; a judging system always names its kind, be it there by default."""
    data = config.model_dump(mode="json", exclude_unset=True)
    judging = data.get("judging", {})
    if "systems" in judging:
        pairs = zip(config.judging.systems, judging["systems"], strict=True)
        judging["systems"] = [{"kind": system.kind} | told for system, told in pairs]
    return data


def _set_only(data: Any) -> Any:
    """The same without keys that hold nothing, save where a null says something: a provider without a key."""
    if is_mapping(data):
        kept = {key: _set_only(value) for key, value in data.items()}
        return {key: value for key, value in kept.items() if value not in (None, [], {}) or key == "api_key_env"}
    return [_set_only(item) for item in data] if is_list(data) else data
