"""A sheet as plain lines: a row a line. No Rich."""

from __future__ import annotations

from debate_cli.render import sanitize, theme
from debate_cli.systems.tables import Cell, Curve, Gauge, Lines, Number, Table, Who


def table_lines(sheet: Table) -> list[str]:
    """A row a line: the first cell, then each other cell after its head."""
    found = ["", f"== {sanitize.sanitize_line(sheet.heading)} =="]
    for row in sheet.rows:
        if row is not None:
            cells = [
                (sanitize.sanitize_line(head), _format_cell(cell)) for head, cell in zip(sheet.heads, row, strict=True)
            ]
            rest = "; ".join(f"{head}: {words}" if head else words for head, words in cells[1:] if words)
            found.append(f"{cells[0][1]}: {rest}" if rest else cells[0][1])
    return found + [sanitize.sanitize_line(remark) for remark in sheet.remarks]


def _format_cell(cell: Cell) -> str:
    match cell:
        case None | Gauge():
            return ""
        case str():
            return sanitize.sanitize_line(cell)
        case Who():
            return sanitize.sanitize_line(cell.name) if cell.name is not None else "nobody"
        case Number():
            return "—" if cell.value is None else theme.format_number(cell.value, cell.digits)
        case Curve():
            return " → ".join(theme.format_number(value) for value in cell.values)
        case theme.Sign():
            return cell.word
        case Lines():
            return ", ".join(_format_cell(inner) for inner in cell.cells)
