"""A request as the body of OpenAI's chat completions: a pure function of request and profile, without the SDK."""

from __future__ import annotations

import hashlib
from typing import Any

from debate_cli.llm.dialect import convert_schema
from debate_cli.llm.port import OutputSchema, Request
from debate_cli.llm.profile import Profile


def build_chat_body(
    request: Request, model: str, profile: Profile, *, stream: bool, stream_usage: bool = True
) -> dict[str, Any]:
    """The arguments of `chat.completions.create`, the messages first.

    Nothing is sent that the profile does not allow. `stream_usage` says whether the server takes `stream_options`.
    """
    body: dict[str, Any] = {"messages": _build_messages(request), "model": model}
    body[profile.token_limit_field] = request.max_output_tokens
    if profile.sampling and request.temperature is not None:
        body["temperature"] = request.temperature
    if profile.sampling and profile.seed and request.seed is not None:
        body["seed"] = request.seed
    if profile.prompt_cache_key and request.system:
        body["prompt_cache_key"] = hashlib.sha256(request.system.encode()).hexdigest()[:32]
    if request.schema is not None:
        body |= _structured_output_fields(request.schema, request.rung, profile)
    if stream:
        body["stream"] = True
        if stream_usage:
            body["stream_options"] = {"include_usage": True}
    return body


def _build_messages(request: Request) -> list[dict[str, str]]:
    system = [{"role": "system", "content": request.system}] if request.system else []
    return system + [{"role": message.role, "content": message.content} for message in request.messages]


def _structured_output_fields(schema: OutputSchema, rung: str, profile: Profile) -> dict[str, Any]:
    if rung == "native":
        lowered = convert_schema(schema.json, profile.dialect)
        return {
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": schema.name, "strict": True, "schema": lowered},
            }
        }
    if rung == "tool":
        function = {"name": schema.name, "strict": True, "parameters": convert_schema(schema.json, profile.dialect)}
        return {
            "tools": [{"type": "function", "function": function}],
            "tool_choice": {"type": "function", "function": {"name": schema.name}},
            "parallel_tool_calls": False,
        }
    return {}
