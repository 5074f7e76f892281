"""Draws a bar. Rich's own bar has one sign for both parts, so a copy of it without colours shows 0 as full."""

from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.segment import Segment

from debate_cli.render import theme


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar from 0 to `out_of`: a thick line up to `value`, then a thin line. Values outside the scale are clamped."""

    value: float
    out_of: float
    colour: str
    width: int
    """Width in columns. In less space, the bar is shorter."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = min(self.width, options.max_width)
        thick, half, thin = ("#", "", "-") if options.ascii_only else ("━", "╾", "─")
        share = min(1.0, max(0.0, self.value / self.out_of)) if self.out_of > 0 else 0.0
        whole, halves = divmod(int(share * width * 2), 2)
        filled = thick * whole + half * halves
        yield Segment(filled, console.get_style(self.colour))
        yield Segment(thin * (width - len(filled)), console.get_style(theme.MUTED))

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(min(4, self.width), self.width)
