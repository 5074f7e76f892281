"""A local server for both wire formats that answers correctly or with a planned fault, and records every request."""

import asyncio
import json
import re
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from faults.playbacks import FAULTS, TAKEN, Playback, correct_answer
from faults.wire_formats import WIRES, ModelAnswer, Wire
from wire_support import play, read_request

from debate_cli.domain.model_call import Usage
from debate_cli.llm.model import Request
from debate_cli.providers.mock.answers import write_answer

CHARS_PER_TOKEN = 4
_NONCE = re.compile(rb"\b[0-9a-f]{8}\b")
"""Random tag of a request; masked, so that equal debates get equal answers."""


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """A received request."""

    wire: Wire
    model: str
    streamed: bool
    question: Request

    @property
    def key(self) -> str:
        """Identifies the question in all runs."""
        return "\n".join([self.model, self.question.system, *(message.content for message in self.question.messages)])


@dataclass(slots=True)
class Served:
    """A request and its answer."""

    received: ReceivedRequest
    fault: str | None
    """Name of the fault; None for a correct answer."""
    at: float
    """Time of arrival by the server's clock."""
    reported: Usage = field(default_factory=Usage)
    """Usage that the answer reports in a readable form."""
    text: str = ""
    """Text of a correct answer."""
    done: bool = False


Plan = Callable[[ReceivedRequest], str | None]
"""Returns the fault for a request, or None for a correct answer."""


def _no_fault(_request: ReceivedRequest) -> str | None:
    return None


class FaultServer:
    """Answers with the mock's text, or with a fault. Use it in `async with`.

    `before` is awaited between receiving a request and answering it.
    """

    def __init__(self, plan: Plan = _no_fault, *, clock: Callable[[], float] = lambda: 0.0) -> None:
        self.plan = plan
        self.served: list[Served] = []
        self.received = asyncio.Event()
        """Set with the first request."""
        self.in_flight = 0
        self.max_in_flight = 0
        self.before: Callable[[Served], Awaitable[None]] | None = None
        self._clock = clock
        self.port = 0
        """Port; chosen when the server first listens."""
        self._port_holder: socket.socket | None = None
        """Keeps the port while the server does not listen."""
        self._listener: asyncio.Server | None = None
        self._open: dict[asyncio.StreamWriter, asyncio.Task[None]] = {}
        self._opening = asyncio.Lock()
        self._over = asyncio.Event()

    @property
    def host(self) -> str:
        """`127.0.0.1:port`; does not change."""
        return f"127.0.0.1:{self.port}"

    def url(self, kind: str) -> str:
        """`base_url` for a provider of that kind."""
        return f"http://{self.host}/v1" if kind == "openai" else f"http://{self.host}"

    @property
    def counted(self) -> Usage:
        """Usage reported by all answers."""
        return sum((each.reported for each in self.served), Usage())

    async def open(self) -> None:
        """Listen, unless already listening; always on the same port."""
        async with self._opening:
            if self._listener is None:
                await self._listen()

    async def _listen(self) -> None:
        if self._port_holder is None:
            self._port_holder = _bound(0)
            self.port = self._port_holder.getsockname()[1]
        self._listener = await asyncio.start_server(self._serve, sock=_bound(self.port), backlog=4096)

    def refuse(self) -> None:
        """Refuse new connections and abort open ones."""
        if self._listener is not None:
            self._listener.close()
        self._listener = None
        for writer in self._open:
            writer.transport.abort()

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        ending = list(self._open.values())
        self.refuse()
        await asyncio.gather(*ending)
        if self._port_holder is not None:
            self._port_holder.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open[writer] = task
        try:
            while await self._answer(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            del self._open[writer]
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request. Returns whether the connection stays open."""
        received = await _read(reader)
        served = Served(received, self.plan(received), self._clock())
        self.served.append(served)
        self.received.set()
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        try:
            if self.before is not None:
                await self.before(served)
            playback = self._playback(served)
            served.reported = playback.reported
            return await play(playback.steps, writer, self._over)
        finally:
            self.in_flight -= 1
            served.done = True

    def _playback(self, served: Served) -> Playback:
        received = served.received
        reply = make_answer(received.question)
        if served.fault is None or served.fault in TAKEN:
            served.text = reply.text
        if served.fault is not None:
            return FAULTS[served.fault].play(received.wire, reply, received.streamed)
        return correct_answer(received.wire, reply, received.streamed)


def _bound(port: int) -> socket.socket:
    """A socket bound to `port` (0: any free port), which can be shared until one socket listens."""
    place = socket.socket()
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    place.bind(("127.0.0.1", port))
    return place


async def _read(reader: asyncio.StreamReader) -> ReceivedRequest:
    request = await read_request(reader)
    body = json.loads(_NONCE.sub(b"00000000", request.body))
    wire = next(wire for wire in WIRES.values() if request.path.endswith(wire.path))
    return ReceivedRequest(wire, body["model"], body.get("stream", False), wire.read(body))


def make_answer(question: Request) -> ModelAnswer:
    """The mock's answer to a question with its usage; a third of the prompt is read from the cache."""
    text = write_answer(question, "server")
    prompt = question.input_chars // CHARS_PER_TOKEN
    usage = Usage(input_tokens=prompt, cached_tokens=prompt // 3, output_tokens=len(text) // CHARS_PER_TOKEN)
    tool = question.schema.name if question.schema is not None and question.rung == "tool" else None
    return ModelAnswer(text, usage, tool=tool)
