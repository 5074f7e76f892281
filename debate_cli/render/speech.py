"""A speech on a terminal: finished, or as far as it has been streamed; alone, or beside those of the same wave."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.box import ROUNDED
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.panel import Panel
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from debate_cli.domain.content import Answer, Argument, Closing, Response, Turn
from debate_cli.domain.exchange import Exchange
from debate_cli.render import hostile, look
from debate_cli.render.look import Sign
from debate_cli.render.safe import joined, safe, safe_line
from debate_cli.render.spoken import Piece, of_turn

INDENT = (0, 0, 0, 2)
MIN_COLUMN = 52
"""Narrower than this, speeches stand below each other."""


def speech(pieces: Iterable[Piece]) -> RenderableType:
    """The pieces of a speech, a blank line between them."""
    shown = [_piece(piece) for piece in pieces]
    spaced: list[RenderableType] = []
    for renderable in shown:
        spaced += [Text(""), renderable] if spaced else [renderable]
    return Group(*spaced)


def turn_panel(turn: Turn, sign: Sign, *, show_hidden: bool = False) -> Panel:
    """A finished turn in its frame, with what was noticed about it."""
    body: list[RenderableType] = [speech(of_turn(turn))]
    remarks = _remarks(turn, show_hidden=show_hidden)
    if remarks:
        body += [Text(""), *remarks]
    return framed(Group(*body), turn.speaker, sign, exchange_words(turn.index, turn.exchange))


def framed(body: RenderableType, speaker: str, sign: Sign, below: Text) -> Panel:
    """`body` in the frame of `speaker`."""
    title = joined((f"{sign.symbol} ", sign.colour), safe_line(speaker, f"bold {sign.colour}"), separator="")
    title.append(f" · {hostile.line(sign.word)}", style=look.QUIET)
    return Panel(
        body,
        title=title,
        title_align="left",
        subtitle=below,
        subtitle_align="right",
        border_style=sign.colour,
        box=ROUNDED,
        padding=(0, 1),
    )


def exchange_words(index: int, exchange: Exchange) -> Text:
    """Number of the turn (as judges name it), model, time and tokens of a call, for the foot of a frame."""
    words = [f"turn {index}", hostile.line(exchange.model), look.seconds(exchange.latency_s)]
    words.append(f"{look.tokens(exchange.usage.output_tokens)} tokens")
    if exchange.attempts > 1:
        words.append(f"{exchange.attempts} requests")
    return Text(" · ".join(words), style=look.QUIET, no_wrap=True, overflow="ellipsis")


@dataclass(frozen=True, slots=True)
class Wave:
    """Speeches of one wave: side by side where every column is wide enough, else below each other."""

    panels: Sequence[Panel]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Frames in a row are made equally high."""
        if not side_by_side(len(self.panels), options.max_width):
            yield from self.panels
            return
        width = column_width(len(self.panels), options.max_width)
        heights = [len(console.render_lines(panel, options.update(width=width))) for panel in self.panels]
        grid = Table.grid(padding=(0, 1, 0, 0))
        for panel in self.panels:
            grid.add_column(width=width)
            panel.height = max(heights)
        grid.add_row(*self.panels)
        yield grid


def column_width(count: int, width: int) -> int:
    """Columns of each of `count` frames that share `width` with a gap of one between them."""
    return (width - (count - 1)) // count


def side_by_side(count: int, width: int) -> bool:
    """Whether so many frames fit beside each other."""
    return count > 1 and column_width(count, width) >= MIN_COLUMN


@dataclass(frozen=True, slots=True)
class Tail:
    """The last lines of `body`: what a window shows of a speech that is still growing."""

    body: RenderableType
    height: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """At most `height` lines; the first is `⋯` when something was left out."""
        lines = console.render_lines(self.body, options.update(height=None), pad=False)
        if len(lines) > self.height:
            lines = [[Segment("⋯", None)], *lines[len(lines) - self.height + 1 :]] if self.height > 1 else lines[-1:]
        for line in lines:
            yield from line
            yield Segment.line()


def _piece(piece: Piece) -> RenderableType:
    match piece:
        case Argument():
            return _argument(piece)
        case Response():
            return _response(piece)
        case Answer():
            return _answer(piece)
        case Closing():
            return _closing(piece)
        case str():
            return safe(piece)


def _argument(argument: Argument) -> RenderableType:
    lines: list[RenderableType] = [_headed(safe_line(argument.id, "reverse"), safe_line(argument.claim, "bold"))]
    if argument.reasoning:
        lines.append(Padding(safe(argument.reasoning), INDENT))
    if argument.evidence:
        lines.append(_run_in("evidence", safe(argument.evidence, "italic")))
    return Group(*lines)


def _response(response: Response) -> RenderableType:
    sign = look.RESPONSES.get(response.type, look.UNKNOWN)
    lines: list[RenderableType] = [_headed(_badge(sign), safe_line(response.target, "bold"))]
    if response.reasoning:
        lines.append(Padding(safe(response.reasoning), INDENT))
    if response.follow_up:
        lines.append(_run_in("asks", safe(response.follow_up, "italic")))
    return Group(*lines)


def _answer(answer: Answer) -> RenderableType:
    head = joined("↳ answers on ", safe_line(answer.question_target, "bold"))
    if answer.evaded:
        head.append("  (left open)", style=look.GOLD)
    return Group(head, Padding(safe(answer.reply), INDENT))


def _closing(closing: Closing) -> RenderableType:
    lines: list[RenderableType] = [safe(closing.final_position)] if closing.final_position else []
    rows: list[tuple[str, Text]] = []
    for label, words in (("concedes", closing.concessions), ("unrebutted", closing.unrebutted)):
        if words:
            rows.append((label, safe_line(", ".join(words))))
    if closing.shift:
        rows.append(("position", _badge(look.SHIFTS.get(closing.shift, look.UNKNOWN))))
    if lines and rows:
        lines.append(Text(""))
    return Group(*lines, _labelled(rows)) if rows else Group(*lines)


def _remarks(turn: Turn, *, show_hidden: bool) -> list[RenderableType]:
    rows: list[tuple[str, Text]] = []
    if turn.strategy is not None:
        rows.append(("strategy", safe_line(f"{turn.strategy.name}: {turn.strategy.reason}", look.QUIET)))
    if show_hidden and turn.directive:
        rows.append(("hidden directive", safe(turn.directive, f"italic {look.QUIET}")))
    rows += [("warning", safe_line(warning, look.GOLD)) for warning in turn.warnings]
    return [_labelled(rows)] if rows else []


def _badge(sign: Sign) -> Text:
    return Text(f"{sign.symbol} {sign.word}".strip(), style=f"bold {sign.colour}")


def _headed(head: Text, rest: Text) -> RenderableType:
    """A short head, and words that hang beside it."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, max_width=20, overflow="ellipsis")
    grid.add_column(ratio=1)
    grid.add_row(head, rest)
    return grid


def _run_in(label: str, words: Text) -> RenderableType:
    return Padding(joined((f"{label}  ", look.QUIET), words), INDENT)


def _labelled(rows: Sequence[tuple[str, Text]]) -> RenderableType:
    """Quiet labels, the words beside them with a hanging indent."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, style=look.QUIET)
    grid.add_column(ratio=1)
    for label, words in rows:
        grid.add_row(Text(label), words)
    return grid
