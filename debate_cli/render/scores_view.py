"""The table of many scored files on a terminal, with its summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from debate_cli.render import hostile, look
from debate_cli.render.safe import joined, safe_line
from debate_cli.render.scores_table import Scored, SystemSummary, rows, summaries
from debate_cli.render.tables import badge, section, table

WITH_TOPIC = 130
"""Columns of a window from which on the topics fit as well."""
LEAST_PATH = 16
OTHERS = 66
"""Columns that all but the path take."""
LEAST_TOPIC = 24
GAP = 3
HEAD = 2
"""Lines of a table's head."""


def scores_view(files: Sequence[Scored]) -> list[RenderableType]:
    """One row per verdict, then wins, votes, draws and mean margin per system."""
    parts: list[RenderableType] = [section("scores", _Table(files))]
    if len(files) > 1:
        parts.append(section("summary", _summary(summaries(files)), beside=f"{len(files)} files"))
    return parts


@dataclass(frozen=True, slots=True)
class _Table:
    """The rows; the topics only where the window is wide enough for them."""

    files: Sequence[Scored]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """A file's path and topic stand in its first row only; paths that leave no room beside them on lines of their own."""
        found = _rows(self.files)
        longest = max((cell_len(hostile.line(row["path"])) for row in found), default=0)
        room = options.max_width - longest - OTHERS - GAP
        wide = options.max_width >= WITH_TOPIC and room >= LEAST_TOPIC
        if longest > LEAST_PATH and longest + OTHERS > options.max_width:
            yield from _below_paths(found, console, options)
            return
        topic = ("topic",) if wide else ()
        made = _headed("file", *topic)
        before = ""
        for row in found:
            again = row["path"] == before
            before = row["path"]
            about = [Text("") if again else _topic(row["topic"], room)] if wide else []
            made.add_row(Text("") if again else safe_line(row["path"]), *about, *_verdict(row))
        yield made


def _rows(files: Sequence[Scored]) -> list[dict[str, Any]]:
    """The rows, with the option where a panel let nobody win, and then its shares in the place of the scores."""
    verdicts = [verdict for file in files for verdict in file.verdicts]
    told = ({"option": verdict.option, "scores": verdict.figures} for verdict in verdicts)
    return [row | more for row, more in zip(rows(files), told, strict=True)]


def _headed(*first: str) -> Table:
    made = table(*first, "system", "winner", "victory", "margin", "scores", numbers=(len(first) + 3,))
    for column in made.columns:
        column.no_wrap, column.overflow = True, "ellipsis"
    return made


def _below_paths(found: Sequence[dict[str, Any]], console: Console, options: ConsoleOptions) -> RenderResult:
    """The table without its first column, and above the rows of each file its path: whole, or from its end."""
    made = _headed()
    for row in found:
        made.add_row(joined("  ", _verdict(row)[0]), *_verdict(row)[1:])
    lines = console.render_lines(made, options, pad=False)
    before = ""
    for number, line in enumerate(lines):
        row = found[number - HEAD] if number >= HEAD else None
        if row is not None and row["path"] != before:
            before = row["path"]
            yield safe_line(_end_of(hostile.line(before), options.max_width), "bold")
        yield from (*line, Segment.line())


def _topic(topic: str, room: int) -> Text:
    found = safe_line(topic, look.QUIET)
    found.truncate(room, overflow="ellipsis")
    return found


def _end_of(path: str, width: int) -> str:
    """The end of a path, which tells files apart."""
    while cell_len(path) > width:
        path = "…" + path[2:]
    return path


def _verdict(row: dict[str, Any]) -> list[Text]:
    system = row["system"] + ("" if row["run"] == "r1" else f" ({row['run']})")
    scores = [f"{hostile.line(name)} {look.number(score)}" for name, score in row["scores"].items()]
    return [
        safe_line(system),
        _winner(row),
        Text(row["victory"]),
        Text("—" if row["margin"] is None else look.number(row["margin"])),
        Text(" · ".join(scores)),
    ]


def _winner(row: dict[str, Any]) -> Text:
    if row["option"] is not None:
        return badge(look.VOTES[row["option"]])
    return Text("—", style=look.QUIET) if row["winner"] is None else safe_line(row["winner"], "bold")


def _summary(found: Sequence[SystemSummary]) -> RenderableType:
    made = table("system", "wins", "draws", "undetermined", "mean margin", numbers=(2, 3, 4))
    for item in found:
        wins = " · ".join(f"{hostile.line(name)} {count}" for name, count in item.counted) or "—"
        margin = "—" if item.mean_margin is None else look.number(item.mean_margin)
        made.add_row(Text(item.system), Text(wins), Text(str(item.draws)), Text(str(item.undetermined)), Text(margin))
    return made
