"""The embedded server loads each file once, at its first call, and limits calls to its slots."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from model_server import ModelServer, model_server

from debate_cli.errors import PermanentError
from debate_cli.llm.meter import pausable_deadline
from debate_cli.llm.model import Message, OutputSchema, Profile, Request
from debate_cli.providers.embedded import PARALLEL_SLOTS, EmbeddedServer, EmbeddedSettings

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
    """Fake llama.cpp: returns a running model server instead of loading a file."""

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
        """Address of the model server."""
        return f"http://127.0.0.1:{self.server.port}"


def settings_with_files(folder: Path) -> EmbeddedSettings:
    """Settings with two files of weights."""
    for name in ("a.gguf", "b.gguf"):
        (folder / name).write_text("GGUF")
    return EmbeddedSettings(folder, {})


async def ask(server: EmbeddedServer, *names: str, request: Request = ASK) -> None:
    """Call these models concurrently; then unload them."""
    try:
        await asyncio.gather(*(server.model(name, PROFILE).complete(request) for name in names))
    finally:
        await server.aclose()


def test_a_file_is_loaded_once(tmp_path: Path) -> None:
    """Three concurrent calls of one model load its file once."""
    with model_server() as served:
        llama = Llama(served)
        asyncio.run(ask(EmbeddedServer(settings_with_files(tmp_path), start=llama), "a.gguf", "a.gguf", "a.gguf"))
    assert llama.starts == 1
    assert len(served.bodies) == 3


def test_the_server_is_opened_by_a_key_of_its_own(tmp_path: Path) -> None:
    """The embedded server gets a random key."""
    with model_server() as served:
        llama = Llama(served)
        asyncio.run(ask(EmbeddedServer(settings_with_files(tmp_path), start=llama), "a.gguf"))
    sent = {name.lower(): value for name, value in served.headers[0].items()}
    assert len(llama.key) >= 32
    assert sent["authorization"] == f"Bearer {llama.key}"


def test_the_schema_is_one_that_grammars_enforce(tmp_path: Path) -> None:
    """The embedded model gets a narrower schema than the form's."""
    with model_server() as served:
        asyncio.run(ask(EmbeddedServer(settings_with_files(tmp_path), start=Llama(served)), "a.gguf"))
    sent = served.bodies[0]["response_format"]["json_schema"]["schema"]
    assert "enum" in sent["properties"]["x"]


def test_concurrent_calls_are_limited_to_the_slots(tmp_path: Path) -> None:
    """A call waits while all slots of the server are taken."""
    with model_server(latency_s=0.05) as served:
        asyncio.run(ask(EmbeddedServer(settings_with_files(tmp_path), start=Llama(served)), *["a.gguf"] * 5))
    assert 0 < served.most_at_once <= PARALLEL_SLOTS


async def ask_with_deadline(server: EmbeddedServer, times: int, deadline_s: float) -> None:
    """Make concurrent calls, each with a deadline; raises TimeoutError if one passes it."""

    async def one() -> None:
        deadline = asyncio.timeout(deadline_s)
        async with deadline:
            with pausable_deadline(deadline):
                await server.model("a.gguf", PROFILE).complete(ASK)

    try:
        await asyncio.gather(*(one() for _ in range(times)))
    finally:
        await server.aclose()


def test_waiting_for_a_slot_pauses_the_deadline(tmp_path: Path) -> None:
    """The deadline counts only the call itself."""
    with model_server(latency_s=0.4) as served:
        asyncio.run(
            ask_with_deadline(
                EmbeddedServer(settings_with_files(tmp_path), start=Llama(served)), 2 * PARALLEL_SLOTS + 1, 1.0
            )
        )
    assert len(served.bodies) == 2 * PARALLEL_SLOTS + 1


def test_loading_pauses_the_deadline(tmp_path: Path) -> None:
    """The time for loading a file does not count against the deadline."""
    with model_server() as served:
        llama = Llama(served)

        def start(file: Path, key: str) -> Llama:
            time.sleep(1.0)
            return llama(file, key)

        asyncio.run(ask_with_deadline(EmbeddedServer(settings_with_files(tmp_path), start=start), 2, 0.75))
    assert len(served.bodies) == 2


def test_a_failed_load_is_retried(tmp_path: Path) -> None:
    """After a failed load, the next call loads the file again."""
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

        asyncio.run(twice(EmbeddedServer(settings_with_files(tmp_path), start=start)))
    assert llama.starts == 1
