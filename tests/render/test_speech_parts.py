"""Parsing of streamed turns, complete or not, into arguments, responses, closing and text."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from render_support import CLOSINGS, exchange, turns

from debate_cli.domain.turn import UNSTRUCTURED, Argument, FollowUpAnswer, Turn
from debate_cli.llm.model import RESTART
from debate_cli.render.content.speech_parts import parse_partial_speech, split_turn, text_since_restart

OPENING = json.dumps({"arguments": [turns()[0].model_dump(mode="json")["arguments"][0]]})
CLOSING = CLOSINGS["Ada"].model_dump(mode="json")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ()),
        ("  ", ()),
        ("{", ()),
        ('{"arg', ()),
        ('{"arguments": [', ()),
        ("``", ("``",)),
        ("```json\n", ("```json\n",)),
        ("Plain words.", ("Plain words.",)),
        ("Ladies and [gentlemen", ("Ladies and [gentlemen",)),
        ("{not json", ("{not json",)),
        ('["a list"', ('["a list"',)),
        (
            '{"arguments": [{"id": "PRO-1", "claim": "Independent depl',
            (Argument(id="PRO-1", claim="Independent depl", reasoning="", evidence=""),),
        ),
        (OPENING, split_turn(turns()[0])[:1]),
        (f"```json\n{OPENING}", split_turn(turns()[0])[:1]),
        (
            '{"answers": [{"question_target": "CON-1", "evaded": true, "reply": "No town publ',
            (FollowUpAnswer(question_target="CON-1", reply="No town publ", evaded=True),),
        ),
        (json.dumps(CLOSING), (CLOSINGS["Ada"],)),
        (json.dumps({"closing": CLOSING}), (CLOSINGS["Ada"],)),
    ],
)
def test_partial_text_is_parsed(text: str, parts: tuple[object, ...]) -> None:
    """The beginning of a JSON object is hidden; text that is no JSON object stays text; code fences are removed."""
    assert parse_partial_speech(text) == parts


@given(st.integers(min_value=0, max_value=len(OPENING)))
def test_every_prefix_of_an_opening_is_parsed(length: int) -> None:
    """It has one argument once the first argument has begun, and never raw JSON."""
    has_begun = length > OPENING.index("[{") + 1
    assert [type(part) for part in parse_partial_speech(OPENING[:length])] == [Argument] * has_begun


FIELDS = ["arguments", "responses", "answers", "closing", "final_position", "concessions", "speech", "id"]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(FIELDS), inner),
    )
)
def test_any_json_is_parsed_without_an_error(value: object) -> None:
    """A model may send any type in any field."""
    assert isinstance(parse_partial_speech(json.dumps(value)), tuple)


def test_text_before_a_restart_is_discarded() -> None:
    """After a retry only the new text counts."""
    assert text_since_restart(["old ", RESTART, "new ", "text"]) == "new text"


def test_an_unstructured_turn_is_its_text() -> None:
    """The generated argument is not shown."""
    argument = Argument(id="PRO-1", claim="all of it", reasoning="", evidence="")
    turn = Turn(index=0, round=1, phase="opening", speaker="Ada", text="all of it", arguments=(argument,),
                warnings=(UNSTRUCTURED,), exchange=exchange())  # fmt: skip
    assert split_turn(turn) == ("all of it",)


def test_an_argument_out_of_order_follows_the_responses() -> None:
    """A new argument in cross-examination is in the text only."""
    turn = turns()[2].model_copy(update={"text": "To CON-1: no.\n\nNew argument. PRO-9: more"})
    assert split_turn(turn)[-1] == "New argument. PRO-9: more"
