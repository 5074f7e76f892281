"""The argument map: each debater's claims, the answers to them and the replies, with links to the speeches.

Equal answers of one debater to a claim are one entry. The template lays the map out as nested lists, so that it fits a
page of any width.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from debate_cli.domain.turn import ResponseType
from debate_cli.render import theme
from debate_cli.render.html import anchors
from debate_cli.render.theme import Sign
from debate_cli.systems.structured.trace import TraceReply, TraceResponse, TraceRow


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One place where a statement is made."""

    turn: int
    """Index of the turn."""
    anchor: str
    """Anchor on the page."""
    asks: str = ""
    """The question at its end; empty for none."""


@dataclass(frozen=True, slots=True)
class ReplyGroup:
    """Replies of the claim's author to questions about it."""

    by: str
    evaded: bool
    """Whether the replies leave the question open."""
    occurrences: tuple[Occurrence, ...]


@dataclass(frozen=True, slots=True)
class AnswerGroup:
    """Answers of one debater to a claim, all of one type."""

    by: str
    type: ResponseType
    badge: Sign
    occurrences: tuple[Occurrence, ...]
    """At least one."""

    @property
    def asks(self) -> bool:
        """Whether any answer of the group asks a question."""
        return any(item.asks for item in self.occurrences)


@dataclass(frozen=True, slots=True)
class MapClaim:
    """A claim with its answers."""

    row: TraceRow
    anchor: str
    badge: Sign | None
    """Standing; None if no judge gave one."""
    answers: tuple[tuple[AnswerGroup, tuple[ReplyGroup, ...]], ...]
    """Answers, each with the replies to its questions."""
    replies: tuple[ReplyGroup, ...]
    """Replies that follow no question of these answers."""


@dataclass(frozen=True, slots=True)
class MapSide:
    """A debater's claims."""

    name: str
    claims: tuple[MapClaim, ...]


def build_argument_map(rows: Sequence[TraceRow], anchor_ids: Mapping[str, str]) -> tuple[MapSide, ...]:
    """The map of the trace table's rows; `anchor_ids` are the anchors of the arguments."""
    sides: dict[str, list[MapClaim]] = defaultdict(list)
    for row in rows:
        sides[row.participant].append(_claim(row, anchor_ids))
    return tuple(MapSide(name, tuple(claims)) for name, claims in sides.items())


def group_answers(row: TraceRow, anchor_ids: Mapping[str, str]) -> tuple[AnswerGroup, ...]:
    """The answers to a claim, in the order in which each debater first gave one of its type."""
    groups: dict[tuple[str, ResponseType], list[TraceResponse]] = defaultdict(list)
    for response in row.responses:
        groups[response.by, response.type].append(response)
    return tuple(
        AnswerGroup(
            by,
            kind,
            theme.RESPONSE_BADGES[kind],
            tuple(
                Occurrence(item.turn, anchors.response_anchor(item.turn, row.id, anchor_ids), item.follow_up)
                for item in of
            ),
        )
        for (by, kind), of in groups.items()
    )


def group_replies(row: TraceRow, anchor_ids: Mapping[str, str]) -> tuple[ReplyGroup, ...]:
    """The replies about a claim; those that leave a question open form a separate group."""
    groups: dict[tuple[str, bool], list[TraceReply]] = defaultdict(list)
    for reply in row.replies:
        groups[reply.by, bool(reply.evaded)].append(reply)
    return tuple(
        ReplyGroup(
            by, evaded, tuple(Occurrence(item.turn, anchors.reply_anchor(item.turn, row.id, anchor_ids)) for item in of)
        )
        for (by, evaded), of in groups.items()
    )


def _claim(row: TraceRow, anchor_ids: Mapping[str, str]) -> MapClaim:
    answers = group_answers(row, anchor_ids)
    reply_turns = sorted(reply.turn for reply in row.replies)
    answered: dict[int, list[ReplyGroup]] = defaultdict(list)
    rest: list[ReplyGroup] = []
    for reply in group_replies(row, anchor_ids):
        spans = [
            (max((turn for turn in reply_turns if turn < item.turn), default=-1), item.turn)
            for item in reply.occurrences
        ]
        asking = [
            number
            for number, answer in enumerate(answers)
            if any(item.asks and since < item.turn < until for item in answer.occurrences for since, until in spans)
        ]
        for number in asking:
            answered[number].append(reply)
        rest += [] if asking else [reply]
    return MapClaim(
        row=row,
        anchor=anchor_ids[row.id],
        badge=theme.STANDING_BADGES[row.standing] if row.standing is not None else None,
        answers=tuple((answer, tuple(answered[number])) for number, answer in enumerate(answers)),
        replies=tuple(rest),
    )
