"""The argument map: claims by debater, answers beside their claim, replies beside their question, all linked to the words."""

from __future__ import annotations

from render_support import debate

from debate_cli.render.html import anchors
from debate_cli.render.html.argument_map import MapClaim, build_argument_map
from debate_cli.systems.structured.trace import TraceReply, TraceResponse, TraceRow, build_trace_table

PLACES = anchors.argument_anchors(debate())


def claim(**changes: object) -> MapClaim:
    """A claim of Ada's on the map."""
    row = TraceRow.model_validate({"id": "PRO-1", "participant": "Ada", "claim": "A claim.", **changes})
    (side,) = build_argument_map([row], PLACES)
    return side.claims[0]


def response(turn: int, follow_up: str = "", kind: str = "refute") -> TraceResponse:
    """An answer of Bo's."""
    return TraceResponse.model_validate(
        {"by": "Bo", "turn": turn, "type": kind, "reasoning": "No.", "follow_up": follow_up}
    )


def test_the_map_holds_what_the_trace_table_holds() -> None:
    """Two debaters, four claims with their standings, four answers with their types."""
    found = build_argument_map(build_trace_table(debate()), PLACES)
    claims = [claim for side in found for claim in side.claims]
    assert [side.name for side in found] == ["Ada", "Bo"]
    assert [claim.badge.word for claim in claims if claim.badge] == ["refuted", "upheld", "upheld", "partially upheld"]
    assert sorted(answer.badge.word for claim in claims for answer, _ in claim.answers) == [
        "accepts in part",
        "challenges",
        "concedes",
        "refutes",
    ]


def test_every_entry_links_to_the_words() -> None:
    """A claim to the argument, an answer to the place in the turn that gave it."""
    found = claim(responses=(response(3),))
    assert (found.place, found.answers[0][0].said[0].place) == (
        PLACES["PRO-1"],
        anchors.response_anchor(3, "PRO-1", PLACES),
    )


def test_equal_answers_are_one_entry() -> None:
    """It holds all places where the answer was given."""
    found = claim(responses=(response(3), response(5), response(7, kind="concede")))
    assert [[item.turn for item in answer.said] for answer, _ in found.answers] == [[3, 5], [7]]


def test_a_reply_is_beside_the_question_before_it() -> None:
    """Not beside a later question, nor beside an answer without a question."""
    replies = (TraceReply(by="Ada", turn=4, reply="So."), TraceReply(by="Ada", turn=6, reply="Well.", evaded=True))
    responses = (response(2, "Why?"), response(3, kind="partial"), response(5, "Really?", "concede"))
    found = claim(responses=responses, replies=replies)
    assert [[reply.evaded for reply in of] for _, of in found.answers] == [[False], [], [True]]
    assert found.replies == ()


def test_a_reply_without_a_question_is_beside_the_claim() -> None:
    """It is not lost."""
    found = claim(responses=(response(2),), replies=(TraceReply(by="Ada", turn=4, reply="So."),))
    assert [reply.by for reply in found.replies] == ["Ada"]


def test_without_claims_there_is_no_map() -> None:
    """The page leaves the section out."""
    assert build_argument_map((), PLACES) == ()
