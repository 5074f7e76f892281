"""What becomes of everything that can go wrong between us and a server of the messages API."""

from __future__ import annotations

from typing import Any

import pytest
from anthropic_support import ANTHROPIC as ASKER
from anthropic_support import BLOCK, GOOD, HEAD, HTML, START, STOP, USAGE, delta, ending, part
from asking_support import NATIVE, TOOL, Fault
from wire_support import Playback, answered, event, streamed

from debate_cli import errors


def said(kind: str, words: str) -> dict[str, Any]:
    """An error body in Anthropic's shape."""
    return {"type": "error", "error": {"type": kind, "message": words}}


STATUS_FAULTS = (
    Fault("bad request", 400, said("invalid_request_error", "messages: empty"), errors.RejectedError),
    Fault(
        "output_config", 400, said("invalid_request_error", "output_config.format: no"), errors.UnsupportedError, NATIVE
    ),
    Fault(
        "tool_choice", 400, said("invalid_request_error", "tool_choice forces tool use"), errors.UnsupportedError, TOOL
    ),
    Fault("strict", 400, said("invalid_request_error", "tools.0.custom.strict: no"), errors.UnsupportedError, TOOL),
    Fault(
        "context", 400, said("invalid_request_error", "prompt is too long: 9 > 8"), errors.ContextOverflowError, NATIVE
    ),
    Fault("credit", 400, said("invalid_request_error", "Your credit balance is too low"), errors.QuotaExhaustedError),
    Fault("billing", 402, said("billing_error", "Pay first"), errors.QuotaExhaustedError),
    Fault("unauthorized", 401, said("authentication_error", "invalid x-api-key"), errors.UnauthorizedError),
    Fault("forbidden", 403, said("permission_error", "no"), errors.UnauthorizedError),
    Fault("no model", 404, said("not_found_error", "model: zz"), errors.UnknownModelError),
    Fault("too large", 413, said("request_too_large", "big"), errors.ContextOverflowError),
    Fault("request timeout", 408, said("timeout_error", "late"), errors.ServerError),
    Fault("conflict", 409, said("conflict_error", "busy"), errors.ServerError),
    Fault("rate", 429, said("rate_limit_error", "slow"), errors.RateLimitedError),
    Fault("internal", 500, said("api_error", "oops"), errors.ServerError),
    Fault("unavailable", 503, said("api_error", "down"), errors.ServerError),
    Fault("gateway timeout", 504, said("timeout_error", "late"), errors.ServerError),
    Fault("overloaded", 529, said("overloaded_error", "Overloaded"), errors.RateLimitedError),
    Fault("redirect", 307, said("", ""), errors.RejectedError),
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
        pytest.param(answered('{"content": ['), id="broken json"),
        pytest.param(answered(b'{"content": "\xff\xfe"}'), id="broken utf-8"),
        pytest.param(answered(""), id="empty"),
        pytest.param(answered("null"), id="null"),
        pytest.param(answered([1]), id="a list"),
        pytest.param(answered({"id": "x"}), id="no content"),
        pytest.param(answered(HEAD | {"content": "yes", "usage": USAGE}), id="content of a wrong type"),
        pytest.param(answered("[" * 100_000), id="deep nesting"),
    ],
)
def test_a_200_that_is_no_message(playback: Playback) -> None:
    """A body that does not follow the protocol is a BrokenBodyError."""
    assert type(ASKER.failure(playback, stream=False)) is errors.BrokenBodyError


def fault_event(kind: str) -> str:
    """An error event."""
    return part("error", error={"type": kind, "message": "boom"})


@pytest.mark.parametrize(
    ("playback", "becomes"),
    [
        pytest.param(GOOD, errors.BrokenBodyError, id="an answer without a stream"),
        pytest.param(HTML, errors.BrokenBodyError, id="html"),
        pytest.param(streamed(), errors.BrokenBodyError, id="no events"),
        pytest.param(streamed(START, event("{broken", "message_delta")), errors.BrokenBodyError, id="broken json"),
        pytest.param(streamed(event("[1]", "message_start")), errors.BrokenBodyError, id="events of another shape"),
        pytest.param(streamed(START, BLOCK, delta("a")), errors.TruncatedError, id="ends early"),
        pytest.param(streamed(START, BLOCK, delta("a"), ending(None), STOP), errors.TruncatedError, id="no reason"),
        pytest.param(streamed(START, BLOCK, delta("a"), then="reset"), errors.UnreachableError, id="reset"),
        pytest.param(streamed(START, delta("a"), then="vanish"), errors.UnreachableError, id="cut inside a chunk"),
        pytest.param(streamed(START, BLOCK, delta("a"), then="stall"), errors.ModelTimeoutError, id="falls silent"),
        pytest.param(streamed(START, fault_event("overloaded_error")), errors.RateLimitedError, id="overloaded event"),
        pytest.param(streamed(START, fault_event("api_error")), errors.ServerError, id="error event"),
        pytest.param(streamed(START, fault_event("invalid_request_error")), errors.RejectedError, id="rejecting event"),
        pytest.param(streamed(START, event("nonsense", "error")), errors.ServerError, id="error event without JSON"),
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
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_a_connection_that_fails(playback: Playback, becomes: type[errors.ModelError], stream: bool) -> None:
    """Resets, timeouts and broken HTTP have different errors."""
    assert type(ASKER.failure(playback, stream=stream)) is becomes


def test_an_error_inside_a_200() -> None:
    """An error object that comes with a 200 is read as the error that it is."""
    body = {"type": "error", "error": {"type": "overloaded_error", "message": "x"}}
    assert type(ASKER.failure(answered(body), stream=False)) is errors.RateLimitedError


def test_tokens_of_a_broken_stream_are_known() -> None:
    """Usage that came before a stream broke stands on the error."""
    error = ASKER.failure(streamed(START, BLOCK, delta("a"), then="reset"), stream=True)
    assert (error.input_tokens, error.cached_tokens, error.output_tokens) == (130, 100, 1)


def test_a_long_wait_is_reported_and_not_slept() -> None:
    """The SDK's own policy would sleep for minutes; here the wait only stands on the error, after one request."""
    body = {"type": "error", "error": {"type": "rate_limit_error", "message": "slow"}}
    error = ASKER.failure(answered(body, status=429, headers={"retry-after": "300"}), stream=False)
    assert isinstance(error, errors.RateLimitedError)
    assert error.retry_after == 300
