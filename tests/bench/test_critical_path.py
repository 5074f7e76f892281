"""Time of a debate against its longest chain of calls, made one after the other by the bare SDK to the same server."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from bench.figures import Figures
from bench.server_process import ServerProcess, server_process
from openai import AsyncOpenAI, DefaultAsyncHttpxClient
from rehearsal_support import config_of

from debate_cli.app import api
from debate_cli.domain.config import DebateConfig

LATENCY_S = 0.5
PROMPT_WORDS = 2000
"""Approximate length of a judge's prompt in this debate."""


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """A model server that waits `LATENCY_S` before each answer."""
    with server_process() as running:
        running.wait_before_answers(LATENCY_S)
        yield running


def test_a_debate(figures: Figures, server: ServerProcess, tmp_path: Path) -> None:
    """Three rounds with both sides at once, then both judges at once: four calls one after the other."""
    config = _config(server, ("structured", {"kind": "moderator", "guidance": False}))
    figures.add_ratio(
        "critical path of a debate, 4 calls deep",
        lambda: _seconds(api.run_debate(config, folder=tmp_path)),
        lambda: _seconds(_ask_in_turn(server.base_url, 4)),
        rounds=5,
        bound=1.10,
    )


def _config(server: ServerProcess, systems: Sequence[Any]) -> DebateConfig:
    """Two debaters with three arguments each; every model on `server`, with room for all calls at once."""
    return config_of(
        providers={"vllm": {"base_url": server.base_url, "api_key_env": None, "max_concurrency": 64}},
        models={"default": {"model": "vllm/any"}},
        judging={"systems": list(systems)},
        limits={"concurrency": 64},
    )


def _seconds(work: Any) -> float:
    """Seconds that awaiting `work` takes."""
    started = time.perf_counter()
    asyncio.run(work)
    return time.perf_counter() - started


async def _ask_in_turn(base_url: str, calls: int) -> None:
    """Ask `calls` questions in sequence."""
    transport = DefaultAsyncHttpxClient(timeout=60, verify=False)
    question = {"model": "any", "messages": [{"role": "user", "content": "word " * PROMPT_WORDS}], "max_tokens": 800}
    async with AsyncOpenAI(api_key="none", base_url=base_url, max_retries=0, http_client=transport) as client:
        for _ in range(calls):
            await client.post("/chat/completions", body=question, cast_to=object)
