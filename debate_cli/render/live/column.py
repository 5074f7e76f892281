"""Words laid out in the lines of a column: what a speech is made of, whether it is finished or still grows.

A line is spans of words with the name of a style; who draws it makes segments or terminal sequences of them. Words from
outside are cleaned before they come here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from rich.cells import cell_len, chop_cells, set_cell_size

Span = tuple[str, str]
"""Words and the name of their style, `` for none."""
Spans = tuple[Span, ...]

_TOKEN = re.compile(r" *[^ ]+")


class LayoutBlock(Protocol):
    """What lays itself out in lines."""

    def lines(self, width: int) -> Iterable[Line]:
        """Lines, none wider than `width` columns."""
        ...


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Words that flow into lines; each line feed in them begins a new one."""

    words: str
    style: str = ""
    first: Spans = ()
    """What stands before the first line: an indent, a sign, a rail."""
    rest: Spans = ()
    """What stands before every other line."""

    def lines(self, width: int) -> Iterator[Line]:
        """The words behind what stands before them; what has no room there is cut."""
        before = self.first
        rest = width - cell_width(self.rest)
        for part in self.words.split("\n"):
            for row in _rows(part, width - cell_width(before), rest):
                spans = (*before, (row, self.style)) if row else before
                made = make_line(*spans)
                yield made if made.cells <= width else truncate_line(spans, width)
                before = self.rest


@dataclass(frozen=True, slots=True)
class Line:
    """One line, not padded."""

    spans: Spans
    cells: int
    """Columns that it takes on a terminal."""


BLANK_LINE = Paragraph("")


def make_line(*spans: Span) -> Line:
    """The spans as a line."""
    return Line(spans, cell_width(spans))


def cell_width(spans: Iterable[Span]) -> int:
    """Columns of all spans together; wide characters take two."""
    return sum(cell_len(words) for words, _ in spans)


def layout_lines(blocks: Iterable[LayoutBlock], width: int) -> list[Line]:
    """The lines of the blocks, none wider than `width` columns."""
    return [made for block in blocks for made in block.lines(width)]


def truncate_line(spans: Sequence[Span], width: int) -> Line:
    """The spans as a line of at most `width` columns; it ends with `…` where something was left out."""
    whole = cell_width(spans)
    if whole <= width:
        return Line(tuple(spans), whole)
    found: list[Span] = []
    room = width - 1
    for words, style in spans:
        taken = cell_len(words)
        if taken > room:
            found.append((set_cell_size(words, max(0, room)) + "…", style))
            break
        found.append((words, style))
        room -= taken
    return make_line(*found)


def _rows(words: str, first: int, rest: int) -> Iterator[str]:
    """`words` broken at blanks into a row of `first` columns and others of `rest`; a longer word is broken anywhere."""
    room, row, used = max(1, first), "", 0
    for found in _TOKEN.findall(words):
        token, cells = found, cell_len(found)
        if used and used + cells > room:
            yield row
            room, row, used = max(1, rest), "", 0
            token = token.lstrip(" ")
            cells = cell_len(token)
        if cells > room:
            *whole, token = chop_cells(row + token, min(room, max(1, rest)))
            yield from whole
            room, row, cells = max(1, rest), "", cell_len(token)
        row, used = row + token, used + cells
    yield row
