"""Replies of the OpenAI and Anthropic adapters over a real connection, and the headers that they send."""

import asyncio
from typing import Any

import pytest
from adapter_support import (
    ADAPTERS,
    ANTHROPIC,
    BLOCK,
    KEY,
    OPENAI,
    PLAIN,
    TOOL,
    Adapter,
    anthropic_stream,
    completion,
    ignore,
    message,
    openai_stream,
    part,
    text_block,
    text_delta,
)
from wire_support import Playback, Wire, event_stream, http_response

from debate_cli.domain.model_call import Usage
from debate_cli.errors import ModelError
from debate_cli.llm.model import Profile
from debate_cli.providers.endpoint import Endpoint
from debate_cli.providers.http_model import HttpServer

both_adapters = pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: adapter.name)
whole_and_streamed = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
OPENAI_TOKENS = Usage(input_tokens=10, cached_tokens=4, output_tokens=3)
ANTHROPIC_TOKENS = Usage(input_tokens=130, cached_tokens=100, output_tokens=3, cache_written_tokens=20)


@pytest.mark.parametrize(
    ("adapter", "playback", "finish_reason", "usage"),
    [
        (OPENAI, completion({"content": "Hi!"}), "stop", OPENAI_TOKENS),
        (ANTHROPIC, message(text_block("Hi"), text_block("!")), "end_turn", ANTHROPIC_TOKENS),
        (
            ANTHROPIC,
            message({"type": "thinking", "thinking": "Hm", "signature": "s"}, text_block("Hi!")),
            "end_turn",
            ANTHROPIC_TOKENS,
        ),
    ],
    ids=["openai", "anthropic", "anthropic thinking"],
)
def test_a_whole_answer(adapter: Adapter, playback: Playback, finish_reason: str, usage: Usage) -> None:
    """Text without thinking, finish reason and usage; tokens read from and written to a cache count as input."""
    reply, _ = adapter.ask(playback)
    assert (reply.text, reply.finish_reason, reply.usage) == ("Hi!", finish_reason, usage)


CALL = {"id": "c1", "type": "function", "function": {"name": "verdict", "arguments": '{"a":"b"}'}}
FIRST = {"index": 0, "id": "c1", "type": "function", "function": {"name": "verdict", "arguments": '{"a":'}}
SECOND = {"index": 0, "function": {"arguments": '"b"}'}}
TOOL_BLOCK: dict[str, Any] = {"type": "tool_use", "id": "t1", "name": "verdict", "input": {}}


def json_delta(piece: str) -> str:
    """A piece of a tool call's input."""
    return part("content_block_delta", index=0, delta={"type": "input_json_delta", "partial_json": piece})


@pytest.mark.parametrize(
    ("adapter", "playback", "pieces", "usage"),
    [
        (
            OPENAI,
            openai_stream({"role": "assistant"}, {"content": "Hel"}, {"content": "lo"}),
            ["Hel", "lo"],
            OPENAI_TOKENS,
        ),
        (
            OPENAI,
            openai_stream({"tool_calls": [FIRST]}, {"tool_calls": [SECOND]}, finish="tool_calls"),
            ['{"a":', '"b"}'],
            OPENAI_TOKENS,
        ),
        (
            ANTHROPIC,
            anthropic_stream(BLOCK, part("ping"), text_delta("Hel"), text_delta("lo")),
            ["Hel", "lo"],
            ANTHROPIC_TOKENS,
        ),
        (
            ANTHROPIC,
            anthropic_stream(
                part("content_block_start", index=0, content_block=TOOL_BLOCK),
                json_delta('{"a":'),
                json_delta('"b"}'),
                stop="tool_use",
            ),
            ['{"a":', '"b"}'],
            ANTHROPIC_TOKENS,
        ),
    ],
    ids=["openai text", "openai tool", "anthropic text", "anthropic tool"],
)
def test_a_stream(adapter: Adapter, playback: Playback, pieces: list[str], usage: Usage) -> None:
    """`on_text` gets each piece of text or tool arguments; the reply has their sum and the usage."""
    received: list[str] = []
    reply, _ = adapter.ask(playback, TOOL, on_text=received.append)
    assert (received, reply.text, reply.usage) == (pieces, "".join(pieces), usage)


@pytest.mark.parametrize(
    ("adapter", "playback", "text"),
    [
        (OPENAI, completion({"content": None, "tool_calls": [CALL]}, "tool_calls"), '{"a":"b"}'),
        (ANTHROPIC, message(TOOL_BLOCK | {"input": {"a": "ü"}}, stop="tool_use"), '{"a": "ü"}'),
    ],
)
def test_the_arguments_of_a_tool_call_are_the_text(adapter: Adapter, playback: Playback, text: str) -> None:
    """The arguments of a tool call become the reply's text, as JSON without escaped letters."""
    assert adapter.ask(playback, TOOL)[0].text == text


@whole_and_streamed
@pytest.mark.parametrize(
    ("content", "finish", "truncated", "refusal"),
    [
        ({"content": "So"}, "length", True, None),
        ({"refusal": "I cannot."}, "stop", False, "I cannot."),
        ({"content": ""}, "content_filter", False, "The provider's content filter stopped the answer."),
        ({"content": "Half"}, "content_filter", False, "Half"),
    ],
)
def test_openai_finish_reasons(
    stream: bool, content: dict[str, str], finish: str, truncated: bool, refusal: str | None
) -> None:
    """A reached limit, a refusal and a content filter are fields of the reply."""
    playback = openai_stream(content, finish=finish) if stream else completion(content, finish)
    reply, _ = OPENAI.ask(playback, on_text=ignore if stream else None)
    assert (reply.truncated, reply.refusal, reply.finish_reason) == (truncated, refusal, finish)


@whole_and_streamed
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
def test_anthropic_stop_reasons(stream: bool, stop: str, details: Any, truncated: bool, refusal: str | None) -> None:
    """A reached limit and a refusal are fields of the reply."""
    events = anthropic_stream(BLOCK, text_delta("So"), stop=stop, stop_details=details)
    playback = events if stream else message(text_block("So"), stop=stop, stop_details=details)
    reply, _ = ANTHROPIC.ask(playback, on_text=ignore if stream else None)
    assert (reply.truncated, reply.refusal, reply.finish_reason) == (truncated, refusal, stop)


@whole_and_streamed
def test_a_prompt_rejected_by_a_content_filter_is_a_refusal(stream: bool) -> None:
    """A 400 by a content filter is a reply with a refusal, not an error."""
    playback = http_response({"error": {"code": "content_filter", "message": "Filtered."}}, status=400)
    reply, _ = OPENAI.ask(playback, on_text=ignore if stream else None)
    assert "answered 400: Filtered;" in (reply.refusal or "")


@both_adapters
def test_an_exception_of_the_listener_is_not_mapped(adapter: Adapter) -> None:
    """An exception of `on_text` is raised unchanged, even if a rule of the adapter matches its type."""

    def broken(_: str) -> None:
        raise AttributeError("mine")

    with pytest.raises(AttributeError, match="mine"):
        adapter.ask(event_stream(*adapter.begun, *adapter.end), on_text=broken)


@both_adapters
def test_models_of_one_server_share_a_connection(adapter: Adapter) -> None:
    """Two calls in sequence, by two models, need one connection."""

    async def run() -> int:
        async with Wire([adapter.whole]) as wire:
            server = HttpServer(adapter.api, Endpoint("lab", wire.url, api_key=KEY))
            for name in ("m1", "m2"):
                await server.model(name, Profile()).complete(PLAIN)
            await server.aclose()
            return wire.connections

    assert asyncio.run(run()) == 1


@both_adapters
def test_a_redirect_is_not_followed(adapter: Adapter) -> None:
    """A server cannot send the request, and the key with it, to another server."""

    async def run() -> tuple[str, int]:
        async with Wire([adapter.whole]) as other:
            redirect = f"HTTP/1.1 308 X\r\nLocation: {other.url}\r\nContent-Length: 0\r\n\r\n".encode()
            async with Wire([(redirect,)]) as wire:
                with pytest.raises(ModelError) as caught:
                    await adapter.complete(wire)
            return str(caught.value), len(other.seen)

    message, requests = asyncio.run(run())
    assert "redirects are not followed" in message
    assert requests == 0


# Headers ---------------------------------------------------------------------------------------------------------

CREDENTIALS = {"x-api-key", "authorization"}


@both_adapters
def test_the_key_and_extra_headers_are_sent(adapter: Adapter) -> None:
    """OpenAI gets the key as a bearer token."""
    _, seen = adapter.ask(adapter.whole, headers={"X-Team": "debate"})
    assert seen.headers["x-team"] == "debate"
    assert KEY in str(seen.headers)
    if adapter is OPENAI:
        assert seen.headers["authorization"] == f"Bearer {KEY}"


@both_adapters
def test_without_a_key_no_credential_is_sent(adapter: Adapter, monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDKs read credentials from the environment; none of them leaves the process."""
    for name in ("API_KEY", "ADMIN_KEY", "AUTH_TOKEN", "WEBHOOK_SIGNING_KEY"):
        monkeypatch.setenv(f"{adapter.name.upper()}_{name}", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-secret")
    monkeypatch.setenv(f"{adapter.name.upper()}_CUSTOM_HEADERS", f"Authorization: Bearer {KEY}\nX-Mine: {KEY}")
    _, seen = adapter.ask(adapter.whole, api_key=None)
    assert KEY not in str(seen.headers)
    assert "-secret" not in str(seen.headers)
    assert not CREDENTIALS & set(seen.headers)


@pytest.mark.parametrize(
    ("adapter", "header"),
    [
        (OPENAI, "authorization"),
        *((ANTHROPIC, name) for name in ("x-api-key", "X-Api-Key", "authorization", "Authorization")),
    ],
)
def test_a_credential_header_of_the_user_is_the_only_one(adapter: Adapter, header: str) -> None:
    """It is sent unchanged, whether its name is in upper or lower case."""
    _, seen = adapter.ask(adapter.whole, api_key=None, headers={header: "mine"})
    assert {name: value for name, value in seen.headers.items() if name in CREDENTIALS} == {header.lower(): "mine"}
