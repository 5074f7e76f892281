"""Bars and curves made of characters; readable without colour, and on terminals that know ASCII only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.segment import Segment

from debate_cli.render import theme

_LEVELS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True)
class Bar:
    """`value` of `out_of` as a bar of at most `width` columns; values beyond the ends are clamped."""

    value: float
    out_of: float
    colour: str
    width: int = 24

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """A heavy line for what is there, a light one for the rest."""
        width = max(1, min(self.width, options.max_width))
        share = min(1.0, max(0.0, self.value / self.out_of)) if self.out_of > 0 else 0.0
        halves = round(share * width * 2)
        full, half = divmod(halves, 2)
        heavy, end, light = ("#", "", "-") if options.ascii_only else ("━", "╸", "─")
        filled = heavy * full + end * half
        yield Segment(filled, console.get_style(self.colour))
        yield Segment(light * (width - len(filled)), console.get_style(theme.MUTED))

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """From 4 columns to the full width."""
        del console
        return Measurement(min(4, options.max_width), min(self.width, options.max_width))


def sparkline(values: Sequence[float], low: float, high: float) -> str:
    """A character per value, from ▁ at `low` to █ at `high`."""
    span = high - low
    top = len(_LEVELS) - 1
    return "".join(
        _LEVELS[min(top, max(0, round((value - low) / span * top)))] if span > 0 else "▁" for value in values
    )
