"""Words laid out in the lines of a column: what a speech is made of, whether it is finished or still grows.

A line is spans of words with the name of a style; who draws it makes segments or terminal sequences of them. Words from
outside are cleaned before they come here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, chop_cells, set_cell_size

Span = tuple[str, str]
"""Words and the name of their style, `` for none."""
Spans = tuple[Span, ...]

_TOKEN = re.compile(r" *[^ ]+")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Words that flow into lines; each line feed in them begins a new one."""

    words: str
    style: str = ""
    first: Spans = ()
    """What stands before the first line: an indent, a sign, a rail."""
    rest: Spans = ()
    """What stands before every other line."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line, not padded."""

    spans: Spans
    cells: int
    """Columns that it takes on a terminal."""


BLANK = Paragraph("")


def line(*spans: Span) -> Line:
    """The spans as a line."""
    return Line(spans, cells_of(spans))


def cells_of(spans: Iterable[Span]) -> int:
    """Columns of all spans together; wide characters take two."""
    return sum(cell_len(words) for words, _ in spans)


def laid_out(paragraphs: Iterable[Paragraph], width: int) -> list[Line]:
    """The lines of the paragraphs, none wider than `width` columns."""
    return [made for paragraph in paragraphs for made in _lines(paragraph, width)]


def cut(spans: Sequence[Span], width: int) -> Line:
    """The spans as a line of at most `width` columns; it ends with `…` where something was left out."""
    whole = cells_of(spans)
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
    return line(*found)


def _lines(paragraph: Paragraph, width: int) -> Iterator[Line]:
    before = paragraph.first
    rest = width - cells_of(paragraph.rest)
    for part in paragraph.words.split("\n"):
        for row in _rows(part, width - cells_of(before), rest):
            spans = (*before, (row, paragraph.style)) if row else before
            made = line(*spans)
            yield made if made.cells <= width else cut(spans, width)
            before = paragraph.rest


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
