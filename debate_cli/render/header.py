"""What stands above a debate on a terminal: the motion, who argues, who judges; and the rule above each round."""

from __future__ import annotations

from rich.box import ROUNDED
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from debate_cli.domain.debate import Debate, JudgingRun
from debate_cli.render import look
from debate_cli.render.cast import Seat, debaters, judges
from debate_cli.render.safe import joined, safe, safe_line


def heading(debate: Debate) -> RenderableType:
    """The motion with its background, the debaters and the judges with their models."""
    rows: list[RenderableType] = [safe(debate.topic, "bold")]
    if debate.config.background:
        rows.append(safe(debate.config.background.strip(), look.QUIET))
    rows += [Text(""), _seats(debaters(debate), judges(debate, debate.runs[0]))]
    kind = debate.config.format.kind.replace("_", "-")
    return Panel(
        Group(*rows),
        title=Text("debate", style="bold"),
        title_align="left",
        subtitle=joined(safe_line(debate.id), f" · {kind}"),
        subtitle_align="right",
        border_style=look.QUIET,
        box=ROUNDED,
        padding=(0, 1),
    )


def judging_heading(debate: Debate, run: JudgingRun) -> RenderableType:
    """What stands above a later judging run."""
    return Group(
        Rule(joined("judging run ", safe_line(run.id, "bold")), style=look.QUIET), _seats((), judges(debate, run))
    )


def round_rule(round_number: int, phase: str) -> Rule:
    """The line that opens a round."""
    title = joined((f"round {round_number}", "bold"), ("  ·  ", look.QUIET), look.PHASES.get(phase, phase))
    return Rule(title, style=look.QUIET, align="left")


def _seats(*groups: tuple[Seat, ...]) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    for _ in range(2):
        grid.add_column(no_wrap=True, overflow="ellipsis")
    grid.add_column(overflow="fold")
    for group in groups:
        for seat in group:
            name = joined((f"{seat.sign.symbol} ", seat.sign.colour), safe_line(seat.name, f"bold {seat.sign.colour}"))
            grid.add_row(name, safe_line(seat.part, look.QUIET), safe_line(seat.model))
    return grid
