"""A server on 127.0.0.1 with the batches of OpenAI and of Anthropic. It answers with the mock's words.

Everything that it receives and sends is checked against the vendors' OpenAPI documents.
"""

import json
import re
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.message import Message
from typing import Any, Literal

from faults.wire_formats import WIRES, ModelAnswer
from model_server import PROSE
from openapi_support import problems
from serving_support import Answering, Served, serving

from debate_cli.domain.model_call import Usage
from debate_cli.providers.mock.answers import write_answer

Fate = Literal["answered", "prose", "errored", "rejected", "expired", "canceled", "missing"]
"""What becomes of a request: errors of the server and of the request; a request that was not processed; no result at all."""
USAGE = Usage(input_tokens=1000, output_tokens=100)
_REFUSAL = {"error": {"message": "refused by the test"}}
_NONCE = re.compile(r"\[ask ([0-9a-f]{8})")


@dataclass
class ServedBatch:
    """A batch that the server has."""

    id: str
    requests: list[tuple[str, dict[str, Any]]]
    """Custom id and body."""
    fates: list[Fate]
    metadata: dict[str, str] = field(default_factory=dict[str, str])
    input_file: str = ""
    created_at: float = field(default_factory=time.time)
    polls: int = 0
    is_archived: bool = False
    """Anthropic: whether the batch says that its results are no longer available."""


@dataclass
class BatchServer(Served):
    """What a running server has and how it is to behave."""

    fate: Callable[[int, int], Fate] = lambda _batch, _request: "answered"
    """Fate of a request, by number of its batch and number in it."""
    is_open: threading.Event = field(default_factory=threading.Event)
    """While it is not set, batches stay in progress."""
    held: frozenset[str] = frozenset()
    """OpenAI: ids of batches that stay in progress in any case."""
    rejection: str = "refused by the test"
    """OpenAI: the error of a rejected request."""
    retry_after: float | None = None
    """Seconds after which a refused request may be repeated."""
    loses: Literal["answer", "batch"] | None = None
    """Whether the answer to the creation of a batch, or the batch too, is lost: the request hangs."""
    refuse: Callable[[str], int] = lambda _path: 0
    """Status of the error that answers a request to this path; 0 if it is answered."""
    damage: Callable[[str], str] = lambda results: results
    """Changes a file of results."""
    repeats_list: bool = False
    """Whether every page of the list of batches is the first one."""
    validation_error: str = ""
    """OpenAI: why every batch fails as a whole."""
    batches: list[ServedBatch] = field(default_factory=list[ServedBatch])
    problems: list[str] = field(default_factory=list[str])
    """Deviations from the OpenAPI documents."""
    asked: threading.Event = field(default_factory=threading.Event)
    """Set when the creation of a batch was requested."""
    over: threading.Event = field(default_factory=threading.Event)
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])

    @property
    def env(self) -> dict[str, str]:
        """The environment of a command that asks this server for both vendors."""
        root = f"http://127.0.0.1:{self.port}"
        return {
            "OPENAI_BASE_URL": f"{root}/v1",
            "OPENAI_API_KEY": "openai-key-of-the-test",
            "ANTHROPIC_BASE_URL": root,
            "ANTHROPIC_API_KEY": "anthropic-key-of-the-test",
            "ANTHROPIC_CONFIG_DIR": "/nonexistent",
        }

    @property
    def request_count(self) -> int:
        """Requests of all batches."""
        return sum(len(batch.requests) for batch in self.batches)

    def check(self, vendor: str, schema: str, value: Any) -> Any:
        """Note deviations of `value`, and return it."""
        self.problems += [f"{schema}: {problem}" for problem in problems(vendor, schema, value)]
        return value

    def create(
        self, requests: list[tuple[str, dict[str, Any]]], metadata: Mapping[str, str] | None, input_file: str
    ) -> ServedBatch:
        """Take a batch, unless it is lost."""
        number = len(self.batches)
        fates: list[Fate] = [self.fate(number, index) for index in range(len(requests))]
        batch = ServedBatch(f"batch_{number}", requests, fates, dict(metadata or {}), input_file)
        if self.loses != "batch":
            self.batches.append(batch)
        self.asked.set()
        if self.loses is not None:
            self.over.wait(30)
        return batch


@contextmanager
def batch_server(*, is_open: bool = True) -> Generator[BatchServer]:
    """A server for the length of a `with` block; at its end everything must have been as documented."""
    state = BatchServer()
    if is_open:
        state.is_open.set()
    with serving(_handler(state)) as state.port:
        try:
            yield state
        finally:
            state.over.set()
    assert not state.problems, state.problems[:5]


def _handler(state: BatchServer) -> type[Answering]:
    class Handler(Answering):
        def do_POST(self) -> None:  # noqa: N802 - the base class's name
            """Files and new batches."""
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self._json(*_answer_post(state, self.path, self.headers, body))

        def do_GET(self) -> None:  # noqa: N802 - the base class's name
            """States, lists and results."""
            path = self.path.partition("?")[0]
            show = _anthropic_batch if "/messages/" in path else _openai_batch
            if status := state.refuse(path):
                self._json(_REFUSAL, status)
            elif path.endswith("/content"):
                results = state.damage(state.files[path.split("/")[-2]].decode())
                self.send(200, "application/octet-stream", results.encode())
            elif path.endswith("/batches"):
                listed = [show(state, batch) for batch in reversed(state.batches)]
                self._json({"object": "list", "data": listed, "has_more": state.repeats_list})
            elif path.endswith("/results"):
                results = state.damage(_anthropic_results(state, _find(state, path.split("/")[-2])))
                self.send(200, "application/x-jsonl", results.encode())
            else:
                batch = _find(state, path.rpartition("/")[2])
                batch.polls += 1
                self._json(show(state, batch))

        def _json(self, value: Any, status: int = 200) -> None:
            retry_after = None if status == 200 else state.retry_after
            self.send(status, "application/json", json.dumps(value).encode(), retry_after=retry_after)

    return Handler


def _answer_post(state: BatchServer, path: str, headers: Message, body: bytes) -> tuple[dict[str, Any], int]:
    """The answer to a new file or batch, and its status."""
    if status := state.refuse(path):
        return _REFUSAL, status
    if path == "/v1/files":
        assert headers["Authorization"] == "Bearer openai-key-of-the-test"
        return _take_file(state, headers["Content-Type"], body), 200
    if path == "/v1/batches":
        return _openai_batch(state, _create_openai(state, json.loads(body))), 200
    assert path == "/v1/messages/batches"
    assert "anthropic-key-of-the-test" in f"{headers['X-Api-Key']}{headers['Authorization']}"
    given = state.check("anthropic", "CreateMessageBatchParams", json.loads(body))
    requests = [(each["custom_id"], each["params"]) for each in given["requests"]]
    return _anthropic_batch(state, state.create(requests, None, "")), 200


def _find(state: BatchServer, batch_id: str) -> ServedBatch:
    return next(batch for batch in state.batches if batch.id == batch_id)


def _answer(vendor: str, body: dict[str, Any], fate: Fate) -> dict[str, Any]:
    """The body of a whole answer."""
    request = WIRES[vendor].read(body)
    nonce = _NONCE.search(request.messages[-1].content)
    request = replace(request, nonce=nonce[1] if nonce else "")
    text = PROSE if fate == "prose" else write_answer(request, "server")
    return WIRES[vendor].whole(ModelAnswer(text, USAGE))


# OpenAI ----------------------------------------------------------------------------------------------------------


def _take_file(state: BatchServer, content_type: str, body: bytes) -> dict[str, Any]:
    boundary = content_type.partition("boundary=")[2].encode()
    parts: dict[str, bytes] = {}
    for part in body.split(b"--" + boundary)[1:-1]:
        head, _, content = part.partition(b"\r\n\r\n")
        parts[head.decode().partition('name="')[2].partition('"')[0]] = content.removesuffix(b"\r\n")
    assert parts["purpose"] == b"batch"
    name = f"file-{len(state.files)}"
    state.files[name] = parts["file"]
    file = {"id": name, "object": "file", "bytes": len(parts["file"]), "created_at": int(time.time())}
    return state.check(
        "openai", "OpenAIFile", {**file, "filename": "b.jsonl", "purpose": "batch", "status": "processed"}
    )


def _create_openai(state: BatchServer, given: dict[str, Any]) -> ServedBatch:
    assert (given["endpoint"], given["completion_window"]) == ("/v1/chat/completions", "24h")
    requests: list[tuple[str, dict[str, Any]]] = []
    for line in state.files[given["input_file_id"]].decode().split("\n"):
        entry = json.loads(line)
        assert (entry["method"], entry["url"]) == ("POST", "/v1/chat/completions")
        requests.append((entry["custom_id"], state.check("openai", "CreateChatCompletionRequest", entry["body"])))
    return state.create(requests, given["metadata"], given["input_file_id"])


def _openai_batch(state: BatchServer, batch: ServedBatch) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": batch.id,
        "object": "batch",
        "endpoint": "/v1/chat/completions",
        "input_file_id": batch.input_file,
        "completion_window": "24h",
        "created_at": int(batch.created_at),
        "metadata": batch.metadata,
        "status": "in_progress",
        "request_counts": {"total": len(batch.requests), "completed": 0, "failed": 0},
    }
    has_ended = state.is_open.is_set() and batch.id not in state.held
    if has_ended and state.validation_error:
        fault = {"code": "invalid_request", "message": state.validation_error, "param": None, "line": 1}
        shown |= {"status": "failed", "errors": {"object": "list", "data": [fault]}}
    elif has_ended:
        answered, failed = _openai_results(state, batch)
        for kind, lines in (("output", answered), ("error", failed)):
            if lines:
                name = f"file-{batch.id}-{kind}"
                state.files[name] = "\n".join(map(json.dumps, lines)).encode()
                shown[f"{kind}_file_id"] = name
        status = "expired" if "expired" in batch.fates else "cancelled" if "canceled" in batch.fates else "completed"
        counts = {"completed": len(answered), "failed": len(batch.requests) - len(answered)}
        shown |= {"status": status, "request_counts": {"total": len(batch.requests), **counts}}
    return state.check("openai", "Batch", shown)


def _openai_results(state: BatchServer, batch: ServedBatch) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Lines of the output file and of the error file, in another order than the requests."""
    answered: list[dict[str, Any]] = []
    failed: list[dict[str, Any]] = []
    for (custom_id, body), fate in reversed(list(zip(batch.requests, batch.fates, strict=True))):
        line: dict[str, Any] = {"id": f"r-{custom_id}", "custom_id": custom_id, "response": None, "error": None}
        if fate in {"answered", "prose"}:
            response = {"status_code": 200, "request_id": "q", "body": _answer("openai", body, fate)}
            answered.append({**line, "response": response})
        elif fate in {"errored", "rejected"}:
            status = 500 if fate == "errored" else 400
            error = {"error": {"message": state.rejection, "type": "invalid_request_error"}}
            failed.append({**line, "response": {"status_code": status, "request_id": "q", "body": error}})
        elif fate == "expired":
            failed.append(
                {**line, "error": {"code": "batch_expired", "message": "This request could not be executed."}}
            )
    return answered, failed


# Anthropic -------------------------------------------------------------------------------------------------------


def _anthropic_batch(state: BatchServer, batch: ServedBatch) -> dict[str, Any]:
    at = datetime.fromtimestamp(batch.created_at, UTC)
    has_ended = state.is_open.is_set()
    counts: dict[str, int] = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
    for fate in batch.fates:
        kind = {"answered": "succeeded", "prose": "succeeded", "rejected": "errored", "missing": "succeeded"}.get(
            fate, fate
        )
        counts[kind if has_ended else "processing"] += 1
    shown = {
        "id": batch.id,
        "type": "message_batch",
        "processing_status": "ended" if has_ended else "in_progress",
        "request_counts": counts,
        "created_at": at.isoformat().replace("+00:00", "Z"),
        "expires_at": (at + timedelta(hours=24)).isoformat().replace("+00:00", "Z"),
        "ended_at": at.isoformat().replace("+00:00", "Z") if has_ended else None,
        "archived_at": at.isoformat().replace("+00:00", "Z") if batch.is_archived else None,
        "cancel_initiated_at": None,
        "results_url": f"https://elsewhere.example/{batch.id}" if has_ended else None,
    }
    return state.check("anthropic", "MessageBatch", shown)


def _anthropic_results(state: BatchServer, batch: ServedBatch) -> str:
    lines: list[str] = []
    for (custom_id, body), fate in reversed(list(zip(batch.requests, batch.fates, strict=True))):
        result: dict[str, Any] = {"type": fate}
        if fate in {"answered", "prose"}:
            result = {"type": "succeeded", "message": _answer("anthropic", body, fate)}
        elif fate in {"errored", "rejected"}:
            kind = "api_error" if fate == "errored" else "invalid_request_error"
            error = {"type": kind, "message": "refused by the test"}
            result = {"type": "errored", "error": {"type": "error", "error": error, "request_id": None}}
        if fate != "missing":
            line = {"custom_id": custom_id, "result": result}
            if result["type"] != "succeeded":
                state.check("anthropic", "MessageBatchIndividualResponse", line)
            lines.append(json.dumps(line))
    return "\n".join(lines)
