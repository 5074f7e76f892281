"""Rubrics: changes to the stored settings of judging systems, to score the same marks under other rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from pydantic import ValidationError

from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_config import SystemSettings
from debate_cli.errors import UsageError
from debate_cli.systems.structured.score import CRITERIA


@dataclass(frozen=True, slots=True)
class Rubric:
    """Changed settings per kind of system, as nested mappings. All other settings stay as stored."""

    changes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    remark: str | None = None
    """A sentence on a side effect of the rubric; None without one."""

    def settings(self, debate: Debate) -> dict[str, SystemSettings]:
        """The settings to score `debate` with, for the kinds that the rubric names.

        Raises UsageError if a setting is unknown or out of range.
        """
        stored = {
            kind: system
            for kind in self.changes
            for run in debate.runs_by_precedence(kind)
            for system in run.judging.systems
            if system.kind == kind
        }
        return {kind: _apply_changes(stored[kind], change) for kind, change in self.changes.items() if kind in stored}


def _apply_changes(system: SystemSettings, change: Mapping[str, Any]) -> SystemSettings:
    try:
        return type(system).model_validate(_deep_merge(system.model_dump(), change))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageError(
            f"rubric: {where}: {first['msg'].removeprefix('Value error, ')}; correct the rubric"
        ) from error


def _deep_merge(base: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in change.items():
        inner = merged.get(key)
        merged[key] = _deep_merge(inner, value) if isinstance(inner, dict) and isinstance(value, Mapping) else value  # pyright: ignore[reportUnknownArgumentType]
    return merged


def parse_weights(text: str) -> Rubric:
    """Parse `evidence=0.5,logic=0.3` into weights of the structured criteria. Criteria that are not named get 0.

    The remark lists these. Raises UsageError.
    """
    named: dict[str, Any] = dict.fromkeys(CRITERIA, 0.0)
    left: dict[str, None] = dict.fromkeys(CRITERIA)
    for part in text.split(","):
        name, equals, number = (piece.strip() for piece in part.partition("="))
        if not equals or name not in named:
            raise UsageError(f"--weights {part}: write NAME=NUMBER; NAME is one of {', '.join(named)}")
        named[name] = _parse_weight(part, number)
        left.pop(name, None)
    if not any(named.values()):
        raise UsageError(f"--weights {text}: no criterion counts; give at least one a weight above 0")
    return Rubric({"structured": {"weights": named}}, _describe_unweighted(list(left)))


def _parse_weight(part: str, number: str) -> float:
    """Parse a weight. Raises UsageError, which names `part`, if `number` is not a weight."""
    try:
        found = float(number)
    except ValueError:
        raise UsageError(f"--weights {part}: {number} is not a number; give one of 0 or more") from None
    if not isfinite(found) or found < 0:
        raise UsageError(f"--weights {part}: a weight cannot be {number}; give a number of 0 or more")
    return found


def _describe_unweighted(names: Sequence[str]) -> str | None:
    if not names:
        return None
    listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    counts = "counts" if len(names) == 1 else "count"
    return f"--weights: {listed} {counts} nothing, because only the criteria named there have a weight"
