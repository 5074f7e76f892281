"""Server side of both wire formats: parses requests, writes answers whole or as a stream."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from wire_support import event

from debate_cli.domain.model_call import StructuredOutputMode, Usage
from debate_cli.llm.model import Message, OutputSchema, Request

Ending = Literal["end", "limit", "refusal", "filter"]
PIECE = 60
"""Characters that a stream carries in one event."""
_DESCRIBED = re.compile(r"It must satisfy this JSON Schema:\n(\{.*)\Z", re.DOTALL)
"""Schema in the prompt (mode `prompt`)."""
_ITEMS = re.compile(r"(Exactly|From|At least|At most) (\d+)(?: to (\d+))? items\.")
_RANGE = re.compile(r"From (-?[\d.]+?) to (-?[\d.]+?)\.(?:\s|\Z)")


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """Answer of the model behind the server."""

    text: str
    usage: Usage
    ending: Ending = "end"
    tool: str | None = None
    """Name of the forced tool."""
    counts: bool = True
    """Whether a server of OpenAI's format reports the usage."""


@dataclass(frozen=True, slots=True)
class Part:
    """One event of a stream."""

    raw: str
    reported: Usage
    """Usage that the stream has reported up to this event."""


class Wire(Protocol):
    """A wire format."""

    name: str
    path: str
    """End of the request path."""

    def read(self, body: Mapping[str, Any]) -> Request:
        """The question in a request body."""
        ...

    def whole(self, reply: ModelAnswer) -> dict[str, Any]:
        """Body of a whole answer."""
        ...

    def stream(self, reply: ModelAnswer) -> Sequence[Part]:
        """Events of a streamed answer."""
        ...

    def error(self, message: str, kind: str, code: str | None = None) -> dict[str, Any]:
        """Body of an error."""
        ...

    def error_event(self, body: Mapping[str, Any]) -> str:
        """An error as an event of a stream."""
        ...


class OpenAI:
    """Chat completions."""

    name = "OpenAI"
    path = "/chat/completions"
    _FINISH: Mapping[Ending, str] = {"end": "stop", "limit": "length", "refusal": "stop", "filter": "content_filter"}

    def read(self, body: Mapping[str, Any]) -> Request:
        """See `Wire`."""
        messages: Sequence[Mapping[str, str]] = body["messages"]
        system = "".join(message["content"] for message in messages if message["role"] == "system")
        native = body.get("response_format", {}).get("json_schema")
        tools = body.get("tools")
        schema = native or (
            {"name": tools[0]["function"]["name"], "schema": tools[0]["function"]["parameters"]} if tools else None
        )
        reply = [(message["role"], message["content"]) for message in messages if message["role"] != "system"]
        return question(system, reply, schema, "tool" if tools else "native")

    def whole(self, reply: ModelAnswer) -> dict[str, Any]:
        """See `Wire`."""
        choice = {
            "index": 0,
            "message": {"role": "assistant", **self._words(reply, reply.text)},
            "finish_reason": self._FINISH[reply.ending],
        }
        usage = {"usage": self._usage(reply.usage)} if reply.counts else {}
        return {**self._head("chat.completion"), "choices": [choice], **usage}

    def stream(self, reply: ModelAnswer) -> Sequence[Part]:
        """See `Wire`."""
        deltas = [self._words(reply, piece, index=0) for piece in pieces(reply.text)]
        parts = [Part(self._chunk([self._choice(delta, None)]), Usage()) for delta in deltas]
        parts.append(Part(self._chunk([self._choice({}, self._FINISH[reply.ending])]), Usage()))
        if reply.counts:
            parts.append(Part(self._chunk([], usage=self._usage(reply.usage)), reply.usage))
        return [*parts, Part(event("[DONE]"), reply.usage)]

    def error(self, message: str, kind: str, code: str | None = None) -> dict[str, Any]:
        """See `Wire`."""
        return {"error": {"message": message, "type": kind, "param": None, "code": code}}

    def error_event(self, body: Mapping[str, Any]) -> str:
        """See `Wire`."""
        return event(body)

    def _chunk(self, choices: Sequence[Mapping[str, Any]], **more: Any) -> str:
        return event({**self._head("chat.completion.chunk"), "choices": choices, **more})

    @staticmethod
    def _choice(delta: Mapping[str, Any], finish: str | None) -> dict[str, Any]:
        return {"index": 0, "delta": delta, "finish_reason": finish}

    @staticmethod
    def _words(reply: ModelAnswer, text: str, **place: int) -> dict[str, Any]:
        if reply.ending == "refusal":
            return {"content": None, "refusal": text}
        if reply.tool is None:
            return {"content": text}
        call = {**place, "id": "call_1", "type": "function", "function": {"name": reply.tool, "arguments": text}}
        return {"content": None, "tool_calls": [call]}

    @staticmethod
    def _head(kind: str) -> dict[str, Any]:
        return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": "m"}

    @staticmethod
    def _usage(usage: Usage) -> dict[str, Any]:
        return {
            "prompt_tokens": usage.input_tokens,
            "completion_tokens": usage.output_tokens,
            "total_tokens": usage.input_tokens + usage.output_tokens,
            "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
        }


class Anthropic:
    """Messages. A stream reports the prompt's usage at its start."""

    name = "Anthropic"
    path = "/v1/messages"
    _STOP: Mapping[Ending, str] = {"end": "end_turn", "limit": "max_tokens", "refusal": "refusal", "filter": "refusal"}

    def read(self, body: Mapping[str, Any]) -> Request:
        """See `Wire`."""
        system = "".join(block["text"] for block in body.get("system", ()))
        native = body.get("output_config", {}).get("format")
        tools = body.get("tools")
        schema = {"name": "form", "schema": native["schema"]} if native else None
        if tools:
            schema = {"name": tools[0]["name"], "schema": tools[0]["input_schema"]}
        reply = [(message["role"], _joined(message["content"])) for message in body["messages"]]
        return question(system, reply, schema, "tool" if tools else "native")

    def whole(self, reply: ModelAnswer) -> dict[str, Any]:
        """See `Wire`."""
        return {
            **self._head(),
            "content": [self._block(reply)],
            **self._stopped(reply),
            "usage": self._usage(reply.usage),
        }

    def stream(self, reply: ModelAnswer) -> Sequence[Part]:
        """See `Wire`."""
        begun = reply.usage.model_copy(update={"output_tokens": min(1, reply.usage.output_tokens)})
        nothing: list[Any] = []
        head = {**self._head(), "content": nothing, "stop_reason": None, "usage": self._usage(begun)}
        empty = {"type": "text", "text": ""} if reply.tool is None else self._call(reply.tool, {})
        kind, field = ("text_delta", "text") if reply.tool is None else ("input_json_delta", "partial_json")
        events = [
            _part("message_start", message=head),
            _part("content_block_start", index=0, content_block=empty),
            _part("ping"),
        ]
        events += [
            _part("content_block_delta", index=0, delta={"type": kind, field: piece}) for piece in pieces(reply.text)
        ]
        events.append(_part("content_block_stop", index=0))
        last = _part("message_delta", delta=self._stopped(reply), usage={"output_tokens": reply.usage.output_tokens})
        return [
            *(Part(raw, begun) for raw in events),
            Part(last, reply.usage),
            Part(_part("message_stop"), reply.usage),
        ]

    def error(self, message: str, kind: str, code: str | None = None) -> dict[str, Any]:
        """See `Wire`."""
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}

    def error_event(self, body: Mapping[str, Any]) -> str:
        """See `Wire`."""
        return event(body, "error")

    def _stopped(self, reply: ModelAnswer) -> dict[str, Any]:
        return {"stop_reason": self._STOP[reply.ending], "stop_sequence": None}

    def _block(self, reply: ModelAnswer) -> dict[str, Any]:
        if reply.tool is None:
            return {"type": "text", "text": reply.text}
        return self._call(reply.tool, json.loads(reply.text))

    @staticmethod
    def _call(name: str, given: Any) -> dict[str, Any]:
        return {"type": "tool_use", "id": "toolu_1", "name": name, "input": given}

    @staticmethod
    def _head() -> dict[str, Any]:
        return {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None}

    @staticmethod
    def _usage(usage: Usage) -> dict[str, int]:
        fresh = usage.input_tokens - usage.cached_tokens
        written = fresh // 2
        return {
            "input_tokens": fresh - written,
            "cache_read_input_tokens": usage.cached_tokens,
            "cache_creation_input_tokens": written,
            "output_tokens": usage.output_tokens,
        }


WIRES: Mapping[str, Wire] = {"openai": OpenAI(), "anthropic": Anthropic()}
"""By provider kind."""


def question(
    system: str, reply: Sequence[tuple[str, str]], schema: Mapping[str, Any] | None, mode: StructuredOutputMode
) -> Request:
    """The question as a `Request`; a schema in the prompt is found there."""
    if schema is None and (found := _DESCRIBED.search(next(text for role, text in reversed(reply) if role == "user"))):
        schema, mode = {"name": "form", "schema": json.loads(found.group(1))}, "prompt"
    return Request(
        system=system,
        messages=tuple(Message("user" if role == "user" else "assistant", text) for role, text in reply),
        purpose="served",
        max_output_tokens=4096,
        schema=None if schema is None else OutputSchema(schema["name"], restore_bounds(schema["schema"])),
        rung="text" if schema is None else mode,
    )


def pieces(text: str) -> list[str]:
    """`text` in the pieces of a stream."""
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]


def _part(kind: str, **more: Any) -> str:
    return event({"type": kind, **more}, kind)


def _joined(content: str | Sequence[Mapping[str, str]]) -> str:
    return content if isinstance(content, str) else "".join(block["text"] for block in content)


def restore_bounds(schema: Mapping[str, Any]) -> dict[str, Any]:
    """`schema` with the list lengths and number ranges that its descriptions name, so that the mock satisfies them."""
    words = str(schema.get("description", ""))
    full = dict(schema)
    if "properties" in schema:
        full["properties"] = {name: restore_bounds(part) for name, part in schema["properties"].items()}
    if isinstance(schema.get("items"), Mapping):
        full["items"] = restore_bounds(schema["items"])
    if schema.get("type") == "array" and (found := _ITEMS.search(words)):
        kind, low, high = found.groups()
        full |= {} if kind == "At most" else {"minItems": int(low)}
        full |= {} if kind == "At least" else {"maxItems": int(high or low)}
    elif schema.get("type") in {"integer", "number"} and (found := _RANGE.search(words)):
        full |= {"minimum": float(found.group(1)), "maximum": float(found.group(2))}
    return full
