"""Two wire formats from the server's side: reading a request, writing an answer whole or as a stream of events."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from faults.said_bounds import bounded
from wire_support import event

from debate_cli.domain.model_call import StructuredOutputMode, Usage
from debate_cli.llm.model import Message, OutputSchema, Request

Ending = Literal["end", "limit", "refusal", "filter"]
PIECE = 60
"""Characters that a stream carries in one event."""
_DESCRIBED = re.compile(r"It must satisfy this JSON Schema:\n(\{.*)\Z", re.DOTALL)
"""How the rung `prompt` puts a schema."""


@dataclass(frozen=True, slots=True)
class Said:
    """What the model behind the server says."""

    text: str
    usage: Usage
    ending: Ending = "end"
    tool: str | None = None
    """Name of the tool that it was made to call."""


@dataclass(frozen=True, slots=True)
class Part:
    """One event of a stream."""

    raw: str
    reported: Usage
    """What the stream has told of its usage when this event is through."""


class Wire(Protocol):
    """A wire format."""

    name: str
    path: str
    """How the paths end that are asked in this format."""

    def read(self, body: Mapping[str, Any]) -> Request:
        """The question that a request's body puts."""
        ...

    def whole(self, said: Said) -> dict[str, Any]:
        """The body of an answer that comes in one piece."""
        ...

    def stream(self, said: Said) -> Sequence[Part]:
        """The same answer as events, whole."""
        ...

    def error(self, message: str, kind: str, code: str | None = None) -> dict[str, Any]:
        """The body of an error."""
        ...

    def error_event(self, body: Mapping[str, Any]) -> str:
        """The error as an event of a stream."""
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
        said = [(message["role"], message["content"]) for message in messages if message["role"] != "system"]
        return question(system, said, schema, "tool" if tools else "native")

    def whole(self, said: Said) -> dict[str, Any]:
        """See `Wire`."""
        choice = {
            "index": 0,
            "message": {"role": "assistant", **self._words(said, said.text)},
            "finish_reason": self._FINISH[said.ending],
        }
        return {**self._head("chat.completion"), "choices": [choice], "usage": self._usage(said.usage)}

    def stream(self, said: Said) -> Sequence[Part]:
        """See `Wire`."""
        deltas = [self._words(said, piece, index=0) for piece in pieces(said.text)]
        parts = [Part(self._chunk([self._choice(delta, None)]), Usage()) for delta in deltas]
        parts.append(Part(self._chunk([self._choice({}, self._FINISH[said.ending])]), Usage()))
        parts.append(Part(self._chunk([], usage=self._usage(said.usage)), said.usage))
        return [*parts, Part(event("[DONE]"), said.usage)]

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
    def _words(said: Said, text: str, **place: int) -> dict[str, Any]:
        if said.ending == "refusal":
            return {"content": None, "refusal": text}
        if said.tool is None:
            return {"content": text}
        call = {**place, "id": "call_1", "type": "function", "function": {"name": said.tool, "arguments": text}}
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
    """Messages. A stream tells what the prompt cost when it begins."""

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
        said = [(message["role"], _joined(message["content"])) for message in body["messages"]]
        return question(system, said, schema, "tool" if tools else "native")

    def whole(self, said: Said) -> dict[str, Any]:
        """See `Wire`."""
        return {**self._head(), "content": [self._block(said)], **self._stopped(said), "usage": self._usage(said.usage)}

    def stream(self, said: Said) -> Sequence[Part]:
        """See `Wire`."""
        begun = said.usage.model_copy(update={"output_tokens": min(1, said.usage.output_tokens)})
        nothing: list[Any] = []
        head = {**self._head(), "content": nothing, "stop_reason": None, "usage": self._usage(begun)}
        empty = {"type": "text", "text": ""} if said.tool is None else self._call(said.tool, {})
        kind, field = ("text_delta", "text") if said.tool is None else ("input_json_delta", "partial_json")
        events = [
            _part("message_start", message=head),
            _part("content_block_start", index=0, content_block=empty),
            _part("ping"),
        ]
        events += [
            _part("content_block_delta", index=0, delta={"type": kind, field: piece}) for piece in pieces(said.text)
        ]
        events.append(_part("content_block_stop", index=0))
        last = _part("message_delta", delta=self._stopped(said), usage={"output_tokens": said.usage.output_tokens})
        return [*(Part(raw, begun) for raw in events), Part(last, said.usage), Part(_part("message_stop"), said.usage)]

    def error(self, message: str, kind: str, code: str | None = None) -> dict[str, Any]:
        """See `Wire`."""
        del code
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}

    def error_event(self, body: Mapping[str, Any]) -> str:
        """See `Wire`."""
        return event(body, "error")

    def _stopped(self, said: Said) -> dict[str, Any]:
        return {"stop_reason": self._STOP[said.ending], "stop_sequence": None}

    def _block(self, said: Said) -> dict[str, Any]:
        if said.tool is None:
            return {"type": "text", "text": said.text}
        return self._call(said.tool, json.loads(said.text))

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
"""By kind of provider."""


def question(
    system: str, said: Sequence[tuple[str, str]], schema: Mapping[str, Any] | None, rung: StructuredOutputMode
) -> Request:
    """What was asked, as our own port would put it; a schema in the last words is found there."""
    if schema is None and (found := _DESCRIBED.search(next(text for role, text in reversed(said) if role == "user"))):
        schema, rung = {"name": "form", "schema": json.loads(found.group(1))}, "prompt"
    return Request(
        system=system,
        messages=tuple(Message("user" if role == "user" else "assistant", text) for role, text in said),
        purpose="served",
        max_output_tokens=4096,
        schema=None if schema is None else OutputSchema(schema["name"], bounded(schema["schema"])),
        rung="text" if schema is None else rung,
    )


def pieces(text: str) -> list[str]:
    """`text` in the pieces that a stream carries."""
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]


def _part(kind: str, **more: Any) -> str:
    return event({"type": kind, **more}, kind)


def _joined(content: str | Sequence[Mapping[str, str]]) -> str:
    return content if isinstance(content, str) else "".join(block["text"] for block in content)
