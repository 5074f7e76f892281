"""The port through which every model is asked. Adapters, wrappers and fakes implement `Model`; nothing else talks to one.

Retries, limits and recording are wrappers around the port, each a small class that implements it. The structured-output
ladder (`llm.ladder`) is a client of the port, not an implementation.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from debate_cli.domain.model_call import StructuredOutputMode, Usage

OnText = Callable[[str], None]
"""Called with each piece of text as it arrives. A retry starts over: it is announced by a call with RESTART."""
RESTART = "\x00restart"
"""Given to `on_text` when what was streamed so far is void because the call is made again."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation; the system role is not among them (see `Request.system`)."""

    role: Literal["user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class OutputSchema:
    """A JSON Schema that the answer must satisfy."""

    name: str
    """[a-zA-Z0-9_-]{1,64}"""
    json: dict[str, Any]
    """In the dialect of `llm.form`; adapters lower it to what their provider takes (`llm.dialect`)."""


@dataclass(frozen=True, slots=True)
class Request:
    """One call. Bytes that change least come first: system, then messages in order."""

    system: str
    messages: tuple[Message, ...]
    purpose: str
    """What it is for: `opening`, `cross_examination`, ..., `judge.structured`, `judge.panel.vote`. Not sent; keys scripts and prices."""
    max_output_tokens: int
    schema: OutputSchema | None = None
    rung: StructuredOutputMode = "text"
    """How `schema` is to be asked for; set by the ladder."""
    temperature: float | None = None
    seed: int | None = None
    nonce: str = ""
    """Random tag of this call that occurs in the last message; fingerprints treat it as blank."""
    stable_chars: int = 0
    """How many leading characters of the last message later requests will repeat (cache hint)."""

    def fingerprint(self) -> str:
        """SHA-256 over everything that is sent, the nonce blanked: equal requests of two runs have equal fingerprints."""
        body = {
            "system": self._mask_nonce(self.system),
            "messages": [[message.role, self._mask_nonce(message.content)] for message in self.messages],
            "purpose": self.purpose,
            "max_output_tokens": self.max_output_tokens,
            "schema": None if self.schema is None else [self.schema.name, self.schema.json],
            "rung": self.rung,
            "temperature": self.temperature,
            "seed": self.seed,
        }
        return hashlib.sha256(json.dumps(body, sort_keys=True, ensure_ascii=False).encode()).hexdigest()

    def _mask_nonce(self, text: str) -> str:
        return text.replace(self.nonce, "NONCE") if self.nonce else text

    @property
    def input_chars(self) -> int:
        """Characters of system and messages together."""
        return len(self.system) + sum(len(message.content) for message in self.messages)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered. With the rung `tool`, `text` is the JSON of the call's arguments."""

    text: str
    usage: Usage
    finish_reason: str | None
    """In the provider's word (`stop`, `end_turn`, `length`, `max_tokens`, `content_filter`, ...)."""
    truncated: bool = False
    """The token limit was reached: the text is not whole."""
    refusal: str | None = None
    """The model's words when it declined; None when it did not."""
    latency_s: float = 0.0
    """Seconds from sending to the last byte, as the adapter measured them (a mock reports what it simulates)."""
    attempts: int = 1
    """Requests sent for it; a retrying wrapper adds the failed ones, and their usage to `usage`."""


class Model(Protocol):
    """A model behind whatever provider."""

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer `request`, streaming its text to `on_text` where given.

        Raises only errors of `debate_cli.errors` (ModelError, BudgetError). A refusal or a reached token limit is a
        Reply with its field set, not an error; what cannot be read is an error.
        """
        ...
