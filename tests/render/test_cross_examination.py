"""Cross-examination as threads: the claim and the steps before a response or an answer."""

import pytest
from render_support import CLAIMS, HOSTILE, RESPONSES, exchange, render_text, turns
from rich.cells import cell_len

from debate_cli.domain.turn import Argument, FollowUpAnswer, Response, Turn
from debate_cli.render.content.speech_parts import ArgumentThread, CitationIndex, ThreadIndex, ThreadStep
from debate_cli.render.live.speech import turn_panel
from debate_cli.render.theme import Sign

STYLES = {"Ada": Sign("●", "for", ""), "Bo": Sign("◆", "against", "")}
QUESTION = RESPONSES["Ada"][0][3]
ASKED = ThreadStep("Ada", "?", ("challenges", "asks"), QUESTION)
REPLIED = ThreadStep("Bo", "↳", ("answered",), "Nobody published it.")


def answer(*, evaded: bool | None = None) -> Turn:
    """Bo's answer to Ada's question about CON-1, in round 3."""
    given = FollowUpAnswer(question_target="CON-1", reply="Nobody published it.", evaded=evaded)
    return Turn(index=6, round=3, phase="answers", speaker="Bo", text="-", answers=(given,), exchange=exchange())


def response(target: str, **fields: str) -> Response:
    """A refutation."""
    return Response.model_validate({"target": target, "type": "refute", "reasoning": "-", **fields})


def panel(turn: Turn, *before: Turn) -> list[str]:
    """The lines of a turn that follows others, without the border."""
    lines = render_text(turn_panel(turn, STYLES, ThreadIndex(before), CitationIndex()), 74).splitlines()[1:-1]
    return [line[2:-2].rstrip() for line in lines]


OWN_QUESTION = turns()[3].model_copy(update={"responses": (response("CON-1", follow_up="?"),)})
SECOND_QUESTION = turns()[2].model_copy(update={"index": 8, "round": 4})


@pytest.mark.parametrize(
    ("spoken", "round_number", "steps"),
    [
        (turns(), 2, ()),
        (turns(), 3, (ASKED,)),
        ((*turns(), answer()), 4, (ASKED, REPLIED)),
        ((*turns(), answer(), SECOND_QUESTION), 5, (REPLIED, ASKED)),
        ((*turns()[:3], OWN_QUESTION), 3, (ASKED,)),
    ],
    ids=["claim", "question", "reply", "second question", "own question is ignored"],
)
def test_a_thread_has_the_claim_and_earlier_steps(
    spoken: tuple[Turn, ...], round_number: int, steps: tuple[ThreadStep, ...]
) -> None:
    """Steps are in the order of the debate; an unknown argument has no thread."""
    index = ThreadIndex(spoken)
    assert index.of("CON-1", round_number) == ArgumentThread("Bo", CLAIMS["CON-1"][0], steps)
    assert index.of("CON-9", round_number) is None


def test_an_earlier_reply_is_never_cut() -> None:
    """A reply of any length is shown whole above the next response."""
    reply = f"{'We have counted the outages, ' * 10}and there were two."
    said = answer().model_copy(update={"answers": (FollowUpAnswer(question_target="CON-1", reply=reply),)})
    found = ThreadIndex([*turns(), said]).of("CON-1", 4)
    assert found is not None
    assert found.steps[-1].said == reply


def test_the_thread_of_a_piece_is_found_by_its_target() -> None:
    """Steps have a symbol and a sentence; arguments and plain text have no thread."""
    index = ThreadIndex([*turns(), answer()])
    found = index.thread_addressed_by(FollowUpAnswer(question_target="CON-1", reply="-"), 4)
    assert found is not None
    assert (found[0], found[1].owner) == ("CON-1", "Bo")
    assert [(step.symbol, step.words) for step in found[1].steps] == [
        ("?", f"Ada challenges and asks: {QUESTION}"),
        ("↳", "Bo answered: Nobody published it."),
    ]
    assert index.thread_addressed_by(Argument(id="CON-1", claim="-", reasoning="-", evidence="-"), 4) is None
    assert index.thread_addressed_by("words", 4) is None


def test_a_response_is_drawn_as_a_tree_below_its_claim() -> None:
    """Claim, challenge, follow-up question."""
    assert panel(turns()[2], *turns()[:2])[:4] == [
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
def test_an_answer_is_drawn_below_its_question(evaded: bool | None, end: list[str]) -> None:
    """An evasive answer is marked."""
    assert panel(answer(evaded=evaded), *turns()) == [
        "◆ CON-1  Eight engineers cannot operate a dozen services.",
        "├── ? ● Ada challenges, asks  What did Segment's platform bill look",
        "│   like before?",
        *end,
    ]


def test_a_response_in_a_free_speech_is_one_line() -> None:
    """Its reasoning is part of the speech."""
    turn = Turn(index=6, round=3, phase="rebuttal", speaker="Ada", text="A speech.", responses=(response("CON-1"),),
                exchange=exchange())  # fmt: skip
    assert panel(turn, *turns()) == [
        "A speech.",
        "",
        "✗ refutes  ◆ CON-1  Eight engineers cannot operate a dozen services.",
    ]


@pytest.mark.parametrize("width", [20, 41, 52])
def test_no_text_breaks_the_border_of_a_panel(width: int) -> None:
    """Title, body and footer have long ids, wide characters and control sequences."""
    given = response(HOSTILE * 9, reasoning="日本語" * 40, follow_up=f"{HOSTILE}\n\t?")
    turn = turns()[2].model_copy(
        update={"responses": (given,), "exchange": exchange(model="模型/" + "型" * 60), "warnings": (HOSTILE,)}
    )
    lines = render_text(
        turn_panel(turn, {"Ada": Sign("●", "日本" * 30, "")}, ThreadIndex(), CitationIndex()), width
    ).splitlines()
    assert {cell_len(line) for line in lines} == {width}
    assert not any("\x1b" in line for line in lines)
