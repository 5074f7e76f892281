"""What the doctor found, on a terminal: a row a model, or a few lines where the window is too narrow for rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from debate_cli.render import theme
from debate_cli.render.model_tables import describe_problems, format_check_usage, format_price
from debate_cli.render.terminal import (
    UnbrokenText,
    WrappedName,
    badge_text,
    bullets,
    join_text,
    new_table,
    section,
    terminal_line,
    wrap_items,
)
from debate_cli.render.theme import Sign

INDENT = 2
"""Columns by which what was found of a model stands further in than its name, where there is no table."""
WIDE = 1000
"""Columns in which every table has room."""
_WAYS = ("native", "tool", "prompt", "stream")
HEADS = ("model", *_WAYS, "takes", "tokens/s", "USD/M\nin/out")
_SIGNS = {
    "ok": Sign("✓", "", theme.GREEN),
    "not_enforced": Sign("≈", "", theme.GOLD),
    "invalid": Sign("?", "", theme.GOLD),
    "one_piece": Sign("▪", "", theme.GOLD),
    "rejected": Sign("✗", "", theme.RED),
    "failed": Sign("!", "", theme.RED),
}
"""The words to them stand beneath the table, beside what is wrong."""


def doctor_view(entries: Sequence[Mapping[str, Any]]) -> RenderableType:
    """What each model can do, for entries as `--json` prints them; what is not as it should be stands beneath, in sentences."""
    found = [f"{entry['model']}: {remark}" for entry in entries for remark in describe_problems(entry)]
    took = [f"{entry['model']}: {words}" for entry in entries if (words := format_check_usage(entry))]
    return section("models", _Models(entries), bullets([*found, *took]))


@dataclass(frozen=True, slots=True)
class _Models:
    """The models: nothing of one is cut or broken within a word, however narrow the window is."""

    entries: Sequence[Mapping[str, Any]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """A table where all of it fits beside the names, which may be parted at their joints; else a few lines a model."""
        rows = _table(self.entries)
        if Measurement.get(console, options.update(width=WIDE), rows).minimum <= options.max_width:
            yield rows
            return
        for entry in self.entries:
            yield WrappedName(_name(entry), INDENT)
            yield from (Padding(line, (0, 0, 0, INDENT)) for line in _told(entry, options.max_width - INDENT))


def _table(entries: Sequence[Mapping[str, Any]]) -> Table:
    made = new_table(*("" for _ in HEADS), numbers=(5, 6, 7))
    for column, head in zip(made.columns, HEADS, strict=True):
        column.header = UnbrokenText(Text(head))
    for entry in entries:
        cells = [*(_result(entry, way) for way in _WAYS), *map(_figure, _figures(entry))]
        made.add_row(WrappedName(_name(entry), INDENT), *map(UnbrokenText, cells))
    return made


def _told(entry: Mapping[str, Any], width: int) -> Iterator[Text]:
    """The same in lines of at most `width` columns, without what is not known."""
    for row in wrap_items([f"{way} {_result(entry, way)}" for way in _WAYS] if entry["checks"] else [], width):
        line = Text(row)
        for sign in _SIGNS.values():
            line.highlight_words([sign.symbol], f"bold {sign.colour}")
        yield line
    takes, speed, price = _figures(entry)
    known = (("takes", takes, ""), ("", speed, "tokens/s"), ("USD/M in/out", price, ""))
    words = [" ".join(filter(None, (before, value, after))) for before, value, after in known if value is not None]
    yield from map(Text, wrap_items(words, width))


def _figures(entry: Mapping[str, Any]) -> tuple[str | None, str | None, str | None]:
    """How long it takes, its pace and its price; None for what is not known."""
    return (
        None if entry["latency_s"] is None else theme.format_duration(entry["latency_s"]),
        None if entry["tokens_per_second"] is None else theme.format_number(entry["tokens_per_second"], 1),
        format_price(entry["price"]) if entry["checks"] else None,
    )


def _name(entry: Mapping[str, Any]) -> Text:
    return join_text(
        ("✓ ", theme.GREEN) if entry["usable"] else ("✗ ", theme.RED), terminal_line(entry["model"], "bold")
    )


def _result(entry: Mapping[str, Any], way: str) -> Text:
    """How a check went; a dash where the model is not asked that way."""
    found = next((check["result"] for check in entry["checks"] if check["way"] == way), None)
    return _figure(None) if found is None else badge_text(_SIGNS[found])


def _figure(words: str | None) -> Text:
    return Text("—", style=theme.MUTED) if words is None else Text(words)
