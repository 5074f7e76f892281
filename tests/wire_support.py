"""A local server that plays back raw bytes, resets and stalls, and records requests."""

import asyncio
import json
import socket
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, Self


@dataclass(frozen=True, slots=True)
class Endless:
    """Bytes that are sent again and again until the client closes the connection."""

    data: bytes
    pause_s: float = 0.0


Step = bytes | Endless | Literal["reset", "stall", "close"]
_READ_S = 0.05
"""Delay before a reset, so that the client reads what was written; a reset discards the rest."""
Playback = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """A received request."""

    method: str
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes

    @property
    def json(self) -> Any:
        """The body, parsed."""
        return json.loads(self.body)


@dataclass(slots=True)
class Wire:
    """Answers the first request with the first playback, and so on; the last one is repeated."""

    playbacks: Sequence[Playback]
    seen: list[Seen] = field(default_factory=list[Seen])
    connections: int = 0
    _server: asyncio.Server | None = None
    _over: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        """Address of the server."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._over.set()
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while await self._answer(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        self.seen.append(await read_request(reader))
        playback = self.playbacks[min(len(self.seen), len(self.playbacks)) - 1]
        return await play(playback, writer, self._over)


async def read_request(reader: asyncio.StreamReader) -> Seen:
    """Read the next request of a connection."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = head[0].split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    return Seen(method, path, headers, await reader.readexactly(int(headers.get("content-length", "0"))))


async def play(playback: Sequence[Step], writer: asyncio.StreamWriter, over: asyncio.Event) -> bool:
    """Play back an answer; a stall lasts until `over`. Returns whether the connection stays open."""
    for step in playback:
        if step == "reset":
            await asyncio.sleep(_READ_S)
            raw: socket.socket = writer.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
            return False
        if step == "close":
            return False
        if step == "stall":
            await over.wait()
            return False
        while isinstance(step, Endless):
            writer.write(step.data)
            await writer.drain()
            await asyncio.sleep(step.pause_s)
        writer.write(step)
        await writer.drain()
    return True


def http_response(
    body: bytes | str | Mapping[str, Any] | Sequence[Any],
    *,
    status: int = 200,
    content_type: str = "application/json",
    headers: Mapping[str, str] | None = None,
) -> tuple[bytes]:
    """A whole HTTP answer."""
    raw = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
    lines = [
        f"HTTP/1.1 {status} X",
        f"Content-Type: {content_type}",
        f"Content-Length: {len(raw)}",
        *(f"{name}: {value}" for name, value in (headers or {}).items()),
    ]
    return (("\r\n".join(lines) + "\r\n\r\n").encode() + raw,)


def event_stream(*events: str, then: Literal["end", "reset", "stall", "vanish"] = "end") -> Playback:
    """An event stream and how it ends: `vanish` closes inside the chunked body."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunks = [f"{len(raw):x}\r\n".encode() + raw + b"\r\n" for raw in (event.encode() for event in events)]
    if then == "end":
        return (head, *chunks, b"0\r\n\r\n")
    if then == "vanish":
        return (head.replace(b"Transfer", b"Connection: close\r\nTransfer"), *chunks, b"5\r\nab", "close")
    return (head, *chunks, then)


def event(data: Mapping[str, Any] | str, name: str | None = None) -> str:
    """One server-sent event."""
    text = data if isinstance(data, str) else json.dumps(data)
    return (f"event: {name}\n" if name else "") + f"data: {text}\n\n"
