"""What all tables of the closing part share: a heading, a calm frame, a debater's name, a score with its bar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from debate_cli.domain.verdict import Verdict
from debate_cli.render import sanitize, theme
from debate_cli.render.drawn.bars import Bar
from debate_cli.render.drawn.folded import WrappedName
from debate_cli.render.drawn.safe import join_text, terminal_line
from debate_cli.render.theme import Sign

ParticipantStyles = Mapping[str, Sign]


def section(title: str, *body: RenderableType, beside: str = "") -> RenderableType:
    """A part of the closing, under a rule with its name; `title` and `beside` may be untrusted."""
    words = join_text(terminal_line(title, "bold"))
    if beside:
        words.append(f"  ·  {sanitize.sanitize_line(beside)}", style=theme.MUTED)
    return Group(Text(""), Rule(words, style=theme.MUTED, align="left"), *body)


def new_table(*headers: str, numbers: Sequence[int] = ()) -> Table:
    """An empty table; the columns at the positions `numbers` are right-aligned. `headers` may be untrusted."""
    made = Table(
        box=SIMPLE_HEAD,
        header_style=theme.MUTED,
        border_style=theme.MUTED,
        pad_edge=False,
        show_edge=False,
        padding=(0, 1),
    )
    for position, header in enumerate(headers):
        right = position in numbers
        made.add_column(
            Text(sanitize.sanitize_text(header)), justify="right" if right else "left", no_wrap=right, overflow="fold"
        )
    return made


def participant_text(who: str | None, signs: ParticipantStyles) -> Text:
    """A debater with its sign; an em dash for nobody; others (subtopics, judges) without a sign."""
    if who is None:
        return Text("—", style=theme.MUTED)
    sign = signs.get(who)
    if sign is None:
        return terminal_line(who)
    return join_text((f"{sign.symbol} ", sign.colour), terminal_line(who, f"bold {sign.colour}"))


def wrapped_participant(who: str | None, signs: ParticipantStyles) -> WrappedName:
    """The same where there may be little room; its further lines begin below its letters, not below the sign."""
    sign = signs.get(who) if who is not None else None
    return WrappedName(participant_text(who, signs), 0 if sign is None else len(sign.symbol) + 1)


def badge_text(sign: Sign) -> Text:
    """Symbol and word of a meaning."""
    return Text(f"{sign.symbol} {sign.word}".strip(), style=f"bold {sign.colour}")


def score_bars(verdict: Verdict, signs: ParticipantStyles) -> Table:
    """A row per debater: name, bar, score, and the mark of the winner; highest first.

    Where a panel let nobody win, a row per option.
    """
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(max_width=30)
    grid.add_column()
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(no_wrap=True)
    end = theme.score_axis_max(verdict)
    for who, score in sorted(verdict.displayed_scores.items(), key=lambda item: -item[1]):
        colour = signs[who].colour if who in signs else theme.BLUE
        won = Text("← winner", style="bold") if who == verdict.winner else Text("")
        grid.add_row(
            wrapped_participant(who, signs),
            Bar(score, end, colour, 30),
            Text(theme.format_number(score), style="bold"),
            won,
        )
    return grid


def bullets(items: Sequence[str], symbol: str = "•", style: str = "") -> Table:
    """Untrusted lines, each behind a sign, with a hanging indent."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True, style=style or theme.MUTED)
    grid.add_column(ratio=1)
    for item in items:
        grid.add_row(Text(symbol), terminal_line(item))
    return grid
