"""The list of saved debates on a terminal."""

from __future__ import annotations

from typing import Any

from render_support import shown

from debate_cli.render.catalogue_view import catalogue_view
from debate_cli.storage.catalogue import Card, Conclusion

WON = Conclusion("structured", "r1", "Bo", "narrow", 1.1, decides=True)


def card(**changes: Any) -> Card:
    """A debate that came to its end."""
    fields: dict[str, Any] = {
        "path": "transcripts/one.json",
        "id": "one",
        "started_at": "2026-03-01T09:00:00Z",
        "topic": "A tram?",
        "state": "complete",
        "turns": 6,
        "models": ("mock/a",),
        "conclusions": (WON,),
        "cost_usd": 0.022,
        **changes,
    }
    return Card(**fields)


def lines(*cards: Card) -> list[str]:
    """What 80 columns show, without the rule above it."""
    drawn = "".join(shown(part, 80) for part in catalogue_view(cards, "transcripts"))
    return [line.strip() for line in drawn.splitlines() if line.strip()][1:]


def test_a_debate_in_a_few_lines() -> None:
    """Its id, its motion, when (and by which clock), by whom, for how much, who won."""
    assert lines(card()) == ["✓ one", "A tram?", "2026-03-01 09:00 UTC · mock/a · $0.0220", "structured Bo, narrow"]


def test_the_command_to_go_on_has_a_line_of_its_own() -> None:
    """So that it can be copied; where the budget stopped it, more of that is needed."""
    found = lines(card(state="budget", turns=1))
    assert found[-2:] == [
        "stopped by its budget after 1 speech",
        "go on with a larger budget: debate run --resume transcripts/one.json",
    ]


def test_an_empty_folder_is_told() -> None:
    """With what fills it."""
    assert lines() == ["No debate is saved here; `debate run --mock` holds one without a model."]
