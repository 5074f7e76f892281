"""OpenAI's chat completions and embeddings APIs, also on compatible servers: bodies, replies and error rules.

The SDK is imported only at the first call, because the import is slow.
"""

import hashlib
import json
import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

from debate_cli import errors
from debate_cli.domain.model_call import Usage
from debate_cli.llm.model import OutputSchema, Profile, Reply, Request
from debate_cli.llm.retry import REPLACED_FIELDS
from debate_cli.llm.schema_dialect import convert_schema
from debate_cli.providers import error_mapping
from debate_cli.providers.endpoint import Endpoint
from debate_cli.providers.error_mapping import ErrorRule, SentRequest
from debate_cli.providers.http_model import (
    ProviderApi,
    ReplyBuilder,
    connect_sdk,
    omit_key_headers,
    parse_optional_text,
    parse_token_count,
)


def build_chat_body(request: Request, model: str, profile: Profile, stream: bool) -> dict[str, Any]:
    """Build the body of a chat request. Parameters that `profile` does not allow are left out."""
    system = [{"role": "system", "content": request.system}] if request.system else []
    messages = system + [{"role": message.role, "content": message.content} for message in request.messages]
    body: dict[str, Any] = {"messages": messages, "model": model}
    body[_token_limit_field(request, profile)] = request.max_output_tokens
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
        if profile.stream_usage and "stream_options" not in request.omitted_fields:
            body["stream_options"] = {"include_usage": True}
    return body


def _token_limit_field(request: Request, profile: Profile) -> str:
    name = profile.token_limit_field
    return REPLACED_FIELDS[name] if name in request.omitted_fields else name


def _structured_output_fields(schema: OutputSchema, mode: str, profile: Profile) -> dict[str, Any]:
    converted = convert_schema(schema.json, profile.dialect, use_references=profile.schema_references)
    if mode == "native":
        json_schema = {"name": schema.name, "strict": True, "schema": converted}
        return {"response_format": {"type": "json_schema", "json_schema": json_schema}}
    if mode == "tool":
        function = {"name": schema.name, "strict": True, "parameters": converted}
        return {
            "tools": [{"type": "function", "function": function}],
            "tool_choice": {"type": "function", "function": {"name": schema.name}},
            "parallel_tool_calls": False,
        }
    return {}


CONTENT_FILTER_REFUSAL = "The provider's content filter stopped the answer."


def connect(endpoint: Endpoint) -> Any:
    """Create the SDK's client for `endpoint`."""
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

    client = connect_sdk(AsyncOpenAI, DefaultAsyncHttpxClient, endpoint)
    # The SDK reads these from the environment, even for servers of other providers.
    client.organization = client.project = client.admin_api_key = None
    return client


async def send(client: Any, body: dict[str, Any], path: str = "/chat/completions") -> Any:
    """Send `body` to the API's `path`. Return the answer as parsed JSON, or as a stream of parsed JSON."""
    from openai import AsyncStream

    streamed = bool(body.get("stream"))
    answer: Any = await client.post(
        path,
        body=body,
        cast_to=object,
        options={"headers": omit_key_headers(client)},
        stream=streamed,
        stream_cls=AsyncStream[object],
    )
    if isinstance(answer, str):  # the content type is not JSON, but the body may be JSON
        with suppress(ValueError):
            return json.loads(answer)
    return answer


@dataclass(slots=True)
class _OpenAIReplyBuilder(ReplyBuilder):
    text: list[str] = field(default_factory=list[str])
    refusal: list[str] = field(default_factory=list[str])
    finish_reason: str | None = None
    has_message: bool = False

    def add_whole(self, whole: Any) -> None:
        self._add_part(whole, "message")

    def add_chunk(self, part: Any) -> str:
        self.has_message = True  # a stream without text is an empty message
        return self._add_part(part, "delta")

    def _add_part(self, part: Any, where: str) -> str:
        if isinstance(part.get("usage"), dict):
            self.usage = parse_usage(part["usage"])
        first = next((choice for choice in part.get("choices") or () if not choice.get("index")), None)
        if first is None:  # the last chunk contains only usage
            return ""
        self.finish_reason = parse_optional_text(first.get("finish_reason")) or self.finish_reason
        message = first.get(where)
        if message is None:
            return ""
        self.has_message = True
        self.refusal.append(parse_optional_text(message.get("refusal")))
        content = _parse_content(message.get("content"))
        self.text.append(content)
        return content + self._add_tool_calls(message.get("tool_calls") or ())

    def _add_tool_calls(self, calls: Sequence[Any]) -> str:
        added = ""
        for position, call in enumerate(calls if self.tool is not None else ()):
            function = call.get("function")
            if function is not None:
                number = call.get("index")  # only streams have it
                name, arguments = (parse_optional_text(function.get(key)) for key in ("name", "arguments"))
                added += self.add_tool_call(position if number is None else number, name, arguments)
        return added

    def validate(self, asked: SentRequest) -> None:
        if not self.has_message:
            raise error_mapping.make_broken_body_error("answered 200 with no message", asked)
        if self.finish_reason == "error":
            raise error_mapping.error_from_event(None, None, "", asked)

    def build_reply(self, latency_s: float) -> Reply:
        text = self.tool_arguments() or "".join(self.text)
        refusal = "".join(self.refusal)
        if self.finish_reason == "content_filter":
            refusal = refusal or text or CONTENT_FILTER_REFUSAL
        return Reply(
            text=text,
            usage=self.usage,
            finish_reason=self.finish_reason,
            truncated=self.finish_reason == "length",
            refusal=refusal or None,
            latency_s=latency_s,
        )


def _parse_content(content: Any) -> str:
    """Return the text of `content`, which is a text or a list of parts. Parts that are not text are left out."""
    if not isinstance(content, list):
        return parse_optional_text(content)
    parts = map(_to_object, cast("list[Any]", content))
    return "".join(parse_optional_text(part.get("text")) for part in parts if part.get("type") == "text")


def parse_usage(
    reported: Any, input_prefix: str = "prompt", output_prefix: str = "completion", searches: int = 0
) -> Usage:
    """Return the token counts in `reported`, with `searches` as the number of web searches. A missing count is 0.

    `input_prefix`, `output_prefix`: prefixes of the fields, e.g. `prompt` for `prompt_tokens`.
    """
    counts = _to_object(reported)
    prompt = parse_token_count(counts.get(f"{input_prefix}_tokens"))
    cached = parse_token_count(_to_object(counts.get(f"{input_prefix}_tokens_details")).get("cached_tokens"))
    output = parse_token_count(counts.get(f"{output_prefix}_tokens"))
    return Usage(input_tokens=prompt, cached_tokens=min(prompt, cached), output_tokens=output, searches=searches)


def _to_object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def error_rules() -> Sequence[ErrorRule]:
    """Return the rules that map the SDK's exceptions to errors of this program. The first matching rule applies."""
    import openai

    return error_mapping.make_error_rules(
        openai.APITimeoutError,
        openai.APIConnectionError,
        openai.APIStatusError,
        (openai.APIResponseValidationError, error_mapping.make_broken_body_error),
        (openai.APIError, _map_stream_error),
    )


def _map_stream_error(fault: Any, asked: SentRequest) -> errors.ModelError:
    return error_mapping.error_from_object(getattr(fault, "body", None), asked)


CHAT_API = ProviderApi(connect, build_chat_body, send, _OpenAIReplyBuilder, error_rules)


# Embeddings ----------------------------------------------------------------------------------------------------------

SIMILARITY_DIGITS = 6


def _build_embeddings_body(request: Request, model: str, _profile: Profile, _stream: bool) -> dict[str, Any]:
    texts = [message.content for message in request.messages]
    return {"model": model, "input": texts, "encoding_format": "float"}


@dataclass(slots=True)
class _SimilarityBuilder(ReplyBuilder):
    vectors: list[list[float]] = field(default_factory=list[list[float]])

    def add_whole(self, whole: Any) -> None:
        self.usage = parse_usage(whole.get("usage"))
        rows = sorted(whole["data"], key=lambda row: int(row["index"]))
        self.vectors = [[float(number) for number in row["embedding"]] for row in rows]

    def validate(self, asked: SentRequest) -> None:
        sizes = {len(vector) for vector in self.vectors}
        if len(sizes) != 1 or 0 in sizes or not all(map(math.isfinite, (n for row in self.vectors for n in row))):
            raise error_mapping.make_broken_body_error("answered 200 with embeddings that cannot be compared", asked)

    def build_reply(self, latency_s: float) -> Reply:
        query, *texts = self.vectors or [[]]
        scores: list[float] = []
        for text in texts:
            size = math.hypot(*query) * math.hypot(*text)
            product = sum(a * b for a, b in zip(query, text, strict=False))
            scores.append(round(product / size, SIMILARITY_DIGITS) if size else 0.0)
        return Reply(text=json.dumps(scores), usage=self.usage, finish_reason="stop", latency_s=latency_s)


EMBEDDINGS_API = ProviderApi(
    connect, _build_embeddings_body, partial(send, path="/embeddings"), _SimilarityBuilder, error_rules
)
"""API that compares texts with a query. In a request, the first message is the query, and each later message is a text.

The reply is a JSON list with the cosine similarity (-1 to 1) between the query and each text.
"""
