"""One call of a provider adapter over a real connection, and the answers of OpenAI and Anthropic as bytes."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest
from wire_support import Playback, Seen, Wire, event, event_stream, http_response

from debate_cli import errors
from debate_cli.llm.model import Message, OnText, OutputSchema, Profile, Reply, Request
from debate_cli.providers.anthropic import MESSAGES_API
from debate_cli.providers.endpoint import Endpoint
from debate_cli.providers.http_model import HttpServer, ProviderApi
from debate_cli.providers.openai import CHAT_API
from debate_cli.providers.provider_table import BUILTIN_PROVIDERS

KEY = "sk-test-0123456789abcdef"
TIMEOUT_S = 1.0
"""Timeout for servers that do not answer; long enough to send a request on a busy machine."""
SCHEMA = OutputSchema(
    "verdict",
    {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False},
)
PLAIN = Request(system="Be brief.", messages=(Message("user", "Hello"),), purpose="opening", max_output_tokens=50)
NATIVE = replace(PLAIN, schema=SCHEMA, rung="native")
TOOL = replace(PLAIN, schema=SCHEMA, rung="tool")


def ignore(_: str) -> None:
    """Listener that discards the text."""


@dataclass(frozen=True, slots=True)
class Adapter:
    """Calls a model of one kind of provider."""

    name: str
    api: ProviderApi
    profile: Profile
    whole: tuple[bytes]
    """The answer `Hi`."""
    begun: tuple[str, ...]
    """Events of a stream up to the text `a`, with its usage where the vendor sends it first."""
    end: tuple[str, ...]
    """Events that end the stream."""

    async def complete(
        self,
        wire: Wire,
        request: Request = PLAIN,
        on_text: OnText | None = None,
        endpoint: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Send one request over an open wire; `endpoint` overrides fields of its endpoint."""
        fields: dict[str, Any] = {"api_key": KEY, "api_key_env": "LAB_KEY", "secrets": (KEY,)} | dict(endpoint or {})
        server = HttpServer(self.api, Endpoint("lab", wire.url, **fields))
        try:
            return await server.model("m1", self.profile).complete(request, on_text)
        finally:
            await server.aclose()

    def ask(
        self, playback: Playback, request: Request = PLAIN, *, on_text: OnText | None = None, **endpoint: Any
    ) -> tuple[Reply, Seen]:
        """The reply to one call, and the one request that was sent for it."""

        async def run() -> tuple[Reply, Seen]:
            async with Wire([playback]) as wire:
                reply = await self.complete(wire, request, on_text, endpoint)
                assert len(wire.seen) == 1
                return reply, wire.seen[0]

        return asyncio.run(run())

    def ask_for_error(self, playback: Playback, *, stream: bool, request: Request = PLAIN) -> errors.ModelError:
        """The error of one call, after exactly one request."""
        endpoint = {"timeout_s": TIMEOUT_S} if "stall" in playback else {}

        async def run() -> errors.ModelError:
            async with Wire([playback]) as wire:
                with pytest.raises(errors.ModelError) as caught:
                    await self.complete(wire, request, ignore if stream else None, endpoint)
                assert len(wire.seen) == 1
                return caught.value

        return asyncio.run(run())


# OpenAI ----------------------------------------------------------------------------------------------------------

OPENAI_USAGE = {
    "prompt_tokens": 10,
    "completion_tokens": 3,
    "total_tokens": 13,
    "prompt_tokens_details": {"cached_tokens": 4},
}


def completion(message: Mapping[str, Any], finish: str | None = "stop") -> tuple[bytes]:
    """A whole chat completion."""
    choice = {"index": 0, "message": {"role": "assistant"} | dict(message), "finish_reason": finish}
    head = {"id": "x", "object": "chat.completion", "created": 1, "model": "m"}
    return http_response(head | {"choices": [choice], "usage": OPENAI_USAGE})


def chunk(delta: Mapping[str, Any] | None, finish: str | None = None, **more: Any) -> str:
    """One chunk of a stream; without a delta it has no choices."""
    choices = [] if delta is None else [{"index": 0, "delta": dict(delta), "finish_reason": finish}]
    body = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices}
    return event(body | more)


OPENAI_TOTAL = chunk(None, usage=OPENAI_USAGE)
DONE = event("[DONE]")
OPENAI = Adapter(
    "openai",
    CHAT_API,
    Profile(),
    completion({"content": "Hi"}),
    (chunk({"content": "a"}, usage=OPENAI_USAGE),),
    (chunk({}, "stop"), OPENAI_TOTAL, DONE),
)

# Anthropic -------------------------------------------------------------------------------------------------------

ANTHROPIC_USAGE = {
    "input_tokens": 10,
    "cache_read_input_tokens": 100,
    "cache_creation_input_tokens": 20,
    "output_tokens": 3,
}
HEAD = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None}


def message(*content: Mapping[str, Any], stop: str | None = "end_turn", **more: Any) -> tuple[bytes]:
    """A whole message."""
    return http_response(HEAD | {"content": list(content), "stop_reason": stop, "usage": ANTHROPIC_USAGE} | more)


def text_block(text: str) -> dict[str, str]:
    """A text block."""
    return {"type": "text", "text": text}


def part(kind: str, **more: Any) -> str:
    """One event of a stream."""
    return event({"type": kind} | more, kind)


START = part(
    "message_start",
    message=HEAD | {"content": [], "stop_reason": None, "usage": ANTHROPIC_USAGE | {"output_tokens": 1}},
)
BLOCK = part("content_block_start", index=0, content_block=text_block(""))
STOP = part("message_stop")


def text_delta(text: str) -> str:
    """A piece of text."""
    return part("content_block_delta", index=0, delta={"type": "text_delta", "text": text})


def message_delta(stop: str | None, **details: Any) -> str:
    """The stop reason and the output tokens."""
    delta = {"stop_reason": stop, "stop_sequence": None} | details
    return part("message_delta", delta=delta, usage={"output_tokens": 3})


ANTHROPIC = Adapter(
    "anthropic",
    MESSAGES_API,
    BUILTIN_PROVIDERS["anthropic"].profile,
    message(text_block("Hi")),
    (START, BLOCK, text_delta("a")),
    (message_delta("end_turn"), STOP),
)
ADAPTERS = (OPENAI, ANTHROPIC)


def openai_stream(*deltas: Mapping[str, Any], finish: str = "stop") -> Playback:
    """A complete stream of chat completion chunks."""
    return event_stream(*map(chunk, deltas), chunk({}, finish), OPENAI_TOTAL, DONE)


def anthropic_stream(*events: str, stop: str = "end_turn", **details: Any) -> Playback:
    """A complete stream of message events."""
    return event_stream(START, *events, message_delta(stop, **details), STOP)
