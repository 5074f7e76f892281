"""What was said about a claim, grouped and linked for the argument map and the trace table of a page."""

from render_support import debate

from debate_cli.render.html.page import PageAnchors, StatementGroup
from debate_cli.systems.trace import TraceReply, TraceResponse, TraceRow, build_trace_table

ANCHORS = PageAnchors(debate().arguments)


def statements(**changes: object) -> list[StatementGroup]:
    """What was said about a claim by Ada."""
    row = TraceRow.model_validate({"id": "PRO-1", "participant": "Ada", "claim": "A claim.", **changes})
    return ANCHORS.statements(row)


def response(turn: int, follow_up: str = "", kind: str = "refute") -> TraceResponse:
    """A response by Bo."""
    return TraceResponse.model_validate(
        {"by": "Bo", "turn": turn, "type": kind, "reasoning": "No.", "follow_up": follow_up}
    )


def test_every_answer_of_the_trace_table_is_a_statement() -> None:
    """Four responses with types."""
    words = sorted(said.badge.word for row in build_trace_table(debate()) for said in ANCHORS.statements(row))
    assert words == ["accepts in part", "challenges", "concedes", "refutes"]


def test_every_statement_links_to_its_text() -> None:
    """A response and a reply link to their places in the turns."""
    found = statements(responses=(response(3),), replies=(TraceReply(by="Ada", turn=4, reply="So."),))
    links = [said.occurrences[0].anchor for said in found]
    assert links == [ANCHORS.response("PRO-1", 3), ANCHORS.reply("PRO-1", 4)]


def test_equal_responses_are_one_statement() -> None:
    """The statement links to every turn."""
    found = statements(responses=(response(3), response(5), response(7, kind="concede")))
    assert [[item.turn for item in said.occurrences] for said in found] == [[3, 5], [7]]


def test_a_reply_comes_after_the_question_before_it() -> None:
    """Statements are in the order of their first turns; a reply that leaves the question open is apart."""
    replies = (TraceReply(by="Ada", turn=4, reply="So."), TraceReply(by="Ada", turn=6, reply="Well.", evaded=True))
    found = statements(responses=(response(2, "Why?"), response(5, "Really?", "concede")), replies=replies)
    assert [said.badge.word for said in found] == ["refutes", "replies", "concedes", "leaves it open"]
