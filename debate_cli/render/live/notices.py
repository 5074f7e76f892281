"""Single lines and small tables that are printed while a debate runs: a judge's report, a failure, a note, the close."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import CloseReason
from debate_cli.render import look
from debate_cli.render.drawn.bars import Bar
from debate_cli.render.drawn.folded import Folded
from debate_cli.render.drawn.safe import joined, safe_line
from debate_cli.render.look import CLOSES
from debate_cli.render.news import News
from debate_cli.render.troubles import Trouble


def news_line(news: News, debate: Debate) -> RenderableType:
    """A judge's report: its title, a bar per debater, its words."""
    rows: list[RenderableType] = []
    sign = "§ ", look.QUIET
    title = joined(sign, safe_line(news.title, look.QUIET))
    if len(news.words) == 1 and not news.gauges and not news.alarms:
        return _hung(sign, safe_line(news.title, look.QUIET), ("  ", ""), safe_line(news.words[0]))
    if len(news.gauges) == 1 and not news.words and not news.alarms:
        beside = Table.grid(padding=(0, 2, 0, 0))
        beside.add_row(title, _gauges(news, debate))
        return beside
    rows.append(title)
    if news.gauges:
        rows.append(Padding(_gauges(news, debate), (0, 0, 0, 2)))
    rows += [_said(words) for words in news.words]
    rows += [Padding(safe_line(alarm, f"bold {look.RED}"), (0, 0, 0, 2)) for alarm in news.alarms]
    return Group(*rows)


def _hung(sign: tuple[str, str], *parts: Text | str | tuple[str, str]) -> Table:
    """A line behind a sign, below which its further lines are not begun."""
    grid = Table.grid()
    grid.add_row(Text(*sign), joined(*parts))
    return grid


def _said(words: str) -> Table:
    """A sentence whose further lines stand below its first word."""
    grid = Table.grid()
    grid.add_row("  · ", safe_line(words, look.QUIET))
    return grid


def trouble_line(trouble: Trouble) -> RenderableType:
    """Who could not do what, and why."""
    return _hung(
        ("✗ ", look.RED),
        safe_line(trouble.whom, "bold"),
        f" {trouble.what}{trouble.joint}",
        safe_line(trouble.why),
        " ",
        safe_line(f"({trouble.cause})", look.QUIET),
    )


def note_line(note: str) -> RenderableType:
    """A note."""
    return _hung(("! ", look.GOLD), safe_line(note, look.QUIET))


def closing_line(reason: CloseReason) -> RenderableType:
    """Why the debate closed."""
    sign, colour = ("■", look.QUIET) if reason in ("complete", "surrender", "converged") else ("!", look.GOLD)
    return Text(f"{sign} {CLOSES[reason]}", style=colour)


def _gauges(news: News, debate: Debate) -> Table:
    signs = look.voices(debate.participants)
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(max_width=24)
    grid.add_column()
    grid.add_column(justify="right", no_wrap=True)
    for gauge in news.gauges:
        sign = signs.get(gauge.name, look.UNKNOWN)
        name = joined((f"{sign.symbol} ", sign.colour), safe_line(gauge.name))
        grid.add_row(
            Folded(name, len(sign.symbol) + 1),
            Bar(gauge.value, gauge.out_of, sign.colour),
            f"{gauge.value:g}/{gauge.out_of:g}",
        )
    return grid
