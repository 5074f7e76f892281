"""Rubrics: changed settings of judging systems, used to score stored marks again."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import nan
from typing import Any

from pydantic import ValidationError

from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_config import MAX_WEIGHT, SystemSettings
from debate_cli.errors import UsageError


@dataclass(frozen=True, slots=True)
class Rubric:
    """Changed settings of judging systems. Settings that are not in the rubric keep the values from the transcript."""

    changes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    criterion_weights: Mapping[str, float] = field(default_factory=dict[str, float])
    """Maps criteria to weights, for every system with weighted criteria. Criteria that are not in the mapping get weight 0.
    An empty mapping changes no weights."""

    def settings(self, debate: Debate, where: str = "") -> dict[str, SystemSettings]:
        """Return the new settings of each system that the rubric changes, by the system's kind.

        `where`: text at the start of error messages, e.g. `debate.json: `.

        Raises UsageError if a changed setting is unknown or invalid.
        """
        if not self.changes and not self.criterion_weights:
            return {}
        kinds = dict.fromkeys(system.kind for run in debate.runs for system in run.judging.systems)
        stored = {
            kind: system
            for kind in kinds
            for run in debate.runs_by_precedence(kind)
            for system in run.judging.systems
            if system.kind == kind
        }
        changed = {
            kind: _apply_changes(stored[kind], change, where) for kind, change in self.changes.items() if kind in stored
        }
        for kind, system in stored.items() if self.criterion_weights else ():
            try:
                weighted = changed.get(kind, system).with_weights(self.criterion_weights)
            except ValueError as error:
                raise UsageError(f"{where}--weights: {error}") from error
            if weighted is not None:
                changed[kind] = weighted
        return changed


def _apply_changes(system: SystemSettings, change: Mapping[str, Any], where: str) -> SystemSettings:
    try:
        changed = type(system).model_validate(_deep_merge(system.model_dump(), change))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        raise UsageError(
            f"{where}rubric: {key}: {first['msg'].removeprefix('Value error, ')}; correct the rubric"
        ) from error
    old = dict(system.problems())
    for path, message in changed.problems():
        if path not in old:
            raise UsageError(f"{where}rubric: {'.'.join(map(str, path))}: {message}")
    return changed


def _deep_merge(base: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in change.items():
        inner = merged.get(key)
        merged[key] = _deep_merge(inner, value) if isinstance(inner, dict) and isinstance(value, Mapping) else value  # pyright: ignore[reportUnknownArgumentType]
    return merged


def parse_weights(text: str) -> Rubric:
    """Parse criterion weights such as `evidence=0.5,logic=0.3`. Criteria that are not listed get weight 0.

    Raises UsageError if a weight is not a number from 0 to MAX_WEIGHT, if a criterion is listed twice, or if all
    weights are 0.
    """
    weights: dict[str, float] = {}
    for part in text.split(","):
        name, _, number = (piece.strip() for piece in part.partition("="))
        if name in weights:
            raise UsageError(f"--weights: {name} is given twice; give it once")
        try:
            weights[name] = float(number)
        except ValueError:
            weights[name] = nan
        if not name or not 0 <= weights[name] <= MAX_WEIGHT:
            raise UsageError(
                f"--weights {part}: write NAME=NUMBER, with a criterion such as logic and a number from 0 to {MAX_WEIGHT:,.0f}"
            )
    if not any(weights.values()):
        raise UsageError(f"--weights {text}: every weight is 0; give at least one criterion a weight above 0")
    return Rubric(criterion_weights=weights)
