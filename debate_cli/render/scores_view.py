"""The table of many scored files on a terminal, with its summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.text import Text

from debate_cli.render import hostile, look
from debate_cli.render.safe import safe_line
from debate_cli.render.scores_table import Scored, SystemSummary, rows, summaries
from debate_cli.render.tables import section, table

WITH_TOPIC = 130
"""Columns of a window from which on the topics fit as well."""
LEAST_PATH = 16


def scores_view(files: Sequence[Scored]) -> list[RenderableType]:
    """One row per verdict, then wins, draws and mean margin per system."""
    parts: list[RenderableType] = [section("scores", _Table(files))]
    if len(files) > 1:
        parts.append(section("summary", _summary(summaries(files)), beside=f"{len(files)} files"))
    return parts


@dataclass(frozen=True, slots=True)
class _Table:
    """The rows; the topics only where the window is wide enough for them."""

    files: Sequence[Scored]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """A file's path and topic stand in its first row only."""
        wide = options.max_width >= WITH_TOPIC
        topic = ("topic",) if wide else ()
        made = table("file", *topic, "system", "winner", "victory", "margin", "scores", numbers=(4 + len(topic),))
        for column in made.columns[1:]:
            column.no_wrap, column.overflow = True, "ellipsis"
        before = ""
        for row in rows(self.files):
            again = row["path"] == before
            before = row["path"]
            about = [Text("") if again else safe_line(row["topic"], look.QUIET)] if wide else []
            made.add_row("" if again else _Path(hostile.line(row["path"])), *about, *_verdict(row))
        yield made


@dataclass(frozen=True, slots=True)
class _Path:
    """A path of which, where it does not fit, the end is shown: it tells files apart."""

    path: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """On one line."""
        room = options.max_width
        yield Text(self.path if len(self.path) <= room else "…" + self.path[len(self.path) - room + 1 :], no_wrap=True)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """From a few letters to all of them."""
        return Measurement(min(LEAST_PATH, len(self.path)), len(self.path))


def _verdict(row: dict[str, Any]) -> list[Text]:
    system = row["system"] + ("" if row["run"] == "r1" else f" ({row['run']})")
    scores = [f"{hostile.line(name)} {look.number(score)}" for name, score in row["scores"].items()]
    return [
        safe_line(system),
        Text("—", style=look.QUIET) if row["winner"] is None else safe_line(row["winner"], "bold"),
        Text(row["victory"]),
        Text("—" if row["margin"] is None else look.number(row["margin"])),
        Text(" · ".join(scores)),
    ]


def _summary(found: Sequence[SystemSummary]) -> RenderableType:
    made = table("system", "wins", "draws", "undetermined", "mean margin", numbers=(2, 3, 4))
    for item in found:
        wins = " · ".join(f"{hostile.line(name)} {count}" for name, count in item.wins.items()) or "—"
        margin = "—" if item.mean_margin is None else look.number(item.mean_margin)
        made.add_row(Text(item.system), Text(wins), Text(str(item.draws)), Text(str(item.undetermined)), Text(margin))
    return made
