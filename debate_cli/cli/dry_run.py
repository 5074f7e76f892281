"""What `debate run --dry-run` prints."""

from __future__ import annotations

import json
from dataclasses import asdict

import yaml

from debate_cli.domain.config import DebateConfig
from debate_cli.forecast import Forecast, forecast
from debate_cli.storage.json_form import config_data
from debate_cli.storage.redact import Redactor, without_secrets
from debate_cli.wiring import Surroundings


def show_plan(config: DebateConfig, around: Surroundings, *, as_json: bool) -> None:
    """The resolved configuration, the calls planned, and tokens and cost at the worst; nothing is asked."""
    plan = forecast(config, around.env)
    data = without_secrets(config_data(config), Redactor(around.secrets))
    if as_json:
        print(json.dumps({"config": data, "plan": _plan(plan)}, ensure_ascii=False, indent=2))
        return
    print(yaml.safe_dump(data, sort_keys=False, allow_unicode=True).rstrip())
    print(f"\n# planned: {plan.speeches} speeches and at least {plan.assessments} assessments")
    for share in plan.shares:
        price = "price unknown" if share.cost_usd is None else f"{share.cost_usd:.4f} USD"
        print(
            f"#   {share.model}: {share.calls} calls, at the worst {share.input_tokens} input and "
            f"{share.output_tokens} output tokens, {price}"
        )
    whole = "unknown, as a price is not known" if plan.cost_usd is None else f"{plan.cost_usd:.4f} USD"
    print(f"# at the worst: {whole}; nothing was asked")


def _plan(plan: Forecast) -> dict[str, object]:
    return {
        "speeches": plan.speeches,
        "assessments": plan.assessments,
        "models": [asdict(share) for share in plan.shares],
        "worst_cost_usd": plan.cost_usd,
    }
