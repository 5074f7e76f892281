"""Names of places on the page. They are numbers of ours: no words of a debate become part of an address."""

from __future__ import annotations

from collections.abc import Mapping

from debate_cli.domain.debate import Debate


def turn_anchor(index: int) -> str:
    """The card of a turn."""
    return f"turn-{index}"


def argument_anchors(debate: Debate) -> dict[str, str]:
    """Argument id -> where its words stand."""
    return {item: f"argument-{number}" for number, item in enumerate(debate.arguments)}


def response_anchor(index: int, target: str, places: Mapping[str, str]) -> str:
    """The answer that a turn gives to an argument; the turn itself where there is no such argument."""
    return f"{turn_anchor(index)}-{places[target]}" if target in places else turn_anchor(index)


def reply_anchor(index: int, target: str, places: Mapping[str, str]) -> str:
    """What a turn replies to the question about an argument."""
    return f"{response_anchor(index, target, places)}-reply" if target in places else turn_anchor(index)
