"""The argument map for Markdown: claims, answers, standings; no text breaks out of its label."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from render_support import HOSTILE, START, debate, events, exchange

from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.events import TurnCompleted
from debate_cli.domain.turn import Argument, FollowUpAnswer, Turn
from debate_cli.render.mermaid import MAX_ARROWS, escape_label, fence_mermaid, format_mermaid_map

ATTACK = '"]:::x --> y; click claim0 "javascript:alert(1)"\n```\n%%{init: {}}%% end <img src=x> #quot; `a` 1. b'
NODE = r'(?:claim\d+\["[^"\n]*"\]|(?:answer|reply)\d+x\d+(?:\("[^"\n]*"\)|\(\["[^"\n]*"\]\))?)'
LINE = re.compile(
    rf'flowchart RL|  subgraph side\d+\["[^"\n]*"\]|  end| +{NODE}|  {NODE} (?:-->|-\.->)(?:\|"[^"\n]*"\|)? (?:claim\d+|answer\d+x\d+)'
)


def hostile() -> Debate:
    """The debate with an attack in every place that a debater fills."""
    told = debate()
    turns = [
        turn.model_copy(
            update={
                "arguments": turn.arguments
                and tuple(item.model_copy(update={"claim": ATTACK}) for item in turn.arguments),
                "responses": turn.responses
                and tuple(
                    item.model_copy(update={"reasoning": ATTACK, "follow_up": HOSTILE}) for item in turn.responses
                ),
            }
        )
        for turn in told.turns
    ]
    return Debate.model_validate({**told.model_dump(), "turns": turns})


def test_the_side_that_opened_is_drawn_at_the_top() -> None:
    """Mermaid draws the last box of a chart that runs to the left first."""
    sides = [row.strip() for row in format_mermaid_map(debate()) if "subgraph" in row]
    assert [side.partition('["')[2] for side in sides] == ['◆ Bo"]', '● Ada"]']


def test_every_claim_and_every_answer_is_drawn() -> None:
    """With the standing in words, and an arrow that says how it was answered."""
    told = "\n".join(format_mermaid_map(debate()))
    assert 'claim0["PRO-1 Independent deployment' in told
    assert "✗ refuted" in told
    assert re.search(r'answer0x0\("Bo<br>The 1.4 is.*"\) -->\|"#10007; refutes"\| claim0', told)


def test_a_reply_points_to_the_question() -> None:
    """Of the semi-structured format."""
    answer = FollowUpAnswer(question_target="CON-1", reply="Nobody published it.", evaded=True)
    turn = Turn(index=6, round=4, phase="answers", speaker="Bo", text="-", answers=(answer,), exchange=exchange())
    lines = format_mermaid_map(fold([*events()[:7], TurnCompleted(at=START, turn=turn)]))
    assert '  reply2x0(["Bo leaves it open<br>Nobody published it."])' in lines
    assert "  reply2x0 --> answer2x0" in lines


@pytest.mark.parametrize("told", [debate(), hostile()], ids=["plain", "hostile"])
def test_every_line_is_one_of_ours(told: Debate) -> None:
    """Nothing but sides, claims, answers and arrows, whatever is said."""
    assert [line for line in format_mermaid_map(told) if LINE.fullmatch(line) is None] == []


@given(st.one_of(st.text(max_size=60), st.text(st.sampled_from('"]`#;<>%{}|\n\\-1. '), max_size=60)))
def test_a_label_holds_no_sign_that_means_something(text: str) -> None:
    """Signs are written as their numbers."""
    assert re.fullmatch(r"(?:[^\W_]|[ .,!?()'/-]|#\d+;)*", escape_label(text))


def test_a_label_begins_no_list() -> None:
    """Where Markdown would see one."""
    assert escape_label("1. one") == "1#46; one"
    assert escape_label("- one") == "#45; one"


def test_nothing_is_drawn_where_nobody_argued() -> None:
    """No empty block."""
    assert fence_mermaid(format_mermaid_map(fold(events()[:1]))) == []


def test_too_much_is_not_drawn() -> None:
    """A viewer would refuse it."""
    arguments = tuple(
        Argument(id=f"PRO-{number}", claim="c", reasoning="", evidence="") for number in range(MAX_ARROWS + 1)
    )
    first = debate().turns[0].model_copy(update={"arguments": arguments})
    assert format_mermaid_map(fold([events()[0], TurnCompleted(at=START, turn=first)])) == []
