"""Errors of the OpenAI and Anthropic adapters over a real connection: each fault has its own error class."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from adapter_support import (
    ADAPTERS,
    ANTHROPIC,
    ANTHROPIC_USAGE,
    BLOCK,
    DONE,
    HEAD,
    KEY,
    NATIVE,
    OPENAI,
    PLAIN,
    START,
    STOP,
    TIMEOUT_S,
    TOOL,
    Adapter,
    chunk,
    ignore,
    message_delta,
    part,
    text_delta,
)
from wire_support import Playback, Wire, event, event_stream, http_response

from debate_cli.errors import (
    BrokenBodyError,
    ContextOverflowError,
    ModelError,
    ModelTimeoutError,
    ParameterError,
    QuotaExhaustedError,
    RateLimitedError,
    RejectedError,
    ServerError,
    TruncatedError,
    UnauthorizedError,
    UnknownModelError,
    UnreachableError,
    UnsupportedError,
)
from debate_cli.llm.model import Request
from debate_cli.llm.usage import error_usage
from debate_cli.providers.endpoint import Endpoint
from debate_cli.providers.http_model import HttpServer

both_adapters = pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: adapter.name)


def error_body(message: str, kind: str = "") -> dict[str, Any]:
    """An error body; `kind` is the type of an Anthropic error."""
    return {"type": "error", "error": {"type": kind, "message": message}}


@both_adapters
@pytest.mark.parametrize(
    ("status", "message", "asked", "error"),
    [
        (400, "must not be empty", PLAIN, RejectedError),
        (400, "response_format is unknown", NATIVE, UnsupportedError),
        (400, "tool_choice is not supported", TOOL, UnsupportedError),
        (400, "prompt is too long", PLAIN, ContextOverflowError),
        (402, "Insufficient Balance", PLAIN, QuotaExhaustedError),
        (401, "No auth", PLAIN, UnauthorizedError),
        (404, "no such model", PLAIN, UnknownModelError),
        (429, "Slow down", PLAIN, RateLimitedError),
        (503, "Loading model", PLAIN, ServerError),
        (307, "", PLAIN, RejectedError),
    ],
)
def test_an_error_status(adapter: Adapter, status: int, message: str, asked: Request, error: type[ModelError]) -> None:
    """The SDK's exception has the status and the body that decide on the error. Their rules: `test_error_mapping.py`."""
    playback = http_response(error_body(message), status=status)
    assert type(adapter.ask_for_error(playback, stream=False, request=asked)) is error


def test_a_rejected_temperature() -> None:
    """It counts only if the request had one."""
    playback = http_response(error_body("temperature is not supported"), status=400)
    errors = [
        OPENAI.ask_for_error(playback, stream=False, request=replace(PLAIN, temperature=value)) for value in (0.5, None)
    ]
    assert [type(error) for error in errors] == [ParameterError, RejectedError]


@both_adapters
def test_a_stream_that_is_refused(adapter: Adapter) -> None:
    """An error status in place of a stream is mapped like that of a whole answer, by its number and by its message."""
    for message, status, error in (
        ("Slow down", 429, RateLimitedError),
        ("prompt is too long: this model's maximum context length is 8192", 400, ContextOverflowError),
    ):
        assert type(adapter.ask_for_error(http_response(error_body(message), status=status), stream=True)) is error


HTML = http_response("<html><title>Welcome</title></html>", content_type="text/html")
BROKEN_BODIES = {
    "html": HTML,
    "text": http_response("hello", content_type="text/plain"),
    "empty": http_response(""),
    "null": http_response("null"),
    "list": http_response([1]),
    "other object": http_response({"id": "x"}),
    "deep nesting": http_response("[" * 100_000),
}
OPENAI_BODIES = BROKEN_BODIES | {
    "broken json": http_response('{"choices": ['),
    "broken utf-8": http_response(b'{"choices": "\xff\xfe"}'),
    "empty choices": http_response({"choices": []}),
    "no message": http_response({"choices": [{"index": 0}]}),
    "wrong type": http_response({"choices": "yes", "usage": None}),
}
ANTHROPIC_BODIES = BROKEN_BODIES | {
    "broken json": http_response('{"content": ['),
    "broken utf-8": http_response(b'{"content": "\xff\xfe"}'),
    "wrong type": http_response(HEAD | {"content": "yes", "usage": ANTHROPIC_USAGE}),
}


@pytest.mark.parametrize(
    ("adapter", "playback"),
    [
        pytest.param(adapter, playback, id=f"{adapter.name} {name}")
        for adapter, bodies in ((OPENAI, OPENAI_BODIES), (ANTHROPIC, ANTHROPIC_BODIES))
        for name, playback in bodies.items()
    ],
)
def test_a_broken_body(adapter: Adapter, playback: Playback) -> None:
    """A 200 whose body does not follow the protocol is a BrokenBodyError."""
    assert type(adapter.ask_for_error(playback, stream=False)) is BrokenBodyError


@both_adapters
@pytest.mark.parametrize(
    ("then", "error"),
    [("end", TruncatedError), ("reset", UnreachableError), ("vanish", UnreachableError), ("stall", ModelTimeoutError)],
)
def test_a_stream_that_breaks_off(adapter: Adapter, then: Any, error: type[ModelError]) -> None:
    """It is never taken for an answer; the error has the usage that arrived before."""
    caught = adapter.ask_for_error(event_stream(*adapter.begun, then=then), stream=True)
    assert type(caught) is error
    used = error_usage(caught)
    tokens = (used.input_tokens, used.cached_tokens, used.output_tokens)
    assert tokens == ((10, 4, 3) if adapter is OPENAI else (130, 100, 1))


@both_adapters
@pytest.mark.parametrize("then", ["reset", "vanish", "stall"])
def test_a_stream_that_breaks_off_after_its_last_event(adapter: Adapter, then: Any) -> None:
    """It is a complete answer, although the end of the HTTP body is missing."""
    playback = event_stream(*adapter.begun, *adapter.end, then=then)
    assert adapter.ask(playback, on_text=ignore, timeout_s=TIMEOUT_S)[0].text == "a"


def openai_event(**fields: Any) -> Playback:
    """A stream with an error event after its first text."""
    return event_stream(*OPENAI.begun, event({"error": fields}))


def anthropic_event(kind: str) -> Playback:
    """A stream with an error event after its start."""
    return event_stream(START, part("error", error={"type": kind, "message": "boom"}))


@pytest.mark.parametrize(
    ("adapter", "playback", "error"),
    [
        (OPENAI, OPENAI.whole, BrokenBodyError),
        (OPENAI, HTML, BrokenBodyError),
        (OPENAI, event_stream(), BrokenBodyError),
        (OPENAI, event_stream(event("{broken")), BrokenBodyError),
        (OPENAI, event_stream(event("[1]")), BrokenBodyError),
        (OPENAI, event_stream(*OPENAI.begun, DONE), TruncatedError),
        (OPENAI, openai_event(message="boom"), ServerError),
        (OPENAI, openai_event(message="slow", code=429), RateLimitedError),
        (OPENAI, openai_event(message="no", type="invalid_request_error"), RejectedError),
        (OPENAI, event_stream(chunk({"content": "a"}, "error"), DONE), ServerError),
        (ANTHROPIC, ANTHROPIC.whole, BrokenBodyError),
        (ANTHROPIC, HTML, BrokenBodyError),
        (ANTHROPIC, event_stream(), BrokenBodyError),
        (ANTHROPIC, event_stream(START, event("{broken", "message_delta")), BrokenBodyError),
        (ANTHROPIC, event_stream(event("[1]", "message_start")), BrokenBodyError),
        (ANTHROPIC, event_stream(START, BLOCK, text_delta("a"), message_delta(None), STOP), TruncatedError),
        (ANTHROPIC, anthropic_event("overloaded_error"), RateLimitedError),
        (ANTHROPIC, anthropic_event("api_error"), ServerError),
        (ANTHROPIC, anthropic_event("invalid_request_error"), RejectedError),
        (ANTHROPIC, event_stream(START, event("nonsense", "error")), ServerError),
    ],
)
def test_a_broken_stream(adapter: Adapter, playback: Playback, error: type[ModelError]) -> None:
    """No stream, broken events, a missing finish reason and error events have their own errors."""
    assert type(adapter.ask_for_error(playback, stream=True)) is error


(WHOLE_ANSWER,) = OPENAI.whole
assert isinstance(WHOLE_ANSWER, bytes)


@both_adapters
@pytest.mark.parametrize(
    ("playback", "error"),
    [
        pytest.param(("reset",), UnreachableError, id="reset"),
        pytest.param(("close",), UnreachableError, id="closed"),
        pytest.param(("stall",), ModelTimeoutError, id="silent"),
        pytest.param((b"NOT HTTP\r\n\r\n", "close"), UnreachableError, id="no http"),
        pytest.param((WHOLE_ANSWER[:-5], "close"), UnreachableError, id="body cut off"),
    ],
)
def test_a_failed_connection(adapter: Adapter, playback: Playback, error: type[ModelError]) -> None:
    """Timeouts have another error than resets and broken HTTP. The error has the seconds that the request took."""
    failure = adapter.ask_for_error(playback, stream=False)
    assert type(failure) is error
    assert failure.latency_s > 0


@pytest.mark.parametrize(
    ("adapter", "body"),
    [(OPENAI, {"error": {"message": "x", "code": 429}}), (ANTHROPIC, error_body("x", "overloaded_error"))],
)
def test_an_error_in_a_200(adapter: Adapter, body: Any) -> None:
    """An error object in a 200 is mapped like the status that it names."""
    assert type(adapter.ask_for_error(http_response(body), stream=False)) is RateLimitedError


@both_adapters
def test_a_refused_connection(adapter: Adapter) -> None:
    """The message says to start the local server or to correct the address."""

    async def run() -> None:
        async with Wire([]) as wire:
            url = wire.url
        server = HttpServer(adapter.api, Endpoint("lab", url, api_key=KEY))
        with pytest.raises(UnreachableError, match="could not be reached; start it there or correct its address"):
            await server.model("m1", adapter.profile).complete(PLAIN)
        await server.aclose()

    asyncio.run(run())


@both_adapters
@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "300"}, 300.0),
        ({"Retry-After": "soon"}, None),
    ],
)
def test_retry_after_is_on_the_error(adapter: Adapter, headers: dict[str, str], wait: float | None) -> None:
    """The error has the seconds to wait; the SDK neither waits nor retries."""
    error = adapter.ask_for_error(http_response(error_body("Slow"), status=429, headers=headers), stream=False)
    assert isinstance(error, RateLimitedError)
    assert error.retry_after == wait


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_the_message_names_the_problem_without_the_key(stream: bool) -> None:
    """One line with provider, host, status and variable. A repeated key is redacted and the SDK's error is not chained."""
    error = OPENAI.ask_for_error(http_response(error_body(f"Bad key {KEY}\n\x1b[31m"), status=401), stream=stream)
    text = str(error)
    assert text.startswith("lab (127.0.0.1:")
    assert "answered 401: Bad key [redacted]" in text
    assert text.endswith("replace the key in LAB_KEY, or give the key access to this model")
    assert KEY not in text
    assert text.isprintable()
    assert error.__suppress_context__
