"""The table of providers on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from debate_cli.render import look
from debate_cli.render.safe import safe_line
from debate_cli.render.tables import section, table


def providers_view(entries: Sequence[Mapping[str, Any]]) -> RenderableType:
    """One row a provider: what to write, whether its key is set, how it gives structure, where it is."""
    made = table("write", "key", "structure", "at once", "address", numbers=(3,))
    for entry in entries:
        mark = Text("✓ ", style=look.GREEN) if entry["ready"] else Text("✗ ", style=look.RED)
        made.add_row(
            safe_line(entry["example"], "bold"),
            mark + safe_line(entry["key"]),
            safe_line(", ".join(entry["structured"])),
            Text(str(entry["max_concurrency"])),
            safe_line(entry["base_url"] or "in this process", look.QUIET),
        )
    return section("providers", made)
