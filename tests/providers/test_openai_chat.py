"""The adapter for OpenAI's chat completions, on a real wire: answers, and the headers that are sent."""

from __future__ import annotations

import asyncio

import pytest
from asking_support import KEY, PLAIN, TOOL, unheard
from openai_support import CALL, DONE, GOOD, TOTAL, chunk, completion
from openai_support import OPENAI as ASKER
from wire_support import Wire, answered, streamed

from debate_cli.domain.model_call import Usage
from debate_cli.llm.profile import Profile
from debate_cli.providers.endpoint import Endpoint
from debate_cli.providers.openai import make_openai_server


def test_a_whole_answer_with_its_usage() -> None:
    """Text, finish reason and the three token counts arrive."""
    reply, _ = ASKER.ask(completion({"content": "Hi"}))
    assert (reply.text, reply.finish_reason) == ("Hi", "stop")
    assert reply.usage == Usage(input_tokens=10, cached_tokens=4, output_tokens=3)


def test_a_stream_piece_by_piece() -> None:
    """`on_text` gets every piece in order, and the reply is the same as their sum."""
    pieces: list[str] = []
    events = (chunk({"role": "assistant"}), chunk({"content": "Hel"}), chunk({"content": "lo"}), chunk({}, "stop"))
    reply, _ = ASKER.ask(streamed(*events, TOTAL, DONE), on_text=pieces.append)
    assert pieces == ["Hel", "lo"]
    assert (reply.text, reply.usage.output_tokens) == ("Hello", 3)


def test_arguments_of_the_forced_call_are_the_text() -> None:
    """With the rung `tool` the reply's text is the JSON of the arguments."""
    reply, _ = ASKER.ask(completion({"content": None, "tool_calls": [CALL]}, "tool_calls"), TOOL)
    assert reply.text == '{"a":"b"}'


def test_arguments_stream_as_text() -> None:
    """Arguments arrive in pieces like any text."""
    pieces: list[str] = []
    first = {"index": 0, "id": "c1", "type": "function", "function": {"name": "verdict", "arguments": '{"a":'}}
    second = {"index": 0, "function": {"arguments": '"b"}'}}
    events = (chunk({"tool_calls": [first]}), chunk({"tool_calls": [second]}), chunk({}, "tool_calls"), TOTAL, DONE)
    reply, _ = ASKER.ask(streamed(*events), TOOL, on_text=pieces.append)
    assert pieces == ['{"a":', '"b"}']
    assert reply.text == '{"a":"b"}'


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("said", "finish", "truncated", "refusal"),
    [
        ({"content": "So"}, "length", True, None),
        ({"refusal": "I cannot."}, "stop", False, "I cannot."),
        ({"content": ""}, "content_filter", False, "The provider's content filter stopped the answer."),
        ({"content": "Half"}, "content_filter", False, "Half"),
    ],
)
def test_how_an_answer_ended(
    stream: bool, said: dict[str, str], finish: str, truncated: bool, refusal: str | None
) -> None:
    """A reached limit, a refusal and a content filter are fields of the reply, streamed or not."""
    playback = streamed(chunk(said), chunk({}, finish), TOTAL, DONE) if stream else completion(said, finish)
    reply, _ = ASKER.ask(playback, on_text=unheard if stream else None)
    assert (reply.truncated, reply.refusal, reply.finish_reason) == (truncated, refusal, finish)


@pytest.mark.parametrize("stream", [False, True])
def test_a_filter_at_the_door_is_a_refusal(stream: bool) -> None:
    """A 400 by a content filter is a reply that declines, not an error."""
    playback = answered({"error": {"code": "content_filter", "message": "Filtered."}}, status=400)
    reply, _ = ASKER.ask(playback, on_text=unheard if stream else None)
    assert reply.refusal is not None
    assert "Filtered." in reply.refusal


def test_an_exception_of_the_listener_is_not_the_servers_fault() -> None:
    """An exception of `on_text` is not mapped, even if a rule matches its type."""

    def broken(_: str) -> None:
        raise AttributeError("mine")

    with pytest.raises(AttributeError, match="mine"):
        ASKER.ask(streamed(chunk({"content": "x"}), chunk({}, "stop"), DONE), on_text=broken)


def test_calls_of_one_server_share_a_connection() -> None:
    """Two calls one after the other, by two models of the same server, need one connection."""

    async def run() -> int:
        async with Wire([completion({"content": "a"})]) as wire:
            server = make_openai_server(Endpoint("lab", wire.url))
            for name in ("m1", "m2"):
                await server.model(name, Profile()).complete(PLAIN)
            await server.aclose()
            return wire.connections

    assert asyncio.run(run()) == 1


def test_the_key_goes_into_the_authorization_header() -> None:
    """The row's key, and no other credential, is sent."""
    _, seen = ASKER.ask(GOOD)
    assert seen.headers["authorization"] == f"Bearer {KEY}"


def test_without_a_key_none_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server without a key gets neither the key nor the headers that the environment holds for OpenAI."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ADMIN_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-secret")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"Authorization: Bearer {KEY}\nX-Mine: {KEY}")
    _, seen = ASKER.ask(GOOD, api_key=None)
    sent = str(seen.headers)
    assert KEY not in sent
    assert "-secret" not in sent
    assert "authorization" not in seen.headers


def test_a_key_header_set_by_hand_stays() -> None:
    """A server without a key gets the header that the row names."""
    _, seen = ASKER.ask(GOOD, api_key=None, headers={"authorization": "Bearer mine"})
    assert seen.headers["authorization"] == "Bearer mine"


def test_a_redirect_is_not_followed() -> None:
    """A server cannot send the request, and the key with it, elsewhere."""
    error, strayed = ASKER.strayed(307, GOOD)
    assert strayed == 0
    assert "redirects are not followed" in str(error)


def test_extra_headers_are_sent() -> None:
    """A row's headers go with every request."""
    _, seen = ASKER.ask(GOOD, headers={"X-Team": "debate"})
    assert seen.headers["x-team"] == "debate"
