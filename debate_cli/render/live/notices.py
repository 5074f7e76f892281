"""Single lines and small tables that are printed while a debate runs: a judge's report, a failure, a note, the close."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import CloseReason
from debate_cli.render import theme
from debate_cli.render.failure_groups import FailureGroup
from debate_cli.render.judge_report import JudgeReport
from debate_cli.render.terminal import Bar, WrappedName, join_text, terminal_line
from debate_cli.render.theme import CLOSE_MESSAGES


def judge_report_line(news: JudgeReport, debate: Debate) -> RenderableType:
    """A judge's report: its title, a bar per debater, its words."""
    rows: list[RenderableType] = []
    sign = "§ ", theme.MUTED
    title = join_text(sign, terminal_line(news.title, theme.MUTED))
    if len(news.words) == 1 and not news.scores and not news.alerts:
        return _hung(sign, terminal_line(news.title, theme.MUTED), ("  ", ""), terminal_line(news.words[0]))
    if len(news.scores) == 1 and not news.words and not news.alerts:
        beside = Table.grid(padding=(0, 2, 0, 0))
        beside.add_row(title, _gauges(news, debate))
        return beside
    rows.append(title)
    if news.scores:
        rows.append(Padding(_gauges(news, debate), (0, 0, 0, 2)))
    rows += [_said(words) for words in news.words]
    rows += [Padding(terminal_line(alarm, f"bold {theme.RED}"), (0, 0, 0, 2)) for alarm in news.alerts]
    return Group(*rows)


def _hung(sign: tuple[str, str], *parts: Text | str | tuple[str, str]) -> Table:
    """A line behind a sign, below which its further lines are not begun."""
    grid = Table.grid()
    grid.add_row(Text(*sign), join_text(*parts))
    return grid


def _said(words: str) -> Table:
    """A sentence whose further lines stand below its first word."""
    grid = Table.grid()
    grid.add_row("  · ", terminal_line(words, theme.MUTED))
    return grid


def failure_line(trouble: FailureGroup) -> RenderableType:
    """Who could not do what, and why."""
    return _hung(
        ("✗ ", theme.RED),
        terminal_line(trouble.names, "bold"),
        f" {trouble.what}{trouble.separator}",
        terminal_line(trouble.why),
        " ",
        terminal_line(f"({trouble.cause})", theme.MUTED),
    )


def note_line(note: str) -> RenderableType:
    """A note."""
    return _hung(("! ", theme.GOLD), terminal_line(note, theme.MUTED))


def closing_line(reason: CloseReason) -> RenderableType:
    """Why the debate closed."""
    sign, colour = ("■", theme.MUTED) if reason in ("complete", "surrender", "converged") else ("!", theme.GOLD)
    return Text(f"{sign} {CLOSE_MESSAGES[reason]}", style=colour)


def _gauges(news: JudgeReport, debate: Debate) -> Table:
    signs = theme.participant_styles(debate.participants)
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(max_width=24)
    grid.add_column()
    grid.add_column(justify="right", no_wrap=True)
    for gauge in news.scores:
        sign = signs.get(gauge.name, theme.UNKNOWN_BADGE)
        name = join_text((f"{sign.symbol} ", sign.colour), terminal_line(gauge.name))
        grid.add_row(
            WrappedName(name, len(sign.symbol) + 1),
            Bar(gauge.value, gauge.out_of, sign.colour),
            f"{gauge.value:g}/{gauge.out_of:g}",
        )
    return grid
