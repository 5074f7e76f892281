"""The adapter for Anthropic's messages API, on a real wire: answers, and the headers that are sent."""

from __future__ import annotations

from typing import Any

import pytest
from anthropic_support import ANTHROPIC as ASKER
from anthropic_support import BLOCK, GOOD, PING, START, STOP, delta, ending, message, part, text
from asking_support import KEY, TOOL, unheard
from wire_support import streamed

from debate_cli.domain.model_call import Usage


def test_a_whole_answer_with_its_usage() -> None:
    """All tokens of the prompt are input, those read from and written to the cache as well; only the read ones are cached."""
    reply, _ = ASKER.ask(message(text("Hi"), text("!")))
    assert (reply.text, reply.finish_reason) == ("Hi!", "end_turn")
    assert reply.usage == Usage(input_tokens=130, cached_tokens=100, output_tokens=3, cache_written_tokens=20)


def test_a_stream_piece_by_piece() -> None:
    """`on_text` gets every piece; usage of the start and of the end are put together."""
    pieces: list[str] = []
    reply, _ = ASKER.ask(
        streamed(START, BLOCK, PING, delta("Hel"), delta("lo"), ending("end_turn"), STOP), on_text=pieces.append
    )
    assert pieces == ["Hel", "lo"]
    assert (reply.text, reply.usage) == (
        "Hello",
        Usage(input_tokens=130, cached_tokens=100, output_tokens=3, cache_written_tokens=20),
    )


def test_the_forced_calls_input_is_the_text() -> None:
    """With the rung `tool` the reply's text is the JSON of the call's input, its words unescaped."""
    block = {"type": "tool_use", "id": "t1", "name": "verdict", "input": {"a": "ü"}}
    reply, _ = ASKER.ask(message(block, stop="tool_use"), TOOL)
    assert reply.text == '{"a": "ü"}'


def test_a_calls_input_streams_as_text() -> None:
    """The JSON of the input arrives in pieces like any text."""
    pieces: list[str] = []
    start = part(
        "content_block_start", index=0, content_block={"type": "tool_use", "id": "t", "name": "v", "input": {}}
    )
    halves = [
        part("content_block_delta", index=0, delta={"type": "input_json_delta", "partial_json": half})
        for half in ('{"a":', '"b"}')
    ]
    reply, _ = ASKER.ask(streamed(START, start, *halves, ending("tool_use"), STOP), TOOL, on_text=pieces.append)
    assert (reply.text, pieces) == ('{"a":"b"}', ['{"a":', '"b"}'])


def test_thinking_is_not_the_answer() -> None:
    """Blocks of thought are left out of the text."""
    reply, _ = ASKER.ask(message({"type": "thinking", "thinking": "Hm", "signature": "s"}, text("Yes")))
    assert reply.text == "Yes"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("stop", "details", "truncated", "refusal"),
    [
        ("max_tokens", None, True, None),
        ("model_context_window_exceeded", None, True, None),
        ("stop_sequence", None, False, None),
        ("refusal", {"type": "refusal", "category": "bio", "explanation": "Too risky."}, False, "Too risky."),
        ("refusal", None, False, "So"),
    ],
)
def test_how_an_answer_ended(stream: bool, stop: str, details: Any, truncated: bool, refusal: str | None) -> None:
    """A reached limit and a refusal are fields of the reply, streamed or not."""
    events = streamed(START, BLOCK, delta("So"), ending(stop, stop_details=details), STOP)
    playback = events if stream else message(text("So"), stop=stop, stop_details=details)
    reply, _ = ASKER.ask(playback, on_text=unheard if stream else None)
    assert (reply.truncated, reply.refusal, reply.finish_reason) == (truncated, refusal, stop)


def test_an_exception_of_the_listener_is_not_the_servers_fault() -> None:
    """An exception of `on_text` is not mapped, even if a rule matches its type."""

    def broken(_: str) -> None:
        raise AttributeError("mine")

    with pytest.raises(AttributeError, match="mine"):
        ASKER.ask(streamed(START, BLOCK, delta("x"), ending("end_turn"), STOP), on_text=broken)


def test_without_a_key_none_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server without a key gets no credential that the environment holds for Anthropic."""
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_WEBHOOK_SIGNING_KEY"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", f"Authorization: Bearer {KEY}\nX-Mine: {KEY}")
    _, seen = ASKER.ask(GOOD, api_key=None)
    assert KEY not in str(seen.headers)
    assert not {"x-api-key", "authorization"} & set(seen.headers)


@pytest.mark.parametrize("header", ["x-api-key", "X-Api-Key", "authorization", "Authorization"])
def test_a_key_header_set_by_hand_is_the_only_one(header: str) -> None:
    """A header set by the user is sent unchanged, in any case of its name, and no other credential."""
    _, seen = ASKER.ask(GOOD, api_key=None, headers={header: "mine"})
    sent = {name: value for name, value in seen.headers.items() if name in {"x-api-key", "authorization"}}
    assert sent == {header.lower(): "mine"}


def test_the_key_is_sent_as_the_sdk_does() -> None:
    """The row's key is among the headers."""
    _, seen = ASKER.ask(GOOD)
    assert KEY in str(seen.headers)


def test_a_redirect_is_not_followed() -> None:
    """A server cannot send the request, and the key with it, elsewhere."""
    error, strayed = ASKER.strayed(308, GOOD)
    assert strayed == 0
    assert "redirects are not followed" in str(error)


def test_extra_headers_are_sent() -> None:
    """A row's headers go with every request."""
    _, seen = ASKER.ask(GOOD, headers={"X-Team": "debate"})
    assert seen.headers["x-team"] == "debate"
