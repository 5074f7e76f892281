"""Anthropic's messages as a server would send them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from asking_support import Asker
from wire_support import Playback, answered, event

from debate_cli.providers.anthropic import make_anthropic_server
from debate_cli.providers.provider_table import BUILTIN_PROVIDERS

ANTHROPIC = Asker(make_anthropic_server, BUILTIN_PROVIDERS["anthropic"].profile)
USAGE = {"input_tokens": 10, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20, "output_tokens": 3}
HEAD = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None}


def message(*content: Mapping[str, Any], stop: str | None = "end_turn", **more: Any) -> Playback:
    """A whole answer."""
    return answered(HEAD | {"content": list(content), "stop_reason": stop, "usage": USAGE} | more)


def text(words: str) -> dict[str, str]:
    """A text block."""
    return {"type": "text", "text": words}


def part(kind: str, **more: Any) -> str:
    """One event of a stream, named as its type."""
    return event({"type": kind} | more, kind)


START = part(
    "message_start", message=HEAD | {"content": [], "stop_reason": None, "usage": USAGE | {"output_tokens": 1}}
)
BLOCK = part("content_block_start", index=0, content_block=text(""))
PING = part("ping")
STOP = part("message_stop")


def delta(words: str) -> str:
    """A piece of text."""
    return part("content_block_delta", index=0, delta={"type": "text_delta", "text": words})


def ending(stop: str | None, **details: Any) -> str:
    """How and after how many tokens it stopped."""
    return part(
        "message_delta", delta={"stop_reason": stop, "stop_sequence": None} | details, usage={"output_tokens": 3}
    )


HTML = answered("<html><title>Welcome</title></html>", content_type="text/html")
GOOD = message(text("Hi"))
