"""Models behind Anthropic's messages API.

The SDK (slow to import) is imported when the first call is made. It neither retries (the one policy is `llm.retry`) nor
follows redirects. How a request looks is in `anthropic_body`, what faults mean in `faults`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

from debate_cli import errors
from debate_cli.domain.exchange import Usage
from debate_cli.llm.port import Reply, Request
from debate_cli.llm.profile import Profile
from debate_cli.providers import faults
from debate_cli.providers.anthropic_body import messages_body
from debate_cli.providers.endpoint import Endpoint
from debate_cli.providers.faults import Asked, FaultRow
from debate_cli.providers.remote import CONNECT_S, NO_KEY, UNTOLD, Api, RemoteServer, count, text_of, unsent_key

LIMIT_REASONS = ("max_tokens", "model_context_window_exceeded")
KEY_HEADERS = ("Authorization", "X-Api-Key")
"""Either may carry a key, by the version of the SDK."""
DECLINED = "The model declined to answer."


def anthropic_server(endpoint: Endpoint, *, clock: Callable[[], float] = time.perf_counter) -> RemoteServer:
    """A server that speaks the messages API."""
    return RemoteServer(Api(_connect, _body, _send, _Answer, _table, _error_in, _of_object), endpoint, clock=clock)


def _body(request: Request, model: str, profile: Profile, stream: bool) -> dict[str, Any]:
    return messages_body(request, model, profile, stream=stream)


def _connect(endpoint: Endpoint) -> Any:
    import httpx2
    from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient

    timeout = httpx2.Timeout(endpoint.timeout_s, connect=min(endpoint.timeout_s, CONNECT_S))
    client = AsyncAnthropic(
        api_key=endpoint.api_key or NO_KEY,
        base_url=endpoint.base_url,
        max_retries=0,
        timeout=timeout,
        http_client=DefaultAsyncHttpxClient(timeout=timeout, follow_redirects=False, verify=endpoint.trust()),
    )
    # The SDK takes headers out of the environment, whatever server they are meant for.
    client._custom_headers = dict(endpoint.headers)  # pyright: ignore[reportPrivateUsage]
    client._platform = UNTOLD  # pyright: ignore[reportPrivateUsage]
    return client


async def _send(client: Any, body: dict[str, Any]) -> Any:
    from anthropic import Omit

    return await client.messages.create(**body, extra_headers=unsent_key(client, KEY_HEADERS, Omit()))


@dataclass(slots=True)
class _Answer:
    """What has come in of an answer, whole or event by event."""

    text: list[str] = field(default_factory=list[str])
    arguments: list[str] = field(default_factory=list[str])
    stop: str | None = None
    explanation: str | None = None
    usage: Usage = field(default_factory=Usage)
    parts: int = 0

    def take(self, whole: Any) -> None:
        """Take in a message."""
        self.usage = _usage(whole.usage, self.usage)
        for block in whole.content:
            if block.type == "text":
                self.text.append(block.text)
            elif block.type == "tool_use":
                self.arguments.append(json.dumps(block.input, ensure_ascii=False))
        self._stopped(whole)

    def feed(self, part: Any) -> str:
        """Take in an event."""
        self.parts += 1
        if part.type == "message_start":
            self.usage = _usage(part.message.usage, self.usage)
        elif part.type == "message_delta":
            self.usage = _usage(part.usage, self.usage)
            self._stopped(part.delta)
        elif part.type == "content_block_delta" and part.delta.type == "text_delta":
            self.text.append(part.delta.text)
            return part.delta.text
        elif part.type == "content_block_delta" and part.delta.type == "input_json_delta":
            self.arguments.append(part.delta.partial_json)
            return part.delta.partial_json
        return ""

    def check(self, asked: Asked, *, streamed: bool) -> None:
        """Raise for a stream without events, and for one without an end."""
        if streamed and not self.parts:
            raise faults.broken_body("something else than the stream that was asked for", asked)
        if streamed and self.stop is None:
            raise faults.cut_short(asked)

    def reply(self, latency_s: float) -> Reply:
        """The answer as the port wants it."""
        text = "".join(self.arguments or self.text)
        refusal = (self.explanation or text or DECLINED) if self.stop == "refusal" else None
        return Reply(
            text=text,
            usage=self.usage,
            finish_reason=self.stop,
            truncated=self.stop in LIMIT_REASONS,
            refusal=refusal,
            latency_s=latency_s,
        )

    def _stopped(self, said: Any) -> None:
        self.stop = text_of(said.stop_reason) or self.stop
        self.explanation = getattr(said.stop_details, "explanation", None) or self.explanation


def _usage(reported: Any, before: Usage) -> Usage:
    """All tokens of the prompt are input, read from the cache or written to it as well; a stream's counts are cumulative."""
    read, written = count(reported.cache_read_input_tokens), count(reported.cache_creation_input_tokens)
    prompt = count(reported.input_tokens) + read + written
    return Usage(
        input_tokens=max(prompt, before.input_tokens),
        cached_tokens=max(read, before.cached_tokens),
        output_tokens=max(count(reported.output_tokens), before.output_tokens),
        cache_written_tokens=max(written, before.cache_written_tokens),
    )


# The table of faults ---------------------------------------------------------------------------------------------


@cache
def _table() -> Sequence[FaultRow]:
    """What the SDK raises, and what it means; the first row that fits counts."""
    import anthropic
    import httpx2

    return (
        FaultRow((anthropic.APITimeoutError, httpx2.TimeoutException), faults.timed_out),
        # A stream that is reset raises httpx2's own error.
        FaultRow((anthropic.APIConnectionError, httpx2.RequestError, OSError), faults.unreachable),
        FaultRow((anthropic.APIStatusError,), _of_status),
        FaultRow((anthropic.APIError,), faults.broken_body),
        # An unreadable 200: HTML or text (AttributeError), broken JSON or UTF-8 (ValueError), JSON of another shape.
        FaultRow(
            (ValueError, AttributeError, AssertionError, TypeError, KeyError, IndexError, RecursionError),
            faults.broken_body,
        ),
    )


def _of_status(fault: Any, asked: Asked) -> errors.ModelError:
    if fault.status_code < 300:  # noqa: PLR2004 - an error event in a stream that began well
        return _of_object(fault.body, asked)
    return faults.by_status(fault.status_code, fault.response.text, asked, fault.response.headers)


def _error_in(whole: Any) -> object:
    others: dict[str, Any] = whole.model_extra or {}
    return others.get("error")


def _of_object(error: Any, asked: Asked) -> errors.ModelError:
    if not isinstance(error, dict):
        return faults.by_event(None, None, str(error), asked)
    outer = cast("dict[str, Any]", error)
    inner: Any = outer.get("error", outer)
    kind = cast("dict[str, Any]", inner).get("type") if isinstance(inner, dict) else None
    return faults.by_event(kind, None, faults.as_json(cast("object", inner)), asked)
