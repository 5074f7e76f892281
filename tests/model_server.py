"""A server on 127.0.0.1 that speaks OpenAI's chat completions and answers with the mock's words, after a fixed wait."""

import json
import re
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any

from faults.wire_formats import ModelAnswer, OpenAI
from serving_support import Answering, Served, serving

from debate_cli.domain.model_call import Usage
from debate_cli.providers.mock.answers import write_answer

OPENAI = OpenAI()
PROSE = "I would weigh this with care before anybody decides."
"""The answer of a server that ignores schemas."""


@dataclass
class ModelServer(Served):
    """What a running server was asked, and how it is to behave."""

    latency_s: float = 0.0
    """Seconds before it answers, unless the server ends before."""
    slow_after: int | None = None
    """Number of requests after which it answers none until it ends; None: it answers all."""
    failures: list[int] = field(default_factory=list[int])
    """Statuses to answer the next requests with, first one first."""
    retry_after: int | None = None
    """Seconds that it asks to wait after a failure."""
    context_tokens: int | None = None
    """It refuses longer prompts, as OpenAI does; None takes every prompt."""
    unsupported: str | None = None
    """A parameter that it turns down with a 400."""
    ignores_schemas: bool = False
    """Whether it answers in plain text where a parameter asks for a schema."""
    needed_tokens: dict[str, int] = field(default_factory=dict[str, int])
    """Output limit that each model needs, by its name. An answer with a lower limit is cut off at this limit."""
    answer_room: int | None = None
    """Tokens that its context has left for an answer. Longer answers of the models in `needed_tokens` are cut off."""
    counts: bool = True
    """Whether it reports usage."""
    bodies: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Every request body so far."""
    headers: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    counted: list[Usage] = field(default_factory=list[Usage])
    """Usage of each answer, reported or not."""
    most_at_once: int = 0
    """Requests that were being answered at the same time, at the most."""
    over: threading.Event = field(default_factory=threading.Event)
    """Set when the server ends."""
    _under_way: int = 0
    _counting: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def answering(self) -> Generator[None]:
        """Count a request as one that is being answered, until the first byte of its answer is about to be sent."""
        with self._counting:
            self._under_way += 1
            self.most_at_once = max(self.most_at_once, self._under_way)
        try:
            yield
        finally:
            with self._counting:
                self._under_way -= 1


def answer(body: dict[str, Any]) -> str:
    """The mock's answer to a request body: the schema filled in, or prose. Equal for bodies that differ in their nonce only."""
    request = OPENAI.read(body)
    found = _NONCE.search(request.messages[-1].content)
    return write_answer(replace(request, nonce=found[1] if found else ""), "server")


_NONCE = re.compile(r"(?:\[ask |Marker of this task: )([0-9a-f]{8})")


@contextmanager
def model_server(latency_s: float = 0.0, failures: list[int] | None = None) -> Generator[ModelServer]:
    """A server for the length of a `with` block."""
    state = ModelServer(latency_s=latency_s, failures=list(failures or ()))
    with serving(_handler(state)) as state.port:
        try:
            yield state
        finally:
            state.over.set()


def _handler(state: ModelServer) -> type[Answering]:
    class Handler(Answering):
        def do_POST(self) -> None:  # noqa: N802 - the base class's name
            """Chat completions, streamed or whole."""
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            is_slow = state.slow_after is not None and len(state.bodies) >= state.slow_after
            state.bodies.append(body)  # after this, the test may change `slow_after`
            state.headers.append(dict(self.headers))
            started = time.perf_counter()
            with state.answering():
                failure = state.failures.pop(0) if state.failures else None
                if state.unsupported in body or _overflows(state, body):
                    failure = 400
                ignored = state.ignores_schemas and "response_format" in body
                text = "" if failure else PROSE if ignored else answer(body)
                state.over.wait(3600 if is_slow else max(0.0, state.latency_s - (time.perf_counter() - started)))
            reply = _cut_off(state, body, ModelAnswer(text, _usage(body, text), counts=state.counts))
            if not failure:
                state.counted.append(reply.usage)
            if failure:
                self.send(
                    failure,
                    "application/json",
                    json.dumps({"error": _words(state, failure, body)}).encode(),
                    retry_after=state.retry_after,
                )
            elif body.get("stream"):
                stream = "".join(part.raw for part in OPENAI.stream(reply))
                self.send(200, "text/event-stream", stream.encode())
            else:
                self.send(200, "application/json", json.dumps(OPENAI.whole(reply)).encode())

    return Handler


def _cut_off(state: ModelServer, body: dict[str, Any], reply: ModelAnswer) -> ModelAnswer:
    needed, limit = state.needed_tokens.get(body["model"], 0), body.get("max_tokens", 0)
    allowed = limit if state.answer_room is None else min(limit, state.answer_room)
    if allowed >= needed:
        return reply
    usage = reply.usage.model_copy(update={"output_tokens": allowed})
    return replace(reply, text=reply.text[:20], usage=usage, ending="limit")


def _overflows(state: ModelServer, body: dict[str, Any]) -> bool:
    return state.context_tokens is not None and _usage(body, "").input_tokens > state.context_tokens


def _words(state: ModelServer, failure: int, body: dict[str, Any]) -> dict[str, str]:
    if _overflows(state, body):
        said = (
            f"This model's maximum context length is {state.context_tokens} tokens. However, your messages resulted in "
        )
        message = f"{said}{_usage(body, '').input_tokens} tokens. Please reduce the length of the messages."
        return {
            "message": message,
            "type": "invalid_request_error",
            "param": "messages",
            "code": "context_length_exceeded",
        }
    if failure == HTTPStatus.BAD_REQUEST and state.unsupported:
        return {"message": f"Unsupported parameter: '{state.unsupported}'", "param": state.unsupported}
    return {"message": "not now"}


def _usage(body: dict[str, Any], text: str) -> Usage:
    asked = sum(len(message["content"]) for message in body["messages"]) // 4
    return Usage(input_tokens=asked, output_tokens=len(text) // 4)
