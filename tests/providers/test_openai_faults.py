"""What becomes of everything that can go wrong between us and a server of chat completions."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from asking_support import KEY, NATIVE, PLAIN, TOOL, Fault
from openai_support import DONE, GOOD, HTML, USAGE, chunk
from openai_support import OPENAI as ASKER
from wire_support import Playback, Wire, answered, event, streamed

from debate_cli import errors
from debate_cli.llm.profile import Profile
from debate_cli.providers.endpoint import Endpoint
from debate_cli.providers.openai import make_openai_server


def said(message: str, **more: str) -> dict[str, Any]:
    """An error body in OpenAI's shape."""
    return {"error": {"message": message} | more}


WARM = replace(PLAIN, temperature=0.5)
ONLY_DEFAULT = "'temperature' does not support 0.5 with this model. Only the default (1) value is supported."
STATUS_FAULTS = (
    Fault("temperature by param", 400, said("Invalid value", param="temperature"), errors.SamplingError, WARM),
    Fault("temperature by words", 400, said(f"Unsupported value: {ONLY_DEFAULT}"), errors.SamplingError, WARM),
    Fault("temperature unsent", 400, said("Invalid value", param="temperature"), errors.RejectedError),
    Fault("temperature as a topic", 400, said("messages: no text on temperature"), errors.RejectedError, WARM),
    Fault("bad request", 400, said("messages: must not be empty"), errors.RejectedError),
    Fault("unprocessable", 422, said("Extra inputs are not permitted"), errors.RejectedError),
    Fault("response_format", 400, said("Unknown name response_format"), errors.UnsupportedError, NATIVE),
    Fault("json_schema by param", 400, said("Invalid", param="response_format"), errors.UnsupportedError, NATIVE),
    Fault("tool_choice", 400, said("tool_choice is not supported"), errors.UnsupportedError, TOOL),
    Fault("strict", 400, said("'strict' is unknown"), errors.UnsupportedError, TOOL),
    Fault(
        "no endpoint with tools", 404, said("No endpoints found that support tool use"), errors.UnsupportedError, TOOL
    ),
    Fault("broken grammar", 500, said("failed to parse grammar"), errors.UnsupportedError, NATIVE),
    Fault("response_format unasked", 400, said("Unknown name response_format"), errors.RejectedError),
    Fault("restricted is not strict", 400, said("temperature is restricted"), errors.RejectedError, NATIVE),
    Fault("context code", 400, said("Too big", code="context_length_exceeded"), errors.ContextOverflowError, NATIVE),
    Fault("context vLLM", 400, said("This model's maximum context length is 8192 tokens"), errors.ContextOverflowError),
    Fault("context llama.cpp", 400, said("x", type="exceed_context_size_error"), errors.ContextOverflowError),
    Fault("too large", 413, "", errors.ContextOverflowError),
    Fault("quota", 429, said("You exceeded your current quota", code="insufficient_quota"), errors.QuotaExhaustedError),
    Fault(
        "quota of the minute",
        429,
        [{"error": {"message": "You exceeded your current quota", "details": [{"retryDelay": "7s"}]}}],
        errors.RateLimitedError,
    ),
    Fault("quota without a code", 429, said("You exceeded your current quota"), errors.QuotaExhaustedError),
    Fault("no balance", 402, said("Insufficient Balance"), errors.QuotaExhaustedError),
    Fault("unauthorized", 401, said("No auth"), errors.UnauthorizedError),
    Fault("forbidden", 403, said("Not allowed"), errors.UnauthorizedError),
    Fault("bad key as 400", 400, [said("API key not valid. Please pass one.")], errors.UnauthorizedError),
    Fault("no model", 404, said("no such model"), errors.UnknownModelError),
    Fault("no model as 400", 400, said("zz is not a valid model ID"), errors.UnknownModelError),
    Fault("rate", 429, said("Slow down"), errors.RateLimitedError),
    Fault("request timeout", 408, "", errors.ServerError),
    Fault("conflict", 409, said("Busy"), errors.ServerError),
    Fault("internal", 500, said("Oops"), errors.ServerError),
    Fault("bad gateway page", 502, "<html><title>502 Bad Gateway</title></html>", errors.ServerError),
    Fault("unavailable", 503, said("Loading model"), errors.ServerError),
    Fault("overloaded", 529, said("Overloaded"), errors.RateLimitedError),
    Fault("redirect", 307, "", errors.RejectedError),
    Fault("teapot", 418, "short and stout", errors.RejectedError),
)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("fault", STATUS_FAULTS, ids=lambda fault: fault.id)
def test_what_a_status_becomes(fault: Fault, stream: bool) -> None:
    """Every status, and every kind of 400, has its own error."""
    error = ASKER.failure(answered(fault.body, status=fault.status), stream=stream, request=fault.request)
    assert type(error) is fault.becomes


@pytest.mark.parametrize(
    "playback",
    [
        pytest.param(HTML, id="html"),
        pytest.param(answered("hello", content_type="text/plain"), id="text"),
        pytest.param(
            answered(
                '{"choices": [',
            ),
            id="broken json",
        ),
        pytest.param(answered(b'{"choices": "\xff\xfe"}'), id="broken utf-8"),
        pytest.param(answered(""), id="empty"),
        pytest.param(answered("null"), id="null"),
        pytest.param(answered([1]), id="a list"),
        pytest.param(answered({"id": "x"}), id="no choices"),
        pytest.param(answered({"choices": []}), id="empty choices"),
        pytest.param(answered({"choices": [{"index": 0}]}), id="no message"),
        pytest.param(answered({"choices": "yes", "usage": None}), id="choices of a wrong type"),
        pytest.param(answered("[" * 100_000), id="deep nesting"),
    ],
)
def test_a_200_that_is_no_completion(playback: Playback) -> None:
    """A body that does not follow the protocol is a BrokenBodyError."""
    assert type(ASKER.failure(playback, stream=False)) is errors.BrokenBodyError


@pytest.mark.parametrize(
    ("playback", "becomes"),
    [
        pytest.param(GOOD, errors.BrokenBodyError, id="an answer without a stream"),
        pytest.param(HTML, errors.BrokenBodyError, id="html"),
        pytest.param(streamed(), errors.BrokenBodyError, id="no events"),
        pytest.param(streamed(event("{broken")), errors.BrokenBodyError, id="broken json"),
        pytest.param(streamed(event("[1]")), errors.BrokenBodyError, id="events of another shape"),
        pytest.param(streamed(chunk({"content": "a"})), errors.TruncatedError, id="ends early"),
        pytest.param(streamed(chunk({"content": "a"}), DONE), errors.TruncatedError, id="done without a reason"),
        pytest.param(streamed(chunk({"content": "a"}), then="reset"), errors.UnreachableError, id="reset"),
        pytest.param(
            streamed(chunk({"content": "a"}), then="vanish"), errors.UnreachableError, id="cut inside a chunk"
        ),
        pytest.param(streamed(chunk({"content": "a"}), then="stall"), errors.ModelTimeoutError, id="falls silent"),
        pytest.param(
            streamed(chunk({"content": "a"}), event({"error": {"message": "boom"}})),
            errors.ServerError,
            id="error event",
        ),
        pytest.param(
            streamed(chunk({"content": "a"}), event({"error": {"message": "slow", "code": 429}})),
            errors.RateLimitedError,
            id="error event with a status",
        ),
        pytest.param(
            streamed(chunk({"content": "a"}), event({"error": {"message": "no", "type": "invalid_request_error"}})),
            errors.RejectedError,
            id="error event with a type",
        ),
        pytest.param(streamed(chunk({"content": "a"}, "error"), DONE), errors.ServerError, id="error as the reason"),
    ],
)
def test_a_stream_that_goes_wrong(playback: Playback, becomes: type[errors.ModelError]) -> None:
    """Every way in which a stream breaks has its own error; none of them looks like an answer."""
    assert type(ASKER.failure(playback, stream=True)) is becomes


@pytest.mark.parametrize(
    ("playback", "becomes"),
    [
        pytest.param(("reset",), errors.UnreachableError, id="reset"),
        pytest.param(("close",), errors.UnreachableError, id="closed"),
        pytest.param(("stall",), errors.ModelTimeoutError, id="silent"),
        pytest.param((b"NOT HTTP\r\n\r\n", "close"), errors.UnreachableError, id="no http"),
        pytest.param((GOOD[0][:-5], "close"), errors.UnreachableError, id="body cut off"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_a_connection_that_fails(playback: Playback, becomes: type[errors.ModelError], stream: bool) -> None:
    """Resets, timeouts and broken HTTP have different errors."""
    assert type(ASKER.failure(playback, stream=stream)) is becomes


def test_an_error_inside_a_200() -> None:
    """Some servers say 200 and put the error into the body."""
    assert (
        type(ASKER.failure(answered({"error": {"message": "x", "code": 429}}), stream=False)) is errors.RateLimitedError
    )


def test_nobody_listens() -> None:
    """A refused connection is UnreachableError and says to start the local server."""

    async def run() -> None:
        async with Wire([]) as wire:
            url = wire.url
        server = make_openai_server(Endpoint("lab", url))
        with pytest.raises(errors.UnreachableError, match="could not be reached; start it there or correct base_url"):
            await server.model("m1", Profile()).complete(PLAIN)
        await server.aclose()

    asyncio.run(run())


def test_tokens_of_a_broken_stream_are_known() -> None:
    """Usage that came before a stream broke stands on the error."""
    error = ASKER.failure(streamed(chunk({"content": "a"}, usage=USAGE), then="reset"), stream=True)
    assert (error.input_tokens, error.cached_tokens, error.output_tokens) == (10, 4, 3)


@pytest.mark.parametrize(
    ("headers", "wait"),
    [({"Retry-After": "7"}, 7.0), ({"retry-after-ms": "1500"}, 1.5), ({"Retry-After": "soon"}, None)],
)
def test_the_wait_that_a_server_asks_for(headers: dict[str, str], wait: float | None) -> None:
    """Retry-After is parsed to seconds; an invalid one is ignored."""
    error = ASKER.failure(answered(said("Slow"), status=429, headers=headers), stream=False)
    assert isinstance(error, errors.RateLimitedError)
    assert error.retry_after == wait


@pytest.mark.parametrize("stream", [False, True])
def test_a_message_says_who_what_and_what_to_do_without_the_key(stream: bool) -> None:
    """The message is one line naming provider, host, status and variable; a key that the server repeats is taken out."""
    error = ASKER.failure(answered(said(f"Bad key {KEY}\n\x1b[31m"), status=401), stream=stream)
    text = str(error)
    assert text.startswith("lab (127.0.0.1:")
    assert "answered 401: Bad key [redacted]" in text
    assert text.endswith("replace the key in LAB_KEY, or give it access to this model")
    assert KEY not in text
    assert text.isprintable()


def test_the_sdks_error_is_cut_off() -> None:
    """No chained traceback shows what the SDK quotes."""
    error = ASKER.failure(answered(said(KEY), status=401), stream=False)
    assert error.__suppress_context__
