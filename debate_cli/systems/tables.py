"""A table as data: what stands in it, not how it looks. The terminal, Markdown and HTML each draw the same sheets. No Rich.

Strings in a sheet are untrusted; who draws it cleans or escapes them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from pydantic import ValidationError

from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.verdict import Verdict
from debate_cli.render.theme import Sign

N = TypeVar("N", bound=FrozenModel)


class Who(NamedTuple):
    """A debater (drawn with its sign), or None for nobody."""

    name: str | None


class Gauge(NamedTuple):
    """A number on a scale, drawn as a bar."""

    value: float
    out_of: float
    who: str | None = None
    """Whose colour it has."""


class Curve(NamedTuple):
    """Numbers in the order of time, drawn as a small curve."""

    values: tuple[float, ...]
    low: float
    high: float


class Number(NamedTuple):
    """A number, drawn with at most `digits` decimals."""

    value: float | None
    digits: int = 2
    strong: bool = False


class Lines(NamedTuple):
    """Several cells below each other in one."""

    cells: tuple[Cell, ...]


Cell = str | Who | Gauge | Curve | Number | Sign | Lines | None
TableRow = tuple[Cell, ...]


class Table(NamedTuple):
    """A table with its title."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[TableRow | None, ...]
    """None parts groups of rows."""
    remarks: tuple[str, ...] = ()
    """Sentences below the table."""
    numeric: frozenset[int] = frozenset()
    """Positions of the columns that are right-aligned."""
    has_key_column: bool = False
    """Whether all cells are texts, and those of the first column keys, which may be parted at a dot only."""

    @property
    def heading(self) -> str:
        """The title as a line of its own: its first letter a capital one, names in it as they are; not cleaned."""
        return self.title[:1].upper() + self.title[1:]


def drop_empty_columns(sheet: Table) -> Table:
    """The same without its columns in which nothing stands; the first one stays."""
    kept = [place for place in range(len(sheet.heads)) if not place or not _is_empty(sheet, place)]
    return sheet._replace(
        heads=tuple(sheet.heads[place] for place in kept),
        rows=tuple(None if row is None else tuple(row[place] for place in kept) for row in sheet.rows),
        numeric=frozenset(number for number, place in enumerate(kept) if place in sheet.numeric),
    )


def _is_empty(sheet: Table, place: int) -> bool:
    cells = [row[place] for row in sheet.rows if row is not None]
    return bool(cells) and all(cell in (None, "", Lines(())) for cell in cells)


def join_row_groups(groups: Iterable[Iterable[TableRow]]) -> tuple[TableRow | None, ...]:
    """The rows of all groups, with None between two groups."""
    found: list[TableRow | None] = []
    for group in groups:
        rows = list(group)
        if rows and found:
            found.append(None)
        found += rows
    return tuple(found)


def parse_notes(model: type[N], verdict: Verdict) -> N | None:
    """The notes of a verdict in their own shape; None where a transcript of another version has other ones."""
    try:
        return model.model_validate(verdict.notes)
    except ValidationError:
        return None
