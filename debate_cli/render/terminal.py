"""A sheet on a terminal. In a narrow window its bars go first; then it is drawn in parts; what it tells is never left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table as RichTable
from rich.text import Text

from debate_cli.render import sanitize, theme
from debate_cli.render.drawn.bars import Bar, sparkline
from debate_cli.render.drawn.folded import UnbrokenText, WrappedName
from debate_cli.render.drawn.safe import terminal_line
from debate_cli.render.drawn.tables import ParticipantStyles, badge_text, new_table, section, wrapped_participant
from debate_cli.render.theme import Sign
from debate_cli.systems.tables import Cell, Curve, Gauge, Lines, Number, Table, Who

LONG_HEAD = 8
"""Letters from which on a column's head may be broken in two."""
GAP = 3
"""Columns of the window between two of a table."""
BAR = 20
LEAST_BAR = 8
LEAST_WORD, WORD_SHARE = 14, 4
"""A word is kept whole in a column up to a `WORD_SHARE`th of the window, and always up to `LEAST_WORD` letters."""
NAME_SHARE = 2 / 3
"""A word of a name is kept whole in the first column up to that share of the window: the others may stand in parts."""


def render_table(sheet: Table, signs: ParticipantStyles) -> RenderableType:
    """A sheet under its title."""
    return section(sheet.title, _Drawn(sheet, signs), *[terminal_line(remark, theme.MUTED) for remark in sheet.remarks])


@dataclass(frozen=True, slots=True)
class _Column:
    """A column as it is drawn."""

    head: RenderableType
    cells: tuple[RenderableType | None, ...]
    """None parts groups of rows."""
    least: int
    """Width below which its words would be cut."""
    most: int
    """Width at which nothing in it is wrapped."""
    numeric: bool


@dataclass(frozen=True, slots=True)
class _Drawn:
    """The table, or several of them below each other that repeat its first column."""

    sheet: Table
    signs: ParticipantStyles

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """All columns; without the bars, then in parts, where there is no room."""
        columns = [self._column(position, console, options) for position in range(len(self.sheet.heads))]
        if _least(columns) > options.max_width:
            columns = [column for place, column in enumerate(columns) if not self._is_of_bars(place)]
        for number, part in enumerate(_parts(columns, options.max_width)):
            if number:
                yield Text("")
            yield _table(part, options.max_width)

    def _is_of_bars(self, position: int) -> bool:
        cells = [row[position] for row in self.sheet.rows if row is not None]
        return bool(cells) and all(cell is None or isinstance(cell, Gauge) for cell in cells)

    def _column(self, position: int, console: Console, options: ConsoleOptions) -> _Column:
        numeric = position in self.sheet.numeric
        cells = tuple(None if row is None else self._cell(row[position], numeric=numeric) for row in self.sheet.rows)
        if position == 0:
            cells = tuple(WrappedName(cell) if isinstance(cell, Text) else cell for cell in cells)
        widest = max((Measurement.get(console, options, cell).maximum for cell in cells if cell is not None), default=0)
        head = _head(self.sheet.heads[position], widest)
        sizes = [Measurement.get(console, options, cell) for cell in (head, *cells) if cell is not None]
        longest = max(LEAST_WORD, _share(options.max_width, of_names=position == 0))
        least = LEAST_BAR if self._is_of_bars(position) else min(longest, max(size.minimum for size in sizes))
        return _Column(head, cells, least, max(least, *(size.maximum for size in sizes)), numeric)

    def _cell(self, cell: Cell, *, numeric: bool) -> RenderableType:
        made = _cell(cell, self.signs)
        return UnbrokenText(made) if numeric and isinstance(made, Text) else made


def _share(width: int, *, of_names: bool) -> int:
    """Columns of a window up to which a word is kept whole; beside a name there is always room for another column's word."""
    return min(int(width * NAME_SHARE), width - GAP - LEAST_WORD) if of_names else width // WORD_SHARE


def _least(columns: Sequence[_Column]) -> int:
    """Width below which a table of these would cut words."""
    return sum(column.least for column in columns) + GAP * (len(columns) - 1)


def _parts(columns: Sequence[_Column], width: int) -> Iterator[list[_Column]]:
    """As many columns at a time as there is room for, always after the first one, and never fewer than two."""
    first, part = columns[:1], list[_Column]()
    for column in columns[1:]:
        if part and _least([*first, *part, column]) > width:
            yield [*first, *part]
            part = []
        part.append(column)
    yield [*first, *part]


def _table(columns: Sequence[_Column], width: int) -> RichTable:
    made = new_table(*("" for _ in columns), numbers=[place for place, column in enumerate(columns) if column.numeric])
    for place, column, wide in zip(made.columns, columns, _widths(columns, width), strict=True):
        place.header, place.width = column.head, wide
    for row in zip(*(column.cells for column in columns), strict=True):
        cells = [cell for cell in row if cell is not None]
        if cells:
            made.add_row(*cells)
        else:
            made.add_section()
    return made


def _widths(columns: Sequence[_Column], width: int) -> list[int]:
    """Widths that make a table no wider than `width`: the widest is narrowed first, but none below its least."""
    widths = [column.most for column in columns]
    room = max(len(columns), width - GAP * (len(columns) - 1))
    while sum(widths) > room:
        spare = [place for place, column in enumerate(columns) if widths[place] > column.least]
        widest = max(spare or range(len(columns)), key=lambda place: widths[place])
        widths[widest] -= 1
    return widths


def _head(head: str, widest: int) -> RenderableType:
    """A head, on two lines where it is long and wider than all below it, so that a column of short marks stays narrow."""
    shown = sanitize.sanitize_line(head)
    first, _, last = shown.rpartition(" ")
    return Text(f"{first}\n{last}") if first and len(shown) > max(LONG_HEAD, widest) else WrappedName(Text(shown))


def _cell(cell: Cell, signs: ParticipantStyles) -> RenderableType:
    match cell:
        case None:
            return Text("")
        case str():
            return terminal_line(cell)
        case Who():
            return wrapped_participant(cell.name, signs)
        case Number():
            words = "—" if cell.value is None else theme.format_number(cell.value, cell.digits)
            return Text(words, style="bold" if cell.strong else "")
        case Gauge():
            sign = signs.get(cell.who) if cell.who is not None else None
            return Bar(cell.value, cell.out_of, sign.colour if sign else theme.BLUE, BAR)
        case Curve():
            return Text(sparkline(cell.values, cell.low, cell.high))
        case Sign():
            return UnbrokenText(badge_text(cell))
        case Lines():
            return Group(*[_cell(inner, signs) for inner in cell.cells])
