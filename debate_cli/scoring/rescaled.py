"""Weights that count otherwise than they are written, as those of a structured judge do that do not sum to 1."""

from __future__ import annotations

import math
from collections.abc import Sequence

from debate_cli.domain.systems import Structured, System
from debate_cli.scoring.structured import CRITERIA, counted_weights


def rescaled(systems: Sequence[System]) -> tuple[str, ...]:
    """A sentence, key path first, for each of the `judging.systems` whose weights do not sum to 1: what they count."""
    return tuple(
        f"judging.systems.{place}.weights sum to {_sum(system):g}, so they count as {_listed(system)}"
        for place, system in enumerate(systems)
        if isinstance(system, Structured) and not math.isclose(_sum(system), 1, abs_tol=1e-9)
    )


def _sum(system: Structured) -> float:
    return math.fsum(getattr(system.weights, criterion) for criterion in CRITERIA)


def _listed(system: Structured) -> str:
    return ", ".join(f"{criterion} {weight:.3g}" for criterion, weight in counted_weights(system).items())
