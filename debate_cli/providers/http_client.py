"""The HTTP client of the SDKs: timeouts, no redirects, and limits on the size of responses.

Adapters import this module only when they connect, because the import of httpx2 is slow.
"""

import ssl
import zlib
from collections.abc import AsyncIterable, AsyncIterator
from functools import cache
from typing import TypeVar, cast

import httpx2

from debate_cli.errors import ServerError
from debate_cli.providers.endpoint import FIRST_ERROR_STATUS, Endpoint
from debate_cli.providers.error_mapping import SentRequest, make_broken_body_error, make_excess_error

CONNECT_TIMEOUT_S = 15.0
MAX_ERROR_BODY_BYTES = 64 * 1024
"""Maximum number of bytes to read from the body of an error response, after decompression."""
INFLATE_BYTES = 64 * 1024
"""Maximum number of bytes that one step of decompression returns."""
COMPRESSIONS = frozenset({"gzip", "x-gzip", "deflate"})
"""Values of Content-Encoding that are decompressed."""
_GZIP_OR_ZLIB = zlib.MAX_WBITS | 32
"""Lets zlib find out from the first bytes whether a body is gzip or zlib."""
_GZIP_START = b"\x1f"
"""First byte of each member of a gzip body."""

ClientT = TypeVar("ClientT", bound=httpx2.AsyncClient)


def make_http_client(kind: type[ClientT], endpoint: Endpoint) -> ClientT:
    """Create an HTTP client of the SDK's class `kind`, with limits on time and size."""

    async def bound(response: httpx2.Response) -> None:
        is_compressed = response.headers.pop("content-encoding", "").strip().lower() in COMPRESSIONS
        is_error = response.status_code >= FIRST_ERROR_STATUS
        stream = cast("httpx2.AsyncByteStream", response.stream)
        has_end_event = response.headers.get("content-type", "").startswith("text/event-stream")
        parts = _inflate(stream, may_be_cut_off=has_end_event) if is_compressed else stream
        asked = SentRequest(endpoint, "", structured=False)
        response.stream = _BoundedStream(stream, parts, asked, is_error=is_error)

    return kind(
        verify=_tls_context(),
        timeout=httpx2.Timeout(endpoint.timeout_s, connect=min(endpoint.timeout_s, CONNECT_TIMEOUT_S)),
        limits=httpx2.Limits(),  # no limit, because `llm.rate_limit` limits the calls
        follow_redirects=False,
        headers={"Accept-Encoding": "gzip"},
        event_hooks={"response": [bound]},
    )


@cache
def _tls_context() -> ssl.SSLContext:
    """Return the TLS context that all clients share, because loading the certificates is slow."""
    return httpx2.create_ssl_context()


class _BoundedStream(httpx2.AsyncByteStream):
    """The body of a response, up to a maximum size.

    `parts`: the decompressed data. `stream`: the original stream, which `aclose` closes.
    """

    def __init__(
        self, stream: httpx2.AsyncByteStream, parts: AsyncIterable[bytes], asked: SentRequest, *, is_error: bool
    ) -> None:
        self._stream = stream
        self._parts = parts
        self._asked = asked
        self._is_error = is_error

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MAX_ERROR_BODY_BYTES if self._is_error else self._asked.endpoint.max_body_bytes
        try:
            async for part in self._parts:
                left -= len(part)
                if left < 0:
                    raise make_excess_error(
                        f"sent more than {self._asked.endpoint.max_body_bytes // 1024**2} MiB", self._asked
                    )
                yield part
        except zlib.error:
            if not self._is_error:
                raise make_broken_body_error(
                    "answered 200 with a body that cannot be decompressed", self._asked
                ) from None
        except ServerError:
            if not self._is_error:
                raise

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _inflate(stream: httpx2.AsyncByteStream, *, may_be_cut_off: bool) -> AsyncIterator[bytes]:
    """Yield the decompressed bytes of a gzip or zlib body. A gzip body may have several members (RFC 1952, 2.2).

    Bytes after the last member are ignored. Raises zlib.error if the body is neither gzip nor zlib, or if it is cut off
    and `may_be_cut_off` is False.
    """
    decoder, has_bytes = zlib.decompressobj(_GZIP_OR_ZLIB), False
    async for raw in stream:
        rest, part, has_bytes = raw, b"", True
        while rest or part:
            if decoder.eof and rest:
                if not rest.startswith(_GZIP_START):
                    return
                decoder = zlib.decompressobj(_GZIP_OR_ZLIB)
            part = decoder.decompress(rest, INFLATE_BYTES)
            if part:
                yield part
            rest = decoder.unused_data or decoder.unconsumed_tail
    if has_bytes and not decoder.eof and not may_be_cut_off:
        raise zlib.error("the body is cut off")
