"""A server that answers chat completions after a fixed wait, from answers that it wrote before: it takes little CPU time.

As a program it prints its port. Each answer fits the schema and the side of the question; it is written once by the mock.
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from faults.wire_formats import ModelAnswer, OpenAI
from model_server import answer

from debate_cli.domain.model_call import Usage

WIRE = OpenAI()


class AnsweringServer:
    """Answers requests on one event loop."""

    def __init__(self, latency_s: float) -> None:
        self._latency_s = latency_s
        self._written: dict[tuple[str, bool, bool], bytes] = {}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(
                    int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")
                )
                body = await reader.readexactly(length)
                await asyncio.sleep(self._latency_s)
                writer.write(self._respond(json.loads(body)))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def _respond(self, body: dict[str, Any]) -> bytes:
        key = (
            json.dumps(body.get("response_format")),
            "CON-" in body["messages"][-1]["content"],
            bool(body.get("stream")),
        )
        if key not in self._written:
            reply = ModelAnswer(answer(body), Usage(input_tokens=1500, output_tokens=300))
            kind = "text/event-stream" if body.get("stream") else "application/json"
            text = (
                "".join(part.raw for part in WIRE.stream(reply))
                if body.get("stream")
                else json.dumps(WIRE.whole(reply))
            )
            data = text.encode()
            head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}\r\n\r\n"
            self._written[key] = head.encode() + data
        return self._written[key]


@contextmanager
def answering_server(latency_s: float) -> Generator[str]:
    """Run a server as a process within a `with` block; yields its base address."""
    command = [sys.executable, "-m", "bench.answering_server", str(latency_s)]
    with subprocess.Popen(command, cwd=Path(__file__).parents[1], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        finally:
            process.terminate()


async def _main() -> None:
    server = await asyncio.start_server(
        AnsweringServer(float(sys.argv[1])).serve, "127.0.0.1", 0, limit=2**22, backlog=1024
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_main())
