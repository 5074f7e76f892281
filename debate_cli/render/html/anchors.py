"""Anchors of the page. They consist of numbers only, so no text of a debate becomes part of an address."""

from __future__ import annotations

from collections.abc import Mapping

from debate_cli.domain.debate import Debate


def turn_anchor(index: int) -> str:
    """Anchor of a turn's card."""
    return f"turn-{index}"


def argument_anchors(debate: Debate) -> dict[str, str]:
    """Argument id -> anchor of the argument."""
    return {item: f"argument-{number}" for number, item in enumerate(debate.arguments)}


def response_anchor(index: int, target: str, anchor_ids: Mapping[str, str]) -> str:
    """Anchor of a turn's answer to an argument; of the turn if the debate has no such argument."""
    return f"{turn_anchor(index)}-{anchor_ids[target]}" if target in anchor_ids else turn_anchor(index)


def reply_anchor(index: int, target: str, anchor_ids: Mapping[str, str]) -> str:
    """Anchor of a turn's reply to the question about an argument."""
    return f"{response_anchor(index, target, anchor_ids)}-reply" if target in anchor_ids else turn_anchor(index)
