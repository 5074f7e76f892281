"""The Mermaid map of arguments: claims, responses, standings; no text leaves its label."""

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


def attacked() -> Debate:
    """The debate with an attack in every claim and response."""
    responses = {"reasoning": ATTACK, "follow_up": HOSTILE}
    turns = [
        turn.model_copy(
            update={
                "arguments": turn.arguments and [item.model_copy(update={"claim": ATTACK}) for item in turn.arguments],
                "responses": turn.responses and [item.model_copy(update=responses) for item in turn.responses],
            }
        )
        for turn in debate().turns
    ]
    return Debate.model_validate(
        {**debate().model_dump(), "turns": [turn.model_dump(warnings=False) for turn in turns]}
    )


def test_the_side_that_opened_is_drawn_at_the_top() -> None:
    """Mermaid draws the last box of a right-to-left chart first."""
    sides = [row.strip() for row in format_mermaid_map(debate()) if "subgraph" in row]
    assert [side.partition('["')[2] for side in sides] == ['◆ Bo"]', '● Ada"]']


def test_every_claim_and_every_response_is_drawn() -> None:
    """Claims have their standing in words; arrows have the type of the response."""
    shown = "\n".join(format_mermaid_map(debate()))
    assert 'claim0["PRO-1 Independent deployment' in shown
    assert "✗ refuted" in shown
    assert re.search(r'answer0x0\("Bo<br>The 1.4 is.*"\) -->\|"#10007; refutes"\| claim0', shown)


def test_a_reply_points_to_the_question() -> None:
    """Answers are part of the semi-structured format."""
    answer = FollowUpAnswer(question_target="CON-1", reply="Nobody published it.", evaded=True)
    turn = Turn(index=6, round=4, phase="answers", speaker="Bo", text="-", answers=(answer,), exchange=exchange())
    lines = format_mermaid_map(fold([*events()[:7], TurnCompleted(at=START, turn=turn)]))
    assert '  reply2x0(["Bo leaves it open<br>Nobody published it."])' in lines
    assert "  reply2x0 --> answer2x0" in lines


@pytest.mark.parametrize("shown", [debate(), attacked()], ids=["plain", "attacked"])
def test_untrusted_text_adds_no_statement(shown: Debate) -> None:
    """Every line is a side, a claim, a response or an arrow."""
    assert [line for line in format_mermaid_map(shown) if LINE.fullmatch(line) is None] == []


@given(st.one_of(st.text(max_size=60), st.text(st.sampled_from('"]`#;<>%{}|\n\\-1. '), max_size=60)))
def test_labels_have_no_special_character(text: str) -> None:
    """Special characters are written as their code points."""
    assert re.fullmatch(r"(?:[^\W_]|[ .,!?()'/-]|#\d+;)*", escape_label(text))


def test_a_label_starts_no_markdown_list() -> None:
    """Numbers and dashes at the beginning are escaped."""
    assert escape_label("1. one") == "1#46; one"
    assert escape_label("- one") == "#45; one"


def test_a_debate_without_arguments_has_no_map() -> None:
    """There is no empty block."""
    assert fence_mermaid(format_mermaid_map(fold(events()[:1]))) == []


def test_a_map_beyond_the_limit_of_mermaid_is_left_out() -> None:
    """Viewers refuse charts with too many arrows."""
    arguments = tuple(
        Argument(id=f"PRO-{number}", claim="c", reasoning="", evidence="") for number in range(MAX_ARROWS + 1)
    )
    first = debate().turns[0].model_copy(update={"arguments": arguments})
    assert format_mermaid_map(fold([events()[0], TurnCompleted(at=START, turn=first)])) == []
