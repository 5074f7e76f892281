"""A model server that repeats the headers of each request, in errors or in its answers."""

import base64
import json
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from model_server import answer
from serving_support import Answering, Served, serving

WHOLE = 200
"""Status of a successful answer."""


@dataclass(frozen=True, slots=True)
class Received:
    """A received request."""

    echo: str
    """Its headers and their secrets in all encodings; the server repeats them."""
    body: str


@dataclass
class EchoServer(Served):
    """Behaviour of a running server."""

    status: int = WHOLE
    """Status of every answer: 200 puts the headers into the text of the answer, an error into its body."""
    received: list[Received] = field(default_factory=list[Received])
    """Requests received so far."""


@contextmanager
def echo_server(status: int) -> Generator[EchoServer]:
    """Run a server within a `with` block."""
    state = EchoServer(status)
    with serving(_handler(state)) as state.port:
        yield state


def spellings(secret: str) -> dict[str, str]:
    """The encodings in which a secret may occur."""
    return {
        "raw": secret,
        "in JSON": json.dumps(secret)[1:-1],
        "in JSON in JSON": json.dumps(json.dumps(secret)[1:-1])[1:-1],
        "in Python": repr(secret)[1:-1],
        "in a URL": quote(secret, safe=""),
        "in a form": quote(secret),
        "in base64": base64.b64encode(secret.encode()).decode().rstrip("="),
        "in URL-safe base64": base64.urlsafe_b64encode(secret.encode()).decode().rstrip("="),
    }


def _handler(state: EchoServer) -> type[Answering]:
    class Handler(Answering):
        def do_POST(self) -> None:  # noqa: N802 - the base class's name
            """Repeat the request's headers."""
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            echo = self._headers_to_echo()
            state.received.append(Received(echo, json.dumps(body, ensure_ascii=False)))
            if state.status == WHOLE:
                self._say(body, echo)
            else:
                error = {"error": {"message": f"bad request with {echo}", "type": "e", "code": echo}}
                self.send(state.status, "application/json", json.dumps(error).encode())

        def _headers_to_echo(self) -> str:
            secrets = [
                self.headers.get("Authorization", "").removeprefix("Bearer "),
                self.headers.get("X-Gateway-Token", ""),
            ]
            spelled = [spelling for secret in secrets if secret for spelling in spellings(secret).values()]
            return f"{self.path} {dict(self.headers)} {' '.join(spelled)}"

        def _say(self, body: dict[str, Any], echo: str) -> None:
            text = answer(body)
            content = _with(text, echo)
            if body.get("stream"):
                self.send(WHOLE, "text/event-stream", _events(content))
            else:
                message = {"role": "assistant", "content": content}
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                self.send(
                    WHOLE, "application/json", json.dumps({"model": "m", "choices": [choice], "usage": _USAGE}).encode()
                )

    return Handler


_USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def _with(text: str, echo: str) -> str:
    """The answer with `echo` appended to its longer texts; short texts and those that a form checks stay."""
    try:
        form = json.loads(text)
    except ValueError:
        return f"{text}\n{echo}"
    return json.dumps(_append_to_texts(form, echo), ensure_ascii=False)


def _append_to_texts(value: Any, echo: str) -> Any:
    if isinstance(value, dict):
        return {key: _append_to_texts(item, echo) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return [_append_to_texts(item, echo) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return f"{value} {echo}" if isinstance(value, str) and value.count(" ") > 3 else value


def _events(text: str) -> bytes:
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    chunks: list[dict[str, Any]] = [
        {**head, "choices": [{"index": 0, "delta": {"content": text[at : at + 7]}, "finish_reason": None}]}
        for at in range(0, len(text), 7)
    ]
    chunks.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    chunks.append({**head, "choices": [], "usage": _USAGE})
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks).encode() + b"data: [DONE]\n\n"
