"""The trace on a terminal: who claimed what, who answered it how, and what became of it; in a narrow window without columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from debate_cli.render import theme
from debate_cli.render.terminal import (
    ParticipantStyles,
    WrappedName,
    badge_text,
    join_text,
    new_table,
    section,
    terminal_line,
    wrapped_participant,
)
from debate_cli.systems.structured.trace import TraceRow

LEAST_WIDTH = 76
"""Columns of a window below which claims, answers and standings stand below each other: beside each other they would be slivers."""
SHARES = (9, 8, 7)
"""How claims, answers and standings share a window; a standing without a reason takes what it needs."""
INDENT = 2
"""Columns by which what belongs to a claim stands further in; twice as much what belongs to an answer or a standing."""
_Line = tuple[RenderableType, bool]
"""A line, and whether it belongs to the one above it."""


def trace_view(rows: Sequence[TraceRow], signs: ParticipantStyles) -> RenderableType:
    """Each claim, its standing as sign, word and colour."""
    return section("trace", _Trace(rows, signs))


@dataclass(frozen=True, slots=True)
class _Trace:
    """A row per claim, or a few lines where the window is narrow."""

    rows: Sequence[TraceRow]
    signs: ParticipantStyles

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The claims in their order."""
        del console
        if options.max_width >= LEAST_WIDTH:
            yield self._table()
            return
        for number, row in enumerate(self.rows):
            if number:
                yield Text("")
            yield _head(row, self.signs)
            for line, deeper in ((terminal_line(row.claim), False), *_answers(row, self.signs), *_standing(row)):
                yield Padding(line, (0, 0, 0, 2 * INDENT if deeper else INDENT))

    def _table(self) -> Table:
        made = new_table("claim", "answers", "standing")
        reasons = any(row.standing is not None and row.reason for row in self.rows)
        for column, share in zip(made.columns, SHARES if reasons else SHARES[:2], strict=False):
            column.ratio = share
        made.columns[-1].no_wrap = not reasons
        for row in self.rows:
            claim = Group(_head(row, self.signs), terminal_line(row.claim))
            answers, standing = (
                Group(*(line for line, _ in part)) for part in (_answers(row, self.signs), _standing(row))
            )
            made.add_row(claim, answers, standing)
        made.expand, made.leading = True, 1
        return made


def _head(row: TraceRow, signs: ParticipantStyles) -> WrappedName:
    named = wrapped_participant(row.participant, signs)
    before = join_text(terminal_line(row.id, "bold"), "  ")
    return WrappedName(before + named.text, len(before) + named.sign)


@dataclass(frozen=True, slots=True)
class _Doing:
    """Who did something, and what: on one line where that fits, else what was done stands below the name."""

    who: WrappedName
    what: Text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The words."""
        del console
        whole = join_text(self.who.text, " ", self.what)
        if whole.cell_len <= options.max_width:
            yield whole
        else:
            yield self.who
            yield Padding(self.what, (0, 0, 0, INDENT))


def _answers(row: TraceRow, signs: ParticipantStyles) -> list[_Line]:
    lines = list[_Line]()
    for response in row.responses:
        sign = theme.RESPONSE_BADGES.get(response.type, theme.UNKNOWN_BADGE)
        lines.append((_Doing(wrapped_participant(response.by, signs), badge_text(sign)), False))
        if response.follow_up:
            lines.append((join_text(("asks ", theme.MUTED), terminal_line(response.follow_up, "italic")), True))
    for reply in row.replies:
        words = Text("leaves it open" if reply.evaded else "replies")
        lines.append((_Doing(wrapped_participant(reply.by, signs), words), False))
    return lines or [(Text("unanswered", style=theme.MUTED), False)]


def _standing(row: TraceRow) -> list[_Line]:
    if row.standing is None:
        return [(Text("not judged", style=theme.MUTED), False)]
    reason = [(terminal_line(row.reason, theme.MUTED), True)] if row.reason else []
    return [(badge_text(theme.STANDING_BADGES[row.standing]), False), *reason]
