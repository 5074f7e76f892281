"""An embedded model is loaded once, when it is first asked, and then asked like any server."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from model_server import ModelServer, model_server

from debate_cli.errors import PermanentError
from debate_cli.llm.model import Message, OutputSchema, Request
from debate_cli.llm.profile import Profile
from debate_cli.llm.rate_limit import pausable_deadline
from debate_cli.providers.embedded import PARALLEL_SLOTS, EmbeddedServer, EmbeddedSettings, count_idle_processors

ASK = Request(
    system="Rules.",
    messages=(Message("user", "Speak."),),
    purpose="opening",
    max_output_tokens=50,
    schema=OutputSchema("s", {"type": "object", "properties": {"x": {"type": "number", "minimum": 0, "maximum": 1}}}),
    rung="native",
)
PROFILE = Profile(dialect="full")


@dataclass
class Llama:
    """Starts nothing: stands for llama.cpp with a server that is there already."""

    server: ModelServer
    starts: int = 0
    key: str = ""

    def __call__(self, _file: Path, key: str) -> Llama:
        """Pretend to load a file."""
        self.starts += 1
        self.key = key
        return self

    @property
    def listening_address(self) -> str:
        """Of the stand-in."""
        return f"http://127.0.0.1:{self.server.port}"


def place(folder: Path) -> EmbeddedSettings:
    """A folder with two files of weights."""
    for name in ("a.gguf", "b.gguf"):
        (folder / name).write_text("GGUF")
    return EmbeddedSettings(folder, {})


async def ask(server: EmbeddedServer, *names: str, request: Request = ASK) -> None:
    """Ask these models, all at once; then unload them."""
    try:
        await asyncio.gather(*(server.model(name, PROFILE).complete(request) for name in names))
    finally:
        await server.aclose()


def test_a_file_is_loaded_once(tmp_path: Path) -> None:
    """Three calls at the same time, one load."""
    with model_server() as served:
        llama = Llama(served)
        asyncio.run(ask(EmbeddedServer(place(tmp_path), start=llama), "a.gguf", "a.gguf", "a.gguf"))
    assert llama.starts == 1
    assert len(served.bodies) == 3


def test_each_file_has_its_server(tmp_path: Path) -> None:
    """Two models of two files are two loads."""
    with model_server() as served:
        llama = Llama(served)
        asyncio.run(ask(EmbeddedServer(place(tmp_path), start=llama), "a.gguf", "b.gguf"))
    assert llama.starts == 2


def test_nothing_is_loaded_before_it_is_asked(tmp_path: Path) -> None:
    """Building a model opens no connection."""
    with model_server() as served:
        llama = Llama(served)
        EmbeddedServer(place(tmp_path), start=llama).model("a.gguf", PROFILE)
    assert llama.starts == 0


def test_the_server_is_opened_by_a_key_of_its_own(tmp_path: Path) -> None:
    """The server needs a random key."""
    with model_server() as served:
        llama = Llama(served)
        asyncio.run(ask(EmbeddedServer(place(tmp_path), start=llama), "a.gguf"))
    sent = {name.lower(): value for name, value in served.headers[0].items()}
    assert len(llama.key) >= 32
    assert sent["authorization"] == f"Bearer {llama.key}"


def test_the_schema_is_one_that_grammars_enforce(tmp_path: Path) -> None:
    """The embedded model gets a narrower schema than the form's."""
    with model_server() as served:
        asyncio.run(ask(EmbeddedServer(place(tmp_path), start=Llama(served)), "a.gguf"))
    sent = served.bodies[0]["response_format"]["json_schema"]["schema"]
    assert "enum" in sent["properties"]["x"]


def test_plain_text_goes_through(tmp_path: Path) -> None:
    """A request without a schema has none to narrow."""
    with model_server() as served:
        request = replace(ASK, schema=None, rung="text")
        asyncio.run(ask(EmbeddedServer(place(tmp_path), start=Llama(served)), "a.gguf", request=request))
    assert "response_format" not in served.bodies[0]


def test_no_more_calls_than_slots_are_under_way(tmp_path: Path) -> None:
    """A call that waits for a slot cannot time out."""
    with model_server(latency_s=0.05) as served:
        asyncio.run(ask(EmbeddedServer(place(tmp_path), start=Llama(served)), *["a.gguf"] * 5))
    assert 0 < served.most_at_once <= PARALLEL_SLOTS


async def ask_patiently(server: EmbeddedServer, times: int, patience_s: float) -> None:
    """Ask so often at once, each with so much patience; raises TimeoutError where it runs out."""

    async def one() -> None:
        patience = asyncio.timeout(patience_s)
        async with patience:
            with pausable_deadline(patience):
                await server.model("a.gguf", PROFILE).complete(ASK)

    try:
        await asyncio.gather(*(one() for _ in range(times)))
    finally:
        await server.aclose()


def test_waiting_for_a_slot_does_not_try_anybodys_patience(tmp_path: Path) -> None:
    """The deadline is for one question, not for several."""
    with model_server(latency_s=1.0) as served:
        asyncio.run(ask_patiently(EmbeddedServer(place(tmp_path), start=Llama(served)), 2 * PARALLEL_SLOTS + 1, 2.5))
    assert len(served.bodies) == 2 * PARALLEL_SLOTS + 1


def test_loading_does_not_try_anybodys_patience(tmp_path: Path) -> None:
    """The time for loading a file does not count against the deadline."""
    with model_server() as served:
        llama = Llama(served)

        def start(file: Path, key: str) -> Llama:
            time.sleep(2.0)
            return llama(file, key)

        asyncio.run(ask_patiently(EmbeddedServer(place(tmp_path), start=start), 2, 1.5))
    assert len(served.bodies) == 2


def test_a_file_that_does_not_load_can_be_tried_again(tmp_path: Path) -> None:
    """A failed load is tried again by the next call."""
    with model_server() as served:
        llama, failures = Llama(served), [PermanentError("no model")]

        def start(file: Path, key: str) -> Llama:
            if failures:
                raise failures.pop()
            return llama(file, key)

        async def twice(server: EmbeddedServer) -> None:
            with pytest.raises(PermanentError, match="no model"):
                await server.model("a.gguf", PROFILE).complete(ASK)
            await ask(server, "a.gguf")

        asyncio.run(twice(EmbeddedServer(place(tmp_path), start=start)))
    assert llama.starts == 1


def test_at_least_one_processor_is_free() -> None:
    """At least one thread is used on a busy machine."""
    assert count_idle_processors() >= 1
