"""Formats a table as plain lines, one per row."""

from collections.abc import Iterable, Mapping

from debate_cli.render import theme
from debate_cli.render.sanitize import sanitize_line
from debate_cli.systems.tables import Badge, Cell, DebaterCell, JoinedCells, Number, Table

MAX_SHORT_CELL = 24
"""A text cell with at most this number of characters is on the line of its row. A longer cell has its own line, except
`JoinedCells`, `DebaterCell` and `Badge`."""


def table_lines(table: Table, badges: Mapping[str, str] | None = None) -> list[str]:
    """Return the title of a table, a line per row, and the remarks.

    Example of a row: `PRO-1  upheld  7.4  (logic 7, evidence 7, response 9, honesty 7)`.

    `badges`: maps the first cell of a row to a word that is added to the row.
    """
    weights = [sanitize_line(header) for header in table.heads if header.endswith("%")]
    heading = f"{sanitize_line(table.heading)} ({', '.join(weights)})" if weights else sanitize_line(table.heading)
    lines = ["", f"== {heading} =="]
    rows = [row for row in table.rows if row is not None]
    strong = {number for row in rows for number, cell in enumerate(row) if isinstance(cell, Number) and cell.strong}
    main = next(iter(strong)) if len(strong) == 1 else None
    for row, cells in theme.labelled_rows(table):
        lines += _table_row_lines(table.heads[0], row[0], cells, main, badges or {})
    return lines + [sanitize_line(remark) for remark in table.remarks]


def _table_row_lines(
    head: str, key: Cell, cells: Iterable[tuple[int, str, Cell]], main: int | None, badges: Mapping[str, str]
) -> Iterable[str]:
    first = theme.format_cell(key)
    plain, pairs, long = [badges[first]] if first in badges else [], list[str](), list[str]()
    for position, header, cell in cells:
        name, _, scale = header.partition(" /")
        words = theme.format_cell(cell)
        if scale and words != "—":
            words = f"{words}/{scale}"
        if not words:
            continue
        if position == main:
            plain.append(words if name == "score" else f"{name} {words}")
        elif not header and (len(words) <= MAX_SHORT_CELL or isinstance(cell, DebaterCell | Badge)):
            plain.append(words)
        elif len(words) > MAX_SHORT_CELL and not isinstance(cell, JoinedCells | DebaterCell | Badge):
            long.append(f"  {header}: {words}" if header else f"  {words}")
        else:
            pairs.append(f"{_without_weight(name)}{' ' if isinstance(cell, Number) else ': '}{words}")
    details = ", ".join(pairs)
    label = f"{head} {first}" if first.isdigit() else first
    yield "  ".join(filter(None, (label, *plain, f"({details})" if plain and details else details)))
    yield from long


def _without_weight(header: str) -> str:
    return header.rpartition(" ")[0] if header.endswith("%") else header
