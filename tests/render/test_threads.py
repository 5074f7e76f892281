"""Cross-examination as threads: what a response or an answer takes up."""

from __future__ import annotations

import pytest
from render_support import CLAIMS, HOSTILE, RESPONSES, exchange, shown, turns
from rich.cells import cell_len

from debate_cli.domain.turn import Argument, FollowUpAnswer, Response, Turn
from debate_cli.render.cross_examination import ArgumentThread, ThreadIndex, ThreadStep, addressed_argument
from debate_cli.render.live.speech import turn_panel
from debate_cli.render.theme import Sign

SIGNS = {"Ada": Sign("●", "for", ""), "Bo": Sign("◆", "against", "")}
QUESTION = RESPONSES["Ada"][0][3]
ASKED = ThreadStep("Ada", "?", ("challenges", "asks"), QUESTION)
REPLIED = ThreadStep("Bo", "↳", ("answered",), "Nobody published it.")


def answered(*, evaded: bool | None = None) -> Turn:
    """Bo's answer to what Ada asked about CON-1, in round 3."""
    answer = FollowUpAnswer(question_target="CON-1", reply="Nobody published it.", evaded=evaded)
    return Turn(index=6, round=3, phase="answers", speaker="Bo", text="-", answers=(answer,), exchange=exchange())


def told(turn: Turn, *before: Turn) -> list[str]:
    """The lines of a speech after others, without its panel's border."""
    lines = shown(turn_panel(turn, SIGNS, ThreadIndex(before)), 74).splitlines()[1:-1]
    return [line[2:-2].rstrip() for line in lines]


def test_before_the_first_response_there_is_the_claim() -> None:
    """Who made it, and its words."""
    assert ThreadIndex(turns()).of("CON-1", 2) == ArgumentThread("Bo", CLAIMS["CON-1"][0])


def test_an_answer_takes_up_the_question() -> None:
    """With who asked it and what came before it."""
    thread = ThreadIndex(turns()).of("CON-1", 3)
    assert thread is not None
    assert thread.steps == (ASKED,)


def test_a_follow_up_takes_up_the_reply() -> None:
    """What the owner of the claim answered."""
    thread = ThreadIndex([*turns(), answered()]).of("CON-1", 4)
    assert thread is not None
    assert thread.steps[1:] == (REPLIED,)


def test_what_was_said_later_comes_later() -> None:
    """A new question stands after the reply to the old one."""
    again = turns()[2].model_copy(update={"index": 8, "round": 4})
    thread = ThreadIndex([*turns(), answered(), again]).of("CON-1", 5)
    assert thread is not None
    assert thread.steps == (REPLIED, ASKED)


def test_what_a_piece_takes_up_is_told_in_sentences() -> None:
    """The id with its thread, each step with its sign; nothing for an argument."""
    told_before = ThreadIndex([*turns(), answered()])
    found = told_before.thread_addressed_by(FollowUpAnswer(question_target="CON-1", reply="-"), 4)
    assert found is not None
    assert (found[0], found[1].owner) == ("CON-1", "Bo")
    assert [(step.symbol, step.words) for step in found[1].steps] == [
        ("?", f"Ada challenges and asks: {QUESTION}"),
        ("↳", "Bo answered: Nobody published it."),
    ]
    assert told_before.thread_addressed_by(Argument(id="CON-1", claim="-", reasoning="-", evidence="-"), 4) is None


def test_an_argument_that_nobody_made_has_no_thread() -> None:
    """A model may name any id."""
    assert ThreadIndex(turns()).of("CON-9", 2) is None


def test_a_question_to_oneself_is_none() -> None:
    """Only others ask."""
    own = turns()[3].model_copy(
        update={"responses": (Response(target="CON-1", type="refute", reasoning="-", follow_up="?"),)}
    )
    thread = ThreadIndex([*turns()[:3], own]).of("CON-1", 3)
    assert thread is not None
    assert [item.by for item in thread.steps] == ["Ada"]


@pytest.mark.parametrize(
    ("piece", "target"),
    [
        (Response(target="PRO-1", type="refute", reasoning="-"), "PRO-1"),
        (FollowUpAnswer(question_target="PRO-2", reply="-"), "PRO-2"),
        (Argument(id="PRO-3", claim="-", reasoning="-", evidence="-"), None),
        ("words", None),
    ],
)
def test_what_a_piece_is_about(piece: Response | FollowUpAnswer | Argument | str, target: str | None) -> None:
    """A response and an answer are about an argument, other pieces are about none."""
    assert addressed_argument(piece) == target


def test_a_response_is_a_tree_below_its_claim() -> None:
    """Claim, challenge, follow-up question."""
    assert told(turns()[2], *turns()[:2])[:4] == [
        "◆ CON-1  Eight engineers cannot operate a dozen services.",
        "├── ? challenges  A managed platform takes pipelines and alarms off",
        "│   the team; the case cited ran its own.",
        "└── asks  What did Segment's platform bill look like before?",
    ]


@pytest.mark.parametrize(
    ("evaded", "end"),
    [
        (None, ["└── ↳ answers  Nobody published it."]),
        (True, ["├── ↳ answers  Nobody published it.", "└── ! left open"]),
    ],
)
def test_an_answer_ends_the_thread(evaded: bool | None, end: list[str]) -> None:
    """Claim, who asked what, the answer, and whether it leaves the question open."""
    assert told(answered(evaded=evaded), *turns()) == [
        "◆ CON-1  Eight engineers cannot operate a dozen services.",
        "├── ? ● Ada challenges, asks  What did Segment's platform bill look",
        "│   like before?",
        *end,
    ]


def test_of_a_free_speech_a_response_is_one_line() -> None:
    """Its words are those of the speech."""
    response = Response(target="CON-1", type="refute", reasoning="in the speech")
    turn = Turn(index=6, round=3, phase="rebuttal", speaker="Ada", text="A speech.", responses=(response,),
                exchange=exchange())  # fmt: skip
    assert told(turn, *turns()) == [
        "A speech.",
        "",
        "✗ refutes  ◆ CON-1  Eight engineers cannot operate a dozen services.",
    ]


@pytest.mark.parametrize("width", [20, 41, 52])
def test_every_line_of_a_panel_has_its_width(width: int) -> None:
    """Long ids, wide characters and control sequences in title, footer and body do not break the border."""
    signs = {"Ada": Sign("●", "日本" * 30, "")}
    response = Response(target=HOSTILE * 9, type="refute", reasoning="日本語" * 40, follow_up=f"{HOSTILE}\n\t?")
    turn = turns()[2].model_copy(
        update={"responses": (response,), "exchange": exchange(model="模型/" + "型" * 60), "warnings": (HOSTILE,)}
    )
    lines = shown(turn_panel(turn, signs, ThreadIndex()), width).splitlines()
    assert {cell_len(line) for line in lines} == {width}
    assert not any("\x1b" in line for line in lines)
