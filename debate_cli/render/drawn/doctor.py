"""What the doctor found, as a table on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from debate_cli.render import look
from debate_cli.render.drawn.safe import joined, safe_line
from debate_cli.render.drawn.tables import badge, bullets, section, table
from debate_cli.render.look import Sign
from debate_cli.render.plain.doctor import listed, remarks, spent

_WAYS = ("native", "tool", "prompt", "stream")
_SIGNS = {
    "ok": Sign("✓", "", look.GREEN),
    "not_enforced": Sign("≈", "", look.GOLD),
    "invalid": Sign("?", "", look.GOLD),
    "one_piece": Sign("▪", "", look.GOLD),
    "rejected": Sign("✗", "", look.RED),
    "failed": Sign("!", "", look.RED),
}
"""The words to them stand beneath the table, beside what is wrong."""


def doctor_view(entries: Sequence[Mapping[str, Any]]) -> RenderableType:
    """A row a model, for entries as `--json` prints them; what is not as it should be stands beneath, in sentences."""
    made = table("model", *_WAYS, "takes", "tokens/s", "USD/M in/out", numbers=(5, 6, 7))
    for entry in entries:
        made.add_row(
            joined(_mark(entry["usable"]), safe_line(entry["model"], "bold")),
            *(_result(entry, way) for way in _WAYS),
            _figure(None if entry["latency_s"] is None else look.seconds(entry["latency_s"])),
            _figure(None if entry["tokens_per_second"] is None else look.number(entry["tokens_per_second"], 1)),
            _figure(listed(entry["price"]) if entry["checks"] else None),
        )
    found = [f"{entry['model']}: {remark}" for entry in entries for remark in remarks(entry)]
    took = [f"{entry['model']}: {words}" for entry in entries if (words := spent(entry))]
    return section("models", made, bullets([*found, *took]))


def _mark(usable: bool) -> tuple[str, str]:
    return ("✓\u00a0", look.GREEN) if usable else ("✗\u00a0", look.RED)


def _result(entry: Mapping[str, Any], way: str) -> Text:
    """How a check went; a dash where the model is not asked that way."""
    found = next((check["result"] for check in entry["checks"] if check["way"] == way), None)
    return _figure(None) if found is None else badge(_SIGNS[found])


def _figure(words: str | None) -> Text:
    return Text("—", style=look.QUIET) if words is None else Text(words)
