"""The trace table on a terminal: who claimed what, who answered it how, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from debate_cli.render import look
from debate_cli.render.drawn.safe import joined, safe_line
from debate_cli.render.drawn.tables import Signs, badge, name, section, table
from debate_cli.scoring.trace import TraceRow


def trace(rows: Sequence[TraceRow], signs: Signs) -> RenderableType:
    """A row per claim, its standing as sign, word and colour."""
    made = table("claim", "answers", "standing")
    for number, column in enumerate(made.columns):
        column.ratio = (5, 3, 3)[number]
    for row in rows:
        head = joined(safe_line(row.id, "bold"), "  ", name(row.participant, signs))
        made.add_row(Group(head, safe_line(row.claim)), _answers(row, signs), _standing(row))
    made.expand, made.leading = True, 1
    return section("trace", made)


def _answers(row: TraceRow, signs: Signs) -> RenderableType:
    lines: list[Text] = []
    for response in row.responses:
        sign = look.RESPONSES.get(response.type, look.UNKNOWN)
        lines.append(joined(name(response.by, signs), " ", badge(sign)))
        if response.follow_up:
            lines.append(joined(("asks ", look.QUIET), safe_line(response.follow_up, "italic")))
    for reply in row.replies:
        words = "leaves it open" if reply.evaded else "replies"
        lines.append(joined(name(reply.by, signs), f" {words}"))
    return Group(*lines) if lines else Text("unanswered", style=look.QUIET)


def _standing(row: TraceRow) -> RenderableType:
    if row.standing is None:
        return Text("not judged", style=look.QUIET)
    lines = [badge(look.STANDINGS[row.standing])]
    if row.reason:
        lines.append(safe_line(row.reason, look.QUIET))
    return Group(*lines)
