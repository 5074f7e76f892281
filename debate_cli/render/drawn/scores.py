"""The table of many scored files on a terminal, with its summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from debate_cli.render import sanitize, theme
from debate_cli.render.agreement import label_listed_verdict
from debate_cli.render.score_rows import ScoredFile, SystemSummary, score_rows, summarize_systems
from debate_cli.render.terminal import (
    ITEM_SEPARATOR,
    badge_text,
    join_text,
    new_table,
    section,
    terminal_line,
    wrap_items,
)

WITH_TOPIC = 130
"""Columns of a window from which on the topics fit as well."""
LEAST_TOPIC = 24
LEAST_SCORES = 20
"""Columns that the scores need in a table, in which they may take several lines; where there are fewer, verdicts are stacked."""
LEAST_WINS = 12
GAP = 3
"""Columns between two of a table."""
INDENT = 2
"""Columns by which what belongs to a path stands further in."""
HEAD = 2
"""Lines of a table's head."""
HEADS = ("system", "winner", "victory", "margin", "scores")
DRAW = "draw"
"""A victory that is nobody's; who reads down the winners finds it there too."""
COUNTED = ("draws", "undetermined", "mean margin")


def scores_view(files: Sequence[ScoredFile]) -> list[RenderableType]:
    """One row per verdict, then wins, votes, draws and mean margin per system."""
    parts: list[RenderableType] = [section("scores", _Table(files))]
    if len(files) > 1:
        parts.append(section("summary", _Summary(summarize_systems(files)), beside=f"{len(files)} files"))
    return parts


@dataclass(frozen=True, slots=True)
class _Table:
    """The rows: who won, and the margin, are whole in every window."""

    files: Sequence[ScoredFile]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """A table; where paths leave no room they stand above their verdicts, and where these have none they are stacked.

        A file's path and topic stand in its first row only; the topics only where the window is wide enough for them.
        """
        found = _rows(self.files)
        longest = max((cell_len(sanitize.sanitize_line(row["path"])) for row in found), default=0)
        *whole, scores = _widths(found)
        pair = max((cell_len(pair) for row in found for pair in _pairs(row)), default=0)
        verdict = sum(whole) + len(whole) * GAP
        if longest + GAP + verdict + scores <= options.max_width:
            room = options.max_width - longest - 2 * GAP - verdict - scores
            yield _beside_paths(found, room if options.max_width >= WITH_TOPIC and room >= LEAST_TOPIC else 0)
        elif INDENT + verdict + min(scores, max(pair, LEAST_SCORES)) <= options.max_width:
            yield from _below_paths(found, options.max_width - INDENT - verdict, console, options)
        else:
            yield from _stacked(found, options.max_width)


def _widths(found: Sequence[dict[str, Any]]) -> list[int]:
    """Columns that system, winner, victory, margin and scores take."""
    cells = [
        [head, *(words.plain for words in column)] for head, *column in zip(HEADS, *map(_verdict, found), strict=True)
    ]
    return [max(map(cell_len, column)) for column in cells]


def _rows(files: Sequence[ScoredFile]) -> list[dict[str, Any]]:
    """The rows; `called`: how a system is told apart; with the option and its shares where a panel let nobody win."""
    told = (
        {
            "called": label_listed_verdict(verdict, file.verdicts),
            "option": verdict.option,
            "scores": verdict.displayed_scores,
        }
        for file in files
        for verdict in file.verdicts
    )
    return [row | more for row, more in zip(score_rows(files), told, strict=True)]


def _headed(*first: str) -> Table:
    made = new_table(*first, *HEADS, numbers=(len(first) + 3,))
    for column in made.columns:
        column.no_wrap, column.overflow = True, "ellipsis"
    return made


def _beside_paths(found: Sequence[dict[str, Any]], room: int) -> Table:
    """The table with a first column of paths, and one of topics where there is `room` for it."""
    made = _headed("file", *(("topic",) if room else ()))
    before = ""
    for row in found:
        again = row["path"] == before
        before = row["path"]
        about = [Text("") if again else _topic(row["topic"], room)] if room else []
        made.add_row(Text("") if again else terminal_line(row["path"]), *about, *_verdict(row))
    return made


def _below_paths(found: Sequence[dict[str, Any]], room: int, console: Console, options: ConsoleOptions) -> RenderResult:
    """The table without its first column, and above the rows of each file its path; `room` is that of the scores."""
    made = _headed()
    owners: list[dict[str, Any] | None] = [None] * HEAD
    for row in found:
        system, *rest, _ = _verdict(row)
        scores = wrap_items(_pairs(row), room)
        made.add_row(join_text(" " * INDENT, system), *rest, Text("\n".join(scores)))
        owners += [row] * max(1, len(scores))
    lines = console.render_lines(made, options, pad=False)
    before = ""
    for row, line in zip(owners, lines, strict=True):
        if row is not None and row["path"] != before:
            before = row["path"]
            yield terminal_line(_end_of(sanitize.sanitize_line(before), options.max_width), "bold")
        yield from (*line, Segment.line())


def _stacked(found: Sequence[dict[str, Any]], width: int) -> RenderResult:
    """No table: a verdict on a line or two below its file's path, its scores below that; nothing is cut."""
    before = ""
    for row in found:
        if row["path"] != before:
            before = row["path"]
            yield terminal_line(_end_of(sanitize.sanitize_line(before), width), "bold")
        system, winner, victory, margin, _ = _verdict(row)
        named = row["winner"] is not None or row["option"] is not None
        told = [winner, victory] if named else [victory]
        margined = [join_text("margin ", margin)] if row["margin"] is not None else []
        yield Padding(join_text(system, ": ", join_text(*told, *margined, separator=", ")), (0, 0, 0, INDENT))
        yield Padding(Text("\n".join(wrap_items(_pairs(row), width - 2 * INDENT))), (0, 0, 0, 2 * INDENT))


def _topic(topic: str, room: int) -> Text:
    found = terminal_line(topic, theme.MUTED)
    found.truncate(room, overflow="ellipsis")
    return found


def _end_of(path: str, width: int) -> str:
    """The end of a path, which tells files apart."""
    while cell_len(path) > width:
        path = "…" + path[2:]
    return path


def _verdict(row: dict[str, Any]) -> list[Text]:
    return [
        terminal_line(row["called"]),
        _winner(row),
        Text(row["victory"]),
        Text("—" if row["margin"] is None else theme.format_number(row["margin"])),
        Text(ITEM_SEPARATOR.join(_pairs(row))),
    ]


def _pairs(row: dict[str, Any]) -> list[str]:
    """Name and score of each, the highest first."""
    ordered = sorted(row["scores"].items(), key=lambda item: -item[1])
    return [f"{sanitize.sanitize_line(name)} {theme.format_number(score)}" for name, score in ordered]


def _winner(row: dict[str, Any]) -> Text:
    if row["option"] is not None:
        return badge_text(theme.VOTE_BADGES[row["option"]])
    if row["winner"] is not None:
        return terminal_line(row["winner"], "bold")
    return Text(DRAW, style="bold") if row["victory"] == DRAW else Text("—", style=theme.MUTED)


@dataclass(frozen=True, slots=True)
class _Summary:
    """A row per system; a line or two where the window is too narrow for that."""

    found: Sequence[SystemSummary]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """System, wins, draws, undetermined and mean margin."""
        del console
        rows = [_summed(item) for item in self.found]
        others = max((cell_len(system) for system, *_ in rows), default=0) + sum(map(len, COUNTED))
        if options.max_width >= others + LEAST_WINS + GAP * (1 + len(COUNTED)):
            made = new_table("system", "wins", *COUNTED, numbers=(2, 3, 4))
            for row in rows:
                made.add_row(*map(Text, row))
            yield made
            return
        for system, wins, *counted in rows:
            told = ", ".join(f"{head} {count}" for head, count in zip(COUNTED, counted, strict=True))
            yield Text(f"{system}: {wins}")
            yield Padding(Text(told, style=theme.MUTED), (0, 0, 0, INDENT))


def _summed(item: SystemSummary) -> tuple[str, ...]:
    wins = ITEM_SEPARATOR.join(f"{sanitize.sanitize_line(name)} {count}" for name, count in item.counted) or "—"
    margin = "—" if item.mean_margin is None else theme.format_number(item.mean_margin)
    return item.system, wins, str(item.draws), str(item.undetermined), margin
