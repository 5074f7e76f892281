"""Faults as bytes, for both wire formats, streamed and whole."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from faults.wire_formats import ModelAnswer, Wire
from wire_support import Step, event_stream, http_response

from debate_cli.domain.model_call import Usage
from debate_cli.llm.model import Profile

Asked = Literal["streamed", "whole"]


@dataclass(frozen=True, slots=True)
class Playback:
    """Bytes of an answer with resets, stalls and closes."""

    steps: Sequence[Step]
    reported: Usage = field(default_factory=Usage)
    """Usage that it reports in a readable form; for a broken stream, the usage until then."""


Play = Callable[[Wire, ModelAnswer, bool], Playback]
"""Builds the playback from a wire format, the correct answer, and whether it is streamed."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a server."""

    title: str
    play: Play
    asked: tuple[Asked, ...] = ("streamed", "whole")
    """Kinds of requests that the fault applies to."""


PROSE = "I think that this should be weighed with care before anybody decides, and I would not hurry."
DECLINES = "I would rather not take part in this."
PAGE = "<html><head><title>Sign in to the hotel network</title></head><body>Welcome</body></html>"


def correct_answer(wire: Wire, reply: ModelAnswer, stream: bool) -> Playback:
    """A correct answer."""
    if stream:
        return Playback(event_stream(*(part.raw for part in wire.stream(reply))), reply.usage)
    return Playback(http_response(wire.whole(reply)), reply.usage)


def _status(
    code: int, kind: str, message: str, headers: Mapping[str, str] | None = None, name: str | None = None
) -> Play:
    """An error status with the vendor's body."""

    def play(wire: Wire, _said: ModelAnswer, _stream: bool) -> Playback:
        return Playback(http_response(wire.error(message, kind, name), status=code, headers=headers))

    return play


def _nothing(step: Literal["reset", "stall", "close"]) -> Play:
    """No answer."""

    def play(_wire: Wire, _said: ModelAnswer, _stream: bool) -> Playback:
        return Playback((step,))

    return play


def _broken_off(then: Literal["end", "reset", "stall", "vanish"]) -> Play:
    """A correct answer that stops halfway; `vanish` closes inside the chunked body, `end` ends it properly."""

    def play(wire: Wire, reply: ModelAnswer, stream: bool) -> Playback:
        if stream:
            parts = wire.stream(reply)
            sent = parts[: len(parts) // 2]
            return Playback(event_stream(*(part.raw for part in sent), then=then), sent[-1].reported)
        half = _half(wire.whole(reply))
        head, *chunks = event_stream(half, then=then)
        assert isinstance(head, bytes)
        return Playback((head.replace(b"text/event-stream", b"application/json"), *chunks))

    return play


def _instead(body: str, content_type: str) -> Play:
    """A 200 with another body."""

    def play(_wire: Wire, _said: ModelAnswer, _stream: bool) -> Playback:
        return Playback(http_response(body, content_type=content_type))

    return play


def _broken_json(wire: Wire, reply: ModelAnswer, stream: bool) -> Playback:
    if not stream:
        return Playback(http_response(_half(wire.whole(reply))))
    parts = wire.stream(reply)
    sent = parts[: len(parts) // 2]
    broken = sent[-1].raw.rstrip()
    return Playback(
        event_stream(*(part.raw for part in sent[:-1]), broken[: len(broken) - 12] + "\n\n"), sent[-2].reported
    )


def _mislabelled(wire: Wire, reply: ModelAnswer, stream: bool) -> Playback:
    """A correct answer labelled text/plain."""
    playback = correct_answer(wire, reply, stream)
    labels = (b"text/event-stream", b"application/json")
    steps: list[Step] = []
    for step in playback.steps:
        assert isinstance(step, bytes)
        steps.append(step.replace(labels[0], b"text/plain", 1).replace(labels[1], b"text/plain", 1))
    return replace(playback, steps=steps)


def _not_streamed(wire: Wire, reply: ModelAnswer, _stream: bool) -> Playback:
    """A correct answer that is not streamed."""
    return Playback(http_response(wire.whole(reply)))


def _error_inside(wire: Wire, reply: ModelAnswer, stream: bool) -> Playback:
    """An error object after a 200."""
    body = wire.error("The engine is overloaded, please try again later", "overloaded_error")
    if not stream:
        return Playback(http_response(body))
    parts = wire.stream(reply)
    sent = parts[: len(parts) // 2]
    return Playback(event_stream(*(part.raw for part in sent), wire.error_event(body)), sent[-1].reported)


def _says(text: str | None = None, **changes: Any) -> Play:
    """An answer with another text or ending; None keeps the first half of the correct text."""

    def play(wire: Wire, reply: ModelAnswer, stream: bool) -> Playback:
        words = reply.text[: len(reply.text) // 2] if text is None else text
        is_at_limit = changes.get("ending") == "limit"
        written = Profile().max_output_tokens if is_at_limit else min(reply.usage.output_tokens, len(words) // 4)
        usage = reply.usage.model_copy(update={"output_tokens": written})
        return correct_answer(wire, replace(reply, text=words, usage=usage, tool=None, **changes), stream)

    return play


def _half(body: Mapping[str, Any]) -> str:
    raw = json.dumps(body)
    return raw[: len(raw) // 2]


TOO_MANY = "Too many requests"
FILTERED = "Output blocked by content filtering policy"
RETRIED: Mapping[str, Fault] = {
    "rate_limit": Fault("429", _status(429, "rate_limit_error", TOO_MANY)),
    "retry_after": Fault("429, Retry-After 7", _status(429, "rate_limit_error", TOO_MANY, {"Retry-After": "7"})),
    "server_error": Fault("500", _status(500, "api_error", "Internal server error")),
    "unavailable": Fault("503", _status(503, "api_error", "Service unavailable")),
    "overloaded": Fault("529", _status(529, "overloaded_error", "Overloaded")),
    "request_timeout": Fault("408", _status(408, "timeout_error", "Request timeout")),
    "conflict": Fault("409", _status(409, "conflict_error", "Conflict")),
    "reset": Fault("connection reset before the headers", _nothing("reset")),
    "hangs_up": Fault("connection closed without an answer", _nothing("close")),
    "reset_in_body": Fault("connection reset in the body", _broken_off("reset")),
    "cut": Fault("body cut short, the final HTTP chunk there", _broken_off("end")),
    "vanished": Fault("body cut short, the final HTTP chunk missing", _broken_off("vanish")),
    "silence": Fault("silence beyond the timeout", _nothing("stall")),
    "stall": Fault("silence beyond the timeout in the body", _broken_off("stall")),
    "html": Fault("200 with a web page", _instead(PAGE, "text/html")),
    "no_body": Fault("200 without a body", _instead("", "application/json")),
    "broken_json": Fault("200 with broken JSON", _broken_json),
    "other_json": Fault("200 with JSON of another shape", _instead('{"status": "ok"}', "application/json")),
    "not_streamed": Fault("200 with JSON where a stream was asked for", _not_streamed, ("streamed",)),
    "error_inside": Fault("error after a 200", _error_inside),
}
"""Faults that are retried."""
REASKED: Mapping[str, Fault] = {
    "wrong_schema": Fault("JSON of another schema", _says('{"verdict": "fine"}')),
    "prose": Fault("prose in place of JSON", _says(PROSE)),
    "empty": Fault("empty text", _says("")),
    "token_limit": Fault("token limit reached", _says(ending="limit")),
}
"""Unusable answers, which are re-asked."""
GIVEN_UP: Mapping[str, Fault] = {
    "long_wait": Fault("429, Retry-After 300", _status(429, "rate_limit_error", TOO_MANY, {"Retry-After": "300"})),
    "quota": Fault(
        "429, out of quota",
        _status(429, "insufficient_quota", "You exceeded your current quota", None, "insufficient_quota"),
    ),
    "bad_request": Fault("400", _status(400, "invalid_request_error", "Unknown field top_q")),
    "bad_key": Fault("401", _status(401, "authentication_error", "No such key")),
    "forbidden": Fault("403", _status(403, "permission_error", "Not for this project")),
    "no_model": Fault("404", _status(404, "not_found_error", "There is no such model")),
    "overflow": Fault(
        "400, prompt too long", _status(400, "invalid_request_error", "prompt is too long: 9999 tokens > 8192 maximum")
    ),
    "refusal": Fault("refusal", _says(DECLINES, ending="refusal")),
    "filtered_answer": Fault("content filter stops the answer", _says(ending="filter")),
    "filtered_prompt": Fault("400, content filter", _status(400, "invalid_request_error", FILTERED)),
}
"""Permanent faults."""
TAKEN: Mapping[str, Fault] = {"mislabelled": Fault("200 labelled text/plain", _mislabelled)}
"""Faults that have no effect."""
REFUSED_CONNECTION = "refused"
FAULTS: Mapping[str, Fault] = {
    REFUSED_CONNECTION: Fault("connection refused", _nothing("reset")),
    **RETRIED,
    **REASKED,
    **GIVEN_UP,
    **TAKEN,
}
"""All faults. For a refused connection the server does not listen."""
