"""A sheet as plain lines: a row a line. No Rich."""

from __future__ import annotations

from debate_cli.render import hostile, look
from debate_cli.render.sheets.sheet import Cell, Curve, Gauge, Lines, Number, Sheet, Who


def sheet_lines(sheet: Sheet) -> list[str]:
    """A row a line: the first cell, then each other cell after its head."""
    found = ["", f"== {hostile.line(sheet.heading)} =="]
    for row in sheet.rows:
        if row is not None:
            cells = [(hostile.line(head), _cell_words(cell)) for head, cell in zip(sheet.heads, row, strict=True)]
            rest = "; ".join(f"{head}: {words}" if head else words for head, words in cells[1:] if words)
            found.append(f"{cells[0][1]}: {rest}" if rest else cells[0][1])
    return found + [hostile.line(remark) for remark in sheet.remarks]


def _cell_words(cell: Cell) -> str:
    match cell:
        case None | Gauge():
            return ""
        case str():
            return hostile.line(cell)
        case Who():
            return hostile.line(cell.name) if cell.name is not None else "nobody"
        case Number():
            return "—" if cell.value is None else look.number(cell.value, cell.digits)
        case Curve():
            return " → ".join(look.number(value) for value in cell.values)
        case look.Sign():
            return cell.word
        case Lines():
            return ", ".join(_cell_words(inner) for inner in cell.cells)
