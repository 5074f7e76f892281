"""The table of options and arguments in the help of a command."""

from typing import Any

from rich.columns import Columns
from rich.table import Table
from rich.text import Text


class HelpTable(Table):
    """A table in which narrow columns break words instead of cutting them. Each name of an option has its own line."""

    def add_row(self, *cells: Any, **settings: Any) -> None:
        """Add the row of an option: its names, its placeholder and its help."""
        super().add_row(*map(_split_names, cells), **settings)
        for text in (text for cell in cells if isinstance(cell, Columns) for text in cell.renderables):
            if isinstance(text, Text):
                text.overflow = "fold"
        for column in self.columns:
            column.overflow = "fold"


def _split_names(cell: Any) -> Any:
    is_names = isinstance(cell, Text) and cell.plain.startswith("--")
    return Text(",\n").join(cell.split(",")) if is_names else cell
