"""Two judgements side by side on a terminal."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from debate_cli.render import hostile
from debate_cli.render.comparison import Compared, sheets, signs
from debate_cli.render.comparison_words import TITLE, in_short
from debate_cli.render.drawn.safe import joined, safe_line
from debate_cli.render.drawn.sheets import drawn
from debate_cli.render.drawn.tables import bullets, section, table
from debate_cli.render.sheets.sheet import Sheet


def comparison_view(told: Compared) -> list[RenderableType]:
    """What differs in a few sentences, then the tables."""
    known = signs(told)
    return [
        section(TITLE, bullets(in_short(told))),
        *(section(sheet.title, _Keyed(sheet)) if sheet.keyed else drawn(sheet, known) for sheet in sheets(told)),
    ]


@dataclass(frozen=True, slots=True)
class _Keyed:
    """A table of texts whose first column holds keys: whole where half of the window is left beside them, else parted at a dot."""

    sheet: Sheet

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The rows of the sheet."""
        del console
        rows = [[hostile.line(str(cell)) for cell in row] for row in self.sheet.rows if row is not None]
        made = table(*self.sheet.heads)
        longest = max((cell_len(row[0]) for row in rows), default=0)
        whole = longest <= options.max_width // 2
        made.columns[0].no_wrap = True
        for key, *values in rows:
            made.add_row(safe_line(key) if whole else _parted(key), *map(safe_line, values))
        yield made


def _parted(key: str) -> Text:
    """A key on two lines: the way to a setting, and its name."""
    way, dot, name = key.rpartition(".")
    return Text("\n").join([safe_line(way + dot), joined("  ", safe_line(name))]) if way else safe_line(key)
