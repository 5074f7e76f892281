"""A request as the body of Anthropic's messages: a pure function of the request, without the SDK.

Sampling parameters are never sent: the API answers 400 to them.
"""

from __future__ import annotations

from typing import Any

from debate_cli.llm.dialect import convert_schema
from debate_cli.llm.port import OutputSchema, Request
from debate_cli.llm.profile import Profile

CACHE_CONTROL: dict[str, Any] = {"cache_control": {"type": "ephemeral"}}


def build_messages_body(request: Request, model: str, profile: Profile, *, stream: bool) -> dict[str, Any]:
    """The arguments of `messages.create`, with cache marks on the last blocks that later requests repeat."""
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": request.max_output_tokens,
        "messages": _build_messages(request),
    }
    if request.system.strip():
        body["system"] = [_text_block(request.system, cached=True)]
    if request.schema is not None:
        body |= _structured_output_fields(request.schema, request.rung, profile)
    if stream:
        body["stream"] = True
    return body


def _build_messages(request: Request) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [
        {"role": message.role, "content": message.content} for message in request.messages
    ]
    if messages and request.stable_chars > 0:
        text = request.messages[-1].content
        messages[-1]["content"] = _split_cached_prefix(text[: request.stable_chars], text[request.stable_chars :])
    return messages


def _split_cached_prefix(stable: str, rest: str) -> str | list[dict[str, Any]]:
    """The stable beginning as a block of its own; blocks of white space only are refused by the API."""
    if not stable.strip():
        return stable + rest
    if not rest.strip():
        return [_text_block(stable + rest, cached=True)]
    return [_text_block(stable, cached=True), _text_block(rest, cached=False)]


def _text_block(text: str, *, cached: bool) -> dict[str, Any]:
    return {"type": "text", "text": text} | (CACHE_CONTROL if cached else {})


def _structured_output_fields(schema: OutputSchema, rung: str, profile: Profile) -> dict[str, Any]:
    if rung == "native":
        return {
            "output_config": {"format": {"type": "json_schema", "schema": convert_schema(schema.json, profile.dialect)}}
        }
    if rung == "tool":
        tool = {"name": schema.name, "strict": True, "input_schema": convert_schema(schema.json, profile.dialect)}
        return {
            "tools": [tool],
            "tool_choice": {"type": "tool", "name": schema.name, "disable_parallel_tool_use": True},
        }
    return {}
