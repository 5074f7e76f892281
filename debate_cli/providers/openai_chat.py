"""OpenAI's chat completions: OpenAI itself and every server that speaks the same protocol.

The SDK is imported when the first call is made. It neither retries (the one policy is `llm.retry`) nor follows
redirects, which could carry a key elsewhere. How a request looks is in `openai_body`, what a status means in `faults`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

from debate_cli import errors
from debate_cli.domain.exchange import Usage
from debate_cli.llm.port import Reply, Request
from debate_cli.llm.profile import Profile
from debate_cli.providers import faults
from debate_cli.providers.endpoint import Endpoint
from debate_cli.providers.faults import Asked, FaultRow
from debate_cli.providers.openai_body import chat_body
from debate_cli.providers.remote import CONNECT_S, NO_KEY, UNTOLD, Api, RemoteServer, count, text_of, unsent_key

FILTERED = "The provider's content filter stopped the answer."


def openai_server(
    endpoint: Endpoint, *, stream_usage: bool = True, clock: Callable[[], float] = time.perf_counter
) -> RemoteServer:
    """A server that speaks chat completions. `stream_usage` says whether it takes `stream_options`."""

    def body(request: Request, model: str, profile: Profile, stream: bool) -> dict[str, Any]:
        return chat_body(request, model, profile, stream=stream, stream_usage=stream_usage)

    return RemoteServer(Api(_connect, body, _send, _Answer, _table, _error_in, _of_object), endpoint, clock=clock)


def _connect(endpoint: Endpoint) -> Any:
    import httpx2
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

    timeout = httpx2.Timeout(endpoint.timeout_s, connect=min(endpoint.timeout_s, CONNECT_S))
    client = AsyncOpenAI(
        api_key=endpoint.api_key or NO_KEY,
        base_url=endpoint.base_url,
        max_retries=0,
        timeout=timeout,
        http_client=DefaultAsyncHttpxClient(timeout=timeout, follow_redirects=False, verify=endpoint.trust()),
    )
    # The SDK takes headers and the organisation out of the environment, whatever server they are meant for.
    client._custom_headers = dict(endpoint.headers)  # pyright: ignore[reportPrivateUsage]
    client.organization = client.project = client.admin_api_key = None
    client._platform = UNTOLD  # pyright: ignore[reportPrivateUsage]
    return client


async def _send(client: Any, body: dict[str, Any]) -> Any:
    """The answer as plain JSON: making the SDK's objects of body and chunks takes longer than all that is done with them."""
    from openai import AsyncStream, Omit

    streamed = bool(body.get("stream"))
    answer: Any = await client.post(
        "/chat/completions",
        body=body,
        cast_to=object,
        options={"headers": unsent_key(client, ("Authorization",), Omit())},
        stream=streamed,
        stream_cls=AsyncStream[object],
    )
    if isinstance(answer, str):  # labelled as something else than JSON, which it may be nevertheless
        with suppress(ValueError):
            return json.loads(answer)
    return answer


@dataclass(slots=True)
class _Answer:
    """What has come in of an answer, whole or in chunks."""

    text: list[str] = field(default_factory=list[str])
    arguments: list[str] = field(default_factory=list[str])
    refusal: list[str] = field(default_factory=list[str])
    finish: str | None = None
    usage: Usage = field(default_factory=Usage)
    parts: int = 0
    spoken: bool = False
    """Whether there was a message at all, be it empty."""

    def take(self, whole: Any) -> None:
        """Take in a completion."""
        self._read(whole, "message")

    def feed(self, part: Any) -> str:
        """Take in a chunk."""
        return self._read(part, "delta")

    def _read(self, part: Any, where: str) -> str:
        self.parts += 1
        if part.get("usage") is not None:
            self.usage = _usage(part["usage"])
        first = next((choice for choice in part.get("choices") or () if not choice.get("index")), None)
        if first is None:  # the last chunk carries usage alone
            return ""
        self.finish = text_of(first.get("finish_reason")) or self.finish
        said = first.get(where)
        if said is None:
            return ""
        self.spoken = True
        self.refusal.append(text_of(said.get("refusal")))
        content = text_of(said.get("content"))
        arguments = "".join(
            text_of(call["function"].get("arguments"))
            for call in said.get("tool_calls") or ()
            if call.get("function") is not None and not call.get("index")
        )
        self.text.append(content)
        if arguments:
            self.arguments.append(arguments)
        return content + arguments

    def check(self, asked: Asked, *, streamed: bool) -> None:
        """Raise for no chunks, no message, no end, and a server's fault as the reason to stop."""
        if streamed and not self.parts:
            raise faults.broken_body("something else than the stream that was asked for", asked)
        if streamed and self.finish is None:
            raise faults.cut_short(asked)
        if not streamed and not self.spoken:
            raise faults.broken_body("no message in it", asked)
        if self.finish == "error":
            raise faults.by_event(None, None, "", asked)

    def reply(self, latency_s: float) -> Reply:
        """The answer as the port wants it."""
        text = "".join(self.arguments or self.text)
        refusal = "".join(self.refusal)
        if self.finish == "content_filter":
            refusal = refusal or text or FILTERED
        return Reply(
            text=text,
            usage=self.usage,
            finish_reason=self.finish,
            truncated=self.finish == "length",
            refusal=refusal or None,
            latency_s=latency_s,
        )


def _usage(reported: Any) -> Usage:
    prompt = count(reported.get("prompt_tokens"))
    details: Any = reported.get("prompt_tokens_details") or {}
    cached = count(details.get("cached_tokens"))
    return Usage(
        input_tokens=prompt, cached_tokens=min(prompt, cached), output_tokens=count(reported.get("completion_tokens"))
    )


def _error_in(whole: Any) -> object:
    return whole.get("error")


# The table of faults ---------------------------------------------------------------------------------------------


@cache
def _table() -> Sequence[FaultRow]:
    """What the SDK raises, and what it means; the first row that fits counts."""
    import httpx2
    import openai

    return (
        FaultRow((openai.APITimeoutError, httpx2.TimeoutException), faults.timed_out),
        FaultRow((openai.APIConnectionError, httpx2.RequestError, OSError), faults.unreachable),
        FaultRow((openai.APIStatusError,), _of_status),
        FaultRow((openai.APIResponseValidationError,), faults.broken_body),
        FaultRow((openai.APIError,), _of_stream_event),
        # An unreadable 200: HTML or text (AttributeError), broken JSON or UTF-8 (ValueError), JSON of another shape.
        FaultRow((ValueError, AttributeError, TypeError, KeyError, IndexError, RecursionError), faults.broken_body),
    )


def _of_status(fault: Any, asked: Asked) -> errors.ModelError:
    return faults.by_status(fault.status_code, fault.response.text, asked, fault.response.headers)


def _of_stream_event(fault: Any, asked: Asked) -> errors.ModelError:
    return _of_object(fault.body, asked)


def _of_object(error: Any, asked: Asked) -> errors.ModelError:
    if not isinstance(error, dict):
        return faults.by_event(None, None, str(error), asked)
    named = cast("dict[str, Any]", error)
    return faults.by_event(named.get("type"), named.get("code"), faults.as_json(named), asked)
