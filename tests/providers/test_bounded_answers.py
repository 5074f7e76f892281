"""What a server may send is bounded in size and in time, by each adapter."""

import asyncio
import gzip
import zlib
from dataclasses import replace

import pytest
from adapter_support import ADAPTERS, ANTHROPIC, OPENAI, PLAIN, Adapter, chunk, completion, ignore, text_delta
from wire_support import Endless, Playback, Wire, http_response

from debate_cli.errors import BrokenBodyError, ModelError, ModelTimeoutError, ServerError, UnauthorizedError
from debate_cli.providers.http_model import MIN_ANSWER_CHARS

MEGABYTE = 2**20
TEXT = {OPENAI.name: chunk({"content": "long " * 1000}), ANTHROPIC.name: text_delta("long " * 1000)}
"""One event with 5000 characters of an answer."""

each_adapter = pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: adapter.name)
either_way = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


def head(status: int = 200, **headers: str) -> bytes:
    """The head of an answer that ends when the connection is closed."""
    lines = [f"HTTP/1.1 {status} X", *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode()


def media(*, stream: bool) -> str:
    """The media type of a streamed or whole answer."""
    return "text/event-stream" if stream else "application/json"


def error_of(
    adapter: Adapter, playback: Playback, *, stream: bool, answer_timeout_s: float | None = None
) -> ModelError:
    """The error of one call. The call ends, though the server does not."""

    async def run() -> ModelError:
        async with Wire([playback]) as wire:
            with pytest.raises(ModelError) as caught:
                await adapter.complete(
                    wire, PLAIN, ignore if stream else None, {"answer_timeout_s": answer_timeout_s, "timeout_s": 30.0}
                )
            return caught.value

    return asyncio.run(run())


@each_adapter
@either_way
def test_an_endless_body_is_cut_off(adapter: Adapter, stream: bool) -> None:
    """A line that never ends is cut off at 16 MiB."""
    playback = (head(content_type=media(stream=stream)), b'data: {"x": "', Endless(b"x" * MEGABYTE))
    error = error_of(adapter, playback, stream=stream)
    assert isinstance(error, ServerError)
    assert "sent more than 16 MiB" in str(error)


@each_adapter
@either_way
def test_a_decompression_bomb_is_cut_off(adapter: Adapter, stream: bool) -> None:
    """The limit counts decompressed bytes: 40 kB become 40 MB."""
    bomb = gzip.compress(bytes(40 * MEGABYTE))
    playback = (head(content_type=media(stream=stream), content_encoding="gzip"), bomb, "stall")
    assert "sent more than 16 MiB" in str(error_of(adapter, playback, stream=stream))


@each_adapter
def test_an_endless_answer_is_cut_off(adapter: Adapter) -> None:
    """A stream whose text exceeds what the token limit allows fails long before 16 MiB."""
    events = "".join((*adapter.begun, TEXT[adapter.name])).encode()
    playback = (head(content_type=media(stream=True)), events, Endless(TEXT[adapter.name].encode()))
    error = error_of(adapter, playback, stream=True)
    assert isinstance(error, ServerError)
    assert f"sent more than {MIN_ANSWER_CHARS} characters" in str(error)


def test_an_event_that_is_too_long_is_passed_on_up_to_the_limit() -> None:
    """Its text arrived, so it is charged."""
    events = chunk({"content": "x" * (MIN_ANSWER_CHARS + 1)}).encode()
    arrived: list[str] = []

    async def run() -> None:
        async with Wire([(head(content_type=media(stream=True)), events, "stall")]) as wire:
            with pytest.raises(ServerError):
                await OPENAI.complete(wire, PLAIN, arrived.append, {})

    asyncio.run(run())
    assert len("".join(arrived)) == MIN_ANSWER_CHARS


@pytest.mark.parametrize(("tokens", "fits"), [(50, False), (10_000, True)])
def test_the_token_limit_bounds_a_whole_answer(tokens: int, fits: bool) -> None:
    """Eight characters per token are accepted, and 64 KiB for any number of tokens."""
    long = completion({"content": "x" * (MIN_ANSWER_CHARS + 1)})
    request = replace(PLAIN, max_output_tokens=tokens)
    if fits:
        assert len(OPENAI.ask(long, request)[0].text) == MIN_ANSWER_CHARS + 1
    else:
        assert isinstance(OPENAI.ask_for_error(long, stream=False, request=request), ServerError)


@each_adapter
@either_way
@pytest.mark.parametrize(("status", "kind"), [(500, ServerError), (401, UnauthorizedError)])
def test_the_status_of_an_endless_error_counts(
    adapter: Adapter, stream: bool, status: int, kind: type[ModelError]
) -> None:
    """Of an error, 64 KiB are read; its status says what it means."""
    playback = (head(status, content_type="text/plain"), Endless(b"no " * MEGABYTE))
    error = error_of(adapter, playback, stream=stream)
    assert type(error) is kind
    assert f"answered {status}" in str(error)


@each_adapter
@pytest.mark.parametrize("sent", ["comments", "bytes", "tokens"])
def test_an_answer_has_a_deadline(adapter: Adapter, sent: str) -> None:
    """An answer must be whole within its deadline, even if bytes keep arriving."""
    token = {OPENAI.name: chunk({"content": "x "}), ANTHROPIC.name: text_delta("x ")}[adapter.name]
    begun = "".join(adapter.begun) if sent == "tokens" else ""
    data = {"comments": ": keep-alive\n\n", "bytes": "x", "tokens": token}[sent]
    playback = (head(content_type=media(stream=True)), begun.encode(), Endless(data.encode(), pause_s=0.01))
    error = error_of(adapter, playback, stream=True, answer_timeout_s=0.2)
    assert isinstance(error, ModelTimeoutError)
    assert "did not complete its answer in 0.2 s" in str(error)
    assert "limits.answer_timeout_s" in str(error)


@pytest.mark.parametrize(
    ("encoding", "compressed"), [("gzip", gzip.compress), ("deflate", zlib.compress), ("identity", bytes)]
)
def test_a_compressed_answer_is_read(encoding: str, compressed: type[bytes]) -> None:
    """A gzip or deflate body is decompressed."""
    (whole,) = OPENAI.whole
    assert isinstance(whole, bytes)
    body = compressed(whole.partition(b"\r\n\r\n")[2])
    assert OPENAI.ask(http_response(body, headers={"Content-Encoding": encoding}))[0].text == "Hi"


WHOLE_BODY = OPENAI.whole[0].partition(b"\r\n\r\n")[2]


@pytest.mark.parametrize("pieces", [1, 2, len(WHOLE_BODY)])
@pytest.mark.parametrize("after", [b"", bytes(9), b"\r\n"], ids=["nothing", "zeros", "a line end"])
@pytest.mark.parametrize("chunk_bytes", [1, pytest.param(30, marks=pytest.mark.soak), 10_000])
def test_all_members_of_a_gzip_body_are_read(pieces: int, after: bytes, chunk_bytes: int) -> None:
    """A gzip body may be compressed in several pieces, arrive in any chunks, and have other bytes at its end."""
    size = -(-len(WHOLE_BODY) // pieces)
    starts = range(0, len(WHOLE_BODY), size)
    body = b"".join(gzip.compress(WHOLE_BODY[start : start + size]) for start in starts) + after
    playback = (
        head(content_type=media(stream=False), content_encoding="gzip"),
        *(body[start : start + chunk_bytes] for start in range(0, len(body), chunk_bytes)),
        "close",
    )
    assert OPENAI.ask(playback)[0].text == "Hi"


@each_adapter
@pytest.mark.parametrize("kept", [1, -1, -8, -9])
@pytest.mark.parametrize("members", [1, 2])
def test_a_truncated_gzip_body_is_a_broken_body(adapter: Adapter, kept: int, members: int) -> None:
    """A gzip body that ends before the end of its last member is an error, even if its words seem to be whole."""
    body = adapter.whole[0].partition(b"\r\n\r\n")[2]
    pieces = [body] if members == 1 else [body, b" "]
    *complete, last = map(gzip.compress, pieces)
    playback = http_response(b"".join(complete) + last[:kept], headers={"Content-Encoding": "gzip"})
    assert type(adapter.ask_for_error(playback, stream=False)) is BrokenBodyError


@each_adapter
def test_an_event_stream_is_complete_after_its_last_event(adapter: Adapter) -> None:
    """Some servers never end the compression of a stream; its own last event says that the answer is complete."""
    body = gzip.compress("".join((*adapter.begun, *adapter.end)).encode())[:-8]
    playback = (head(content_type=media(stream=True), content_encoding="gzip"), body, "close")
    assert adapter.ask(playback, on_text=ignore)[0].text == "a"


@pytest.mark.parametrize(("status", "kind"), [(200, BrokenBodyError), (500, ServerError)])
@pytest.mark.parametrize(("encoding", "body"), [("br", b"x"), ("gzip", b"not gzip")])
@either_way
def test_an_unreadable_compression_is_an_unreadable_body(
    encoding: str, body: bytes, status: int, kind: type[ModelError], stream: bool
) -> None:
    """Only gzip is asked for. Of an error, the status counts."""
    playback = http_response(body, status=status, headers={"Content-Encoding": encoding})
    assert type(OPENAI.ask_for_error(playback, stream=stream)) is kind
