"""A request and its reply, recorded to a cassette and played from it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from debate_cli.domain.model_call import Usage
from debate_cli.errors import DebateError
from debate_cli.llm.model import Message, OnText, OutputSchema, Reply, Request
from debate_cli.providers.cassette import CassettePlayer, CassetteRecorder

ASK = Request(
    system="Rules.",
    messages=(Message("user", "Motion: cats. Tag aaaa1111."),),
    purpose="opening",
    max_output_tokens=100,
    schema=OutputSchema("s", {"type": "object"}),
    rung="native",
    temperature=0.7,
    nonce="aaaa1111",
)
REPLY = Reply(
    text='{"claim": "Katzen – ja."}',
    usage=Usage(input_tokens=9, cached_tokens=3, output_tokens=5),
    finish_reason="stop",
    latency_s=1.25,
    attempts=2,
)


class Said:
    """A model that says or raises what it is given, in order."""

    def __init__(self, *acts: Reply | DebateError) -> None:
        self._acts = list(acts)

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:  # noqa: ARG002 - the port
        """The next act."""
        act = self._acts.pop(0)
        if isinstance(act, DebateError):
            raise act
        return act


def record(
    path: Path,
    *acts: Reply | DebateError,
    request: Request = ASK,
    redact: Callable[[str], str] = str,
    name: str = "lab/m",
) -> list[Reply]:
    """Record `acts` as answers to the same request; returns the replies that the caller heard."""
    model, heard = CassetteRecorder(path, redact).wrap(name, Said(*acts)), list[Reply]()
    for act in acts:
        if isinstance(act, DebateError):
            with pytest.raises(type(act)):
                asyncio.run(model.complete(request))
        else:
            heard.append(asyncio.run(model.complete(request)))
    return heard


def play(player: CassettePlayer, request: Request = ASK, name: str = "lab/m", on_text: OnText | None = None) -> Reply:
    """The recorded answer; the model behind must not be asked."""
    return asyncio.run(player.wrap(name, Said()).complete(request, on_text))
