"""OpenAI's chat completions as a server would send them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from asking_support import Asker
from wire_support import Playback, answered, event

from debate_cli.llm.profile import Profile
from debate_cli.providers.openai import make_openai_server

OPENAI = Asker(make_openai_server, Profile())
USAGE = {"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 13, "prompt_tokens_details": {"cached_tokens": 4}}
CALL = {"id": "c1", "type": "function", "function": {"name": "verdict", "arguments": '{"a":"b"}'}}


def completion(message: Mapping[str, Any], finish: str | None = "stop", **more: Any) -> Playback:
    """A whole answer."""
    choice = {"index": 0, "message": {"role": "assistant"} | dict(message), "finish_reason": finish}
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": USAGE}
    return answered(body | more)


def chunk(delta: Mapping[str, Any] | None, finish: str | None = None, **more: Any) -> str:
    """One chunk of a stream; without a delta it has no choices."""
    choices = [] if delta is None else [{"index": 0, "delta": dict(delta), "finish_reason": finish}]
    body = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices}
    return event(body | more)


TOTAL = chunk(None, usage=USAGE)
DONE = event("[DONE]")
HTML = answered("<html><title>Welcome</title></html>", content_type="text/html")
GOOD = completion({"content": "Hi"})
