"""How a server of the tests is started on 127.0.0.1 and stopped, and how it answers over HTTP; what it says is its own."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import Any


@dataclass(kw_only=True)
class Served:
    """What is known of a server that speaks as OpenAI's does."""

    port: int = 0

    @property
    def base_url(self) -> str:
        """What goes into a provider's `base_url`."""
        return f"http://127.0.0.1:{self.port}/v1"


class Answering(BaseHTTPRequestHandler):
    """A handler that keeps connections open, sends an answer in one piece, and is silent."""

    protocol_version = "HTTP/1.1"
    wbufsize = 65536
    disable_nagle_algorithm = True

    def send(self, status: int, kind: str, payload: bytes, *, retry_after: float | None = None) -> None:
        """A whole answer with `kind` as its media type."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(payload)))
        if retry_after is not None:
            self.send_header("Retry-After", str(retry_after))
        self.end_headers()
        self.wfile.write(payload)
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Stay silent."""


@contextmanager
def serving(handler: type[BaseRequestHandler]) -> Generator[int]:
    """A server for the length of a `with` block, on a free port; the port.

    Each connection has a thread of its own, which is not waited for: a client may keep it open.
    """
    with _Server(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


class _Server(ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64
