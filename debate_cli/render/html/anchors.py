"""Anchors of the HTML page, and the statements about a claim that link to these anchors.

Anchors consist of numbers only, so no text of a debate becomes part of an address.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from debate_cli.render import theme
from debate_cli.render.theme import Sign
from debate_cli.systems.trace import TraceRow

REPLY_BADGES = {False: Sign("↳", "replies", theme.BLUE), True: Sign("!", "leaves it open", theme.GOLD)}
"""Maps whether a reply leaves the question open to the badge of the reply."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A turn in which a statement is made."""

    turn: int
    """Index of the turn."""
    anchor: str
    asks: str = ""
    """The question at the end of the statement; empty if it has no question."""


@dataclass(frozen=True, slots=True)
class StatementGroup:
    """Equal statements of one debater about a claim: answers of one type, or replies of its author."""

    by: str
    kind: str
    """Type of the answers, or `reply`."""
    badge: Sign
    occurrences: list[Occurrence]
    """The turns in which the statement is made, at least one."""


class PageAnchors:
    """The anchors of one page: of arguments, of passages, and of parts of turns."""

    def __init__(self, arguments: Iterable[str], passages: Iterable[str] = ()) -> None:
        """`arguments`, `passages`: their ids in the order of the page."""
        self._arguments = {item: f"argument-{number}" for number, item in enumerate(arguments)}
        self._passages = {item: f"passage-{number}" for number, item in enumerate(passages, start=1)}
        self._used: set[str] = set()

    def once(self, anchor: str) -> Markup:
        """Return the HTML attribute `id` with this anchor; empty if an earlier element has it."""
        if not anchor or anchor in self._used:
            return Markup()
        self._used.add(anchor)
        return Markup(' id="{}"').format(anchor)

    def argument(self, item: str) -> str:
        """Return the anchor of an argument; empty if the debate has no argument with this id."""
        return self._arguments.get(item, "")

    def source(self, source: str) -> str:
        """Return the anchor of a cited passage; empty if the page does not show the passage."""
        return self._passages.get(source, "")

    def response(self, item: str, turn: int) -> str:
        """Return the anchor of a turn's answer to an argument; the turn's anchor if the debate has no such argument."""
        return f"turn-{turn}-{self._arguments[item]}" if item in self._arguments else f"turn-{turn}"

    def reply(self, item: str, turn: int) -> str:
        """Return the anchor of a turn's reply to a question about an argument; the turn's anchor without such an argument."""
        return f"{self.response(item, turn)}-reply" if item in self._arguments else f"turn-{turn}"

    def statements(self, row: TraceRow) -> list[StatementGroup]:
        """Return the statements about a claim, in the order of their first occurrence."""
        said = [
            *(
                (item.by, item.type, theme.RESPONSE_BADGES[item.type], self.response, item.turn, item.follow_up)
                for item in row.responses
            ),
            *((item.by, "reply", REPLY_BADGES[bool(item.evaded)], self.reply, item.turn, "") for item in row.replies),
        ]
        groups: dict[tuple[str, str], StatementGroup] = {}
        for by, kind, badge, anchor, turn, asks in sorted(said, key=lambda item: item[4]):
            group = groups.setdefault((by, badge.word), StatementGroup(by, kind, badge, []))
            group.occurrences.append(Occurrence(turn, anchor(row.id, turn), asks))
        return list(groups.values())
