"""Errors of the OpenAI and Anthropic adapters over a real connection: each fault has its own error class."""

import asyncio
from dataclasses import dataclass, replace
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
    TOOL,
    Adapter,
    chunk,
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
    QuotaExhaustedError,
    RateLimitedError,
    RejectedError,
    SamplingError,
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
whole_and_streamed = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])


@dataclass(frozen=True, slots=True)
class Status:
    """An error status and the error class that it becomes."""

    id: str
    status: int
    body: Any
    error: type[ModelError]
    request: Request = PLAIN
    adapter: Adapter = OPENAI


def openai_error(message: str, **more: str) -> dict[str, Any]:
    """An error body in OpenAI's shape."""
    return {"error": {"message": message} | more}


def anthropic_error(message: str, kind: str = "invalid_request_error") -> dict[str, Any]:
    """An error body in Anthropic's shape."""
    return {"type": "error", "error": {"type": kind, "message": message}}


TOO_LONG = openai_error("prompt is too long: this model's maximum context length is 8192")
WARM = replace(PLAIN, temperature=0.5)
ONLY_DEFAULT = "'temperature' does not support 0.5 with this model. Only the default (1) value is supported."
QUOTA = "You exceeded your current quota"
RETRY_DELAY = [{"error": {"message": QUOTA, "details": [{"retryDelay": "7s"}]}}]
OPENAI_STATUSES = (
    Status("temperature by param", 400, openai_error("Invalid value", param="temperature"), SamplingError, WARM),
    Status("temperature by message", 400, openai_error(f"Unsupported value: {ONLY_DEFAULT}"), SamplingError, WARM),
    Status("temperature not sent", 400, openai_error("Invalid value", param="temperature"), RejectedError),
    Status("temperature in text", 400, openai_error("messages: no text on temperature"), RejectedError, WARM),
    Status("bad request", 400, openai_error("messages: must not be empty"), RejectedError),
    Status("unprocessable", 422, openai_error("Extra inputs are not permitted"), RejectedError),
    Status("response_format", 400, openai_error("Unknown name response_format"), UnsupportedError, NATIVE),
    Status("schema by param", 400, openai_error("Invalid", param="response_format"), UnsupportedError, NATIVE),
    Status("tool_choice", 400, openai_error("tool_choice is not supported"), UnsupportedError, TOOL),
    Status("strict", 400, openai_error("'strict' is unknown"), UnsupportedError, TOOL),
    Status("no tools", 404, openai_error("No endpoints found that support tool use"), UnsupportedError, TOOL),
    Status("broken grammar", 500, openai_error("failed to parse grammar"), UnsupportedError, NATIVE),
    Status("response_format not sent", 400, openai_error("Unknown name response_format"), RejectedError),
    Status("restricted is not strict", 400, openai_error("temperature is restricted"), RejectedError, NATIVE),
    Status("context", 400, openai_error("Big", code="context_length_exceeded"), ContextOverflowError, NATIVE),
    Status("context vLLM", 400, openai_error("This model's maximum context length is 8192"), ContextOverflowError),
    Status("context llama.cpp", 400, openai_error("x", type="exceed_context_size_error"), ContextOverflowError),
    Status("too large", 413, "", ContextOverflowError),
    Status("quota", 429, openai_error(QUOTA, code="insufficient_quota"), QuotaExhaustedError),
    Status("quota per minute", 429, RETRY_DELAY, RateLimitedError),
    Status("quota without a code", 429, openai_error(QUOTA), QuotaExhaustedError),
    Status("no balance", 402, openai_error("Insufficient Balance"), QuotaExhaustedError),
    Status("unauthorized", 401, openai_error("No auth"), UnauthorizedError),
    Status("forbidden", 403, openai_error("Not allowed"), UnauthorizedError),
    Status("bad key as 400", 400, [openai_error("API key not valid. Please pass one.")], UnauthorizedError),
    Status("no model", 404, openai_error("no such model"), UnknownModelError),
    Status("no model as 400", 400, openai_error("zz is not a valid model ID"), UnknownModelError),
    Status("rate", 429, openai_error("Slow down"), RateLimitedError),
    Status("request timeout", 408, "", ServerError),
    Status("conflict", 409, openai_error("Busy"), ServerError),
    Status("internal", 500, openai_error("Oops"), ServerError),
    Status("bad gateway page", 502, "<html><title>502 Bad Gateway</title></html>", ServerError),
    Status("unavailable", 503, openai_error("Loading model"), ServerError),
    Status("overloaded", 529, openai_error("Overloaded"), RateLimitedError),
    Status("redirect", 307, "", RejectedError),
    Status("teapot", 418, "short and stout", RejectedError),
)
ANTHROPIC_STATUSES = tuple(
    replace(status, id=f"anthropic {status.id}", adapter=ANTHROPIC)
    for status in (
        Status("bad request", 400, anthropic_error("messages: empty"), RejectedError),
        Status("output_config", 400, anthropic_error("output_config.format: no"), UnsupportedError, NATIVE),
        Status("tool_choice", 400, anthropic_error("tool_choice forces tool use"), UnsupportedError, TOOL),
        Status("strict", 400, anthropic_error("tools.0.custom.strict: no"), UnsupportedError, TOOL),
        Status("context", 400, anthropic_error("prompt is too long: 9 > 8"), ContextOverflowError, NATIVE),
        Status("credit", 400, anthropic_error("Your credit balance is too low"), QuotaExhaustedError),
        Status("billing", 402, anthropic_error("Pay first", "billing_error"), QuotaExhaustedError),
        Status("unauthorized", 401, anthropic_error("invalid x-api-key", "authentication_error"), UnauthorizedError),
        Status("forbidden", 403, anthropic_error("no", "permission_error"), UnauthorizedError),
        Status("no model", 404, anthropic_error("model: zz", "not_found_error"), UnknownModelError),
        Status("too large", 413, anthropic_error("big", "request_too_large"), ContextOverflowError),
        Status("request timeout", 408, anthropic_error("late", "timeout_error"), ServerError),
        Status("conflict", 409, anthropic_error("busy", "conflict_error"), ServerError),
        Status("rate", 429, anthropic_error("slow", "rate_limit_error"), RateLimitedError),
        Status("internal", 500, anthropic_error("oops", "api_error"), ServerError),
        Status("unavailable", 503, anthropic_error("down", "api_error"), ServerError),
        Status("gateway timeout", 504, anthropic_error("late", "timeout_error"), ServerError),
        Status("overloaded", 529, anthropic_error("Overloaded", "overloaded_error"), RateLimitedError),
        Status("redirect", 307, anthropic_error("", ""), RejectedError),
    )
)


@pytest.mark.parametrize("stream", [False, pytest.param(True, marks=pytest.mark.soak)], ids=["whole", "streamed"])
@pytest.mark.parametrize("status", OPENAI_STATUSES + ANTHROPIC_STATUSES, ids=lambda status: status.id)
def test_an_error_status(status: Status, stream: bool) -> None:
    """Every status, and every kind of 400, has its own error class."""
    playback = http_response(status.body, status=status.status)
    assert type(status.adapter.ask_for_error(playback, stream=stream, request=status.request)) is status.error


@both_adapters
def test_a_stream_that_is_refused(adapter: Adapter) -> None:
    """An error status in place of a stream is mapped like that of a whole answer, by its number and by its message."""
    for body, status, error in (
        (openai_error("Slow down"), 429, RateLimitedError),
        (TOO_LONG, 400, ContextOverflowError),
    ):
        assert type(adapter.ask_for_error(http_response(body, status=status), stream=True)) is error


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
@whole_and_streamed
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
def test_a_failed_connection(adapter: Adapter, stream: bool, playback: Playback, error: type[ModelError]) -> None:
    """Timeouts have another error than resets and broken HTTP."""
    assert type(adapter.ask_for_error(playback, stream=stream)) is error


@pytest.mark.parametrize(
    ("adapter", "body"),
    [(OPENAI, {"error": {"message": "x", "code": 429}}), (ANTHROPIC, anthropic_error("x", "overloaded_error"))],
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
    error = adapter.ask_for_error(http_response(openai_error("Slow"), status=429, headers=headers), stream=False)
    assert isinstance(error, RateLimitedError)
    assert error.retry_after == wait


@whole_and_streamed
def test_the_message_names_the_problem_without_the_key(stream: bool) -> None:
    """One line with provider, host, status and variable. A repeated key is redacted and the SDK's error is not chained."""
    error = OPENAI.ask_for_error(http_response(openai_error(f"Bad key {KEY}\n\x1b[31m"), status=401), stream=stream)
    text = str(error)
    assert text.startswith("lab (127.0.0.1:")
    assert "answered 401: Bad key [redacted]" in text
    assert text.endswith("replace the key in LAB_KEY, or give it access to this model")
    assert KEY not in text
    assert text.isprintable()
    assert error.__suppress_context__
