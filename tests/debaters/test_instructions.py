"""A debater's character and its drift in words."""

import pytest

from debate_cli.debaters.conversation import format_character
from debate_cli.domain.personality import ARCHETYPES, Personality
from debate_cli.systems.live.personality_drift import format_pressure

ENGINEER = ARCHETYPES["engineer"]


def test_a_character_names_all_traits() -> None:
    """A character names twelve traits with their numbers."""
    assert format_character(ENGINEER).count(",") == 12
    assert "evidence reliance 9" in format_character(ENGINEER)
    assert format_character(None) == ""


def test_pressure_names_pressures_and_changed_traits() -> None:
    """The kinds of pressure felt and the traits that differ from the start, the largest change first, to one decimal."""
    now = ENGINEER.model_copy(update={"framing": 5.04, "openness": 5.25, "empathy": 4.04, "concision": 7.9})
    words = format_pressure(ENGINEER, now, {"strategic": 0.5, "cognitive": 0.0})
    assert words == (
        "In the last exchange you were pressed firmly on your control of what"
        " the debate is about. Argue with more framing (4 to 5), more openness (5 to 5.2), less concision (8 to 7.9)."
    )


@pytest.mark.parametrize(
    ("now", "pressure", "expected"),
    [
        (ENGINEER, 0.9, "you were pressed hard on the credibility of your evidence."),
        # A change lasts after the pressure is over
        (ENGINEER.model_copy(update={"framing": 6}), 0.0, "Argue with more framing (4 to 6)."),
        (ENGINEER.model_copy(update={"framing": 4.04}), 0.0, ""),
    ],
)
def test_pressure_has_pressure_or_change(now: Personality, pressure: float, expected: str) -> None:
    """A debater without elasticity still has the pressure; a changed one has the change without new pressure; a change below one decimal is none."""
    words = format_pressure(ENGINEER, now, {"credibility": pressure})
    assert words.endswith(expected)
    assert bool(words) == bool(expected)
