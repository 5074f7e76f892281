"""A model behind an HTTP API: sends a request, reads the answer, and maps failures to errors of this program.

A `ProviderApi` holds the functions that differ between vendors.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, cast

from debate_cli.domain.model_call import Usage
from debate_cli.errors import ModelError, RefusedError
from debate_cli.llm.model import OnText, Profile, Reply, Request
from debate_cli.llm.usage import error_usage
from debate_cli.providers import error_mapping
from debate_cli.providers.endpoint import Endpoint
from debate_cli.providers.error_mapping import ErrorRule, SentRequest

OPTIONAL_PARAMETERS = ("temperature", "seed", "stream_options", "max_tokens")
"""Parameters that `llm.retry.ParameterFallbackModel` omits or replaces after the server has rejected them."""
CHARS_PER_TOKEN = 8
MIN_ANSWER_CHARS = 64 * 1024
"""An answer of up to this many characters is never refused as too long, even if the request's output limit is small."""
MIN_RESULTS_CHARS = 1024 * 1024
"""Results of a web search with up to this many characters are never refused as too long."""
CALLS_PER_CLIENT = 16
"""Maximum number of calls in flight per SDK client. More calls would slow each other down."""
DUMMY_KEY = "no-key-needed"
"""If the server needs no key, the SDK gets this placeholder, because the SDK requires a key. The placeholder is not
sent."""
MAX_STREAM_END_S = 1.0
"""Longest wait for the end of a stream after its last event."""
KEY_HEADERS = ("Authorization", "X-Api-Key")


@dataclass(slots=True)
class _ToolCall:
    name: str = ""
    arguments: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class ReplyBuilder:
    """Collects one answer. Its methods may raise any exception for a malformed answer."""

    tool: str | None = None
    """Name of the tool that the request offers. None if it offers no tool: tool calls are then ignored."""
    usage: Usage = field(default_factory=Usage)
    """Tokens that the server has reported so far."""
    is_over: bool = False
    """Whether the last event of a stream has arrived. What follows is ignored."""
    _calls: dict[int, _ToolCall] = field(default_factory=dict[int, _ToolCall])

    def add_whole(self, whole: Any) -> None:
        """Read an answer that was not streamed."""
        raise NotImplementedError

    def add_chunk(self, part: Any) -> str:
        """Read `part`, one part of a streamed answer. Return its text, or its piece of a tool call's arguments."""
        raise NotImplementedError

    def add_tool_call(self, number: int, name: str, arguments: str) -> str:
        """Add a piece of the tool call `number`: its name, its arguments or both. Return `arguments`."""
        call = self._calls.setdefault(number, _ToolCall())
        call.name = call.name or name
        call.arguments.append(arguments)
        return arguments

    def tool_arguments(self) -> str:
        """Return the arguments of the calls of the tool `self.tool`, as one text.

        If no call has this name, return the arguments of all tool calls: some servers change or omit the name.
        """
        calls = list(self._calls.values())
        return "\n".join(
            "".join(call.arguments) for call in [call for call in calls if call.name == self.tool] or calls
        )

    def validate(self, asked: SentRequest) -> None:
        """Raise ModelError if the answer is missing or incomplete."""

    def build_reply(self, latency_s: float) -> Reply:
        """Return the collected answer as a `Reply`."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class ProviderApi:
    """The functions that differ between the APIs of vendors."""

    connect: Callable[[Endpoint], Any]
    """Imports the SDK and creates its client."""
    build_body: Callable[[Request, str, Profile, bool], dict[str, Any]]
    """Builds the body of a call from the request, the model's name, its profile, and whether to stream."""
    send: Callable[[Any, dict[str, Any]], Awaitable[Any]]
    """Sends a body with the SDK's client. Returns the SDK's answer or stream."""
    reply_builder: Callable[[str | None], ReplyBuilder]
    """Creates the `ReplyBuilder` of an answer. The argument becomes `ReplyBuilder.tool`."""
    error_rules: Callable[[], Sequence[ErrorRule]]
    """Returns the rules that map the SDK's exceptions to errors of this program."""


@dataclass(slots=True, eq=False)
class _Client:
    sdk: Any
    calls: int = 0


class HttpServer:
    """One server of a vendor's API. Its models share SDK clients."""

    def __init__(self, api: ProviderApi, endpoint: Endpoint) -> None:
        self.api = api
        self.endpoint = endpoint
        self._clients: list[_Client] = []

    def model(self, name: str, profile: Profile) -> HttpModel:
        """Return the model `name` of the server.

        The SDK is imported here, so that the latency of the first call does not include the import.
        """
        with error_mapping.map_errors(self.api.error_rules, SentRequest(self.endpoint, name, structured=False)):
            self.client()
        return HttpModel(self, name, profile)

    def client(self) -> Any:
        """Return an SDK client of this server. Creates a client if there is none."""
        return (self._clients[0] if self._clients else self._add_client()).sdk

    @contextmanager
    def client_for_call(self) -> Generator[Any]:
        """Yield a client with fewer than CALLS_PER_CLIENT calls in flight. Creates a client if there is none."""
        client = next((each for each in self._clients if each.calls < CALLS_PER_CLIENT), None) or self._add_client()
        client.calls += 1
        try:
            yield client.sdk
        finally:
            client.calls -= 1

    def _add_client(self) -> _Client:
        self._clients.append(_Client(self.api.connect(self.endpoint)))
        return self._clients[-1]

    async def aclose(self) -> None:
        """Close the connections. A later call opens new ones."""
        clients, self._clients = self._clients, []
        async with AsyncExitStack() as closing:
            for client in clients:
                closing.push_async_callback(client.sdk.close)


class HttpModel:
    """A model on a server; implements `llm.model.Model`."""

    def __init__(self, server: HttpServer, name: str, profile: Profile) -> None:
        self._server = server
        self._api = server.api
        self._name = name
        self._profile = profile

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer `request`. With `on_text`, the answer is streamed."""
        body = self._api.build_body(request, self._name, self._profile, on_text is not None)
        asked = describe_request(self._server.endpoint, self._name, request, body)
        answer = self._api.reply_builder(request.offered_tool)
        started = time.perf_counter()
        try:
            await self._receive(body, asked, answer, on_text)
        except RefusedError as refused:
            return make_refusal_reply(refused, time.perf_counter() - started)
        except ModelError as error:
            error.latency_s = time.perf_counter() - started
            raise
        return answer.build_reply(time.perf_counter() - started)

    async def _receive(
        self, body: dict[str, Any], asked: SentRequest, answer: ReplyBuilder, on_text: OnText | None
    ) -> None:
        deadline = asyncio.timeout(self._server.endpoint.answer_deadline_s)
        try:
            async with deadline:
                if on_text is None:
                    await self._receive_whole(body, asked, answer)
                else:
                    async with aclosing(self._receive_stream(body, asked, answer)) as pieces:
                        async for piece in pieces:
                            on_text(piece)
        except TimeoutError:
            if not deadline.expired():
                raise
            with error_mapping.map_errors(self._api.error_rules, asked, lambda: answer.usage):
                raise error_mapping.make_answer_timeout_error(asked) from None

    async def _receive_whole(self, body: dict[str, Any], asked: SentRequest, answer: ReplyBuilder) -> None:
        with error_mapping.map_errors(self._api.error_rules, asked, lambda: answer.usage):
            with self._server.client_for_call() as client:
                whole = await self._api.send(client, body)
            if isinstance(whole, str):  # the SDKs return a body that is not JSON as text
                what = f"answered 200 with {'a web page' if '<' in whole else 'text that is not JSON'}"
                raise error_mapping.make_broken_body_error(what, asked)
            read_whole_answer(whole, asked, answer)

    async def _receive_stream(
        self, body: dict[str, Any], asked: SentRequest, answer: ReplyBuilder
    ) -> AsyncGenerator[str]:
        # A generator, so that an exception of `on_text` is not mapped as a fault of the server.
        with (
            error_mapping.map_errors(self._api.error_rules, asked, lambda: answer.usage),
            self._server.client_for_call() as client,
        ):
            part, received = None, 0
            async with await self._api.send(client, body) as stream:
                async for part in stream:
                    piece = answer.add_chunk(part)
                    accepted = piece[: asked.max_answer_chars - received]
                    received += len(piece)
                    if accepted:  # also if `piece` is too long, so that the text that arrived is charged
                        yield accepted
                    _check_length(received, asked)
                    if answer.is_over:
                        await _read_end(stream)
                        break
            if part is None:
                raise error_mapping.make_broken_body_error("answered 200 with something other than a stream", asked)
            if answer.build_reply(0).finish_reason is None:
                raise error_mapping.make_truncated_error(asked)
            answer.validate(asked)


async def _read_end(stream: Any) -> None:
    """Read the end of a stream whose answer is complete, so that the next call can use the same connection."""
    with suppress(Exception):  # e.g. the server cuts the connection, or leaves it open
        async with asyncio.timeout(MAX_STREAM_END_S):
            async for _ in stream:
                pass


def describe_request(endpoint: Endpoint, name: str, request: Request, body: Mapping[str, Any]) -> SentRequest:
    """Return the facts about `request` for error messages. `name`: the model. `body`: the body that is sent."""
    by_parameter = request.schema is not None and request.rung in {"native", "tool"}
    optional = tuple(parameter for parameter in OPTIONAL_PARAMETERS if parameter in body)
    least = MIN_ANSWER_CHARS if request.search is None else MIN_RESULTS_CHARS
    most = max(least, CHARS_PER_TOKEN * request.max_output_tokens)
    return SentRequest(endpoint, name, by_parameter, optional, most)


def read_whole_answer(whole: Any, asked: SentRequest, answer: ReplyBuilder) -> None:
    """Read `whole`, an answer that was not streamed, into `answer`.

    Raises ModelError if `whole` reports an error or is incomplete. A malformed `whole` may raise any exception.
    """
    others: Any = whole if isinstance(whole, dict) else whole.model_extra or {}  # pyright: ignore[reportUnknownVariableType]
    error = others.get("error")
    if error:
        raise error_mapping.error_from_object(error, asked)
    answer.add_whole(whole)
    _check_length(len(answer.build_reply(0).text), asked)
    answer.validate(asked)


def _check_length(chars: int, asked: SentRequest) -> None:
    if chars > asked.max_answer_chars:
        raise error_mapping.make_excess_error(f"sent more than {asked.max_answer_chars} characters", asked)


def connect_sdk(client_type: Any, http_type: Any, endpoint: Endpoint) -> Any:
    """Create an SDK's client for `endpoint`, without retries and without headers from the environment."""
    from debate_cli.providers.http_client import make_http_client

    http_client = make_http_client(http_type, endpoint)
    client = client_type(
        api_key=endpoint.api_key or DUMMY_KEY,
        base_url=endpoint.base_url,
        max_retries=0,
        timeout=http_client.timeout,
        http_client=http_client,
    )
    client._custom_headers = dict(endpoint.headers)
    return client


def omit_key_headers(client: Any) -> dict[str, object]:
    """Return headers that keep the SDK from sending DUMMY_KEY; no headers if `client` has a real key."""
    if client.api_key != DUMMY_KEY:
        return {}
    sdk: Any = import_module(type(client).__module__.partition(".")[0])
    set_by_user = {name.lower() for name in client._custom_headers}
    return {header: sdk.Omit() for header in KEY_HEADERS if header.lower() not in set_by_user}


def make_refusal_reply(refused: RefusedError, latency_s: float = 0.0) -> Reply:
    """Return a reply with a refusal, for a request that the provider's content filter rejected."""
    usage = error_usage(refused)
    return Reply(text="", usage=usage, finish_reason="content_filter", refusal=str(refused), latency_s=latency_s)


MAX_TOKEN_COUNT = 10**9
"""Maximum token count. A higher count from a server is reduced to this number."""


def parse_token_count(reported: object) -> int:
    """Return `reported` as a token count from 0 to MAX_TOKEN_COUNT. Anything but a finite number becomes 0."""
    if isinstance(reported, bool) or not isinstance(reported, int | float) or not math.isfinite(reported):
        return 0
    return max(0, min(MAX_TOKEN_COUNT, int(reported)))


def parse_optional_text(reported: object) -> str:
    """Return `reported`, or an empty text for None. Raises TypeError for any other type."""
    if reported is None or isinstance(reported, str):
        return reported or ""
    raise TypeError(type(reported).__name__)


def parse_objects(reported: object) -> list[dict[str, Any]]:
    """Return the JSON objects in the list `reported`. Other items are left out.

    Raises TypeError if `reported` is not a list.
    """
    if not isinstance(reported, list):
        raise TypeError(type(reported).__name__)
    return [item for item in cast("list[Any]", reported) if isinstance(item, dict)]
