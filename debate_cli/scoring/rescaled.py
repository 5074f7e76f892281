"""Weights that count otherwise than they are written, as those of a structured judge do that do not sum to 1."""

from __future__ import annotations

import math
from collections.abc import Sequence

from debate_cli.domain.systems import StructuredSettings, SystemSettings
from debate_cli.scoring.structured import CRITERIA, normalized_weights


def describe_rescaled_weights(systems: Sequence[SystemSettings]) -> tuple[str, ...]:
    """A sentence, key path first, for each of the `judging.systems` whose weights do not sum to 1: what they count."""
    return tuple(
        f"judging.systems.{place}.weights sum to {_weight_sum(system):g}, so they count as {_format_weights(system)}"
        for place, system in enumerate(systems)
        if isinstance(system, StructuredSettings) and not math.isclose(_weight_sum(system), 1, abs_tol=1e-9)
    )


def _weight_sum(system: StructuredSettings) -> float:
    return math.fsum(getattr(system.weights, criterion) for criterion in CRITERIA)


def _format_weights(system: StructuredSettings) -> str:
    return ", ".join(f"{criterion} {weight:.3g}" for criterion, weight in normalized_weights(system).items())
