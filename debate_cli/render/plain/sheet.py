"""A sheet as plain lines: a row a line. No Rich."""

from __future__ import annotations

from debate_cli.render import hostile, look
from debate_cli.render.sheets.sheet import Cell, Curve, Gauge, Lines, Number, Table, Who


def table_lines(sheet: Table) -> list[str]:
    """A row a line: the first cell, then each other cell after its head."""
    found = ["", f"== {hostile.sanitize_line(sheet.heading)} =="]
    for row in sheet.rows:
        if row is not None:
            cells = [
                (hostile.sanitize_line(head), _format_cell(cell)) for head, cell in zip(sheet.heads, row, strict=True)
            ]
            rest = "; ".join(f"{head}: {words}" if head else words for head, words in cells[1:] if words)
            found.append(f"{cells[0][1]}: {rest}" if rest else cells[0][1])
    return found + [hostile.sanitize_line(remark) for remark in sheet.remarks]


def _format_cell(cell: Cell) -> str:
    match cell:
        case None | Gauge():
            return ""
        case str():
            return hostile.sanitize_line(cell)
        case Who():
            return hostile.sanitize_line(cell.name) if cell.name is not None else "nobody"
        case Number():
            return "—" if cell.value is None else look.format_number(cell.value, cell.digits)
        case Curve():
            return " → ".join(look.format_number(value) for value in cell.values)
        case look.Sign():
            return cell.word
        case Lines():
            return ", ".join(_format_cell(inner) for inner in cell.cells)
