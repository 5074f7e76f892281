"""The argument map: boxes that do not touch, lines from question to reply, every box on its way to the words."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from poisoned_support import plain
from render_support import debate

from debate_cli.domain.debate import Debate
from debate_cli.render.html import anchors
from debate_cli.render.html.argument_map import MAX_MAP_CLAIMS, ArgumentMap, Box, build_argument_map
from debate_cli.systems.structured.trace import TraceReply, TraceResponse, TraceRow, build_trace_table


def mapped(*rows: TraceRow) -> ArgumentMap:
    """The map of these rows."""
    found = build_argument_map(debate(), rows)
    assert found is not None
    return found


def row(item: str = "PRO-1", **changes: object) -> TraceRow:
    """A claim of Ada's."""
    return TraceRow.model_validate({"id": item, "participant": "Ada", "claim": "A claim.", **changes})


def response(turn: int, follow_up: str = "", kind: str = "refute") -> TraceResponse:
    """An answer of Bo's."""
    return TraceResponse.model_validate(
        {"by": "Bo", "turn": turn, "type": kind, "reasoning": "No.", "follow_up": follow_up}
    )


def apart(one: Box, other: Box) -> bool:
    """Whether two boxes share no point."""
    return (
        one.x + one.width <= other.x
        or other.x + other.width <= one.x
        or one.y + one.height <= other.y
        or other.y + other.height <= one.y
    )


@pytest.mark.parametrize("told", [debate, plain])
def test_boxes_of_a_whole_debate_do_not_touch(told: Callable[[], Debate]) -> None:
    """All of a trace table's, with their replies."""
    found = build_argument_map(told(), build_trace_table(told()))
    assert found is not None
    assert all(apart(one, other) for one, other in combinations(found.boxes, 2))


@pytest.mark.parametrize("told", [debate, plain])
def test_all_boxes_lie_within_the_map(told: Callable[[], Debate]) -> None:
    """None is cut off at an edge."""
    found = build_argument_map(told(), build_trace_table(told()))
    assert found is not None
    assert all(box.x >= 0 and box.y >= 0 for box in found.boxes)
    assert max(box.x + box.width for box in found.boxes) <= found.width
    assert max(box.y + box.height for box in found.boxes) <= found.height


@given(
    st.lists(
        st.lists(
            st.tuples(st.integers(2, 30), st.sampled_from(["refute", "challenge", "concede", "partial"])), max_size=6
        ),
        min_size=1,
        max_size=4,
    )
)
def test_boxes_never_touch(answers: list[list[tuple[int, str]]]) -> None:
    """However many answers each claim has."""
    items = list(debate().arguments)
    found = mapped(
        *(
            row(items[number], responses=tuple(response(turn, kind=kind) for turn, kind in of))
            for number, of in enumerate(answers)
        )
    )
    assert all(apart(one, other) for one, other in combinations(found.boxes, 2))


def test_the_map_tells_what_the_trace_tells() -> None:
    """Two debaters, four claims with their standings, four answers with their ways."""
    found = mapped(*build_trace_table(debate()))
    kinds = [box.kind for box in found.boxes]
    assert (kinds.count("side"), kinds.count("claim"), kinds.count("answer")) == (2, 4, 4)
    signs = [box.sign.word for box in found.boxes if box.sign is not None]
    assert sorted(signs) == sorted(
        ["refuted", "upheld", "upheld", "partially upheld", "challenges", "accepts in part", "refutes", "concedes"]
    )


def test_every_box_leads_to_the_words() -> None:
    """A claim to the argument, an answer to the place in the turn that gave it."""
    places = anchors.argument_anchors(debate())
    found = mapped(row(responses=(response(3),)))
    assert [box.place for box in found.boxes if box.kind != "side"] == [
        places["PRO-1"], anchors.response_anchor(3, "PRO-1", places),
    ]  # fmt: skip


def test_the_same_answer_given_often_is_one_box() -> None:
    """It says how often."""
    found = mapped(row(responses=(response(3), response(5), response(7, kind="concede"))))
    assert [box.words for box in found.boxes if box.kind == "answer"] == ["2 times", ""]


def test_a_reply_hangs_on_the_question_before_it() -> None:
    """Not on one that was put later, nor on an answer without a question."""
    replies = (TraceReply(by="Ada", turn=4, reply="So."), TraceReply(by="Ada", turn=6, reply="Well.", evaded=True))
    responses = (response(2, "Why?"), response(3, kind="partial"), response(5, "Really?", "concede"))
    found = mapped(row(responses=responses, replies=replies))
    ends = [wire.path for wire in found.wires if wire.meaning == "replies"]
    boxes = {box.words: box for box in found.boxes}
    assert len(ends) == 2
    for wire, word in zip(ends, ("replies", "leaves it open"), strict=True):
        assert wire.endswith(f"{boxes[word].x:.1f} {boxes[word].y + boxes[word].height / 2:.1f}")


def test_a_map_does_not_grow_without_end() -> None:
    """What there is no room for is counted."""
    told = debate()
    (_, argument) = told.arguments["PRO-1"]
    many = tuple(argument.model_copy(update={"id": f"PRO-{number}"}) for number in range(MAX_MAP_CLAIMS + 5))
    told = told.model_copy(update={"turns": (told.turns[0].model_copy(update={"arguments": many}),)})
    told = type(told).model_validate(told.model_dump())
    found = build_argument_map(told, build_trace_table(told))
    assert found is not None
    assert (sum(box.kind == "claim" for box in found.boxes), found.left_out) == (MAX_MAP_CLAIMS, 5)


def test_without_claims_there_is_no_map() -> None:
    """Nothing is drawn of nothing."""
    assert build_argument_map(debate(), ()) is None
