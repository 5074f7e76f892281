"""The answers to a claim, gathered: what one debater said to it in one way is one answer, however often it was said."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from debate_cli.domain.turn import ResponseType
from debate_cli.render import theme
from debate_cli.render.html import anchors
from debate_cli.render.theme import Sign
from debate_cli.systems.structured.trace import TraceReply, TraceResponse, TraceRow


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Where something stands."""

    turn: int
    place: str
    """Name of the place on the page."""
    asks: str = ""
    """The question that it ended with; empty for none."""


@dataclass(frozen=True, slots=True)
class AnswerGroup:
    """How one debater answered a claim, in one way."""

    by: str
    type: ResponseType
    sign: Sign
    said: tuple[Occurrence, ...]
    """At least one."""

    @property
    def asks(self) -> bool:
        """Whether it put a question."""
        return any(said.asks for said in self.said)


@dataclass(frozen=True, slots=True)
class ReplyGroup:
    """What the one who made the claim replied."""

    by: str
    evaded: bool
    said: tuple[Occurrence, ...]


def group_answers(row: TraceRow, places: Mapping[str, str]) -> tuple[AnswerGroup, ...]:
    """The answers to a claim, in the order in which each debater first gave one of its kind."""
    found: dict[tuple[str, ResponseType], list[TraceResponse]] = defaultdict(list)
    for response in row.responses:
        found[response.by, response.type].append(response)
    return tuple(
        AnswerGroup(
            by,
            kind,
            theme.RESPONSE_BADGES[kind],
            tuple(
                Occurrence(item.turn, anchors.response_anchor(item.turn, row.id, places), item.follow_up) for item in of
            ),
        )
        for (by, kind), of in found.items()
    )


def group_replies(row: TraceRow, places: Mapping[str, str]) -> tuple[ReplyGroup, ...]:
    """The replies about a claim, those that leave a question open apart."""
    found: dict[tuple[str, bool], list[TraceReply]] = defaultdict(list)
    for reply in row.replies:
        found[reply.by, bool(reply.evaded)].append(reply)
    return tuple(
        ReplyGroup(
            by, evaded, tuple(Occurrence(item.turn, anchors.reply_anchor(item.turn, row.id, places)) for item in of)
        )
        for (by, evaded), of in found.items()
    )
