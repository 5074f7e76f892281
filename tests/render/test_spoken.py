"""A streamed speech is read as far as it goes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from render_support import CLAIMS, CLOSINGS, exchange, turns

from debate_cli.domain.turn import UNSTRUCTURED, Argument, Closing, Response, Turn
from debate_cli.llm.model import RESTART
from debate_cli.render.speech_parts import parse_partial_speech, split_turn, text_since_restart

OPENING = json.dumps({"arguments": [turns()[0].model_dump(mode="json")["arguments"][0]]})


def test_half_a_claim_is_shown() -> None:
    """A string that is still open is there as far as it has come."""
    (argument,) = parse_partial_speech('{"arguments": [{"id": "PRO-1", "claim": "Independent depl')
    assert isinstance(argument, Argument)
    assert (argument.id, argument.claim, argument.evidence) == ("PRO-1", "Independent depl", "")


def test_a_whole_stream_gives_the_pieces_of_the_turn() -> None:
    """The end of streaming changes nothing on the screen."""
    assert parse_partial_speech(OPENING) == split_turn(turns()[0])[:1]


@pytest.mark.parametrize("nested", [True, False])
def test_a_closing_is_read_nested_or_bare(nested: bool) -> None:
    """A closing is found with and without the field around it."""
    form = CLOSINGS["Ada"].model_dump(mode="json")
    assert parse_partial_speech(json.dumps({"closing": form} if nested else form)) == (CLOSINGS["Ada"],)


def test_a_fence_is_not_shown() -> None:
    """The code fence that models put around JSON is no part of a speech."""
    assert parse_partial_speech(f"```json\n{OPENING}") == parse_partial_speech(OPENING)


@pytest.mark.parametrize("text", ["Plain words.", "Ladies and [gentlemen", "{not json", '["a list"'])
def test_what_is_no_form_is_shown_as_it_is(text: str) -> None:
    """Text that is no JSON object stays text."""
    assert parse_partial_speech(text) == (text,)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ()),
        ("  ", ()),
        ("{", ()),
        ('{"arg', ()),
        ('{"arguments": [', ()),
        ("``", ("``",)),
        ("```json\n", ("```json\n",)),
    ],
)
def test_the_very_beginning_does_not_flicker(text: str, shown: tuple[str, ...]) -> None:
    """Of a form nothing yet; of what may still become plain words the words themselves."""
    assert parse_partial_speech(text) == shown


@given(st.integers(min_value=0, max_value=len(OPENING)))
def test_a_stream_may_break_off_anywhere(length: int) -> None:
    """Every beginning of an opening is shown as arguments as soon as one has begun, and no raw JSON of it."""
    begun = length > OPENING.index("[{") + 1
    assert [type(piece) for piece in parse_partial_speech(OPENING[:length])] == [Argument] * begun


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(
                    ["arguments", "responses", "answers", "closing", "final_position", "concessions", "speech", "id"]
                ),
                inner,
            )
        ),
    )
)
def test_any_json_is_read_without_an_error(value: object) -> None:
    """A model may put anything where anything should stand."""
    assert isinstance(parse_partial_speech(json.dumps(value)), tuple)


def test_a_restart_voids_what_was_streamed() -> None:
    """After a retry only the new text counts."""
    assert text_since_restart(["old ", RESTART, "new ", "text"]) == "new text"


def test_an_unstructured_turn_is_its_own_words() -> None:
    """What could not be brought into shape is shown as it was said."""
    argument = Argument(id="PRO-1", claim="all of it", reasoning="", evidence="")
    turn = Turn(index=0, round=1, phase="opening", speaker="Ada", text="all of it", arguments=(argument,),
                warnings=(UNSTRUCTURED,), exchange=exchange())  # fmt: skip
    assert split_turn(turn) == ("all of it",)


def test_an_argument_out_of_order_is_shown_with_the_responses() -> None:
    """What was smuggled into cross-examination stands in the text only, and is not lost."""
    turn = turns()[2].model_copy(update={"text": "To CON-1: no.\n\nNew argument. PRO-9: more"})
    assert split_turn(turn)[-1] == "New argument. PRO-9: more"


def test_a_free_speech_is_not_told_twice() -> None:
    """What was read out of a speech follows it as heads."""
    claim = Argument(id="PRO-1", claim=CLAIMS["PRO-1"][0], reasoning="long", evidence="long")
    rebuttal = Response(target="CON-1", type="refute", reasoning="long")
    turn = Turn(index=0, round=1, phase="speech", speaker="Ada", text="The speech.", arguments=(claim,),
                responses=(rebuttal,), exchange=exchange())  # fmt: skip
    speech, head, answer = split_turn(turn)
    assert speech == "The speech."
    assert isinstance(head, Argument)
    assert isinstance(answer, Response)
    assert (head.reasoning, head.evidence, answer.reasoning) == ("", "", "")


def test_the_closing_comes_last() -> None:
    """The pieces of a closing turn end with the closing."""
    assert isinstance(split_turn(turns()[-1])[-1], Closing)
