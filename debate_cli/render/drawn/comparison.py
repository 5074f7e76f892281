"""Two judgements side by side on a terminal."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from debate_cli.render import sanitize
from debate_cli.render.comparison import (
    COMPARISON_TITLE,
    ComparedPair,
    build_comparison_tables,
    comparison_styles,
    summarize_comparison,
)
from debate_cli.render.terminal import bullets, join_text, new_table, render_table, section, terminal_line
from debate_cli.systems.tables import Table


def comparison_view(told: ComparedPair) -> list[RenderableType]:
    """What differs in a few sentences, then the tables."""
    known = comparison_styles(told)
    return [
        section(COMPARISON_TITLE, bullets(summarize_comparison(told))),
        *(
            section(sheet.title, _Keyed(sheet)) if sheet.has_key_column else render_table(sheet, known)
            for sheet in build_comparison_tables(told)
        ),
    ]


@dataclass(frozen=True, slots=True)
class _Keyed:
    """A table of texts whose first column holds keys: whole where half of the window is left beside them, else parted at a dot."""

    sheet: Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The rows of the sheet."""
        del console
        rows = [[sanitize.sanitize_line(str(cell)) for cell in row] for row in self.sheet.rows if row is not None]
        made = new_table(*self.sheet.heads)
        longest = max((cell_len(row[0]) for row in rows), default=0)
        whole = longest <= options.max_width // 2
        made.columns[0].no_wrap = True
        for key, *values in rows:
            made.add_row(terminal_line(key) if whole else _parted(key), *map(terminal_line, values))
        yield made


def _parted(key: str) -> Text:
    """A key on two lines: the way to a setting, and its name."""
    way, dot, name = key.rpartition(".")
    return (
        Text("\n").join([terminal_line(way + dot), join_text("  ", terminal_line(name))]) if way else terminal_line(key)
    )
