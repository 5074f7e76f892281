"""Asking a model over the network, whatever the vendor: one call, streamed or not, faults turned into our errors.

What vendors differ in is an `Api`; nothing else about one is known here. Retries, limits and budgets are not here either
(see `llm.retry`, `llm.limits`, `llm.budget`).
"""

from __future__ import annotations

import math
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Protocol

from debate_cli.domain.model_call import Usage
from debate_cli.errors import ModelError, RefusedError
from debate_cli.llm.model import OnText, Reply, Request
from debate_cli.llm.profile import Profile
from debate_cli.providers import error_mapping
from debate_cli.providers.endpoint import Endpoint
from debate_cli.providers.error_mapping import ErrorRule, SentRequest

SAMPLING_PARAMETERS = ("temperature", "seed")
"""Names of the sampling parameters in a body."""
CONNECT_TIMEOUT_S = 15.0
"""A connection that takes longer is not coming; silence after that may last `Endpoint.timeout_s`."""
UNKNOWN_PLATFORM = "Unknown"
"""The operating system, as the SDKs tell it to servers: to find it out, each of the first calls would start a thread."""
DUMMY_KEY = "no-key-needed"
"""Given to the SDKs, which insist on a key, where there is none; it is not sent."""


class ReplyBuilder(Protocol):
    """Gathers one answer. Reading may fail in any way on what is not of the vendor's shape: the table knows."""

    @property
    def usage(self) -> Usage:
        """Tokens known to be used so far."""
        ...

    def add_whole(self, whole: Any) -> None:
        """Take in an answer that came whole."""
        ...

    def add_chunk(self, part: Any) -> str:
        """Take in a part of a stream; returns the text that is new in it, a forced call's arguments too."""
        ...

    def validate(self, asked: SentRequest, *, streamed: bool) -> None:
        """Raise when what came is no answer, or not the end of one."""
        ...

    def build_reply(self, latency_s: float) -> Reply:
        """The answer as the port wants it."""
        ...


@dataclass(frozen=True, slots=True)
class ProviderApi:
    """What one vendor's API is like."""

    connect: Callable[[Endpoint], Any]
    """Makes the SDK's client, which has `close`; the first place where the SDK may be imported."""
    build_body: Callable[[Request, str, Profile, bool], dict[str, Any]]
    """Arguments of the call for request, model's name, profile, and whether to stream."""
    send: Callable[[Any, dict[str, Any]], Awaitable[Any]]
    """Makes the call; returns the SDK's answer or stream."""
    reply_builder: Callable[[], ReplyBuilder]
    error_rules: Callable[[], Sequence[ErrorRule]]
    """What the SDK raises, and what it means."""
    extract_error: Callable[[Any], object]
    """The error object that came with a 200 in the place of an answer; None where there is none."""
    map_error_object: Callable[[Any, SentRequest], ModelError]
    """What an error object means that came with a 200."""


class HttpServer:
    """One server; its models share one client, made for the first of them."""

    def __init__(self, api: ProviderApi, endpoint: Endpoint, *, clock: Callable[[], float] = time.perf_counter) -> None:
        self.api = api
        self.endpoint = endpoint
        self.clock = clock
        self._client: Any = None

    def model(self, name: str, profile: Profile) -> HttpModel:
        """The model that the server knows as `name`. The SDK is imported and its client made now, not in the first call's time."""
        with error_mapping.map_errors(self.api.error_rules, SentRequest(self.endpoint, name, structured=False)):
            self.client()
        return HttpModel(self, name, profile)

    def client(self) -> Any:
        """The SDK's client for this server."""
        if self._client is None:
            self._client = self.api.connect(self.endpoint)
        return self._client

    async def aclose(self) -> None:
        """Close the connections; the next call would open new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()


class HttpModel:
    """A model behind a server; implements `llm.port.Model`."""

    def __init__(self, server: HttpServer, name: str, profile: Profile) -> None:
        self._server = server
        self._api = server.api
        self._name = name
        self._profile = profile

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer `request`; streams where `on_text` is given."""
        by_parameter = request.schema is not None and request.rung in {"native", "tool"}
        body = self._api.build_body(request, self._name, self._profile, on_text is not None)
        sampled = tuple(name for name in SAMPLING_PARAMETERS if name in body)
        asked = SentRequest(self._server.endpoint, self._name, by_parameter, sampled)
        answer = self._api.reply_builder()
        started = self._server.clock()
        try:
            if on_text is None:
                await self._receive_whole(body, asked, answer)
            else:
                async with aclosing(self._receive_stream(body, asked, answer)) as pieces:
                    async for piece in pieces:
                        on_text(piece)
        except RefusedError as refused:
            return _make_refusal_reply(refused, self._server.clock() - started)
        return answer.build_reply(self._server.clock() - started)

    async def _receive_whole(self, body: dict[str, Any], asked: SentRequest, answer: ReplyBuilder) -> None:
        with error_mapping.map_errors(self._api.error_rules, asked, lambda: answer.usage):
            whole = await self._api.send(self._server.client(), body)
            if isinstance(whole, str):  # the SDKs hand over as text what is not JSON
                raise error_mapping.make_broken_body_error(
                    "a web page" if "<" in whole else "text that is no JSON", asked
                )
            error = self._api.extract_error(whole)
            if error:
                raise self._api.map_error_object(error, asked)
            answer.add_whole(whole)
            answer.validate(asked, streamed=False)

    async def _receive_stream(
        self, body: dict[str, Any], asked: SentRequest, answer: ReplyBuilder
    ) -> AsyncGenerator[str]:
        # A generator, so that an exception of `on_text` is not taken for a fault of the server.
        with error_mapping.map_errors(self._api.error_rules, asked, lambda: answer.usage):
            stream = await self._api.send(self._server.client(), body)
            async with stream:
                async for part in stream:
                    piece = answer.add_chunk(part)
                    if piece:
                        yield piece
            answer.validate(asked, streamed=True)


def omit_key_headers(client: Any, headers: Sequence[str], left_out: object) -> dict[str, object]:
    """The `headers` that may hold a key as `left_out`, where the SDK's `client` has none; not those that the user has set by hand."""
    if client.api_key != DUMMY_KEY:
        return {}
    by_hand = {name.lower() for name in client._custom_headers}
    return {header: left_out for header in headers if header.lower() not in by_hand}


def _make_refusal_reply(refused: RefusedError, latency_s: float) -> Reply:
    """What a provider's filter turned away at the door is a refusal, and a refusal is a reply."""
    usage = Usage(
        input_tokens=refused.input_tokens, cached_tokens=refused.cached_tokens, output_tokens=refused.output_tokens
    )
    return Reply(text="", usage=usage, finish_reason="content_filter", refusal=str(refused), latency_s=latency_s)


def parse_token_count(reported: object) -> int:
    """A number of tokens >= 0; what is missing or no number counts as 0."""
    if isinstance(reported, bool) or not isinstance(reported, int | float) or not math.isfinite(reported):
        return 0
    return max(0, int(reported))


def parse_optional_text(reported: object) -> str:
    """A text that may be missing. Raises TypeError for anything else, which is a broken answer."""
    if reported is None or isinstance(reported, str):
        return reported or ""
    raise TypeError(type(reported).__name__)
