"""Experiments: calls a second against a bare loop of the SDK, memory and scheduling with many cells."""

import asyncio
import itertools
import time
from pathlib import Path
from typing import Any

import pytest
from bench.answering_server import answering_server
from bench.figures import DEBATE, Figures, run_measured
from experiments_support import PAIR, write_experiment, write_served_experiment
from model_server import model_server
from openai import AsyncOpenAI, AsyncStream, DefaultAsyncHttpxClient

from debate_cli.experiments.cell_store import LedgerCells
from debate_cli.experiments.ledger import Ledger

LATENCY_S = 4.0
"""Seconds that the server takes for an answer: short for a speech of a real model."""
CALLS_PER_CELL = 5


@pytest.mark.parametrize("concurrency", [8, 64, 256])
def test_throughput(figures: Figures, tmp_path: Path, concurrency: int) -> None:
    """Calls a second of an experiment against those of the bare SDK with the same bodies and the same concurrency."""
    bodies = _sample_bodies(tmp_path / "sample")
    motions = max(concurrency, 8)  # ten waves of calls, so that start and end weigh little
    calls = motions * 2 * CALLS_PER_CELL
    with answering_server(LATENCY_S) as address:
        started = time.perf_counter()
        asyncio.run(_ask(address, list(itertools.islice(itertools.cycle(bodies), calls)), concurrency))
        bare = time.perf_counter() - started
        here = tmp_path / "here"
        here.mkdir()
        write_served_experiment(here, address, motions, concurrency)
        ours = run_measured([DEBATE, "experiment", "run", here / "exp.yaml", "--quiet"]).wall_s
    figures.add(
        f"throughput at concurrency {concurrency}",
        bare / ours,
        f"{calls / ours:.1f} against {calls / bare:.1f} calls a second",
        bound=0.85,
        at_least=True,
    )


def test_memory_and_time_of_many_cells(figures: Figures, tmp_path: Path) -> None:
    """Peak memory of 10,000 mock cells against 1,000, and seconds a cell."""
    costs = {cells: _mock_run(tmp_path / str(cells), cells) for cells in (1000, 10_000)}
    few, many = costs[1000], costs[10_000]
    basis = f"{many.peak_mib:.0f} against {few.peak_mib:.0f} MiB"
    figures.add("peak memory, 10,000 against 1,000 cells", many.peak_mib / few.peak_mib, basis, bound=1.15)
    figures.add(
        "time a cell, 10,000 against 1,000 cells", many.wall_s / few.wall_s / 10, f"{many.wall_s:.0f} s", bound=1.15
    )


def test_scheduling(figures: Figures, tmp_path: Path) -> None:
    """Taking and settling one more cell of 100,000 against one of 100."""
    small, large = (_seconds_a_cell(tmp_path / str(cells), cells) for cells in (100, 100_000))
    figures.add(
        "scheduling a cell, 100,000 against 100",
        large / small,
        f"{large * 1e6:.0f} against {small * 1e6:.0f} µs",
        bound=1.5,
    )


def _sample_bodies(here: Path) -> list[dict[str, Any]]:
    """The bodies of a small experiment."""
    here.mkdir()
    with model_server() as server:
        write_served_experiment(here, server.base_url, 2)
        run_measured([DEBATE, "experiment", "run", here / "exp.yaml", "--quiet"])
        return server.bodies


async def _ask(base_url: str, bodies: list[dict[str, Any]], concurrency: int) -> None:
    """Send the bodies with the bare SDK, so many at once, and read the answers."""
    room = asyncio.Semaphore(concurrency)
    transport = DefaultAsyncHttpxClient(timeout=60, verify=False)
    client: Any = AsyncOpenAI(api_key="none", base_url=base_url, max_retries=0, http_client=transport)

    async def send(body: dict[str, Any]) -> None:
        streamed = bool(body.get("stream"))
        async with room:
            answer = await client.post(
                "/chat/completions", body=body, cast_to=object, stream=streamed, stream_cls=AsyncStream[object]
            )
            if streamed:
                async for _ in answer:
                    pass

    async with client, asyncio.TaskGroup() as group:
        for body in bodies:
            group.create_task(send(body))


def _mock_run(here: Path, cells: int) -> Any:
    """The cost of an experiment with so many cells on the mock, without judges."""
    here.mkdir()
    motions = [f"Is number {number} a good number?" for number in range(cells // 2)]
    write_experiment(here, motions=motions, players=PAIR, limits={"concurrency": 8})
    return run_measured([DEBATE, "experiment", "run", here / "exp.yaml", "--quiet"])


def _seconds_a_cell(here: Path, cells: int) -> float:
    """Seconds to take and settle a cell of a ledger with so many."""
    from debate_cli.experiments.cells import Cell

    planned = (Cell(f"{number:032x}", "m", "a", "b", 1, "{}", f"d-{number}", ()) for number in range(cells))
    with Ledger.create(here, "bench", mock=False) as ledger:
        ledger.set_plan("plan", planned)
        return asyncio.run(_take_and_settle(LedgerCells(ledger, here), rounds=50))


async def _take_and_settle(cells: LedgerCells, rounds: int) -> float:
    started = time.perf_counter()
    for _ in range(rounds):
        record = await cells.take()
        assert record is not None
        await cells.settle(record, record._replace(state="done"), [])
    return (time.perf_counter() - started) / rounds
