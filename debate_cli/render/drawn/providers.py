"""The table of providers on a terminal: as many columns as the window has room for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from debate_cli.render import theme
from debate_cli.render.terminal import new_table, section, terminal_line

GAP = 3
LEAST_ADDRESS = 24
"""Columns from which on an address is worth showing, cut where need be."""
COLUMNS: tuple[str, ...] = ("write", "key", "structure", "address", "at once")
WRITE, KEY, STRUCTURE, ADDRESS, AT_ONCE = COLUMNS
NEEDED = frozenset({WRITE, KEY})
"""Columns that stand there even where they must be folded."""
LEGEND = "✗ its key is not set"
MORE = "More of each in a wider window; all of it with --json."


def providers_view(entries: Sequence[Mapping[str, Any]]) -> RenderableType:
    """One row a provider: what to write, the variable of its key, how it gives structure, where it is, calls at once."""
    return section("providers", _Table([_row(entry) for entry in entries]))


def _row(entry: Mapping[str, Any]) -> dict[str, Text]:
    sign = Text("✓ ", style=theme.GREEN) if entry["ready"] else Text("✗ ", style=theme.RED)
    return {
        WRITE: terminal_line(entry["example"], "bold"),
        KEY: sign + terminal_line(entry["api_key_env"] or "none needed"),
        STRUCTURE: terminal_line(", ".join(entry["structured"])),
        ADDRESS: terminal_line(entry["base_url"] or "in this process", theme.MUTED),
        AT_ONCE: Text(str(entry["max_concurrency"])),
    }


@dataclass(frozen=True, slots=True)
class _Table:
    """The rows. What there is no room for is left out, from the right, before a word of the other columns is broken."""

    rows: Sequence[Mapping[str, Text]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The widest form that fits, and where the rest is to be had."""
        del console
        names, room = self._fitting(options.max_width)
        made = new_table(*names, numbers=[place for place, name in enumerate(names) if name == AT_ONCE])
        for name, column in zip(names, made.columns, strict=True):
            if name == ADDRESS:
                column.max_width, column.no_wrap, column.overflow = room, True, "ellipsis"
        for row in self.rows:
            made.add_row(*(row[name] for name in names))
        yield made
        yield Text(LEGEND, style=theme.MUTED)
        if len(names) < len(COLUMNS):
            yield Text(MORE, style=theme.MUTED)

    def _fitting(self, width: int) -> tuple[list[str], int]:
        """The columns that a window of that width has room for, and the room of the address among them."""
        names, taken = [WRITE], self._width(WRITE)
        for name in COLUMNS[1:]:
            room, wanted = width - taken - GAP, self._width(name)
            if room < (min(LEAST_ADDRESS, wanted) if name == ADDRESS else wanted) and name not in NEEDED:
                break
            names.append(name)
            taken += GAP + min(room, wanted)
        return names, width - sum(GAP + self._width(name) for name in names if name != ADDRESS)

    def _width(self, name: str) -> int:
        return max([cell_len(name), *(cell_len(row[name].plain) for row in self.rows)])
