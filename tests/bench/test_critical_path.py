"""Time on the wall against a server that answers after a fixed wait, held against that of the longest chain of calls.

The chain is as many calls by the bare SDK, one after the other, made right after each run: a slow machine slows both.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

import pytest
from bench.figures import Figures, Spent, median_of
from bench.server_process import ServerProcess, server_process
from openai import AsyncOpenAI, DefaultAsyncHttpxClient
from rehearsal_support import config_of

from debate_cli.app import api
from debate_cli.app.session import Outcome
from debate_cli.domain.assessment import SYSTEM_KINDS, Assessment, Resolution
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate

T = TypeVar("T")
LATENCY_S = 0.5
ROUNDS = 7
WORDS = 2000
"""In a question to the bare SDK: as many as a judge of the debate below is sent."""
MODEL = "vllm/any"
"""Of a row whose servers enforce a schema to the letter, as the model server does: no answer has to be asked for again."""
ALONE = ("structured",)
OPEN: dict[str, int] = {"max_concurrency": 64}
"""Settings of a provider that make nothing wait for a free slot."""


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """A model server that does not wait until told to; the SDK is imported and its connections tried out."""
    with server_process() as running:
        _hold(_config(running, ALONE))
        yield running


def _config(server: ServerProcess, systems: Sequence[Any], provider: Mapping[str, int] | None = None) -> DebateConfig:
    """Two debaters with three arguments each, and judges, all voices on `server`."""
    return config_of(
        providers={"vllm": {"base_url": server.base_url, "api_key_env": None, **(provider or {})}},
        models={"default": {"model": MODEL}},
        judging={"systems": list(systems)},
        limits={"concurrency": 64},
    )


def _hold(config: DebateConfig, folder: Path | None = None) -> Debate:
    """The debate of `config`, held and judged to its end."""
    outcome = asyncio.run(api.run_debate(config, folder=folder))
    assert outcome.halted is None
    assert not outcome.debate.failures
    return outcome.debate


def _judge(debate: Debate, config: DebateConfig) -> tuple[Assessment, ...]:
    """What a further judging run adds, by the systems of `config`."""
    outcome: Outcome = asyncio.run(api.judge(debate, config=config))
    assert not outcome.debate.failures
    return tuple(item for item in outcome.debate.assessments if item.run == outcome.debate.runs[-1].id)


@dataclass(frozen=True, slots=True)
class Measured:
    """One run, and its longest chain of calls made by the bare SDK."""

    calls: int
    chain: int
    """Calls that had to be made one after the other."""
    spent: Spent
    chain_s: float

    @property
    def ratio(self) -> float:
        """Of the run's time on the wall to that of the chain."""
        return self.spent.wall_s / self.chain_s

    @property
    def over_waiting(self) -> float:
        """The same to what the server lets the chain wait, and nothing else."""
        return self.spent.wall_s / (self.chain * LATENCY_S)


def _measure(server: ServerProcess, work: Callable[[], T], counted: Callable[[T], tuple[int, int]]) -> list[Measured]:
    """`work` several times while the server lets it wait; `counted` tells of what it came to how many calls, how deep, it took."""
    runs: list[Measured] = []
    for _ in range(ROUNDS):
        with server.waiting(LATENCY_S):
            wall, processor = time.perf_counter(), time.process_time()
            result = work()
            spent = Spent(time.perf_counter() - wall, time.process_time() - processor)
            calls, chain = counted(result)
            begun = time.perf_counter()
            asyncio.run(_ask_bare(server.base_url, (1,) * chain))
            runs.append(Measured(calls, chain, spent, time.perf_counter() - begun))
    return runs


def _report(figures: Figures, name: str, runs: Sequence[Measured], target: float | None) -> None:
    """The figures of runs, apart for each depth that they had: another answer may need another number of calls."""
    for chain in sorted({run.chain for run in runs}):
        same = [run for run in runs if run.chain == chain]
        processor = median_of([run.spent for run in same], "cpu_s")
        calls = " or ".join(map(str, sorted({run.calls for run in same})))
        waiting = median(run.over_waiting for run in same)
        best = min(run.ratio for run in same)
        basis = (
            f"{len(same)} runs of {calls} calls, best {best:.3f}, to the waiting alone {waiting:.3f}, "
            f"processor {processor * 1000:.0f} ms"
        )
        figures.add(f"critical path, {name}, {chain} deep", median(run.ratio for run in same), basis, at_most=target)


@pytest.mark.parametrize(
    ("name", "systems"),
    [
        ("structured", ALONE),
        ("structured + moderator", ("structured", {"kind": "moderator", "guidance": False})),
    ],
)
def test_a_debate_takes_four_calls(
    figures: Figures, server: ServerProcess, tmp_path: Path, name: str, systems: Sequence[Any]
) -> None:
    """Three rounds with both sides at once, then the judges: four calls one after the other, however many in all."""
    config = _config(server, systems)
    runs = _measure(server, lambda: _hold(config, tmp_path), lambda debate: (debate.usage.calls, 4))
    _report(figures, name, runs, 1.05)


@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_a_panel_takes_one_call_a_round(figures: Figures, server: ServerProcess, rounds: int) -> None:
    """All members are asked at once, first blind and then in every round of deliberation."""
    runs = _judged(server, [_deliberating(rounds)], OPEN)
    _report(figures, f"judge: panel, max_rounds {rounds}", runs, 1.05)


@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_all_judges_take_the_longest_chain(figures: Figures, server: ServerProcess, rounds: int) -> None:
    """All systems sit side by side and take as long as the longest of them: the panel, where it deliberates."""
    runs = _judged(server, _all_five(rounds), OPEN)
    _report(figures, f"judge: all five, max_rounds {rounds}", runs, 1.05)


def test_default_limits_make_judges_queue(figures: Figures, server: ServerProcess) -> None:
    """A provider takes eight questions at a time unless told otherwise, so the others wait."""
    runs = _judged(server, _all_five(1), None)
    _report(figures, "judge: all five, max_rounds 1, default limits", runs, None)


def _judged(server: ServerProcess, systems: Sequence[Any], provider: Mapping[str, int] | None) -> list[Measured]:
    """Runs that judge one debate by `systems`."""
    debate = _hold(_config(server, ALONE))
    config = _config(server, systems, provider)
    return _measure(server, lambda: _judge(debate, config), _calls_and_chain)


def _all_five(rounds: int) -> list[Any]:
    return [_deliberating(rounds) if kind == "panel" else kind for kind in SYSTEM_KINDS]


def _deliberating(rounds: int) -> dict[str, Any]:
    """A panel that votes anew so many times, unless all agree at once."""
    return {"kind": "panel", "max_rounds": rounds, "convergence_threshold": 1}


@pytest.mark.parametrize("waves", [(5, 5), (22,), (22, 5)])
def test_what_the_sdk_alone_takes(figures: Figures, server: ServerProcess, waves: tuple[int, ...]) -> None:
    """Questions as many and as long as a panel's or all judges', and nothing of ours around them: what the SDK alone takes."""
    name = "SDK alone: " + " then ".join(f"{calls} at once" for calls in waves)
    counted = (sum(waves), len(waves))
    runs = _measure(server, lambda: asyncio.run(_ask_bare(server.base_url, waves)), lambda _: counted)
    _report(figures, name, runs, None)


async def _ask_bare(base_url: str, waves: Sequence[int]) -> None:
    """Ask so many questions at once, wave after wave."""
    transport = DefaultAsyncHttpxClient(timeout=60, verify=False)
    question = {"model": "any", "messages": [{"role": "user", "content": "word " * WORDS}], "max_tokens": 800}
    async with AsyncOpenAI(api_key="none", base_url=base_url, max_retries=0, http_client=transport) as client:
        for calls in waves:
            await asyncio.gather(
                *(client.post("/chat/completions", body=question, cast_to=object) for _ in range(calls))
            )


def _calls_and_chain(added: tuple[Assessment, ...]) -> tuple[int, int]:
    return sum(item.exchange.attempts for item in added), _longest_chain(added)


def _longest_chain(assessments: tuple[Assessment, ...]) -> int:
    """Calls that had to be made one after the other: the panel's revisions, or the live judge's resolution after its narrative."""
    revisions = max((item.revision for item in assessments if item.system == "panel"), default=0)
    resolved = any(isinstance(finding, Resolution) for item in assessments for finding in item.findings)
    return 1 + max(revisions, int(resolved))
