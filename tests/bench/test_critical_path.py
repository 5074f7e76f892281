"""Time on the wall against a server that answers after a fixed wait: how much of it is more than the longest chain of calls."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from bench.figures import Figures
from bench.server_process import ServerProcess, server_process
from rehearsal_support import config_of

from debate_cli import api
from debate_cli.domain.assessment import Assessment, Resolution
from debate_cli.domain.debate import Debate
from debate_cli.rejudging import KINDS
from debate_cli.session import Outcome

LATENCY_S = 0.5
ROUNDS = 5
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
    walls: list[float] = []
    for _ in range(ROUNDS):
        with server.waiting(LATENCY_S):
            started = time.perf_counter()
            debate = _hold(server, *systems, folder=tmp_path)
            walls.append(time.perf_counter() - started)
    figures.add(
        f"critical path, {name}",
        median(walls) / (4 * LATENCY_S),
        f"{median(walls):.3f} s, {debate.usage.calls} calls, 4 × {LATENCY_S} s at least",
        at_most=1.05,
    )


def test_a_panel_takes_one_call_a_round(figures: Figures, server: ServerProcess) -> None:
    """Five judges at once, then again for every round in which they deliberate."""
    debate = _hold(server)
    ratios: list[float] = []
    for _ in range(ROUNDS):
        with server.waiting(LATENCY_S):
            started = time.perf_counter()
            votes = _judge(debate, "panel")
            wall = time.perf_counter() - started
        rounds = max(vote.revision for vote in votes)
        ratios.append(wall / ((1 + rounds) * LATENCY_S))
    figures.add(
        "critical path, judge: panel of five",
        median(ratios),
        f"{len(votes)} votes, {rounds} rounds of deliberation, (1 + {rounds}) × {LATENCY_S} s at least",
        at_most=1.05,
    )


@pytest.mark.parametrize(("name", "provider", "target"), [("", OPEN, 1.1), (", default limits", None, None)])
def test_all_systems_take_the_longest_chain(
    figures: Figures, server: ServerProcess, name: str, provider: dict[str, int] | None, target: float | None
) -> None:
    """All five systems judge side by side: the longest of them, not their sum, unless the provider's limit makes calls queue."""
    debate = _hold(server, provider=provider)
    ratios: list[float] = []
    for _ in range(ROUNDS):
        with server.waiting(LATENCY_S):
            started = time.perf_counter()
            added = _judge(debate, *KINDS)
            wall = time.perf_counter() - started
        ratios.append(wall / (_longest_chain(added) * LATENCY_S))
    chain = _longest_chain(added)
    figures.add(
        f"critical path, judge: all five systems{name}",
        median(ratios),
        f"{len(added)} calls, {chain} × {LATENCY_S} s at least",
        at_most=target,
    )


def _longest_chain(assessments: tuple[Assessment, ...]) -> int:
    """Calls that had to be made one after the other: the panel's revisions, or the live judge's resolution after its narrative."""
    revisions = max((item.revision for item in assessments if item.system == "panel"), default=0)
    resolved = any(isinstance(finding, Resolution) for item in assessments for finding in item.findings)
    return 1 + max(revisions, int(resolved))
