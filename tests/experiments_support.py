"""Writes experiments on the mock for tests, and reads what they left."""

import csv
import io
import signal
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import yaml
from cli_support import debate, start_process, wait_until
from model_server import model_server

from debate_cli.errors import UsageError
from debate_cli.experiments.ledger import CellState, Ledger
from debate_cli.experiments.results import JudgementRow, read_judgements

BASE: dict[str, Any] = {
    "topic": "A motion of the base",
    "seed": 7,
    "models": {"default": {"model": "mock/default"}},
    "debaters": [{"name": "Pro", "side": "for"}, {"name": "Con", "side": "against"}],
    "format": {"arguments": 1, "phases": ["opening", "closing"]},
}
"""A short debate: two rounds, one argument each."""


PAIR: list[dict[str, Any]] = [{"name": name, "model": f"mock/{name}"} for name in ("ann", "bob")]
"""Two players."""


def write_experiment(folder: Path, config: dict[str, Any] | None = None, **changes: Any) -> Path:
    """An experiment with two motions, three players and one judge; `config` is its base.

    `changes` override its keys; None removes one.
    """
    document: dict[str, Any] = {
        "name": "trial",
        "base": "base.yaml",
        "motions": ["Should cities ban cars?", "Is Latin worth teaching?"],
        "players": [{"name": name, "model": f"mock/{name}"} for name in ("ann", "bob", "cid")],
        "judges": [{"name": "jo", "model": "mock/jo"}],
        "limits": {"concurrency": 4},
    }
    document = {key: value for key, value in (document | changes).items() if value is not None}
    (folder / "base.yaml").write_text(yaml.safe_dump(config or BASE, sort_keys=False))
    path = folder / "exp.yaml"
    path.write_text(yaml.safe_dump(document, sort_keys=False))
    return path


def judgements(folder: Path) -> list[JudgementRow]:
    """The tidy rows of the experiment in `folder`."""
    with Ledger.open(folder) as ledger:
        return list(read_judgements(ledger))


def read_csv(text: str) -> list[dict[str, str]]:
    """The rows of a CSV document."""
    return list(csv.DictReader(io.StringIO(text)))


def run(folder: Path, *options: str | Path, expect: int = 0) -> str:
    """Run `exp.yaml` in `folder`, plainly; return stdout. Fails if the exit code is another one."""
    done = debate("experiment", "run", "exp.yaml", *options, cwd=folder)
    assert done.code == expect, done.err
    return done.out


def write_served_experiment(folder: Path, base_url: str, motions: int, concurrency: int = 8) -> Path:
    """An experiment of `motions` × 2 cells whose models are all on a local server."""
    lab: dict[str, Any] = {"kind": "openai", "base_url": base_url, "api_key_env": None, "max_concurrency": concurrency}
    lab["price"] = {"input": 1, "output": 1}
    return write_experiment(
        folder,
        {**BASE, "models": {"default": {"model": "lab/any"}}, "providers": {"lab": lab}},
        motions=[f"Is number {number} a good number?" for number in range(motions)],
        players=[{"name": name, "model": f"lab/{name}"} for name in ("ann", "bob")],
        judges=[{"name": "jo", "model": "lab/jo"}],
        limits={"concurrency": concurrency},
    )


def write_two_providers(folder: Path, closed_url: str, open_url: str) -> Path:
    """An experiment of two short cells, run one after the other: first ann and bob on one server, then cid and dee."""
    providers = {
        name: {"kind": "openai", "base_url": url, "api_key_env": None}
        for name, url in (("closed", closed_url), ("open", open_url))
    }
    models = {"ann": "closed/a", "bob": "closed/b", "cid": "open/c", "dee": "open/d"}
    return write_experiment(
        folder,
        {
            **BASE,
            "format": {"arguments": 1, "phases": ["opening"]},
            "models": {"default": {"model": "open/any"}},
            "providers": providers,
        },
        players=[{"name": name, "model": model} for name, model in models.items()],
        pairing=[["ann", "bob"], ["cid", "dee"]],
        motions=["Is tea good?"],
        sides="first",
        judges=None,
        limits={"concurrency": 1},
    )


def outcomes(folder: Path) -> dict[str, tuple[str | None, float | None, int, int]]:
    """Map each cell to winner, margin and words of both players, which two runs of the same cells must agree on."""
    return {row.cell: (row.winner, row.margin, row.first_words, row.second_words) for row in judgements(folder)}


def count_states(folder: Path) -> dict[CellState, int]:
    """Number of cells by state; empty before the ledger exists."""
    try:
        with Ledger.open(folder) as ledger:
            return ledger.counts()
    except UsageError:
        return {}


def check_killed_runs(
    here: Path, motions: int, kills: int, concurrency: int = 8, *, processes: Sequence[str] = ("",), growth: int = 0
) -> None:
    """Run an experiment undisturbed, and again killed `kills` times. Raises AssertionError.

    `processes`: the option of each of the runs that are started, and killed, together; empty for none. `growth`: motions
    that the file gains with each kill. Results must agree, and at most the calls whose answer is not on disk may be
    repeated: both debaters of each debate.
    """
    with model_server(latency_s=0.02) as server:
        write_served_experiment(here, server.base_url, motions + kills * growth, concurrency)
        run(here, "--out", "whole")
        undisturbed = len(server.bodies)
        server.bodies.clear()
        for number in range(kills):
            write_served_experiment(here, server.base_url, motions + number * growth, concurrency)
            _kill_after(here, (number + 1) * 2 * motions // (kills + 1), processes)
        write_served_experiment(here, server.base_url, motions + kills * growth, concurrency)
        for option in processes:
            run(here, *option.split())
        repeated = len(server.bodies) - undisturbed
        assert 0 <= repeated <= kills * 2 * concurrency * len(processes)
    assert outcomes(here / "trial") == outcomes(here / "whole")
    assert count_states(here / "trial") == {
        "open": 0,
        "running": 0,
        "failed": 0,
        "done": 2 * (motions + kills * growth),
    }
    assert not list((here / "trial" / "debates").glob("*.jsonl"))


def _kill_after(here: Path, cells: int, processes: Sequence[str]) -> None:
    """Run the experiment in `here` in several processes, and kill them as soon as so many cells are done."""
    with ExitStack() as stack:
        started = [
            stack.enter_context(start_process("experiment", "run", "exp.yaml", "--quiet", *option.split(), cwd=here))
            for option in processes
        ]
        wait_until(lambda: count_states(here / "trial").get("done", 0) >= cells, f"{cells} cells to be done")
        for process in started:
            process.signal(signal.SIGKILL)
            process.wait()
