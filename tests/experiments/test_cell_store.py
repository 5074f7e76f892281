"""Several runs on one ledger: the minute of a provider, and the budget."""

import asyncio
import json
import sqlite3
import threading
from collections.abc import Generator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from cli_support import debate
from experiments_support import PAIR, run, write_experiment, write_served_experiment, write_two_providers
from model_server import model_server

from debate_cli.domain.config import Limits
from debate_cli.experiments.cell_store import LedgerCells, LedgerWindow
from debate_cli.experiments.cells import Cell
from debate_cli.experiments.ledger import LEASE_S, LEDGER_NAME, Ledger
from debate_cli.llm.budget import BudgetAmount

WINDOW = 62
"""Seconds for which a call counts toward the limits of a minute."""


class Clock:
    """A clock that a test sets."""

    now = 1000.0

    def __call__(self) -> float:
        """Seconds since 1970."""
        return self.now


@pytest.fixture
def ledgers(tmp_path: Path) -> Generator[tuple[Ledger, Ledger]]:
    """One ledger with a cell, opened twice, as by two processes."""
    with ExitStack() as stack:
        first, second = (stack.enter_context(Ledger.create(tmp_path, "trial", mock=False)) for _ in range(2))
        first.set_plan("plan", [Cell("0" * 32, "m", "ann", "bob", 1, "{}", "debate", ())])
        yield first, second


def test_two_runs_share_the_requests_of_a_minute(ledgers: tuple[Ledger, Ledger]) -> None:
    """Two runs share three requests a minute, and another account has a minute of its own."""
    clock = Clock()
    one, other = (LedgerWindow(ledger, clock, "lab", 3, None) for ledger in ledgers)
    admit = [one.admit, other.admit, other.admit, one.admit]
    found = [asyncio.run(each(100)).wait_s for each in admit]
    assert found == [0, 0, 0, WINDOW]
    assert asyncio.run(LedgerWindow(ledgers[0], clock, "other lab", 3, None).admit(100)).wait_s == 0
    clock.now += WINDOW
    assert asyncio.run(other.admit(100)).wait_s == 0


def test_two_runs_share_the_tokens_of_a_minute(ledgers: tuple[Ledger, Ledger]) -> None:
    """Fewer actual tokens make room for a call. A call above the limit needs a minute without calls."""
    clock = Clock()
    one, other = (LedgerWindow(ledger, clock, "lab", None, 1000) for ledger in ledgers)
    entry = asyncio.run(one.admit(900)).entry
    assert asyncio.run(other.admit(200)).wait_s == WINDOW
    asyncio.run(one.correct(entry, 300))
    assert asyncio.run(other.admit(200)).wait_s == 0
    assert asyncio.run(one.admit(5000)).wait_s > 0
    clock.now += WINDOW + 1
    assert asyncio.run(one.admit(5000)).wait_s == 0


async def test_a_lost_cell_is_stored_by_its_new_run_and_its_cost_counts_once(
    ledgers: tuple[Ledger, Ledger], tmp_path: Path
) -> None:
    """A run that lost a cell cannot store it. It spent $2 on the cell: of a budget of $3, $1 is left."""
    clock = Clock()
    sleeper, other = (LedgerCells(ledger, tmp_path, clock=clock) for ledger in ledgers)
    limits = Limits(max_cost_usd=3)
    budget = await sleeper.open_budget(limits)
    record = await sleeper.take()
    assert record is not None
    async with budget.reserve(BudgetAmount(100, 2.0), "a call") as reservation:
        reservation.used = BudgetAmount(100, 2.0)
    clock.now += LEASE_S + 1
    await other.open_budget(limits)
    taken = await other.take()
    assert taken is not None
    assert taken.cell == record.cell
    ledgers[1].query("UPDATE cells SET cost_usd = 2, tokens = 100")  # as its journal says
    assert not await sleeper.settle(record, record._replace(state="done", cost_usd=2.0, tokens=100), [])
    assert await other.settle(taken, taken._replace(state="done", cost_usd=2.0, tokens=100), [])
    await sleeper.renew(budget)
    async with budget.reserve(BudgetAmount(0, 1.0), "another call"):
        pass


def test_a_run_counts_its_calls_for_others(tmp_path: Path) -> None:
    """The ledger has each request to a provider with a limit per minute, with the tokens of the request."""
    with model_server() as server:
        write_served_experiment(tmp_path, server.base_url, 2)
        base = (tmp_path / "base.yaml").read_text()
        limited = base.replace("max_concurrency", "requests_per_minute: 100\n    max_concurrency")
        (tmp_path / "base.yaml").write_text(limited)
        run(tmp_path)
    with closing(sqlite3.connect(tmp_path / "trial" / LEDGER_NAME)) as ledger:
        counted = ledger.execute("SELECT COUNT(*), COUNT(DISTINCT account), SUM(tokens) FROM calls").fetchone()
        spent = ledger.execute("SELECT SUM(tokens) FROM cells").fetchone()
    assert counted == (len(server.bodies), 1, *spent)


def test_a_provider_that_refuses_calls_holds_up_no_other(tmp_path: Path) -> None:
    """While a cell waits for the Retry-After of its provider, the run continues with cells of another provider."""
    with model_server(failures=[429]) as closed, model_server() as open_:
        closed.retry_after = 4
        write_two_providers(tmp_path, closed.base_url, open_.base_url)
        events = [json.loads(line) for line in run(tmp_path, "--json", "--limit", "2").splitlines()]
    assert [event["first"] for event in events if event["type"] == "settled"] == ["cid", "ann"]


def test_cells_of_other_processes_are_named(tmp_path: Path) -> None:
    """A run names the number of cells that other processes run, and does not fail."""
    write_experiment(tmp_path, players=PAIR)
    run(tmp_path, "--limit", "1")
    with Ledger.open(tmp_path / "trial") as ledger:
        other = LedgerCells(ledger, tmp_path / "trial")
        asyncio.run(other.open_budget(Limits()))
        assert asyncio.run(other.take()) is not None
        done = debate("experiment", "run", "exp.yaml", cwd=tmp_path)
        asyncio.run(other.close())
    assert done.code == 0
    assert "note: 1 cell is being run by other processes\n" in done.err


def test_a_run_waits_for_another_that_creates_the_ledger(tmp_path: Path) -> None:
    """A run waits while another run creates the ledger."""
    path = tmp_path / LEDGER_NAME
    path.touch()
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        release = threading.Timer(0.2, other.execute, ["COMMIT"])
        release.start()
        with Ledger.create(tmp_path, "trial", mock=False) as ledger:
            assert ledger.name == "trial"
        release.join()
