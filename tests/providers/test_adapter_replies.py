"""Replies of the OpenAI and Anthropic adapters over a real connection, and the headers that they send."""

import asyncio
import json
from typing import Any

import pytest
from adapter_support import (
    ADAPTERS,
    ANTHROPIC,
    BLOCK,
    DONE,
    HEAD,
    KEY,
    NATIVE,
    OPENAI,
    OPENAI_USAGE,
    PLAIN,
    STOP,
    TOOL,
    Adapter,
    anthropic_stream,
    chunk,
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
from debate_cli.llm.model import Profile, Request
from debate_cli.llm.retry import ParameterFallbackModel
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


UNASKED = {"index": 1, "id": "c2", "type": "function", "function": {"name": "search", "arguments": '{"q":1}'}}
SEARCH_BLOCK: dict[str, Any] = TOOL_BLOCK | {"id": "t2", "name": "search"}
OPENAI_CALLS = {
    False: completion({"content": "Hi", "tool_calls": [CALL | {"index": 0}, UNASKED]}, "tool_calls"),
    True: openai_stream(
        {"content": "Hi"}, {"tool_calls": [UNASKED]}, {"tool_calls": [FIRST]}, {"tool_calls": [SECOND]}
    ),
}
ANTHROPIC_CALLS = {
    False: message(text_block("Hi"), SEARCH_BLOCK | {"input": {"q": 1}}, TOOL_BLOCK | {"input": {"a": "b"}}),
    True: anthropic_stream(
        text_delta("Hi"),
        part("content_block_start", index=1, content_block=SEARCH_BLOCK),
        part("content_block_delta", index=1, delta={"type": "input_json_delta", "partial_json": '{"q":1}'}),
        part("content_block_start", index=2, content_block=TOOL_BLOCK),
        part("content_block_delta", index=2, delta={"type": "input_json_delta", "partial_json": '{"a":"b"}'}),
    ),
}


@whole_and_streamed
@pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: adapter.name)
@pytest.mark.parametrize(
    ("request_", "answer"), [(PLAIN, "Hi"), (NATIVE, "Hi"), (TOOL, '{"a":"b"}')], ids=["text", "native", "tool"]
)
def test_only_the_offered_tool_counts(adapter: Adapter, request_: Request, answer: str, stream: bool) -> None:
    """A call of a tool that was not offered is ignored. Without an offered tool, the text is the answer."""
    playback = (OPENAI_CALLS if adapter is OPENAI else ANTHROPIC_CALLS)[stream]
    reply, _ = adapter.ask(playback, request_, on_text=ignore if stream else None)
    assert reply.text.replace(" ", "") == answer


def test_a_call_of_the_offered_tool_under_another_name_counts() -> None:
    """Some servers change the name. If there are several calls, none of them is chosen."""
    calls = [{"function": {"name": "x", "arguments": '{"a":"b"}'}}, {"function": {"arguments": '{"a":"c"}'}}]
    assert OPENAI.ask(completion({"tool_calls": calls[:1]}), TOOL)[0].text == '{"a":"b"}'
    assert OPENAI.ask(completion({"tool_calls": calls}), TOOL)[0].text == '{"a":"b"}\n{"a":"c"}'


PARTS = [
    {"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]},
    {"type": "text", "text": "Hi"},
    {"type": "reference", "reference_ids": [1]},
    "unknown",
    {"type": "text", "text": "!"},
]


@whole_and_streamed
def test_content_may_be_a_list_of_parts(stream: bool) -> None:
    """The text of OpenAI's servers is the sum of the text parts; thinking and unknown parts are left out."""
    playback = openai_stream(*({"content": [each]} for each in PARTS)) if stream else completion({"content": PARTS})
    received: list[str] = []
    reply, _ = OPENAI.ask(playback, on_text=received.append if stream else None)
    assert (reply.text, received) == ("Hi!", ["Hi", "!"] if stream else [])


NO_USAGE: Any = object()


@pytest.mark.parametrize("usage", [NO_USAGE, None, [1], "many", {}, {"input_tokens": [1], "prompt_tokens": {}}])
@both_adapters
def test_a_whole_answer_without_readable_usage_is_an_answer(adapter: Adapter, usage: Any) -> None:
    """Its usage is zero, so that the budget estimates it."""
    body = json.loads(adapter.whole[0].partition(b"\r\n\r\n")[2]) | {"usage": usage}
    if usage is NO_USAGE:
        del body["usage"]
    reply, _ = adapter.ask(http_response(body))
    assert (reply.text, reply.usage) == ("Hi", Usage())


def test_a_stream_without_usage_is_an_answer() -> None:
    """The events of Anthropic's streams may lack it."""
    start = part("message_start", message=HEAD | {"content": [], "stop_reason": None})
    end = part("message_delta", delta={"stop_reason": "end_turn", "stop_sequence": None})
    reply, _ = ANTHROPIC.ask(event_stream(start, BLOCK, text_delta("Hi"), end, STOP), on_text=ignore)
    assert (reply.text, reply.usage) == ("Hi", Usage())


@whole_and_streamed
def test_usage_details_of_a_wrong_type_are_ignored(stream: bool) -> None:
    """The other counts are kept."""
    usage = OPENAI_USAGE | {"prompt_tokens_details": [1]}
    playback = (
        event_stream(chunk({"content": "Hi"}, "stop"), chunk(None, usage=usage), chunk(None, usage=[1]), DONE)
        if stream
        else http_response({"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}], "usage": usage})
    )
    reply, _ = OPENAI.ask(playback, on_text=ignore if stream else None)
    assert (reply.text, reply.usage) == ("Hi", Usage(input_tokens=10, output_tokens=3))


REJECTIONS = {
    "max_tokens": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
    "stream_options": "Unrecognized request argument supplied: stream_options",
}


@pytest.mark.parametrize(("field", "message"), REJECTIONS.items())
def test_a_gateway_that_rejects_a_field_is_asked_without_it(field: str, message: str) -> None:
    """The second request has no such field; a limit is sent as `max_completion_tokens`."""

    async def run() -> tuple[str, list[Any]]:
        refusal = http_response({"error": {"message": message}}, status=400)
        async with Wire([refusal, openai_stream({"content": "Hi"})]) as wire:
            server = HttpServer(OPENAI.api, Endpoint("lab", wire.url, api_key=KEY))
            model = ParameterFallbackModel(server.model("m1", Profile()), set(), name="lab/m1", note=ignore)
            reply = await model.complete(PLAIN, ignore)
            await server.aclose()
            return reply.text, [seen.json for seen in wire.seen]

    text, (first, second) = asyncio.run(run())
    assert (text, first.keys() - second.keys()) == ("Hi", {field})
    assert second["max_completion_tokens" if field == "max_tokens" else "max_tokens"] == PLAIN.max_output_tokens


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


@whole_and_streamed
@both_adapters
def test_models_of_one_server_share_a_connection(adapter: Adapter, stream: bool) -> None:
    """Two calls in sequence, by two models, need one connection."""
    playback = event_stream(*adapter.begun, *adapter.end) if stream else adapter.whole

    async def run() -> int:
        async with Wire([playback]) as wire:
            server = HttpServer(adapter.api, Endpoint("lab", wire.url, api_key=KEY))
            for name in ("m1", "m2"):
                await server.model(name, Profile()).complete(PLAIN, ignore if stream else None)
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
