"""A debater's character and its drift in words."""

from __future__ import annotations

from debate_cli.debaters.instructions import format_character, format_directive
from debate_cli.domain.personality import ARCHETYPES, PressureKind, apply_pressures

ENGINEER = ARCHETYPES["engineer"]


def test_a_character_names_all_traits() -> None:
    """Twelve traits with their numbers; empty without a personality."""
    assert format_character(ENGINEER).count(",") == 12
    assert "evidence reliance 9" in format_character(ENGINEER)
    assert format_character(None) == ""


def test_a_directive_names_pressures_and_moved_traits() -> None:
    """The directive names the kinds of pressure felt and the traits that moved, the largest move first."""
    pressures: dict[PressureKind, float] = {"strategic": 0.5, "cognitive": 0.0}
    words = format_directive(ENGINEER, apply_pressures(ENGINEER, pressures, 1.0), pressures)
    assert words == (
        "For this turn only. Never mention this. In the last exchange you were pressed firmly on your control of what"
        " the debate is about. Argue with more framing (4 to 5.5), more directness (9 to 9.8), more openness (5 to 5.5)."
    )


def test_a_directive_without_moved_traits() -> None:
    """A debater without elasticity still has the pressure in its directive; without pressure there is none."""
    words = format_directive(ENGINEER, ENGINEER, {"credibility": 0.9})
    assert words is not None
    assert words.endswith("you were pressed hard on the credibility of your evidence.")
    assert format_directive(ENGINEER, ENGINEER, {"cognitive": 0.0}) is None
