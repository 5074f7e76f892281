"""Tables as data: titles, headers and typed cells.

Strings in a table are untrusted; renderers sanitize or escape them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Literal, NamedTuple, TypeVar

from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.verdict import Verdict

N = TypeVar("N", bound=FrozenModel)
Item = TypeVar("Item")
Tone = Literal["good", "mixed", "bad", "info", "muted"]
"""Meaning of a badge. Renderers choose its colour."""


class DebaterCell(NamedTuple):
    """A debater's name, drawn with the debater's symbol and colour; a dash if the name is None."""

    name: str | None


class Gauge(NamedTuple):
    """A number on a scale from 0, drawn as a bar."""

    value: float
    out_of: float | None
    """Upper end of the scale. None if it is unknown: then no bar is drawn."""
    who: str | None = None
    """Name of the debater whose colour the bar gets; None for a neutral colour."""
    parts: tuple[tuple[str, float], ...] = ()
    """Pairs (label, value) of the bar's parts, drawn end to end. A negative value is a deduction."""


class Interval(NamedTuple):
    """A number with its interval from `low` to `high`, drawn on an axis from `start` to `end`.

    In plain text, the cell is empty.
    """

    value: float | None
    low: float | None
    high: float | None
    start: float
    end: float


class Curve(NamedTuple):
    """Numbers over time, drawn as a small curve."""

    values: tuple[float, ...]
    low: float
    high: float


class Number(NamedTuple):
    """A number with at most `digits` decimals; None is drawn as a dash."""

    value: float | None
    digits: int = 2
    strong: bool = False


class Badge(NamedTuple):
    """A word with a symbol and a colour, e.g. `✓ upheld`."""

    symbol: str
    word: str
    tone: Tone


class Lines(NamedTuple):
    """Several cells, drawn one below the other inside one cell of a table."""

    cells: tuple[Cell, ...]


class JoinedCells(NamedTuple):
    """Several short cells on one line. In a narrow column, the line is broken between two cells, never inside a cell."""

    cells: tuple[Cell, ...]
    separator: str = " · "


Cell = str | DebaterCell | Gauge | Interval | Curve | Number | Badge | Lines | JoinedCells | None
TableRow = tuple[Cell, ...]


class Table(NamedTuple):
    """A table as data, which renderers draw."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[TableRow | None, ...]
    """Rows of cells; None separates groups of rows."""
    remarks: tuple[str, ...] = ()
    """Sentences below the table."""
    numeric: frozenset[int] = frozenset()
    """Indices of the right-aligned columns."""
    has_key_column: bool = False
    """Whether the first column contains keys, e.g. `judging.decides`. A terminal table never breaks a key."""
    has_group_column: bool = False
    """Whether the first column names groups of rows. Only the first row of a group has the name, the others have an empty
    text. If the window is too narrow for the column, a terminal table shows each name in a line above the group."""
    repeats_reports: bool = False
    """Whether the table contains only words that judges' reports (`LiveReport`) show during the debate."""

    @property
    def heading(self) -> str:
        """The title with a capital first letter. Not sanitized."""
        return self.title[:1].upper() + self.title[1:]


def make_table(title: str, heads: Iterable[str], rows: Iterable[TableRow | None], remarks: Iterable[str] = ()) -> Table:
    """Return a table whose columns with numbers are right-aligned."""
    made = Table(title, tuple(heads), tuple(rows), tuple(remarks))
    numbers = (place for row in made.rows if row for place, cell in enumerate(row) if isinstance(cell, Number))
    return made._replace(numeric=frozenset(numbers))


def column_table(
    title: str, items: Iterable[Item], columns: Mapping[str, Callable[[Item], Cell]], remarks: Iterable[str] = ()
) -> Table:
    """Return a table with a row for each item. `columns` maps headers to functions that make a cell from an item."""
    rows = (tuple(cell(item) for cell in columns.values()) for item in items)
    return make_table(title, columns, rows, remarks)


def turn_number(index: int) -> Number:
    """Return the number of a turn for display: `index` + 1."""
    return Number(index + 1, 0)


def drop_empty_columns(table: Table) -> Table:
    """Return the table without empty columns. The first column is always kept."""
    empty: tuple[Cell, ...] = (None, "", Lines(()), JoinedCells(()))
    rows = [row for row in table.rows if row is not None]
    kept = [
        place
        for place in range(len(table.heads))
        if place == 0 or not rows or any(row[place] not in empty for row in rows)
    ]
    return table._replace(
        heads=tuple(table.heads[place] for place in kept),
        rows=tuple(None if row is None else tuple(row[place] for place in kept) for row in table.rows),
        numeric=frozenset(number for number, place in enumerate(kept) if place in table.numeric),
    )


def join_row_groups(groups: Iterable[Iterable[TableRow]]) -> tuple[TableRow | None, ...]:
    """Return the rows of all groups, with None (a divider) between two groups. Groups without rows are left out."""
    found: list[TableRow | None] = []
    for rows in filter(None, map(tuple, groups)):
        found += [*([None] if found else []), *rows]
    return tuple(found)


def parse_notes(model: type[N], verdict: Verdict) -> N:
    """Return the notes of a verdict as an object of the class `model`.

    Raises ValidationError if the notes do not fit the class.
    """
    return verdict.notes if isinstance(verdict.notes, model) else model.model_validate(verdict.notes)


def format_number(value: float, digits: int = 2) -> str:
    """Format `value` with at most `digits` decimals and without final zeros, e.g. `7.25` or `7.5`.

    Exception: if `digits` is 2 or more, a whole number keeps one zero, e.g. `7.0`.
    """
    whole, _, fraction = f"{value:z.{digits}f}".partition(".")
    fraction = fraction.rstrip("0") or ("0" if digits > 1 else "")
    return f"{whole}.{fraction}" if fraction else whole


def format_share(share: float) -> str:
    """Format a share, 0-1, as a percentage with at most one decimal: 45%, 72.5%."""
    return f"{format_number(100 * share, 1)}%"


RESPONSE_BADGES: dict[str, Badge] = {
    "refute": Badge("✗", "refutes", "bad"),
    "challenge": Badge("?", "challenges", "mixed"),
    "concede": Badge("+", "concedes", "good"),
    "partial": Badge("≈", "accepts in part", "info"),
}
STANDING_BADGES: dict[str, Badge] = {
    "UPHELD": Badge("✓", "upheld", "good"),
    "PARTIALLY_UPHELD": Badge("≈", "partially upheld", "mixed"),
    "REFUTED": Badge("✗", "refuted", "bad"),
    "UNCERTAIN": Badge("?", "uncertain", "info"),
}
