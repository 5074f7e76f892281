"""The cast above a debate: readable in windows of every width, with nothing left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from debate_cli.render.live.seats import ParticipantList
from debate_cli.render.participants import ParticipantRow
from debate_cli.render.theme import Sign

LONG = "mock/claude-sonnet-5-long"


def seat(name: str, part: str, model: str = LONG) -> ParticipantRow:
    """Somebody who takes part."""
    return ParticipantRow(Sign("●", "", ""), name, part, model)


SEATS = (
    seat("Pro", "for · strategist · strategy adaptive"),
    seat("Con", "against · engineer · strategy analytical"),
    seat("technical_architect", "panel 0.25"),
)


def rows(width: int, *seats: ParticipantRow) -> list[str]:
    """The lines in a window of that width."""
    return ["".join(words for words, _ in made.spans).rstrip() for made in ParticipantList(seats or SEATS).lines(width)]


def test_where_there_is_room_everybody_takes_a_line() -> None:
    """Name, part and model in columns."""
    assert rows(100)[1:] == [
        f"● Con                  against · engineer · strategy analytical  {LONG}",
        f"● technical_architect  panel 0.25                                {LONG}",
    ]


def test_a_part_takes_several_lines_before_a_model_does() -> None:
    """They end between two things that are told."""
    assert rows(76)[2:4] == [
        f"● Con                  against · engineer          {LONG}",
        "                       strategy analytical",
    ]


def test_with_less_room_the_model_stands_below_the_part() -> None:
    """Beside the name."""
    assert rows(56)[3:] == [
        "● Con                  against · engineer",
        "                       strategy analytical",
        f"                       {LONG}",
        "● technical_architect  panel 0.25",
        f"                       {LONG}",
    ]


def test_in_the_narrowest_window_all_stands_below_the_name() -> None:
    """On one line where that is enough."""
    assert rows(36, *SEATS[:2], seat("technical_architect", "panel 0.25", "mock/judge"))[4:] == [
        "● Con",
        "    against · engineer",
        "    strategy analytical",
        f"    {LONG}",
        "● technical_architect",
        "    panel 0.25 · mock/judge",
    ]


@pytest.mark.parametrize("width", [20, 24])
def test_a_model_is_parted_at_its_joints(width: int) -> None:
    """A word of it is whole as long as it fits."""
    told = [row.strip() for row in rows(width, seat("Pro", "for"))]
    assert told[-2:] == (["mock/claude-", "sonnet-5-long"] if width == 20 else ["mock/claude-sonnet-", "5-long"])


WORDS = st.text(st.sampled_from("ab_-/.漢é"), min_size=1, max_size=40)


@given(WORDS, WORDS, WORDS, st.integers(12, 120))
def test_nothing_is_left_out_in_a_window_of_any_width(name: str, part: str, model: str, width: int) -> None:
    """All letters come, wherever lines end, and no line is wider than the window."""
    found = rows(width, seat(name, part, model), seat("Con", "against · engineer"))
    assert sorted(sign for sign in "".join(found) if sign not in " ·●") == sorted(
        f"{name}{part}{model}Conagainstengineer{LONG}"
    )
    assert max(map(cell_len, found)) <= width
