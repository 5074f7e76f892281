"""Anchors of the page, and the statements about a claim, which link to them.

Anchors consist of numbers only, so no text of a debate becomes part of an address.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from debate_cli.domain.debate import Debate
from debate_cli.render import theme
from debate_cli.render.theme import Sign
from debate_cli.systems.trace import TraceRow

REPLY_BADGES = {False: Sign("↳", "replies", theme.BLUE), True: Sign("!", "leaves it open", theme.GOLD)}
"""Whether a reply leaves the question open -> its badge."""


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


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One place of a statement."""

    turn: int
    """Index of the turn."""
    anchor: str
    asks: str = ""
    """The question with which it ends; empty if there is none."""


@dataclass(frozen=True, slots=True)
class StatementGroup:
    """Equal statements of one debater about a claim: answers of one type, or replies of its author."""

    by: str
    kind: str
    """Type of the answers, or `reply`."""
    badge: Sign
    occurrences: list[Occurrence]
    """All places in the debate at which the statement is made; at least one."""


def group_statements(row: TraceRow, anchor_ids: Mapping[str, str]) -> list[StatementGroup]:
    """The statements about a claim, in the order of first occurrence."""
    said = [
        *(
            (item.by, item.type, theme.RESPONSE_BADGES[item.type], response_anchor, item.turn, item.follow_up)
            for item in row.responses
        ),
        *((item.by, "reply", REPLY_BADGES[bool(item.evaded)], reply_anchor, item.turn, "") for item in row.replies),
    ]
    groups: dict[tuple[str, str], StatementGroup] = {}
    for by, kind, badge, anchor, turn, asks in sorted(said, key=lambda item: item[4]):
        group = groups.setdefault((by, badge.word), StatementGroup(by, kind, badge, []))
        group.occurrences.append(Occurrence(turn, anchor(turn, row.id, anchor_ids), asks))
    return list(groups.values())
