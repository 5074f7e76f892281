"""The argument map of a page: claims per debater, responses beside their claim, replies beside their question."""

from __future__ import annotations

import pytest
from render_support import debate

from debate_cli.render.html import anchors
from debate_cli.render.html.argument_map import MapClaim, build_argument_map
from debate_cli.systems.structured.trace import TraceReply, TraceResponse, TraceRow, build_trace_table

PLACES = anchors.argument_anchors(debate())


def claim(**changes: object) -> MapClaim:
    """A claim by Ada on the map."""
    row = TraceRow.model_validate({"id": "PRO-1", "participant": "Ada", "claim": "A claim.", **changes})
    (side,) = build_argument_map([row], PLACES)
    return side.claims[0]


def response(turn: int, follow_up: str = "", kind: str = "refute") -> TraceResponse:
    """A response by Bo."""
    return TraceResponse.model_validate(
        {"by": "Bo", "turn": turn, "type": kind, "reasoning": "No.", "follow_up": follow_up}
    )


def test_the_map_has_the_rows_of_the_trace_table() -> None:
    """Two debaters, four claims with standings, four responses with types. Without claims there is no map."""
    found = build_argument_map(build_trace_table(debate()), PLACES)
    claims = [claim for side in found for claim in side.claims]
    assert [side.name for side in found] == ["Ada", "Bo"]
    assert [claim.badge.word for claim in claims if claim.badge] == ["refuted", "upheld", "upheld", "partially upheld"]
    words = sorted(answer.badge.word for claim in claims for answer, _ in claim.answers)
    assert words == ["accepts in part", "challenges", "concedes", "refutes"]
    assert build_argument_map((), PLACES) == ()


def test_every_entry_links_to_its_text() -> None:
    """A claim links to the argument, a response to its place in the turn."""
    found = claim(responses=(response(3),))
    linked = (PLACES["PRO-1"], anchors.response_anchor(3, "PRO-1", PLACES))
    assert (found.anchor, found.answers[0][0].occurrences[0].anchor) == linked


def test_equal_responses_are_one_entry() -> None:
    """The entry links to every turn."""
    found = claim(responses=(response(3), response(5), response(7, kind="concede")))
    assert [[item.turn for item in answer.occurrences] for answer, _ in found.answers] == [[3, 5], [7]]


PARTLY_ASKED: tuple[tuple[TraceResponse, ...], list[list[bool]], list[bool]] = ((response(2),), [[]], [False, True])
"""A response without a question, and the places of two replies."""


@pytest.mark.parametrize(
    ("responses", "beside", "unplaced"),
    [
        (
            (response(2, "Why?"), response(3, kind="partial"), response(5, "Really?", "concede")),
            [[False], [], [True]],
            [],
        ),
        PARTLY_ASKED,
    ],
    ids=["with questions", "without questions"],
)
def test_a_reply_is_beside_the_question_before_it(
    responses: tuple[TraceResponse, ...], beside: list[list[bool]], unplaced: list[bool]
) -> None:
    """A reply without a question is beside the claim."""
    replies = (TraceReply(by="Ada", turn=4, reply="So."), TraceReply(by="Ada", turn=6, reply="Well.", evaded=True))
    found = claim(responses=responses, replies=replies)
    assert [[reply.evaded for reply in of] for _, of in found.answers] == beside
    assert [reply.evaded for reply in found.replies] == unplaced
