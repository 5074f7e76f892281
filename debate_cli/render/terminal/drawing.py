"""Draws the elements of all terminal views with Rich: sanitized text, headings, panels, tables, bars.

Text of a debate is never cut here. Rich cuts a word that is wider than its column, so each column with text has the
setting `overflow="fold"`. Rich also cuts the title of a rule or panel, so a title that is too wide goes into the body.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.box import ROUNDED, SIMPLE_HEAD, Box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table as RichTable
from rich.text import Text

from debate_cli.domain.message_text import sanitize_text
from debate_cli.domain.verdict import Verdict
from debate_cli.render import sanitize, theme
from debate_cli.render.terminal.bar import Bar
from debate_cli.render.theme import Sign
from debate_cli.systems.tables import (
    Badge,
    Cell,
    Curve,
    DebaterCell,
    Gauge,
    Interval,
    JoinedCells,
    Lines,
    Number,
    Table,
    TableRow,
    format_number,
)

ParticipantStyles = Mapping[str, Sign]
"""Maps the name of each debater to the debater's symbol, side and colour."""
BAR_WIDTH = 20
INDENT = 2
MAX_KEPT_WORD = 80
"""Maximum width in terminal columns of a word that a table never breaks. An id has at most this width."""
MIN_BAR_WIDTH = 10
COLUMN_GAPS = (3, 2)
"""Numbers of blank columns between two columns of a table. If the table is too wide with the first, the second is used."""
MIN_TEXT_WIDTH = 20
"""Minimum width of a table column with long text. If the window is too narrow, the table is drawn as a list."""
MAX_HEADER = 8
"""Maximum number of characters of a one-line header above numbers. A longer header has two lines."""
MAX_LABEL = 17
"""Maximum width of a label beside its contents in `label_grid`. A longer label is in a line above its contents."""
_LEVELS = "▁▂▃▄▅▆▇█"
_RULE_SPACE = 2
"""Columns of a horizontal line that are not available for its title."""
_BORDER_WIDTH = 6
"""Columns of a panel's border that are not available for its title."""


def terminal_text(text: str, style: str = "") -> Text:
    """Return `text` sanitized, with its line breaks."""
    return Text(sanitize_text(text).strip("\n"), style=style)


def terminal_line(text: str, style: str = "") -> Text:
    """Return `text` sanitized, on one line."""
    return Text(sanitize.sanitize_line(text), style=style)


@dataclass(frozen=True, slots=True)
class WholeNames:
    """Draws `text`. A path that is wider than the window is folded before its last part, so that this part stays whole."""

    text: Text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        paths = [path for path in re.finditer(r"\S*/\S+", self.text.plain) if cell_len(path[0]) > options.max_width]
        yield Text("\n").join(self.text.divide([path.start() + path[0].rindex("/") + 1 for path in paths]))


@dataclass(frozen=True, slots=True)
class CopyableCommand:
    """Draws a muted label and a shell command, indented. The command has no line break, so that it can be copied.

    If label and command are too long for one line, the command gets its own line. Print it with `crop=False`: then the
    terminal wraps a command that is longer than a line, and does not cut it off.
    """

    label: str
    command: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        indent = " " * INDENT
        fits = cell_len(f"{indent}{self.label} {self.command}") <= options.max_width
        gap = " " if fits else f"\n{indent}"
        text = join_text((f"{indent}{self.label}{gap}", theme.MUTED), self.command)
        text.no_wrap, text.overflow = True, "ignore"
        yield text


def join_text(*parts: Text | str | tuple[str, str], separator: str = "") -> Text:
    """Join parts to one text. A tuple is a string and its style. The parts are not sanitized."""
    joined = Text()
    for number, part in enumerate(parts):
        if number and separator:
            joined.append(separator, style=theme.MUTED)
        if isinstance(part, Text):
            joined.append_text(part)
        elif isinstance(part, tuple):
            joined.append(*part)
        else:
            joined.append(part)
    return joined


def section(title: str, *body: RenderableType, subtitle: str = "") -> RenderableType:
    """Draw `body` below a rule with a title. `subtitle`: words after the title."""
    heading = terminal_line(title, "bold")
    if subtitle:
        heading = join_text(heading, (f"  ·  {sanitize.sanitize_line(subtitle)}", theme.MUTED))
    return Group(Text(""), _HeadingRule(heading), *body)


@dataclass(frozen=True, slots=True)
class _HeadingRule:
    """A horizontal line with a title. If the title is wider than the window, the line is below the title."""

    title: Text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        fits = self.title.cell_len + _RULE_SPACE <= options.max_width
        if not fits:
            yield self.title
        yield Rule(self.title if fits else "", style=theme.MUTED, align="left")


@dataclass(slots=True)
class FramedPanel:
    """A panel around `body`, with `title` at the upper left and `footer` at the lower right.

    A title or footer that is too wide for the border becomes the first or last line of the body.
    """

    body: RenderableType
    title: Text
    footer: Text
    colour: str
    box: Box = ROUNDED
    height: int | None = None
    """Height in lines. None: as high as the body."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = options.max_width - _BORDER_WIDTH
        title, footer = (text if text.cell_len <= room else None for text in (self.title, self.footer))
        above = [] if title is not None else [self.title]
        below = [] if footer is not None else [self.footer]
        yield Panel(
            Group(*above, self.body, *below),
            title=title or None,
            title_align="left",
            subtitle=footer or None,
            subtitle_align="right",
            border_style=self.colour,
            box=self.box,
            height=self.height,
        )


@dataclass(frozen=True, slots=True)
class HangingIndent:
    """Draws `words` in a column to the right of `head`, with `gap` columns between them.

    If `head` takes more than half of the width, `words` are below it, indented.
    """

    head: Text
    words: RenderableType
    gap: int = 2

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if (self.head.cell_len + self.gap) * 2 > options.max_width:
            yield self.head
            if self.words:
                yield Padding(self.words, (0, 0, 0, INDENT))
            return
        grid = RichTable.grid(padding=(0, self.gap, 0, 0))
        grid.add_column(no_wrap=True)
        grid.add_column(overflow="fold")
        grid.add_row(self.head, self.words)
        yield grid


def participant_text(name: str | None, styles: ParticipantStyles) -> Text:
    """Return a name as text. A debater's symbol is in front of the debater's name. None becomes a dash."""
    if name is None:
        return Text("—", style=theme.MUTED)
    style = styles.get(name)
    if style is None:
        return terminal_line(name)
    return join_text((f"{style.symbol} ", style.colour), terminal_line(name, f"bold {style.colour}"))


def badge_text(badge: Badge) -> Text:
    """Return symbol and word of a badge, in its colour."""
    return terminal_line(f"{badge.symbol} {badge.word}", f"bold {theme.TONE_COLOURS[badge.tone]}")


def score_bar(value: float, out_of: float | None, colour: str, width: int = BAR_WIDTH) -> RenderableType:
    """Draw `value` as a bar on a scale from 0 to `out_of`. Values outside the scale are clamped.

    If `out_of` is None, nothing is drawn.
    """
    return "" if out_of is None else Bar(value, out_of, colour, width)


def interval_bar(cell: Interval, width: int = BAR_WIDTH) -> str:
    """Return an interval as a text of at most `width` columns, e.g. `──●──`."""
    if cell.value is None:
        return ""

    def place(value: float) -> int:
        return round((width - 1) * (value - cell.start) / (cell.end - cell.start))

    signs = [" "] * width
    if cell.low is not None and cell.high is not None:
        first, last = place(cell.low), place(cell.high)
        signs[first : last + 1] = ["─"] * (last - first + 1)
    signs[place(cell.value)] = "●"
    return "".join(signs).rstrip()


def score_bars(verdict: Verdict, styles: ParticipantStyles) -> RichTable:
    """Draw a row per debater, or per option of a vote: name, bar and score. The highest score is first."""
    grid = RichTable.grid(padding=(0, 1, 0, 0))
    grid.add_column(max_width=30, overflow="fold")
    grid.add_column()
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(no_wrap=True)
    highest = theme.score_axis_max(verdict)
    for name, score in sorted(verdict.displayed_scores.items(), key=lambda item: -item[1]):
        grid.add_row(
            participant_text(name, styles),
            score_bar(score, highest, _colour_of(name, styles), 30),
            Text(format_number(score), style="bold"),
            Text("← winner" if name == verdict.winner else "", style="bold"),
        )
    return grid


def sparkline(values: Sequence[float], low: float, high: float) -> str:
    """Return one character per value, from ▁ for `low` to █ for `high`."""
    top = len(_LEVELS) - 1
    span = high - low if high > low else float("inf")
    return "".join(_LEVELS[min(top, max(0, round((value - low) / span * top)))] for value in values)


def label_grid(rows: Sequence[tuple[str, RenderableType]]) -> RenderableType:
    """Draw two columns: muted labels and their contents."""
    width = max((cell_len(label) for label, _ in rows if cell_len(label) <= MAX_LABEL), default=INDENT)
    drawn: list[RenderableType] = []
    for label, body in rows:
        is_beside = cell_len(label) <= width
        grid = RichTable.grid(padding=(0, 2, 0, 0))
        grid.add_column(width=width, style=theme.MUTED)
        grid.add_column(overflow="fold")
        grid.add_row(label if is_beside else "", body)
        drawn += [grid] if is_beside else [Text(label, style=theme.MUTED), grid]
    return Group(*drawn)


def render_table(table: Table, styles: ParticipantStyles) -> RenderableType:
    """Draw a table with its title and remarks. A table without columns has only a title and remarks."""
    if not table.heads:
        return section(table.title, *map(terminal_line, table.remarks))
    notes = [terminal_line(note, theme.MUTED) for note in table.remarks]
    return section(table.title, _TableView(table, styles), *notes)


class _Layout(NamedTuple):
    """The columns of a table that fit into the window."""

    positions: Sequence[int]
    widths: Sequence[int]
    gap: int
    """Number of blank columns of the terminal between two columns of the table."""


@dataclass(frozen=True, slots=True)
class _TableView:
    """Draws a table in the first of three forms that fits into the window.

    1. Columns. If the window is too narrow for all columns, those with bars are left out.
    2. A table with a group column (`Table.has_group_column`): each name in a line above its rows, which have columns.
    3. A list.
    """

    table: Table
    styles: ParticipantStyles

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        layout = self._layout(options.max_width)
        if layout is not None:
            yield self._grid(layout, self.table.rows)
        elif self.table.has_group_column:
            yield from self._as_groups(options.max_width)
        else:
            yield from self._as_list(options.max_width)

    def _layout(self, width: int) -> _Layout | None:
        everything = range(len(self.table.heads))
        least, full = (tuple(map(measure, everything)) for measure in (self._least_width, self._full_width))
        without_bars = [position for position in everything if not _is_of_bars(self.table, position)]
        for positions in (everything, without_bars):
            for gap in COLUMN_GAPS:
                sizes = [(least[position], full[position]) for position in positions]
                widths = _fit_columns(sizes, width - gap * (len(positions) - 1))
                if widths is not None:
                    return _Layout(positions, widths, gap)
        return None

    def _cells(self, position: int) -> list[Cell]:
        return [row[position] for row in self.table.rows if row is not None]

    def _header(self, position: int) -> str:
        header = sanitize.sanitize_line(self.table.heads[position])
        if position in self.table.numeric and len(header) > MAX_HEADER:
            return "\n".join(filter(None, header.rpartition(" ")[::2]))
        return header

    def _full_width(self, position: int) -> int:
        if _is_of_bars(self.table, position):
            return BAR_WIDTH
        texts = (self._header(position), *(render_cell(cell, self.styles).plain for cell in self._cells(position)))
        return max(cell_len(line) for text in texts for line in text.split("\n"))

    def _least_width(self, position: int) -> int:
        full = self._full_width(position)
        if _is_of_bars(self.table, position):
            return MIN_BAR_WIDTH
        is_key = position == 0 and self.table.has_key_column
        if is_key or self.table.has_group_column or position in self.table.numeric:
            return full
        longest = max(map(cell_len, self._unbroken_parts(position)), default=0)
        is_joined = any(isinstance(cell, JoinedCells) for cell in self._cells(position))
        return max(min(longest, MAX_KEPT_WORD), 0 if is_joined else min(-(-full // 2), MIN_TEXT_WIDTH))

    def _unbroken_parts(self, position: int) -> Iterator[str]:
        """Yield the parts of a column that must stay on one line: words, or joined cells such as `Pro 59.67`."""
        yield from self._header(position).split()
        for cell in self._cells(position):
            for part in _parts(cell, self.styles):
                yield from [part.plain] if isinstance(cell, JoinedCells) else part.plain.split()

    def _grid(self, layout: _Layout, rows: Iterable[TableRow | None], *, show_header: bool = True) -> RichTable:
        grid = RichTable(
            box=SIMPLE_HEAD,
            header_style=theme.MUTED,
            border_style=theme.MUTED,
            pad_edge=False,
            show_edge=False,
            show_header=show_header,
            padding=(0, 1, 0, layout.gap - 2),
            leading=int(_has_lines(self.table)),
        )
        for position, width in zip(layout.positions, layout.widths, strict=True):
            justify = "right" if position in self.table.numeric else "left"
            grid.add_column(Text(self._header(position)), justify=justify, width=width, overflow="fold")
        for row in rows:
            if row is None:
                grid.add_section()
            else:
                places = zip(layout.positions, layout.widths, strict=True)
                grid.add_row(*(_cell_view(row[position], self.styles, width) for position, width in places))
        return grid

    def _as_groups(self, width: int) -> Iterator[RenderableType]:
        rows = [row for row in self.table.rows if row is not None]
        numeric = frozenset(position - 1 for position in self.table.numeric)
        table = Table("", self.table.heads[1:], tuple(row[1:] for row in rows), numeric=numeric)
        view = _TableView(table, self.styles)
        layout = view._layout(width - INDENT)
        drawn = view._as_list(width - INDENT)
        if layout is not None:
            yield view._grid(layout._replace(widths=(layout.widths[0] + INDENT, *layout.widths[1:])), ())
            drawn = (view._grid(layout, [row], show_header=False) for row in table.rows)
        for (name, *_), row in zip(rows, drawn, strict=True):
            if name:
                yield from map(WholeNames, _join_on_lines(name, self.styles, width))
            yield Padding(row, (0, 0, 0, INDENT))

    def _as_list(self, width: int) -> Iterator[RenderableType]:
        """Yield one renderable per row."""
        for number, (row, cells) in enumerate(theme.labelled_rows(self.table)):
            blank = [Text("")] if number and _has_lines(self.table) else []
            lines = _list_row(self.table.heads[0], row[0], cells, self.styles, width)
            yield Group(*blank, *(Padding(WholeNames(line), (0, 0, 0, indent)) for indent, line in lines))


def _fit_columns(sizes: Sequence[tuple[int, int]], room: int) -> list[int] | None:
    """Return column widths whose sum is at most `room`. The widest columns are narrowed first.

    Returns None if `room` is too small for the minimum widths of the columns. `sizes`: minimum and full width per column.
    """
    if sum(least for least, _ in sizes) > room:
        return None
    widths = [max(least, min(full, room)) for least, full in sizes]
    while sum(widths) > room:
        narrowable = (place for place, width in enumerate(widths) if width > sizes[place][0])
        widths[max(narrowable, key=widths.__getitem__)] -= 1
    return widths


def _has_lines(table: Table) -> bool:
    return any(isinstance(cell, Lines) for row in table.rows for cell in row or ())


def _parts(cell: Cell, styles: ParticipantStyles) -> list[Text]:
    return [render_cell(part, styles) for part in (cell.cells if isinstance(cell, JoinedCells) else (cell,))]


def _join_on_lines(cell: Cell, styles: ParticipantStyles, width: int, label: str = "") -> list[Text]:
    """Return the lines of a cell after a label. Joined cells share a line of `width` columns as long as they fit."""
    lines: list[Text] = []
    separator = cell.separator if isinstance(cell, JoinedCells) else ""
    for part in _parts(cell, styles):
        if lines and lines[-1].cell_len + len(separator) + part.cell_len <= width:
            lines[-1] = join_text(lines[-1], part, separator=separator)
        else:
            lines.append(part if lines else join_text((label, theme.MUTED), part))
    return lines


def _list_row(
    head: str, key: Cell, cells: Iterable[tuple[int, str, Cell]], styles: ParticipantStyles, width: int
) -> list[tuple[int, Text]]:
    """Return pairs (indent, line) for a table row that is drawn as a list.

    The first line has the first cell and the cells that fit beside it. The lines of the other cells are indented.

    - `key`: the first cell.
    - `head`: header of the first cell's column. It is shown if the cell is a number.
    - `cells`: (column, header, cell) for each other cell.
    """
    first, *below = render_cell(key, styles).split("\n")
    if first.plain.isdigit():
        first = join_text(f"{sanitize.sanitize_line(head)} ", first)
    first.stylize("bold")
    lines = [(0, first), *((INDENT, line) for line in below)]
    separator, is_open = "  " if first else "", not below
    for _, header, cell in cells:
        label = f"{header} " if header else ""
        if isinstance(cell, JoinedCells):
            block = [(INDENT, line) for line in _join_on_lines(cell, styles, width - INDENT, label)]
        else:
            start, *below = join_text((label, theme.MUTED), render_cell(cell, styles)).split("\n")
            block = [(INDENT, start), *((2 * INDENT, line) for line in below)]
        is_short = len(block) == 1
        indent, last = lines[-1]
        text = block[0][1]
        if is_open and is_short and indent + last.cell_len + len(separator) + text.cell_len <= width:
            lines[-1] = (indent, join_text(last, text, separator=separator))
        else:
            lines += block
        separator, is_open = " · ", is_short
    return lines


def _is_of_bars(table: Table, position: int) -> bool:
    cells = [row[position] for row in table.rows if row is not None]
    bars = Gauge | Interval
    return any(isinstance(cell, bars) for cell in cells) and all(isinstance(cell, bars | None) for cell in cells)


def _cell_view(cell: Cell, styles: ParticipantStyles, width: int) -> RenderableType:
    if isinstance(cell, Gauge):
        return score_bar(cell.value, cell.out_of, _colour_of(cell.who, styles), width)
    if isinstance(cell, Interval):
        return Text(interval_bar(cell, width))
    return Text("\n").join(_join_on_lines(cell, styles, width))


def _colour_of(name: str | None, styles: ParticipantStyles) -> str:
    return styles[name].colour if name is not None and name in styles else theme.BLUE


def render_cell(cell: Cell, styles: ParticipantStyles) -> Text:
    """Return a cell as text. A cell that is drawn as a bar or an interval becomes an empty text."""
    match cell:
        case DebaterCell():
            return participant_text(cell.name, styles)
        case Curve():
            return Text(sparkline(cell.values, cell.low, cell.high))
        case Badge():
            return badge_text(cell)
        case Lines():
            return Text("\n").join(render_cell(inner, styles) for inner in cell.cells)
        case JoinedCells():
            return join_text(*_parts(cell, styles), separator=cell.separator)
        case _:
            return Text(theme.format_cell(cell), style="bold" if isinstance(cell, Number) and cell.strong else "")
