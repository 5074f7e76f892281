"""Frames around the lines of a column, with words in their upper and lower edge; and how lines become segments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment

from debate_cli.render.live.column import (
    LayoutBlock,
    Line,
    Span,
    Spans,
    cell_width,
    layout_lines,
    make_line,
    truncate_line,
)

FRAME_COLUMNS = 4
"""Columns that a frame takes: two edges and a blank beside each."""
FRAME_LINES = 2
"""Lines that it takes."""
MIN_COLUMN_WIDTH = 52
"""Narrower than this, frames stand below each other."""


@dataclass(frozen=True, slots=True)
class Border:
    """The signs that a frame is made of."""

    top: str
    side: str
    bottom: str
    level: str


ROUND_BORDER = Border("╭╮", "│", "╰╯", "─")
ASCII_BORDER = Border("++", "|", "++", "-")


@dataclass(frozen=True, slots=True)
class Frame:
    """A column in its frame."""

    title: Spans
    foot: Spans
    colour: str
    body: tuple[LayoutBlock, ...]

    def lines(self, width: int, border: Border = ROUND_BORDER, height: int = 0) -> list[Line]:
        """The frame, `width` columns wide and at least `height` lines high."""
        body = layout_lines(self.body, width - FRAME_COLUMNS)
        body += [make_line()] * (height - len(body) - FRAME_LINES)
        return [
            self.top_edge(width, border),
            *(frame_line(made, width, self.colour, border) for made in body),
            self.lower(width, border),
        ]

    def top_edge(self, width: int, border: Border = ROUND_BORDER) -> Line:
        """The edge with the title, at its left."""
        return self._edge(self.title, width, border.top, border.level, at_left=True)

    def lower(self, width: int, border: Border = ROUND_BORDER) -> Line:
        """The edge with the foot, at its right."""
        return self._edge(self.foot, width, border.bottom, border.level, at_left=False)

    def _edge(self, told: Spans, width: int, corners: str, level: str, *, at_left: bool) -> Line:
        words = truncate_line(told, width - FRAME_COLUMNS - FRAME_LINES)
        rest = level * (width - words.cells - FRAME_COLUMNS - 1)
        before, after = (level, rest) if at_left else (rest, level)
        return make_line((f"{corners[0]}{before} ", self.colour), *words.spans, (f" {after}{corners[1]}", self.colour))


def frame_line(body: Line, width: int, colour: str, border: Border = ROUND_BORDER) -> Line:
    """A line between the two sides of its frame."""
    edge: Span = (f"{border.side} ", colour)
    blank = " " * (width - FRAME_COLUMNS - body.cells)
    return Line((edge, *body.spans, (f"{blank} {border.side}", colour)), width)


@dataclass(frozen=True, slots=True)
class FrameGroup:
    """Frames of one wave: side by side and equally high where every column is wide enough, else below each other."""

    frames: Sequence[Frame]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Its lines as segments."""
        border = border_for(options)
        if not fits_side_by_side(len(self.frames), options.max_width):
            for frame in self.frames:
                yield from to_segments(console, frame.lines(options.max_width, border))
            return
        width = column_width(len(self.frames), options.max_width)
        height = max(len(frame.lines(width, border)) for frame in self.frames)
        columns = [frame.lines(width, border, height) for frame in self.frames]
        yield from to_segments(console, (join_lines(row) for row in zip(*columns, strict=True)))


@dataclass(frozen=True, slots=True)
class LineBlock:
    """Lines made for a width, without a frame."""

    made: Callable[[int], Iterable[Line]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """As segments."""
        yield from to_segments(console, self.made(options.max_width))


def border_for(options: ConsoleOptions) -> Border:
    """The border that a terminal can show."""
    return ASCII_BORDER if options.ascii_only else ROUND_BORDER


def join_lines(row: Iterable[Line]) -> Line:
    """Lines of columns that stand beside each other, a blank between two."""
    spans: list[Span] = []
    for made in row:
        if spans:
            spans.append((" ", ""))
        spans += made.spans
    return Line(tuple(spans), cell_width(spans))


def to_segments(console: Console, lines: Iterable[Line]) -> Iterator[Segment]:
    """The lines for Rich."""
    for made in lines:
        for words, style in made.spans:
            yield Segment(words, console.get_style(style) if style else None)
        yield Segment.line()


def column_width(count: int, width: int) -> int:
    """Columns of each of `count` frames that share `width` with a gap of one between them."""
    return (width - (count - 1)) // count


def fits_side_by_side(count: int, width: int) -> bool:
    """Whether so many frames fit beside each other."""
    return count > 1 and column_width(count, width) >= MIN_COLUMN_WIDTH
