"""The trace on a terminal: columns where they are wide enough for what stands in them, else lines below each other."""

from __future__ import annotations

import pytest
from debate_cli.render.drawn.trace import trace_view
from render_support import debate, shown

from debate_cli.render import theme
from debate_cli.systems.structured.trace import TraceRow, build_trace_table

ROWS = build_trace_table(debate())
"""Judged, each with a reason."""
SIGNS = theme.participant_styles(debate().participants)


def unjudged() -> list[TraceRow]:
    """The same claims without a judge."""
    return [row.model_copy(update={"standing": None, "reason": ""}) for row in ROWS]


def drawn(rows: list[TraceRow], width: int) -> list[str]:
    """The lines, without blanks at their ends."""
    return [line.rstrip() for line in shown(trace_view(rows, SIGNS), width).splitlines()]


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_how_a_claim_was_answered_stands_on_one_line(width: int) -> None:
    """Who did, the sign and its words."""
    for rows in (ROWS, unjudged()):
        assert any("● Ada ≈ accepts in part" in line for line in drawn(list(rows), width))


def test_in_a_narrow_window_there_are_no_columns() -> None:
    """Claim, answers and standing below each other; what belongs to one of them stands further in."""
    lines = drawn(list(ROWS), 60)
    assert not any("standing" in line for line in lines)
    place = lines.index("CON-1  ◆ Bo")
    assert lines[place + 1 : place + 6] == [
        "  Eight engineers cannot operate a dozen services.",
        "  ● Ada ? challenges",
        "    asks What did Segment's platform bill look like before?",
        "  ✓ upheld",
        "    The challenge names a platform but no cost.",
    ]


def test_what_nobody_judged_takes_no_room_from_the_claims() -> None:
    """Its column is as wide as its words."""
    head = next(line for line in drawn(unjudged(), 80) if line.startswith("claim"))
    assert head.index("standing") == 80 - len("not judged")


@pytest.mark.parametrize("width", [40, 80])
def test_a_long_name_is_parted_at_its_joints_and_its_answer_stays_whole(width: int) -> None:
    """The sign stays with the name's beginning, and that of the answer with its words."""
    long = "claude-sonnet-4-5-20250929-extended-thinking"
    rows = [
        row.model_copy(update={"participant": long, "responses": tuple(one.model_copy(update={"by": long}) for one in row.responses)})
        for row in ROWS
    ]  # fmt: skip
    told = "\n".join(
        line.rstrip()
        for line in shown(
            trace_view(rows, {long: theme.participant_styles(debate().participants)["Ada"]}), width
        ).splitlines()
    )
    assert all(words in told for words in ("● claude-sonnet-", "✗ refutes", "? challenges", "≈ accepts in part"))
    assert not any(line.endswith(("●", "✗", "≈")) for line in told.splitlines())
    assert all(piece in told for piece in long.split("-"))
