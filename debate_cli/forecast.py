"""What a run will ask before it asks: calls, and tokens and cost at the worst. Pure arithmetic over a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from debate_cli.domain.config import DebateConfig, ModelSpec, Price
from debate_cli.domain.exchange import Usage
from debate_cli.domain.systems import System
from debate_cli.formats import planned_turns
from debate_cli.judging.bench import assessors
from debate_cli.judging.schedules import planned_briefs
from debate_cli.llm.prices import cost
from debate_cli.providers.registry import Registry
from debate_cli.wiring import judge_roles, priced

CHARS_PER_TOKEN = 3
"""Few, so that the estimate errs upwards."""
RULES_TOKENS = 1500
"""Rules, schema and question of one call, generously."""
REASKS = 2
"""How often one question may be asked again because its answer had not the right form."""


@dataclass(frozen=True, slots=True)
class Share:
    """What one model is expected to be asked."""

    model: str
    calls: int
    input_tokens: int
    """At the worst: every earlier speech at its full length, every question asked again as often as is allowed."""
    output_tokens: int
    """At the worst, likewise."""
    cost_usd: float | None
    """None where the price is not known."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """A whole run."""

    speeches: int
    assessments: int
    """At the least: a panel may deliberate further, a narrative may have to be resolved."""
    shares: tuple[Share, ...]

    @property
    def cost_usd(self) -> float | None:
        """Of all models; None where one price is not known."""
        costs = [share.cost_usd for share in self.shares]
        return None if None in costs else sum(cost for cost in costs if cost is not None)


def planned_calls(config: DebateConfig) -> int:
    """Calls that a run makes when nothing is asked again, at the least."""
    return planned_turns(config) + planned_briefs(config)


def forecast(config: DebateConfig, env: Mapping[str, str]) -> Forecast:
    """What running `config` would ask."""
    registry = Registry(config, env, folder=Path())
    turns, briefs = planned_turns(config), planned_briefs(config)
    heard = _heard_tokens(config, registry, turns)
    asked: dict[str, tuple[ModelSpec, int]] = {}
    for debater in config.debaters:
        _count(asked, config.model_for_debater(debater), turns // max(1, len(config.debaters)))
    for system in config.judging.systems:
        for role in judge_roles(system):
            _count(asked, config.model_for_judge(role), _briefs_of(config, system) // max(1, len(judge_roles(system))))
    shares = tuple(_share(spec, calls, heard, registry) for spec, calls in asked.values())
    return Forecast(turns, briefs, shares)


def _count(asked: dict[str, tuple[ModelSpec, int]], spec: ModelSpec | None, calls: int) -> None:
    if spec is not None and calls:
        before = asked.get(spec.model, (spec, 0))[1]
        asked[spec.model] = (spec, before + calls)


def _briefs_of(config: DebateConfig, system: System) -> int:
    judging = config.judging.model_copy(update={"systems": (system,)})
    return planned_briefs(config.model_copy(update={"judging": judging})) if assessors(system) else 0


def _heard_tokens(config: DebateConfig, registry: Registry, turns: int) -> int:
    """Tokens of the whole debate, every speech at its full length."""
    speakers = [config.model_for_debater(debater) for debater in config.debaters]
    longest = max((_output(spec, registry) for spec in speakers if spec is not None), default=0)
    written = len(config.topic) + len(config.background or "")
    return turns * longest + written // CHARS_PER_TOKEN


def _output(spec: ModelSpec, registry: Registry) -> int:
    return spec.max_output_tokens or registry.profile(spec.model).max_output_tokens


def _share(spec: ModelSpec, calls: int, heard: int, registry: Registry) -> Share:
    times = calls * (1 + REASKS)
    price: Price | None = priced(spec, registry)
    usage = Usage(input_tokens=times * (RULES_TOKENS + heard), output_tokens=times * _output(spec, registry))
    return Share(spec.model, calls, usage.input_tokens, usage.output_tokens, cost(usage, price))
