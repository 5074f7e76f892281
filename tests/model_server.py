"""A server on 127.0.0.1 that speaks OpenAI's chat completions and answers with the mock's words, after a fixed wait."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from debate_cli.llm.port import Message, Request, Schema
from debate_cli.providers.mock_dice import Dice
from debate_cli.providers.mock_writer import write


@dataclass
class ModelServer:
    """What a running server was asked, and how it is to behave."""

    latency_s: float = 0.0
    """Seconds before it answers."""
    failures: list[int] = field(default_factory=list[int])
    """Statuses to answer the next requests with, first one first."""
    unsupported: str | None = None
    """A parameter that it turns down with a 400."""
    bodies: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Every request body so far."""
    headers: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    counted: list[dict[str, int]] = field(default_factory=list[dict[str, int]])
    """What it said the tokens of each answer were."""
    port: int = 0
    busy: int = 0
    """Requests being answered now."""

    @property
    def base_url(self) -> str:
        """What goes into a provider's `base_url`."""
        return f"http://127.0.0.1:{self.port}/v1"


def answer(body: dict[str, Any]) -> str:
    """The mock's answer to a request body: the schema filled in, or prose."""
    *rest, last = body["messages"]
    system = rest[0]["content"] if rest and rest[0]["role"] == "system" else ""
    said = [message for message in [*rest, last] if message["role"] != "system"]
    schema = body.get("response_format", {}).get("json_schema")
    request = Request(
        system=system,
        messages=tuple(Message(message["role"], message["content"]) for message in said),
        purpose="served",
        max_output_tokens=4096,
        schema=Schema(schema["name"], schema["schema"]) if schema else None,
        rung="native" if schema else "text",
    )
    return write(request, Dice("server"))


@contextmanager
def model_server(latency_s: float = 0.0, failures: list[int] | None = None) -> Generator[ModelServer]:
    """A server for the length of a `with` block."""
    state = ModelServer(latency_s=latency_s, failures=list(failures or ()))
    server = _Server(("127.0.0.1", 0), _handler(state))
    state.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


def _handler(state: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 65536
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            """Chat completions, streamed or whole."""
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.bodies.append(body)
            state.headers.append(dict(self.headers))
            started = time.perf_counter()
            failure = state.failures.pop(0) if state.failures else None
            if state.unsupported in body:
                failure = 400
            text = "" if failure else answer(body)
            time.sleep(max(0.0, state.latency_s - (time.perf_counter() - started)))
            if not failure:
                state.counted.append(_usage(body, text))
            if failure:
                self._send(failure, "application/json", json.dumps({"error": _words(state, failure)}).encode())
            elif body.get("stream"):
                self._send(200, "text/event-stream", _events(body, text))
            else:
                self._send(200, "application/json", json.dumps(_whole(body, text)).encode())

        def _send(self, status: int, kind: str, payload: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)
            self.wfile.flush()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
            """Stay silent."""

    return Handler


def _words(state: ModelServer, failure: int) -> dict[str, str]:
    if failure == HTTPStatus.BAD_REQUEST and state.unsupported:
        return {"message": f"Unsupported parameter: '{state.unsupported}'", "param": state.unsupported}
    return {"message": "not now"}


def _usage(body: dict[str, Any], text: str) -> dict[str, int]:
    asked = sum(len(message["content"]) for message in body["messages"]) // 4
    return {"prompt_tokens": asked, "completion_tokens": len(text) // 4, "total_tokens": asked + len(text) // 4}


def _whole(body: dict[str, Any], text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text, "refusal": None}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
        "usage": _usage(body, text),
    }


def _events(body: dict[str, Any], text: str) -> bytes:
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
    chunks: list[dict[str, Any]] = [
        {**head, "choices": [{"index": 0, "delta": {"content": text[at : at + 40]}, "finish_reason": None}]}
        for at in range(0, len(text), 40)
    ]
    chunks.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    chunks.append({**head, "choices": [], "usage": _usage(body, text)})
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks).encode() + b"data: [DONE]\n\n"
