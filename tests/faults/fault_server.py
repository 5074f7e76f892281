"""A server on 127.0.0.1 that speaks both wire formats, fails as it is told to, and counts what it was asked and told."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from faults.playbacks import FAULTS, TAKEN, Playback, well
from faults.wire_formats import WIRES, Said, Wire
from wire_support import READ_S

from debate_cli.domain.model_call import Usage
from debate_cli.llm.model import Request
from debate_cli.providers.mock.forms import write_answer

CHARS_PER_TOKEN = 4
_NONCE = re.compile(rb"\b[0-9a-f]{8}\b")
"""Random in every question; the same here, so that equal debates get equal answers."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A request as it came in."""

    wire: Wire
    model: str
    streamed: bool
    question: Request

    @property
    def key(self) -> str:
        """The same for the same question in whatever run."""
        return "\n".join([self.model, self.question.system, *(message.content for message in self.question.messages)])


@dataclass(slots=True)
class Served:
    """What became of a request."""

    heard: Heard
    fault: str | None
    """Name of the fault; None where it was answered well."""
    at: float
    """When it came in, by the server's clock."""
    reported: Usage = field(default_factory=Usage)
    """Tokens that the answer told of, so far as a client can read them."""
    text: str = ""
    """What a good answer said."""
    done: bool = False


Plan = Callable[[Heard], str | None]
"""Which fault a request meets; None lets it pass."""


def _all_is_well(_heard: Heard) -> str | None:
    return None


class FaultServer:
    """Answers in the words of the mock, or with a fault. Use it in `async with`.

    `before` is waited for between hearing a request and answering it.
    """

    def __init__(self, plan: Plan = _all_is_well, *, clock: Callable[[], float] = lambda: 0.0) -> None:
        self.plan = plan
        self.served: list[Served] = []
        self.heard = asyncio.Event()
        """Set with the first request."""
        self.under_way = 0
        self.most_under_way = 0
        self.before: Callable[[Served], Awaitable[None]] | None = None
        self._clock = clock
        self.port = 0
        """Where it listens; given when it first does."""
        self._place: socket.socket | None = None
        """Keeps the port while nobody listens."""
        self._listener: asyncio.Server | None = None
        self._open: dict[asyncio.StreamWriter, asyncio.Task[None]] = {}
        self._opening = asyncio.Lock()
        self._over = asyncio.Event()

    @property
    def host(self) -> str:
        """`127.0.0.1:port`, the same for the server's whole life."""
        return f"127.0.0.1:{self.port}"

    def url(self, kind: str) -> str:
        """What goes into the `base_url` of a provider of that kind."""
        return f"http://{self.host}/v1" if kind == "openai" else f"http://{self.host}"

    @property
    def counted(self) -> Usage:
        """All tokens that answers told of."""
        return sum((each.reported for each in self.served), Usage())

    async def open(self) -> None:
        """Listen (again, on the same port), unless it does."""
        async with self._opening:
            if self._listener is None:
                await self._listen()

    async def _listen(self) -> None:
        if self._place is None:
            self._place = _bound(0)
            self.port = self._place.getsockname()[1]
        self._listener = await asyncio.start_server(self._serve, sock=_bound(self.port), backlog=4096)

    def refuse(self) -> None:
        """Refuse connections from now on, and end those that there are."""
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
        if self._place is not None:
            self._place.close()

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
        """Answer one request; whether the connection may be used for another."""
        heard = await _read(reader)
        served = Served(heard, self.plan(heard), self._clock())
        self.served.append(served)
        self.heard.set()
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            if self.before is not None:
                await self.before(served)
            playback = self._playback(served)
            served.reported = playback.reported
            return await self._play(playback, writer)
        finally:
            self.under_way -= 1
            served.done = True

    def _playback(self, served: Served) -> Playback:
        heard = served.heard
        said = answer(heard.question)
        if served.fault is None or served.fault in TAKEN:
            served.text = said.text
        if served.fault is not None:
            return FAULTS[served.fault].play(heard.wire, said, heard.streamed)
        return well(heard.wire, said, heard.streamed)

    async def _play(self, playback: Playback, writer: asyncio.StreamWriter) -> bool:
        for step in playback.steps:
            if isinstance(step, bytes):
                writer.write(step)
                await writer.drain()
                continue
            if step == "stall":
                await self._over.wait()
            if step == "reset":
                await asyncio.sleep(READ_S)
                raw: socket.socket = writer.get_extra_info("socket")
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()
            return False
        return True


def _bound(port: int) -> socket.socket:
    """A socket on that port (0: on a free one), which others of this kind may share until one listens."""
    place = socket.socket()
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    place.bind(("127.0.0.1", port))
    return place


async def _read(reader: asyncio.StreamReader) -> Heard:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    path = head[0].split(" ", 2)[1]
    length = next(int(line.partition(":")[2]) for line in head if line.lower().startswith("content-length:"))
    body = json.loads(_NONCE.sub(b"00000000", await reader.readexactly(length)))
    wire = next(wire for wire in WIRES.values() if path.endswith(wire.path))
    return Heard(wire, body["model"], body.get("stream", False), wire.read(body))


def answer(question: Request) -> Said:
    """What the mock says to a question, and the tokens that it takes; a third of the prompt is read from the cache."""
    text = write_answer(question, "server")
    prompt = question.input_chars // CHARS_PER_TOKEN
    usage = Usage(input_tokens=prompt, cached_tokens=prompt // 3, output_tokens=len(text) // CHARS_PER_TOKEN)
    tool = question.schema.name if question.schema is not None and question.rung == "tool" else None
    return Said(text, usage, tool=tool)
