"""Time on the wall against a server that answers after a fixed wait: how much of it is more than the longest chain of calls."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

import pytest
from bench.figures import Figures, Spent, median_of
from bench.server_process import ServerProcess, server_process
from openai import AsyncOpenAI, DefaultAsyncHttpxClient
from rehearsal_support import config_of

from debate_cli import api
from debate_cli.domain.assessment import SYSTEM_KINDS, Assessment, Resolution
from debate_cli.domain.debate import Debate
from debate_cli.session import Outcome

T = TypeVar("T")
LATENCY_S = 0.5
ROUNDS = 5
WORDS = 2000
"""In a question to the bare SDK: as many as a judge of the debate below is sent."""
MODEL = "vllm/any"
"""Of a row whose servers enforce a schema to the letter, as the model server does: no answer has to be asked for again."""
OPEN: dict[str, int] = {"max_concurrency": 64}
"""Settings of a provider that make nothing wait for a free slot."""


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """A model server that does not wait until told to; the SDK is imported and its connections tried out."""
    with server_process() as running:
        _hold(running)
        yield running


def _hold(
    server: ServerProcess, *systems: Any, folder: Path | None = None, provider: dict[str, int] | None = None
) -> Debate:
    """A debate of two debaters with three arguments each, all voices on `server`."""
    config = config_of(
        providers={"vllm": {"base_url": server.base_url, "api_key_env": None, **(provider or {})}},
        models={"default": {"model": MODEL}},
        judging={"systems": list(systems) or ["structured"]},
        limits={"concurrency": 64},
    )
    outcome = asyncio.run(api.run_debate(config, folder=folder))
    assert outcome.halted is None
    assert not outcome.debate.failures
    return outcome.debate


def _judge(debate: Debate, *systems: str) -> tuple[Assessment, ...]:
    """What a further judging run adds."""
    outcome: Outcome = asyncio.run(api.judge(debate, systems=systems, model=MODEL))
    assert not outcome.debate.failures
    return tuple(item for item in outcome.debate.assessments if item.run == outcome.debate.runs[-1].id)


def _timed(server: ServerProcess, work: Callable[[], T]) -> list[tuple[T, Spent]]:
    """What `work` came to each time, and what it took while the server let it wait."""
    runs: list[tuple[T, Spent]] = []
    for _ in range(ROUNDS):
        with server.waiting(LATENCY_S):
            wall, processor = time.perf_counter(), time.process_time()
            result = work()
            runs.append((result, Spent(time.perf_counter() - wall, time.process_time() - processor)))
    return runs


def _report(figures: Figures, name: str, runs: Sequence[tuple[int, int, Spent]], target: float | None) -> None:
    """The figure of runs with so many calls, so many of them one after the other: another answer may need another number."""
    ratios = sorted(spent.wall_s / (chain * LATENCY_S) for _, chain, spent in runs)
    processor = median_of([spent for _, _, spent in runs], "cpu_s")
    told = ", ".join(f"{calls} calls {chain} deep" for calls, chain in sorted({run[:2] for run in runs}))
    basis = f"best {ratios[0]:.3f}, processor {processor * 1000:.0f} ms, {told}"
    figures.add(f"critical path, {name}", median(ratios), basis, at_most=target)


@pytest.mark.parametrize(
    ("name", "systems"),
    [
        ("structured", ["structured"]),
        ("structured + moderator", ["structured", {"kind": "moderator", "guidance": False}]),
    ],
)
def test_a_debate_takes_four_calls(
    figures: Figures, server: ServerProcess, tmp_path: Path, name: str, systems: list[Any]
) -> None:
    """Three rounds with both sides at once, then the judges: four calls one after the other, however many in all."""
    runs = _timed(server, lambda: _hold(server, *systems, folder=tmp_path))
    _report(figures, name, [(debate.usage.calls, 4, spent) for debate, spent in runs], 1.05)


@pytest.mark.parametrize(
    ("name", "provider", "target"),
    [
        ("judge: panel", OPEN, 1.05),
        ("judge: all five systems", OPEN, 1.05),
        ("judge: all five systems, default limits", None, None),
    ],
)
def test_judges_take_the_longest_chain(
    figures: Figures, server: ServerProcess, name: str, provider: dict[str, int] | None, target: float | None
) -> None:
    """Judges sit side by side: a panel takes one call a round, all systems as long as the longest of them, unless calls queue."""
    debate = _hold(server, provider=provider)
    runs = _timed(server, lambda: _judge(debate, *(("panel",) if name == "judge: panel" else SYSTEM_KINDS)))
    counted = [(sum(item.exchange.attempts for item in added), _longest_chain(added), spent) for added, spent in runs]
    _report(figures, name, counted, target)


@pytest.mark.parametrize("waves", [(5, 5), (22,), (22, 5)])
def test_what_the_sdk_alone_takes(figures: Figures, server: ServerProcess, waves: tuple[int, ...]) -> None:
    """Questions as many and as long as a panel's or all judges', and nothing of ours around them: no run can take less."""
    runs = _timed(server, lambda: asyncio.run(_ask_bare(server.base_url, waves)))
    name = "SDK alone: " + " then ".join(f"{calls} at once" for calls in waves)
    _report(figures, name, [(sum(waves), len(waves), spent) for _, spent in runs], None)


async def _ask_bare(base_url: str, waves: Sequence[int]) -> None:
    """Ask so many questions at once, wave after wave."""
    transport = DefaultAsyncHttpxClient(timeout=60, verify=False)
    question = {"model": "any", "messages": [{"role": "user", "content": "word " * WORDS}], "max_tokens": 800}
    async with AsyncOpenAI(api_key="none", base_url=base_url, max_retries=0, http_client=transport) as client:
        for calls in waves:
            await asyncio.gather(
                *(client.post("/chat/completions", body=question, cast_to=object) for _ in range(calls))
            )


def _longest_chain(assessments: tuple[Assessment, ...]) -> int:
    """Calls that had to be made one after the other: the panel's revisions, or the live judge's resolution after its narrative."""
    revisions = max((item.revision for item in assessments if item.system == "panel"), default=0)
    resolved = any(isinstance(finding, Resolution) for item in assessments for finding in item.findings)
    return 1 + max(revisions, int(resolved))
