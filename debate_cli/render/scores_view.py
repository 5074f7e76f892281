"""The table of many scored files on a terminal, with its summary."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from debate_cli.render import hostile, look
from debate_cli.render.safe import safe_line
from debate_cli.render.scores_table import Scored, SystemSummary, rows, summaries
from debate_cli.render.tables import section, table


def scores_view(files: Sequence[Scored]) -> list[RenderableType]:
    """One row per verdict, then wins, draws and mean margin per system."""
    made = table("file", "topic", "system", "winner", "victory", "margin", "scores", numbers=(5,))
    made.columns[1].no_wrap, made.columns[1].overflow, made.columns[1].max_width = True, "ellipsis", 40
    before = ""
    for row in rows(files):
        again = row["path"] == before
        before = row["path"]
        system = row["system"] + ("" if row["run"] == "r1" else f" ({row['run']})")
        scores = [f"{hostile.line(name)} {look.number(score)}" for name, score in row["scores"].items()]
        made.add_row(
            Text("") if again else safe_line(row["path"]),
            Text("") if again else safe_line(row["topic"], "dim"),
            safe_line(system),
            Text("—", style="dim") if row["winner"] is None else safe_line(row["winner"], "bold"),
            Text(row["victory"]),
            Text("—" if row["margin"] is None else look.number(row["margin"])),
            Text(" · ".join(scores)),
        )
    parts: list[RenderableType] = [section("scores", made)]
    if len(files) > 1:
        parts.append(section("summary", _summary(summaries(files)), beside=f"{len(files)} files"))
    return parts


def _summary(found: Sequence[SystemSummary]) -> RenderableType:
    made = table("system", "wins", "draws", "undetermined", "mean margin", numbers=(2, 3, 4))
    for item in found:
        wins = " · ".join(f"{hostile.line(name)} {count}" for name, count in item.wins.items()) or "—"
        margin = "—" if item.mean_margin is None else look.number(item.mean_margin)
        made.add_row(Text(item.system), Text(wins), Text(str(item.draws)), Text(str(item.undetermined)), Text(margin))
    return made
