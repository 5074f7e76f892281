"""Participants: debaters with their defaults resolved."""

from typing import Any

import pytest
from storage_support import config

from debate_cli.domain.participant import participants
from debate_cli.domain.personality import ARCHETYPES


def debaters(*people: dict[str, Any]) -> list[dict[str, Any]]:
    """Return debaters that are named by their number."""
    return [{"name": f"D{number}", **person} for number, person in enumerate(people)]


@pytest.mark.parametrize(
    ("people", "prefixes"),
    [
        (debaters({"side": "for"}, {"side": "against"}), ["PRO", "CON"]),
        (debaters({"side": "for", "prefix": "A"}, {"side": "against"}), ["A", "CON"]),
        (debaters({"side": "tea"}, {"side": "green tea"}, {"side": "tea"}), ["TEA", "GREENT", "TEA2"]),
        (debaters({"side": "茶"}, {"side": "2nd"}, {"side": "茶"}), ["ARG", "ARG2", "ARG3"]),
    ],
)
def test_every_debater_has_a_unique_prefix(people: list[dict[str, Any]], prefixes: list[str]) -> None:
    """A prefix is configured, or made from the side and numbered if taken."""
    assert [person.prefix for person in participants(config(debaters=people))] == prefixes


@pytest.mark.parametrize(("side", "stance"), [("for", 0.8), ("against", -0.8), ("neither", 0.0)])
def test_the_stance_follows_from_the_side(side: str, stance: float) -> None:
    """A debater without a stance gets that of its side, and conviction 0.7."""
    person = participants(config(debaters=debaters({"side": side})))[0]
    assert (person.starting_stance, person.starting_conviction) == (stance, 0.7)
    assert (person.stance, person.conviction) == (None, None)


def test_personality_and_model_are_resolved() -> None:
    """An archetype becomes twelve traits, and a role becomes `provider/model`."""
    person = participants(config(debaters=debaters({"side": "for", "personality": "Engineer"})))[0]
    assert (person.model, person.personality) == ("mock/debater", ARCHETYPES["engineer"])
