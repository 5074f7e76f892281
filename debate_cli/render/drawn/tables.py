"""What all tables of the closing part share: a heading, a calm frame, a debater's name, a score with its bar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from debate_cli.domain.verdict import Verdict
from debate_cli.render import hostile, look
from debate_cli.render.drawn.bars import Bar
from debate_cli.render.drawn.folded import Folded
from debate_cli.render.drawn.safe import joined, safe_line
from debate_cli.render.look import Sign

Signs = Mapping[str, Sign]


def section(title: str, *body: RenderableType, beside: str = "") -> RenderableType:
    """A part of the closing, under a rule with its name; `title` and `beside` may be untrusted."""
    words = joined(safe_line(title, "bold"))
    if beside:
        words.append(f"  ·  {hostile.line(beside)}", style=look.QUIET)
    return Group(Text(""), Rule(words, style=look.QUIET, align="left"), *body)


def table(*headers: str, numbers: Sequence[int] = ()) -> Table:
    """An empty table; the columns at the positions `numbers` are right-aligned. `headers` may be untrusted."""
    made = Table(
        box=SIMPLE_HEAD,
        header_style=look.QUIET,
        border_style=look.QUIET,
        pad_edge=False,
        show_edge=False,
        padding=(0, 1),
    )
    for position, header in enumerate(headers):
        right = position in numbers
        made.add_column(
            Text(hostile.clean(header)), justify="right" if right else "left", no_wrap=right, overflow="fold"
        )
    return made


def name(who: str | None, signs: Signs) -> Text:
    """A debater with its sign; an em dash for nobody; others (subtopics, judges) without a sign."""
    if who is None:
        return Text("—", style=look.QUIET)
    sign = signs.get(who)
    if sign is None:
        return safe_line(who)
    return joined((f"{sign.symbol} ", sign.colour), safe_line(who, f"bold {sign.colour}"))


def folded_name(who: str | None, signs: Signs) -> Folded:
    """The same where there may be little room; its further lines begin below its letters, not below the sign."""
    sign = signs.get(who) if who is not None else None
    return Folded(name(who, signs), 0 if sign is None else len(sign.symbol) + 1)


def badge(sign: Sign) -> Text:
    """Symbol and word of a meaning."""
    return Text(f"{sign.symbol} {sign.word}".strip(), style=f"bold {sign.colour}")


def score_bars(verdict: Verdict, signs: Signs) -> Table:
    """A row per debater: name, bar, score, and the mark of the winner; highest first.

    Where a panel let nobody win, a row per option.
    """
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(max_width=30)
    grid.add_column()
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(no_wrap=True)
    end = look.scale(verdict)
    for who, score in sorted(verdict.figures.items(), key=lambda item: -item[1]):
        colour = signs[who].colour if who in signs else look.BLUE
        won = Text("← winner", style="bold") if who == verdict.winner else Text("")
        grid.add_row(folded_name(who, signs), Bar(score, end, colour, 30), Text(look.number(score), style="bold"), won)
    return grid


def bullets(items: Sequence[str], symbol: str = "•", style: str = "") -> Table:
    """Untrusted lines, each behind a sign, with a hanging indent."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True, style=style or look.QUIET)
    grid.add_column(ratio=1)
    for item in items:
        grid.add_row(Text(symbol), safe_line(item))
    return grid
