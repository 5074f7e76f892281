"""Maps failures of a server to the errors of this program.

Each `ErrorRule` maps exceptions of an SDK. Each `StatusRule` maps HTTP statuses.
"""

import json
import math
import re
import unicodedata
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any, cast

from debate_cli import errors
from debate_cli.domain.message_text import one_line
from debate_cli.domain.model_call import Usage
from debate_cli.domain.text_normalization import remove_invisible
from debate_cli.llm.redaction import REDACTED, Redactor
from debate_cli.providers.endpoint import FIRST_ERROR_STATUS, Endpoint
from debate_cli.providers.provider_table import is_loopback

MAX_MESSAGE_CHARS = 200
_SECRET = re.compile(
    r"""
    \b(?:bearer|basic)\s+[^\s"',;]{4,}                           # value of an Authorization header
    | \b(?:x-api-key|api[-_ ]?key|authorization)\b["']?\s*[:=]\s*["']?(?:token\s+)?[^\s"',;]{4,}
    | \b(?:sk|pk|rk|gsk|xai|key|csk)[-_][\w*.…-]{4,}             # keys with a known prefix, also masked ones
    | \bAIza[\w*-]{6,}
    | (?<=://)[^\s/@]+@                                          # credentials in a URL
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Matches text that may be a secret in a server's message. Not used for speeches (see `llm.redaction`), in which the same
words are often harmless."""
_HTML_TAG = re.compile(r"<[^>]{0,500}>?")


def extract_error_message(body: str, secrets: Iterable[str] = ()) -> str:
    """Return the error message in a response `body` (JSON, HTML or text), sanitized by `sanitize_message`."""
    body = body.strip()[:20_000]
    try:
        found = _find_first_text(json.loads(body))
    except (ValueError, RecursionError):
        found = _HTML_TAG.sub(" ", body) if body.startswith("<") else body
    return sanitize_message(found or body, secrets)


def sanitize_message(text: str, secrets: Iterable[str] = ()) -> str:
    """Return `text` as one line without secrets and control characters, cut to MAX_MESSAGE_CHARS."""
    visible = remove_invisible(unicodedata.normalize("NFKC", text))
    printable = "".join(" " if unicodedata.category(sign)[0] in "CZ" else sign for sign in visible)
    line = one_line(_SECRET.sub(REDACTED, Redactor(secrets)(printable)))
    return line if len(line) <= MAX_MESSAGE_CHARS else line[: MAX_MESSAGE_CHARS - 1].rstrip() + "…"


def _find_first_text(value: Any, depth: int = 0) -> str:
    if isinstance(value, str):
        return value
    inner: Iterable[Any] = ()
    if isinstance(value, list):
        inner = cast("list[Any]", value)
    elif isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        inner = (fields.get(name) for name in ("error", "message", "msg", "detail", "errors", "error_description"))
    if depth > 3:  # noqa: PLR2004 - the known shapes are not deeper
        return ""
    return next((words for item in inner if (words := _find_first_text(item, depth + 1))), "")


@dataclass(frozen=True, slots=True)
class SentRequest:
    """Facts about a sent request that decide what an error response means."""

    endpoint: Endpoint
    model: str
    structured: bool
    """Whether the request asked for structured output by a parameter (modes `native` and `tool`)."""
    parameters: tuple[str, ...] = ()
    """The sent parameters that can be omitted or replaced if the server rejects them, e.g. `temperature`."""
    max_answer_chars: int = 0

    def format_message(self, what: str, words: str, advice: str) -> str:
        """Return a message such as `openai (api.openai.com) answered 401: No such key; check OPENAI_API_KEY`."""
        about = f"{self.endpoint.provider} ({self.endpoint.host}) {what}"
        return f"{about}: {words.rstrip('.')}; {advice}" if words else f"{about}; {advice}"


ToError = Callable[[Any, SentRequest], errors.ModelError]


@dataclass(frozen=True, slots=True)
class ErrorRule:
    """Maps exceptions of an SDK to an error of this program."""

    exceptions: tuple[type[BaseException], ...]
    to_error: ToError


@contextmanager
def map_errors(
    table: Callable[[], Sequence[ErrorRule]], asked: SentRequest, used: Callable[[], Usage] = Usage
) -> Generator[None]:
    """Replace an exception of the SDK in the `with` block by an error of this program.

    The first matching rule of `table` decides. An exception without a rule is raised unchanged.

    `used`: returns the usage so far, which is added to the error. The SDK's exception is not chained, because it can
    quote keys.
    """
    try:
        yield
    except errors.ModelError as error:
        error.usage = used()
        raise
    except Exception as fault:
        error = fault.__cause__  # perhaps an error of this program that the SDK wrapped
        if not isinstance(error, errors.ModelError):
            rule = next((rule for rule in table() if isinstance(fault, rule.exceptions)), None)
            if rule is None:
                raise
            error = rule.to_error(fault, asked)
        error.usage = used()
        raise error from None


UNREADABLE_ANSWER = (
    ValueError, AttributeError, AssertionError, TypeError, KeyError, IndexError, RecursionError,
)  # fmt: skip
"""Exceptions from parsing a 200 response that is not JSON, is not UTF-8 or has an unexpected shape."""


@cache
def make_error_rules(
    timeout: type[Exception],
    connection: type[Exception],
    status: type[Exception],
    *others: tuple[type[Exception], ToError],
) -> Sequence[ErrorRule]:
    """Return the error rules of an SDK that uses httpx2.

    `timeout`, `connection`, `status`: the SDK's exception classes. `others`: further exception classes, each with the
    function that converts the exception to an error of this program.
    """
    import httpx2

    return (
        ErrorRule((timeout, httpx2.TimeoutException), make_timeout_error),
        ErrorRule((status,), error_from_response),
        # If a stream is reset, the SDKs do not convert the error of httpx2.
        ErrorRule((connection, httpx2.RequestError, OSError), make_unreachable_error),
        *(ErrorRule((exception,), to_error) for exception, to_error in others),
        ErrorRule(UNREADABLE_ANSWER, make_broken_body_error),
    )


# HTTP status -----------------------------------------------------------------------------------------------------

_CONTEXT_OVERFLOW = re.compile(
    r"context_length_exceeded|exceed_context_size|maximum context length|context (?:window|size|length)"
    r"|prompt is too long|input is too long|too many (?:input )?tokens|maximum number of tokens"
    r"|reduce the length of the (?:messages|prompt)"
)
_QUOTA = re.compile(
    r"insufficient_quota|insufficient (?:balance|credit|funds)|credit balance is too low|exceeded your current quota(?![\s\S]*retrydelay)"
    r"|billing_(?:error|hard_limit)|spend_?limit|out of credits|used all available credits"
)
_CONTENT_FILTER = re.compile(
    r"content[_ ]filter|content_policy|content management policy|responsibleaipolicy|\bsafety system\b"
)
_BAD_KEY = re.compile(
    r"api_key_invalid|invalid_api_key|(?:incorrect|invalid) api key|api key not valid|api key expired"
)
_UNKNOWN_MODEL = re.compile(r"model_not_found|not a valid model|invalid model|unknown model|model not (?:exist|found)")
_STRUCTURED_OUTPUT = re.compile(
    r"response_format|json_schema|json schema|output_config|output_format|input_schema|structured[ _]outputs?"
    r"|tool_choice|\btools?\b|tool use|function calling|parallel_tool_calls|\bstrict\b|\bgrammar\b|additionalproperties"
)
_BROKEN_SCHEMA = re.compile(r"\bgrammar\b|json[ _]schema|response_format")
_UNSUPPORTED_WORDS = (
    r"unsupported|not supported|not support|unknown|unrecogni[sz]ed|unexpected|not permitted|not allowed|not accepted"
    r"|n['’]t support|deprecated|only the default|only \S+ is (?:allowed|supported|accepted)|only accepts?|may only be|can only be"
    r"|must be (?:set to )?\d|cannot find field"
)
_REJECTED_PARAMETER = {
    name: re.compile(
        rf'"param"\s*:\s*"{name}"|(?:{_UNSUPPORTED_WORDS})[^{{}}]{{0,80}}\b{name}\b|\b{name}\b[^{{}}]{{0,80}}(?:{_UNSUPPORTED_WORDS})'
    )
    for name in ("temperature", "seed", "stream_options")
} | {"max_tokens": re.compile(r"\bmax_completion_tokens\b")}
"""Maps a request parameter to a pattern for error messages. A match shows that the server rejects the parameter.

The pattern for `max_tokens` looks for the name `max_completion_tokens`. A server that rejects `max_tokens` asks for
`max_completion_tokens` instead. If a message names only `max_tokens`, the server rejects only the value of this
parameter.
"""


@dataclass(frozen=True, slots=True)
class StatusRule:
    """Converts certain error responses of a provider to an error of this program, with advice.

    The rule matches a response that meets all its conditions.
    """

    codes: Collection[int]
    error_type: type[errors.ModelError]
    advice: str
    """Advice for the user. `{replace_key}` and `{key_access}` become advice on the key, `{model}` the name of the model."""
    body_pattern: re.Pattern[str] | None = None
    """The rule matches only if this pattern is found in the lower-case body of the response. None: any body matches."""
    structured: bool = False
    """Whether the rule matches only requests that asked for structured output by a parameter."""
    parameter: str | None = None
    """The rule matches only if the request contains this parameter. None: any request matches."""

    def matches(self, code: int, body: str, asked: SentRequest) -> bool:
        """Return whether the rule matches a response with status `code` and the lower-case `body`."""
        if code not in self.codes or (self.structured and not asked.structured):
            return False
        if self.parameter is not None and self.parameter not in asked.parameters:
            return False
        return self.body_pattern is None or self.body_pattern.search(body) is not None


_LARGER_CONTEXT = "choose a model with a larger context"
_ADD_CREDIT = "add credit to the account, or choose another model"
_NAME_KEY = "set {} to the name of the variable with the key"
_OTHER_MODE = "retrying with another structured-output mode"
STATUS_RULES: tuple[StatusRule, ...] = (
    StatusRule((400, 413, 422, 500), errors.ContextOverflowError, _LARGER_CONTEXT, _CONTEXT_OVERFLOW),
    StatusRule((413,), errors.ContextOverflowError, _LARGER_CONTEXT),
    StatusRule((400, 402, 403, 429), errors.QuotaExhaustedError, _ADD_CREDIT, _QUOTA),
    StatusRule((402,), errors.QuotaExhaustedError, _ADD_CREDIT),
    StatusRule((400, 403, 422), errors.RefusedError, "a content filter blocked the request", _CONTENT_FILTER),
    StatusRule((400, 403), errors.UnauthorizedError, "{replace_key}", _BAD_KEY),
    *(
        StatusRule((400, 422), errors.ParameterError, f"retrying without {name}", words, parameter=name)
        for name, words in _REJECTED_PARAMETER.items()
    ),
    StatusRule((400, 404, 405, 422, 501), errors.UnsupportedError, _OTHER_MODE, _STRUCTURED_OUTPUT, structured=True),
    StatusRule((500, 503), errors.UnsupportedError, _OTHER_MODE, _BROKEN_SCHEMA, structured=True),
    StatusRule((400, 403, 422), errors.UnknownModelError, "correct the model name {model}", _UNKNOWN_MODEL),
    StatusRule((401, 403, 407), errors.UnauthorizedError, "{key_access}"),
    StatusRule((404, 405, 410), errors.UnknownModelError, "correct the model name {model}, or the base_url"),
    StatusRule((429, 529), errors.RateLimitedError, "try again later, or lower max_concurrency"),
    StatusRule((408, 409, 425), errors.ServerError, "try again"),
    StatusRule(range(500, 600), errors.ServerError, "try again later"),
    StatusRule(range(300, 400), errors.RejectedError, "redirects are not followed; set base_url to the final address"),
)
"""Rules for error responses. The first matching rule applies. If no rule matches, DEFAULT_STATUS_RULE applies."""
DEFAULT_STATUS_RULE = StatusRule((), errors.RejectedError, "correct the request or the configuration of this provider")

STATUS_BY_ERROR_TYPE: Mapping[str, int] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "insufficient_quota": 429,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""Maps a vendor's error type to the HTTP status with the same meaning."""


def error_from_status(
    code: int, body: str, asked: SentRequest, headers: Mapping[str, str] | None = None
) -> errors.ModelError:
    """Return the error for a response with the HTTP status `code`."""
    lowered = body[:20_000].lower()
    row = next((row for row in STATUS_RULES if row.matches(code, lowered, asked)), DEFAULT_STATUS_RULE)
    variable = asked.endpoint.api_key_env
    replace_key = f"replace the key in {variable}" if variable else _NAME_KEY.format("api_key_env")
    key_access = f"{replace_key}, or give the key access to this model"
    if asked.endpoint.api_key is None and not asked.endpoint.headers:  # a header may hold a key
        setting = f"providers.{asked.endpoint.provider}.api_key_env"
        replace_key = key_access = f"no key was sent; {_NAME_KEY.format(setting)}"
    advice = row.advice.format(replace_key=replace_key, key_access=key_access, model=asked.model)
    further: dict[str, Any] = {} if row.parameter is None else {"parameter": row.parameter}
    if issubclass(row.error_type, errors.TransientError):
        wait = further["retry_after"] = parse_retry_after(headers or {}, body)
        advice = advice if wait is None else f"it asks to wait {wait:g} s"
    message = extract_error_message(body, asked.endpoint.secrets)
    return row.error_type(asked.format_message(f"answered {code}", message, advice), **further)


def error_from_response(fault: Any, asked: SentRequest) -> errors.ModelError:
    """Return the error for `fault`, an exception of the SDK that contains the server's response."""
    if fault.response.status_code < FIRST_ERROR_STATUS:
        return error_from_object(fault.body, asked)
    return error_from_status(fault.response.status_code, fault.response.text, asked, fault.response.headers)


def error_from_object(error: Any, asked: SentRequest) -> errors.ModelError:
    """Return the error for an error object in a 200 response or a stream.

    `error` is `{type, code, ...}`, `{error: {...}}` or a text.
    """
    if not isinstance(error, dict):
        return error_from_event(None, None, str(error), asked)
    inner: Any = cast("dict[str, Any]", error).get("error", error)
    named: dict[str, Any] = cast("dict[str, Any]", inner) if isinstance(inner, dict) else {}
    body = json.dumps(inner, ensure_ascii=False, default=str)
    return error_from_event(named.get("type"), named.get("code"), body, asked)


def error_from_event(error_type: object, code: object, body: str, asked: SentRequest) -> errors.ModelError:
    """Return the error for an error event in a 200 response or a stream.

    `code`: an HTTP status, or the vendor's name of the error type. If `code` is unknown, `error_type` is used. If both
    are unknown, the event is treated as status 500.
    """
    number = int(code) if isinstance(code, int) or (isinstance(code, str) and code.isdecimal()) else 0
    if 400 <= number < 600:  # noqa: PLR2004 - HTTP errors
        return error_from_status(number, body, asked)
    named = next((each for each in (code, error_type) if isinstance(each, str) and each in STATUS_BY_ERROR_TYPE), "")
    return error_from_status(STATUS_BY_ERROR_TYPE.get(named, 500), body, asked)


def make_unreachable_error(fault: Exception, asked: SentRequest) -> errors.ModelError:
    """Return the error for a connection that failed or broke."""
    if not _is_caused_by(fault, "ConnectError"):
        return errors.UnreachableError(asked.format_message("broke the connection", "", "try again"))
    is_local = is_loopback(asked.endpoint.base_url)
    advice = "start it there or correct its address" if is_local else _CHECK_NETWORK
    return _never_sent(errors.UnreachableError(asked.format_message("could not be reached", "", advice)))


def make_timeout_error(fault: Exception, asked: SentRequest) -> errors.ModelError:
    """Return the error for a server that accepted no connection, or sent no byte, within the time limit."""
    if _is_caused_by(fault, "ConnectTimeout"):
        what = "accepted no connection in time"
        return _never_sent(errors.ModelTimeoutError(asked.format_message(what, "", _CHECK_NETWORK)))
    what = f"sent nothing for {asked.endpoint.timeout_s:g} s"
    return errors.ModelTimeoutError(asked.format_message(what, "", "try again, or raise limits.timeout_s"))


_CHECK_NETWORK = "check the network and base_url"


def _is_caused_by(fault: Exception, name: str) -> bool:
    return any(type(each).__name__ == name for each in (fault, fault.__cause__))


def _never_sent(error: errors.ModelError) -> errors.ModelError:
    error.may_be_billed = False
    return error


def make_answer_timeout_error(asked: SentRequest) -> errors.ModelError:
    """Return the error for an answer that was still incomplete at its time limit."""
    what = f"did not complete its answer in {asked.endpoint.answer_deadline_s:g} s"
    return errors.ModelTimeoutError(asked.format_message(what, "", "try again, or raise limits.answer_timeout_s"))


def make_excess_error(what: str, asked: SentRequest) -> errors.ModelError:
    """Return the error for an answer that is too long. `what` is, for example, `sent more than 16 MiB`."""
    error = errors.ServerError(asked.format_message(what, "", "check base_url, and the server"))
    error.may_be_billed = True
    return error


def make_broken_body_error(fault: Exception | str, asked: SentRequest) -> errors.ModelError:
    """Return the error for a 200 response that breaks the protocol.

    `fault`: an exception, or a text for the message such as `answered 200 with no message`.
    """
    what = fault if isinstance(fault, str) else "answered 200 with an unreadable body"
    return errors.BrokenBodyError(
        asked.format_message(what, "", "check that base_url is the API address of this provider")
    )


def make_truncated_error(asked: SentRequest) -> errors.ModelError:
    """Return the error for a stream that ended without a finish reason."""
    return errors.TruncatedError(asked.format_message("ended its answer early", "", "try again"))


# Retry-After -----------------------------------------------------------------------------------------------------

_RETRY_INFO = re.compile(r'"retrydelay"\s*:\s*"(\d{1,6}(?:\.\d{1,9})?)s"', re.IGNORECASE)


def parse_retry_after(headers: Mapping[str, str], body: str = "", now: datetime | None = None) -> float | None:
    """Return the number of seconds (>= 0) that a server asks to wait; None if the server names no time.

    The time is in the header `retry-after`, or else in Google's RetryInfo in `body`. A date is compared with
    the server's clock (header `date`) or, without this header, with `now` (default: the current time).
    """
    named = {name.lower(): value.strip() for name, value in headers.items()}
    value = named.get("retry-after", "")
    if not value:
        delay = _RETRY_INFO.search(body)
        return float(delay.group(1)) if delay else None
    try:
        seconds = float(value)
    except ValueError:
        until = _parse_http_date(value)
        asked_at = _parse_http_date(named.get("date", "")) or now or datetime.now(UTC)
        return None if until is None else max(0.0, (until - asked_at).total_seconds())
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _parse_http_date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
