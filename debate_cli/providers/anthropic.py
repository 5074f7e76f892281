"""Anthropic's messages API: request body, reply and error rules.

The SDK is imported only at the first call, because the import is slow.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from debate_cli.domain.model_call import Usage
from debate_cli.llm.model import OutputSchema, Profile, Reply, Request
from debate_cli.llm.schema_dialect import convert_schema
from debate_cli.providers import error_mapping
from debate_cli.providers.endpoint import Endpoint
from debate_cli.providers.error_mapping import ErrorRule
from debate_cli.providers.http_model import (
    ProviderApi,
    ReplyBuilder,
    connect_sdk,
    omit_key_headers,
    parse_optional_text,
    parse_token_count,
)


def build_messages_body(request: Request, model: str, profile: Profile, stream: bool) -> dict[str, Any]:
    """Build the body of a request for the messages API.

    The API caches the system prompt and the first `request.stable_chars` characters of the last message.
    """
    messages = _build_messages(request)
    body: dict[str, Any] = {"model": model, "max_tokens": request.max_output_tokens, "messages": messages}
    if request.system.strip():
        body["system"] = [_cached_block(request.system)]
    if request.schema is not None:
        body |= _structured_output_fields(request.schema, request.rung, profile)
    if stream:
        body["stream"] = True
    return body


def _build_messages(request: Request) -> list[dict[str, Any]]:
    """Return the messages of the body. Blank content blocks are left out, because the API refuses them."""
    messages: list[dict[str, Any]] = [{"role": each.role, "content": each.content} for each in request.messages]
    text = request.messages[-1].content
    stable, rest = text[: request.stable_chars], text[request.stable_chars :]
    if stable.strip() and rest.strip():
        messages[-1]["content"] = [_cached_block(stable), {"type": "text", "text": rest}]
    elif stable.strip():
        messages[-1]["content"] = [_cached_block(text)]
    return messages


def _cached_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}


def _structured_output_fields(schema: OutputSchema, mode: str, profile: Profile) -> dict[str, Any]:
    converted = convert_schema(schema.json, profile.dialect, use_references=profile.schema_references)
    if mode == "native":
        return {"output_config": {"format": {"type": "json_schema", "schema": converted}}}
    if mode == "tool":
        return {
            "tools": [{"name": schema.name, "strict": True, "input_schema": converted}],
            "tool_choice": {"type": "tool", "name": schema.name, "disable_parallel_tool_use": True},
        }
    return {}


TOKEN_LIMIT_REASONS = ("max_tokens", "model_context_window_exceeded")


def connect(endpoint: Endpoint) -> Any:
    """Create the SDK's client for `endpoint`."""
    from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient

    return connect_sdk(AsyncAnthropic, DefaultAsyncHttpxClient, endpoint)


async def send(client: Any, body: dict[str, Any]) -> Any:
    """Send `body` to the messages API. Return the SDK's message object, or a stream if `body` asks for a stream."""
    return await client.messages.create(**body, extra_headers=omit_key_headers(client))


@dataclass(slots=True)
class _AnthropicReplyBuilder(ReplyBuilder):
    text: list[str] = field(default_factory=list[str])
    stop_reason: str | None = None
    explanation: str | None = None

    def add_whole(self, whole: Any) -> None:
        self.usage = parse_usage(find_usage(whole), self.usage)
        for number, block in enumerate(whole.content):
            if block.type == "text":
                self.text.append(block.text)
            elif block.type == "tool_use" and self.tool is not None:
                self.add_tool_call(number, block.name, json.dumps(block.input, ensure_ascii=False))
        self._set_stop_reason(whole)

    def add_chunk(self, part: Any) -> str:
        if part.type == "message_start":
            self.usage = parse_usage(find_usage(part.message), self.usage)
        elif part.type == "message_delta":
            self.usage = parse_usage(find_usage(part), self.usage)
            self._set_stop_reason(part.delta)
        elif part.type == "message_stop":
            self.is_over = True
        elif part.type == "content_block_delta" and part.delta.type == "text_delta":
            self.text.append(part.delta.text)
            return part.delta.text
        elif self.tool is not None:
            return self._add_tool_piece(part)
        return ""

    def _add_tool_piece(self, part: Any) -> str:
        if part.type == "content_block_start" and part.content_block.type == "tool_use":
            return self.add_tool_call(part.index, part.content_block.name, "")
        if part.type == "content_block_delta" and part.delta.type == "input_json_delta":
            return self.add_tool_call(part.index, "", part.delta.partial_json)
        return ""

    def build_reply(self, latency_s: float) -> Reply:
        text = self.tool_arguments() or "".join(self.text)
        refusal = (self.explanation or text) if self.stop_reason == "refusal" else None
        return Reply(
            text=text,
            usage=self.usage,
            finish_reason=self.stop_reason,
            truncated=self.stop_reason in TOKEN_LIMIT_REASONS,
            refusal=refusal,
            latency_s=latency_s,
        )

    def _set_stop_reason(self, part: Any) -> None:
        self.stop_reason = parse_optional_text(part.stop_reason) or self.stop_reason
        self.explanation = getattr(part.stop_details, "explanation", None) or self.explanation


def find_usage(part: Any) -> Any:
    """Return the field `usage` of an answer or event; None if it is missing."""
    return getattr(part, "usage", None)


def parse_usage(reported: Any, before: Usage) -> Usage:
    """Return the higher of the counts in `reported` and in `before`, separately for each kind of token.

    A stream reports its counts several times. Input tokens include cache reads and writes. A missing count is 0.
    """

    def count(name: str) -> int:
        return parse_token_count(getattr(reported, name, None))

    read, written = count("cache_read_input_tokens"), count("cache_creation_input_tokens")
    prompt = count("input_tokens") + read + written
    return Usage(
        input_tokens=max(prompt, before.input_tokens),
        cached_tokens=max(read, before.cached_tokens),
        output_tokens=max(count("output_tokens"), before.output_tokens),
        cache_written_tokens=max(written, before.cache_written_tokens),
    )


# Error rules -----------------------------------------------------------------------------------------------------


def error_rules() -> Sequence[ErrorRule]:
    """Return the rules that map the SDK's exceptions to errors of this program. The first matching rule applies."""
    import anthropic

    return error_mapping.make_error_rules(
        anthropic.APITimeoutError,
        anthropic.APIConnectionError,
        anthropic.APIStatusError,
        (anthropic.APIError, error_mapping.make_broken_body_error),
    )


MESSAGES_API = ProviderApi(connect, build_messages_body, send, _AnthropicReplyBuilder, error_rules)
