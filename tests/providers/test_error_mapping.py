"""Errors of error statuses, Retry-After, and error messages that quote servers."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_cli import errors
from debate_cli.providers.endpoint import Endpoint
from debate_cli.providers.error_mapping import (
    MAX_MESSAGE_CHARS,
    SentRequest,
    error_from_status,
    extract_error_message,
    make_unreachable_error,
    parse_retry_after,
)

NOW = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)
LAB = Endpoint("lab", "http://127.0.0.1:9/v1")


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (400, "messages: must not be empty", errors.RejectedError),
        (422, "Extra inputs are not permitted", errors.RejectedError),
        (400, "Unknown name response_format", errors.RejectedError),
        (400, '"code": "context_length_exceeded"', errors.ContextOverflowError),
        (400, "This model's maximum context length is 8192", errors.ContextOverflowError),
        (400, '"type": "exceed_context_size_error"', errors.ContextOverflowError),
        (400, "prompt is too long: 9 > 8", errors.ContextOverflowError),
        (413, "", errors.ContextOverflowError),
        (429, '"code": "insufficient_quota"', errors.QuotaExhaustedError),
        (429, "You exceeded your current quota", errors.QuotaExhaustedError),
        (429, 'You exceeded your current quota", "retryDelay": "7s"', errors.RateLimitedError),
        (400, "Your credit balance is too low", errors.QuotaExhaustedError),
        (402, "Insufficient Balance", errors.QuotaExhaustedError),
        (402, "Pay first", errors.QuotaExhaustedError),
        (400, "content_filter", errors.RefusedError),
        (401, "No auth", errors.UnauthorizedError),
        (403, "Not allowed", errors.UnauthorizedError),
        (400, "API key not valid. Please pass one.", errors.UnauthorizedError),
        (404, "no such model", errors.UnknownModelError),
        (400, "zz is not a valid model ID", errors.UnknownModelError),
        (429, "Slow down", errors.RateLimitedError),
        (529, "Overloaded", errors.RateLimitedError),
        (408, "", errors.ServerError),
        (409, "Busy", errors.ServerError),
        (500, "failed to parse grammar", errors.ServerError),
        (502, "<html><title>502 Bad Gateway</title></html>", errors.ServerError),
        (503, "Loading model", errors.ServerError),
        (504, "late", errors.ServerError),
        (307, "", errors.RejectedError),
        (418, "short and stout", errors.RejectedError),
    ],
)
def test_an_error_status(status: int, body: str, error: type[errors.ModelError]) -> None:
    """The status and words of the body decide on the error class."""
    assert type(error_from_status(status, body, SentRequest(LAB, "m", structured=False))) is error


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (400, "Unknown name response_format", errors.UnsupportedError),
        (400, "tool_choice is not supported", errors.UnsupportedError),
        (400, "'strict' is unknown", errors.UnsupportedError),
        (400, "output_config.format: no", errors.UnsupportedError),
        (400, "tools.0.custom: no", errors.UnsupportedError),
        (404, "No endpoints found that support tool use", errors.UnsupportedError),
        (500, "failed to parse grammar", errors.UnsupportedError),
        (400, "temperature is restricted", errors.RejectedError),
        (400, "tools: prompt is too long: 9 > 8", errors.ContextOverflowError),
    ],
)
def test_an_error_status_of_a_structured_request(status: int, body: str, error: type[errors.ModelError]) -> None:
    """Words about structured output count if it was asked for, but not as parts of words."""
    assert type(error_from_status(status, body, SentRequest(LAB, "m", structured=True))) is error


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("Sat, 21 Nov 2026 12:01:30 GMT", 90.0),
        ("Sat, 21 Nov 2026 11:59:00 GMT", 0.0),
        ("-3", None),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("", None),
    ],
)
def test_retry_after_as_seconds_or_date(value: str, seconds: float | None) -> None:
    """Seconds >= 0; a past date gives 0, an invalid value None."""
    assert parse_retry_after({"Retry-After": value}, now=NOW) == seconds


@pytest.mark.parametrize(
    ("date", "seconds"),
    [("Wed, 21 Oct 2026 06:00:00 GMT", 5.0), ("Wed, 21 Oct 2026 06:01:00 GMT", 0.0), ("today", 30.0)],
)
def test_a_date_is_compared_with_the_clock_of_the_server(date: str, seconds: float) -> None:
    """The clock of this machine counts only if the server's `Date` is missing or unreadable."""
    headers = {"Date": date, "Retry-After": "Wed, 21 Oct 2026 06:00:05 GMT"}
    assert parse_retry_after(headers, now=datetime(2026, 10, 21, 5, 59, 35, tzinfo=UTC)) == seconds


def test_retry_delay_in_a_gemini_body() -> None:
    """Gemini sends the wait in the body."""
    assert parse_retry_after({}, '[{"error": {"details": [{"retryDelay": "34.5s"}]}}]') == 34.5


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('{"error": {"message": "No such key", "code": 1}}', "No such key"),
        ('[{"error": {"message": "From a list"}}]', "From a list"),
        ('{"error": "Plain"}', "Plain"),
        ('{"detail": [{"msg": "Field required"}]}', "Field required"),
        ('{"object": "error", "message": "vLLM"}', "vLLM"),
        ("<html><head><title>502 Bad Gateway</title></head><body>x</body></html>", "502 Bad Gateway x"),
        ("<p>sorry</p>", "sorry"),
        ("just text", "just text"),
        ("", ""),
        ("[" * 50_000, "[" * (MAX_MESSAGE_CHARS - 1) + "…"),
    ],
)
def test_the_message_of_a_body(body: str, words: str) -> None:
    """It is found in all shapes that servers use."""
    assert extract_error_message(body) == words


@pytest.mark.parametrize(
    ("before", "key"),
    [
        ("", "sk-proj-abcDEF0123456789"),
        ("", "sk-ab*****yz12"),
        ("", "gsk_0123456789abcdef"),
        ("", "xai-0123456789abcdef"),
        ("", "AIzaSyA0123456789abcdef"),
        ("", "hf_0123456789abcdef"),
        ("", "ghp_0123456789abcdef"),
        ("", "AKIA0123456789ABCDEF"),
        ("Basic ", "bWU6cGFzc3dvcmQ="),
        ("API key: ", "abcdef12345"),
        ("authorization: Token ", "abcdef123456"),
        ("", "rk_live_abcdefgh"),
        ("", "key-abcdefgh"),
        ("Bearer ", "eyJhbGciOi.J9.abc"),
        ("x-api-key: ", "0123456789"),
        ('api_key="', "0123456789"),
    ],
)
def test_key_like_strings_are_redacted(before: str, key: str) -> None:
    """A text with the shape of a key is redacted."""
    assert key not in extract_error_message(json.dumps({"error": {"message": f"Wrong {before}{key} given"}}))


def test_known_secrets_are_redacted() -> None:
    """A known secret is redacted, whatever its shape."""
    assert (
        extract_error_message("the pass is correct horse battery", ("correct horse",))
        == "the pass is [redacted] battery"
    )
    assert extract_error_message("is my\u200bsecret1 right", ("mysecret1",)) == "is [redacted] right"


def test_credentials_in_a_url_are_redacted() -> None:
    """User and password in a URL are redacted, and so is a token in their place."""
    assert "hunter2" not in extract_error_message("see http://me:hunter2@host/x or http://hunter2@host/x")


@given(st.text(max_size=2000), st.text(min_size=8, max_size=30, alphabet="abcdefXYZ0123456789"))
def test_a_message_is_one_short_printable_line(noise: str, secret: str) -> None:
    """The message of any body has no control characters, line breaks or known secrets."""
    words = extract_error_message(f"{noise}{secret}{noise}", (secret,))
    assert len(words) <= MAX_MESSAGE_CHARS
    assert words.isprintable()
    assert secret not in words


@pytest.mark.parametrize(
    ("body", "parameter"),
    [
        ('[{"error": {"message": "Unknown name \\"seed\\": Cannot find field."}}]', "seed"),
        ('{"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}', "seed"),
        ('{"error": {"message": "temperature is deprecated for this model"}}', "temperature"),
        ('{"error": {"message": "Seed is not supported", "param": "temperature"}}', "temperature"),
        ('{"error": {"message": "invalid temperature: only 1 is allowed for this model"}}', "temperature"),
        ('{"error": {"message": "temperature must be 1 for this model"}}', "temperature"),
        ('{"error": {"message": "temperature may only be set to 1"}}', "temperature"),
        ('{"error": {"message": "The seed parameter isn\'t supported"}}', "seed"),
        ('{"error": {"message": "Unrecognized request argument supplied: stream_options"}}', "stream_options"),
        (
            '{"detail": [{"loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"}]}',
            "stream_options",
        ),
        ('{"error": {"message": "Use max_completion_tokens instead", "param": "max_tokens"}}', "max_tokens"),
        ('{"error": {"message": "max_tokens must be 4096 or less; 9999 is not allowed"}}', None),
        ('{"error": {"message": "Debates on temperature, and what may seed them"}}', None),
    ],
)
@pytest.mark.parametrize("status", [400, 422])
def test_a_rejected_parameter_is_named(body: str, parameter: str | None, status: int) -> None:
    """A rejected parameter is recognized by `param`, or by words next to its name."""
    asked = SentRequest(LAB, "m", structured=True, parameters=("temperature", "seed", "stream_options", "max_tokens"))
    error = error_from_status(status, body, asked)
    assert (error.parameter if isinstance(error, errors.ParameterError) else None) == parameter


class ConnectError(OSError):
    """Has the name of the exception of httpx2 for a refused connection."""


@pytest.mark.parametrize(
    ("url", "advice"),
    [
        ("http://localhost/v1", "start it there"),
        ("http://[::1]/v1", "start it there"),
        ("http://127.0.0.2:8000", "start it there"),
        ("http://lab.example:8000/v1", "check the network"),
    ],
)
def test_the_advice_for_a_server_on_this_machine_is_to_start_it(url: str, advice: str) -> None:
    """This is true for each loopback address, with or without a port."""
    error = make_unreachable_error(ConnectError(), SentRequest(Endpoint("lab", url), "m", structured=False))
    assert advice in str(error)


@pytest.mark.parametrize(
    ("endpoint", "advice"),
    [
        (Endpoint("lab", "https://lab.example"), "no key was sent; set providers.lab.api_key_env to the name of"),
        (Endpoint("lab", "https://lab.example", headers={"X-Key": "k"}), " 401; set api_key_env to the name of"),
        (Endpoint("lab", "https://lab.example", "k", "LAB_KEY"), "replace the key in LAB_KEY, or give the key access"),
    ],
    ids=["no key", "header", "key"],
)
def test_the_advice_for_a_refused_key_depends_on_what_was_sent(endpoint: Endpoint, advice: str) -> None:
    """A header may hold a key, so the message does not say that no key was sent."""
    error = error_from_status(401, "", SentRequest(endpoint, "m", structured=False))
    assert (advice in str(error), "give the key access" in str(error)) == (
        True,
        bool(endpoint.headers or endpoint.api_key),
    )


def test_a_parameter_that_was_not_sent_is_not_rejected() -> None:
    """A 400 that names it has another cause."""
    asked = SentRequest(LAB, "m", structured=False)
    assert not isinstance(error_from_status(400, '{"param": "temperature"}', asked), errors.ParameterError)
