"""A sheet on a terminal. In a narrow window its bars go first; then it is drawn in parts; what it tells is never left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len, chop_cells
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.rule import Rule
from rich.segment import Segment
from rich.table import Table as RichTable
from rich.text import Text

from debate_cli.domain.verdict import Verdict
from debate_cli.render import sanitize, theme
from debate_cli.render.theme import Sign
from debate_cli.systems.tables import Badge, Cell, Curve, Gauge, Lines, Number, Table, Who

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
        case Badge():
            return UnbrokenText(badge_text(theme.sign_of(cell)))
        case Lines():
            return Group(*[_cell(inner, signs) for inner in cell.cells])


def terminal_text(text: str, style: str = "") -> Text:
    """`text` as it may be printed, line breaks kept."""
    return Text(sanitize.sanitize_text(text).strip("\n"), style=style)


def terminal_line(text: str, style: str = "") -> Text:
    """`text` as it may be printed, on one line."""
    return Text(sanitize.sanitize_line(text), style=style)


def join_text(*parts: Text | str | tuple[str, str], separator: str = "") -> Text:
    """The parts in one `Text`; a tuple is (own words, style), a bare string is our own words."""
    found = Text(end="\n")
    for number, part in enumerate(parts):
        if number and separator:
            found.append(separator, style=theme.MUTED)
        if isinstance(part, Text):
            found.append_text(part)
        elif isinstance(part, tuple):
            found.append(*part)
        else:
            found.append(part)
    return found


ParticipantStyles = Mapping[str, Sign]


def section(title: str, *body: RenderableType, beside: str = "") -> RenderableType:
    """A part of the closing, under a rule with its name; `title` and `beside` may be untrusted."""
    words = join_text(terminal_line(title, "bold"))
    if beside:
        words.append(f"  ·  {sanitize.sanitize_line(beside)}", style=theme.MUTED)
    return Group(Text(""), Rule(words, style=theme.MUTED, align="left"), *body)


def new_table(*headers: str, numbers: Sequence[int] = ()) -> RichTable:
    """An empty table; the columns at the positions `numbers` are right-aligned. `headers` may be untrusted."""
    made = RichTable(
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


def score_bars(verdict: Verdict, signs: ParticipantStyles) -> RichTable:
    """A row per debater: name, bar, score, and the mark of the winner; highest first.

    Where a panel let nobody win, a row per option.
    """
    grid = RichTable.grid(padding=(0, 1, 0, 0))
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


def bullets(items: Sequence[str], symbol: str = "•", style: str = "") -> RichTable:
    """Untrusted lines, each behind a sign, with a hanging indent."""
    grid = RichTable.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True, style=style or theme.MUTED)
    grid.add_column(ratio=1)
    for item in items:
        grid.add_row(Text(symbol), terminal_line(item))
    return grid


_LEVELS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True)
class Bar:
    """`value` of `out_of` as a bar of at most `width` columns; values beyond the ends are clamped."""

    value: float
    out_of: float
    colour: str
    width: int = 24

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """A heavy line for what is there, a light one for the rest."""
        width = max(1, min(self.width, options.max_width))
        share = min(1.0, max(0.0, self.value / self.out_of)) if self.out_of > 0 else 0.0
        halves = round(share * width * 2)
        full, half = divmod(halves, 2)
        heavy, end, light = ("#", "", "-") if options.ascii_only else ("━", "╸", "─")
        filled = heavy * full + end * half
        yield Segment(filled, console.get_style(self.colour))
        yield Segment(light * (width - len(filled)), console.get_style(theme.MUTED))

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """From 4 columns to the full width."""
        del console
        return Measurement(min(4, options.max_width), min(self.width, options.max_width))


def sparkline(values: Sequence[float], low: float, high: float) -> str:
    """A character per value, from ▁ at `low` to █ at `high`."""
    span = high - low
    top = len(_LEVELS) - 1
    return "".join(
        _LEVELS[min(top, max(0, round((value - low) / span * top)))] if span > 0 else "▁" for value in values
    )


ITEM_SEPARATOR = " · "
"""What stands between two of several things that are told in a line."""
MIN_WRAPPED_WORD = 12
"""Letters up to which a word is not parted."""
_WORDS = re.compile(r"\S+\s*")
_JOINTS = re.compile(r"(?<=[^\W_])[-_/.:]+(?=[^\W_])|(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class WrappedName:
    """A name or an id: on one line where that fits, else parted at its blanks, hyphens, underscores, slashes, dots and InnerCapitals."""

    text: Text
    """Cleaned, on one line."""
    sign: int = 0
    """Letters of a sign before it, below which its further lines are not begun."""

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """From its longest piece to the whole."""
        del console
        least = max((cell_len(piece.plain.rstrip()) for piece in self._pieces()), default=0) + self._indent
        return Measurement(least, cell_len(self.text.plain)).with_maximum(options.max_width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """As many pieces a line as fit; a piece that does not fit is folded."""
        del console
        if cell_len(self.text.plain) <= options.max_width:
            yield self.text
            return
        words = self.text[self.sign :]
        before = self.text[: self.sign]
        for row in words.divide(list(_breaks(words.plain, options.max_width - self._indent))):
            yield _ended(before + row)
            before = Text(" " * self._indent)

    @property
    def _indent(self) -> int:
        return cell_len(self.text.plain[: self.sign])

    def _pieces(self) -> list[Text]:
        """What follows the sign, cut at every place where a line may end."""
        words = self.text[self.sign :]
        return list(words.divide([end for end in _ends(words.plain) if end < len(words)]))


def wrap_name(words: str, width: int) -> list[str]:
    """`words` in lines of at most `width` columns, parted at blanks and within long names at their joints."""
    ends = [*_breaks(words, width), len(words)]
    return [words[start:end].rstrip() for start, end in zip([0, *ends], ends, strict=False)]


def wrap_items(items: Iterable[str], width: int) -> list[str]:
    """`items` in lines of at most `width` columns, which end between two of them, or within one where it needs more."""
    rows: list[str] = []
    for item in items:
        if rows and cell_len(rows[-1] + ITEM_SEPARATOR + item) <= width:
            rows[-1] += ITEM_SEPARATOR + item
        else:
            rows += wrap_name(item, width)
    return rows


def _breaks(words: str, width: int) -> Iterator[int]:
    """Where lines of at most `width` columns end; where the last one does is not told."""
    room, start, end = max(1, width), 0, 0
    for stop in _ends(words):
        if end > start and cell_len(words[start:stop].rstrip()) > room:
            yield end
            start = end
        end = stop
        while cell_len(words[start:end].rstrip()) > room:
            start += max(1, len(chop_cells(words[start:end], room)[0]))
            if start < len(words):
                yield start


def _ends(words: str) -> Iterator[int]:
    """Where a line may end: after each word, and within a long one after each of its joints."""
    for word in _WORDS.finditer(words):
        if len(word[0].rstrip()) > MIN_WRAPPED_WORD:
            yield from (word.start() + joint.end() for joint in _JOINTS.finditer(word[0]))
        yield word.end()


def _ended(line: Text) -> Text:
    line.rstrip()
    line.no_wrap, line.overflow = False, "fold"
    return line


@dataclass(frozen=True, slots=True)
class UnbrokenText:
    """Words that keep together as long as there is room for them."""

    text: Text

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """The width of its longest line."""
        del console
        width = max(map(cell_len, self.text.plain.split("\n")))
        return Measurement(width, width).with_maximum(options.max_width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The words."""
        del console, options
        yield self.text
