"""Figures of a benchmark run: printed as they are found, collected for a table at the end. Nothing here judges them.

Where two things are compared, they are measured in turns within one run, so that a slow machine slows both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Literal


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing measured."""

    name: str
    value: float
    unit: str
    """What follows the value: `s`, or nothing for a ratio."""
    target: str
    """What is hoped for, in words; empty for a figure that only informs."""
    basis: str
    """What the value was made of."""
    met: bool | None = None
    """None where there is no target."""

    def line(self) -> str:
        """The figure on one line."""
        wish = f"  (target {self.target}: {'met' if self.met else 'MISSED'})" if self.target else ""
        return f"{self.name}: {self.value:.3f}{self.unit}{wish}  {self.basis}"


@dataclass(slots=True)
class Figures:
    """All figures of a run, in the order in which they were found."""

    found: list[Figure] = field(default_factory=list[Figure])

    def add(
        self,
        name: str,
        value: float,
        basis: str,
        *,
        unit: str = "",
        at_most: float | None = None,
        at_least: float | None = None,
    ) -> None:
        """Take note of a figure and print it at once."""
        target, met = _target(value, at_most, at_least)
        figure = Figure(name, value, unit, target, basis, met)
        self.found.append(figure)
        print(f"\n{figure.line()}", end=" ", flush=True)

    def table(self) -> str:
        """Everything found, as aligned columns."""
        cells = [("figure", "measured", "target", "")]
        for figure in self.found:
            verdict = "" if figure.met is None else "met" if figure.met else "MISSED"
            cells.append((figure.name, f"{figure.value:.3f}{figure.unit}", figure.target, verdict))
        widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in cells)


def _target(value: float, at_most: float | None, at_least: float | None) -> tuple[str, bool | None]:
    if at_most is not None:
        return f"≤ {at_most:g}", value <= at_most
    if at_least is not None:
        return f"≥ {at_least:g}", value >= at_least
    return "", None


@dataclass(frozen=True, slots=True)
class Spent:
    """What one run of something used."""

    wall_s: float
    cpu_s: float = 0.0
    peak_mib: float = 0.0


@dataclass(frozen=True, slots=True)
class Pair:
    """Two things measured in turns: `ours`, and the `yardstick` it is held against."""

    ours: Sequence[Spent]
    yardstick: Sequence[Spent]

    def ratio(self, what: Literal["wall_s", "cpu_s", "peak_mib"] = "wall_s") -> float:
        """Median of ours over median of the yardstick's."""
        return median_of(self.ours, what) / median_of(self.yardstick, what)

    def basis(self, what: Literal["wall_s", "cpu_s"] = "wall_s") -> str:
        """Both medians in milliseconds."""
        return f"{median_of(self.ours, what) * 1000:.0f} ms against {median_of(self.yardstick, what) * 1000:.0f} ms"


def median_of(runs: Sequence[Spent], what: Literal["wall_s", "cpu_s", "peak_mib"]) -> float:
    """The median of one column."""
    return median(getattr(run, what) for run in runs)


def in_turns(ours: Callable[[], Spent], yardstick: Callable[[], Spent], rounds: int) -> Pair:
    """Measure both `rounds` times, one after the other, after one run of each that does not count."""
    ours()
    yardstick()
    measured = [(ours(), yardstick()) for _ in range(rounds)]
    return Pair([pair[0] for pair in measured], [pair[1] for pair in measured])
