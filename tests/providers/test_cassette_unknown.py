"""What a cassette does not know, it explains: how the request differs from the nearest that was recorded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from cassette_support import ASK, REPLY, play, record

from debate_cli.errors import PermanentError
from debate_cli.llm.model import Message, OutputSchema, Request
from debate_cli.providers.cassette import CassettePlayer


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (replace(ASK, system="Rules!"), r"system prompt differs from character 6: it was “\.” and is “!”"),
        (
            replace(ASK, messages=(Message("user", "Motion: dogs."),), nonce=""),
            r"message 1 \(user\) differs .* is “dogs\.”",
        ),
        (replace(ASK, messages=(*ASK.messages, Message("user", "More."))), r"message 2 \(user\) is new"),
        (replace(ASK, schema=OutputSchema("s", {"type": "array"})), r"the schema differs"),
        (replace(ASK, schema=None), r"the schema is missing"),
        (replace(ASK, temperature=0.5), r"temperature was 0\.7 and is 0\.5"),
        (replace(ASK, max_output_tokens=7), r"max_output_tokens was 100 and is 7"),
        (replace(ASK, seed=3), r"seed was None and is 3"),
        (replace(ASK, rung="prompt"), r"rung was native and is prompt"),
        (replace(ASK, purpose="closing"), r"nor any reply for that purpose"),
    ],
)
def test_an_unknown_request_is_compared_with_the_nearest(cassette: Path, changed: Request, told: str) -> None:
    """The error names what differs, and asking again would not help."""
    record(cassette, REPLY)
    with pytest.raises(PermanentError, match=told):
        play(CassettePlayer(cassette), changed)


def test_another_model_is_told(cassette: Path) -> None:
    """A model that was renamed is the difference."""
    record(cassette, REPLY)
    with pytest.raises(PermanentError, match="the model was lab/m and is lab/n"):
        play(CassettePlayer(cassette), name="lab/n")


def test_the_nearest_is_the_one_with_the_longest_common_beginning(cassette: Path) -> None:
    """Among two recorded requests of one purpose, the more similar is compared with."""
    record(cassette, REPLY, request=replace(ASK, messages=(Message("user", "Motion: dogs. A"),)))
    record(cassette, REPLY, request=replace(ASK, messages=(Message("user", "Motion: cats. A"),)))
    with pytest.raises(
        PermanentError, match=r"line 3: message 1 \(user\) differs from character 15: it was “A” and is “B”"
    ):
        play(CassettePlayer(cassette), replace(ASK, messages=(Message("user", "Motion: cats. B"),)))


@pytest.mark.parametrize(
    ("system", "told"),
    [
        ("Rules\u2014and\nmore\tof \u00fc.", "it was “.” and is “\u2014and more of \u00fc.”"),
        ("Rules" + "x" * 50, f"it was “.” and is “{'x' * 40}\u2026”"),
        ("Rules\u202e\x07.", "in invisible characters before “.”"),
        ("Rules\n", "it was “.” and is white space"),
        ("Rules", "it was “.” and is the end"),
    ],
    ids=["a line break and a dash", "a long one", "signs that are not seen", "nothing but a line break", "cut off"],
)
def test_the_words_themselves_are_shown(cassette: Path, system: str, told: str) -> None:
    """As they read, on one line and no more than a few; no escapes of JSON."""
    record(cassette, REPLY)
    with pytest.raises(PermanentError) as raised:
        play(CassettePlayer(cassette), replace(ASK, system=system))
    assert told in str(raised.value)


def test_control_characters_do_not_reach_the_error(cassette: Path) -> None:
    """Faults quote untrusted text on one line, without control characters."""
    record(cassette, REPLY)
    with pytest.raises(PermanentError) as raised:
        play(CassettePlayer(cassette), replace(ASK, system="Rules\x1b[31m\n."))
    assert str(raised.value).isprintable()
