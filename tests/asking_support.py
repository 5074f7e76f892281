"""Asking an adapter over a real wire, and what is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest
from wire_support import Playback, Seen, Wire

from debate_cli import errors
from debate_cli.llm.model import Message, OnText, OutputSchema, Reply, Request
from debate_cli.llm.profile import Profile
from debate_cli.providers.endpoint import Endpoint
from debate_cli.providers.http_model import HttpServer

KEY = "sk-test-0123456789abcdef"
SILENCE_S = 2.0
"""After which a server that says nothing is given up: long enough for a question to leave on a machine that is busy."""
SCHEMA = OutputSchema(
    "verdict",
    {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False},
)
PLAIN = Request(system="Be brief.", messages=(Message("user", "Hello"),), purpose="opening", max_output_tokens=50)
NATIVE = replace(PLAIN, schema=SCHEMA, rung="native")
TOOL = replace(PLAIN, schema=SCHEMA, rung="tool")


@dataclass(frozen=True, slots=True)
class Fault:
    """An answer that is an error, whether a stream was asked for or not."""

    id: str
    status: int
    body: Any
    becomes: type[errors.ModelError]
    request: Request = PLAIN


def unheard(_: str) -> None:
    """A listener that does not care."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks a model behind one kind of server."""

    server: Callable[[Endpoint], HttpServer]
    profile: Profile

    async def over(
        self,
        wire: Wire,
        request: Request = PLAIN,
        on_text: OnText | None = None,
        endpoint: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Ask once over an open wire; `endpoint` changes fields of the one that leads there."""
        fields: dict[str, Any] = {"api_key": KEY, "api_key_env": "LAB_KEY", "secrets": (KEY,)} | dict(endpoint or {})
        server = self.server(Endpoint("lab", wire.url, **fields))
        try:
            return await server.model("m1", self.profile).complete(request, on_text)
        finally:
            await server.aclose()

    def ask(
        self, playback: Playback, request: Request = PLAIN, *, on_text: OnText | None = None, **endpoint: Any
    ) -> tuple[Reply, Seen]:
        """Ask once; the reply, and the one request that was made for it."""

        async def run() -> tuple[Reply, Seen]:
            async with Wire([playback]) as wire:
                reply = await self.over(wire, request, on_text, endpoint)
                assert len(wire.seen) == 1
                return reply, wire.seen[0]

        return asyncio.run(run())

    def failure(
        self, playback: Playback, *, stream: bool, request: Request = PLAIN, **endpoint: Any
    ) -> errors.ModelError:
        """The error that asking ends in, after exactly one request."""
        if "stall" in playback:
            endpoint = {"timeout_s": SILENCE_S} | endpoint

        async def run() -> errors.ModelError:
            async with Wire([playback]) as wire:
                with pytest.raises(errors.ModelError) as caught:
                    await self.over(wire, request, unheard if stream else None, endpoint)
                assert len(wire.seen) == 1
                return caught.value

        return asyncio.run(run())

    def strayed(self, status: int, playback: Playback) -> tuple[errors.ModelError, int]:
        """The error after a redirect, and how many requests arrived where it led."""

        async def run() -> tuple[errors.ModelError, int]:
            async with Wire([playback]) as other:
                redirect = f"HTTP/1.1 {status} X\r\nLocation: {other.url}\r\nContent-Length: 0\r\n\r\n".encode()
                async with Wire([(redirect,)]) as wire:
                    with pytest.raises(errors.ModelError) as caught:
                        await self.over(wire)
                return caught.value, len(other.seen)

        return asyncio.run(run())
