"""Experiments in a queue on PostgreSQL: workers share them, take over from one another, and keep limits together."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import zlib
from collections.abc import Generator, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml
from cli_support import CommandResult, debate, start_process, wait_until
from experiments_support import (
    BASE,
    PAIR,
    count_states,
    judgements,
    outcomes,
    run,
    write_experiment,
    write_served_experiment,
    write_two_providers,
)
from model_server import model_server
from postgres_support import PASSWORD, PostgresServer, needs_postgres, postgres_server, query

from debate_cli.domain.config import Limits
from debate_cli.errors import LeaseLostError, StorageError
from debate_cli.experiments.cluster.database import Database, address_secrets
from debate_cli.experiments.cluster.lease import CURRENT_LEASE
from debate_cli.experiments.cluster.limits import QueueWindow, SharedBudget
from debate_cli.experiments.cluster.queue_sync import copy_from_queue
from debate_cli.experiments.cluster.queued_cells import QueuedCells
from debate_cli.experiments.ledger import Ledger
from debate_cli.llm.budget import BudgetAmount
from debate_cli.llm.rate_limit import Admission
from debate_cli.llm.redaction import Redactor

pytestmark = needs_postgres


@pytest.fixture(scope="module")
def server() -> Generator[PostgresServer]:
    """One server for all tests."""
    with postgres_server() as found:
        yield found


@pytest.fixture
def dsn(server: PostgresServer) -> str:
    """The address of an empty database."""
    return server.new_database()


def enqueue(here: Path, dsn: str, *options: str, expect: int = 0) -> CommandResult:
    """Put `exp.yaml` into the queue."""
    done = debate("experiment", "run", "exp.yaml", "--enqueue-only", *options, cwd=here, env={"DEBATE_QUEUE": dsn})
    assert done.code == expect, done.err
    return done


def work(here: Path, dsn: str, *options: str, env: Mapping[str, str] | None = None, expect: int = 0) -> CommandResult:
    """Work until the queue is empty."""
    done = debate("worker", "--until-empty", *options, cwd=here, env={"DEBATE_QUEUE": dsn, **(env or {})})
    assert done.code == expect, done.err
    return done


def bring_back(here: Path, dsn: str) -> Any:
    """Copy what the workers did into the folder; return the status as JSON."""
    return debate("experiment", "status", "exp.yaml", "--json", cwd=here, env={"DEBATE_QUEUE": dsn}).json


def test_a_queued_experiment_is_like_a_local_one(here: Path, dsn: str) -> None:
    """Workers produce the outcomes of a local run, a second enqueuing adds no cells, and no password is shown."""
    write_experiment(here, players=PAIR)
    run(here, "--out", "local")
    first = enqueue(here, dsn)
    assert "added 4 cells" in first.out
    worked = work(here, dsn)
    assert "4 cells done, 0 failed" in worked.err
    status = bring_back(here, dsn)
    assert (status["cells"], status["rehearsal"]) == ({"open": 0, "running": 0, "failed": 0, "done": 4}, True)
    assert outcomes(here / "trial") == outcomes(here / "local")
    checked = debate("score", "trial/debates", "--check", cwd=here)
    assert checked.code == 0, checked.err
    watched = debate("experiment", "run", "exp.yaml", cwd=here, env={"DEBATE_QUEUE": dsn})
    assert "added 0 cells" in watched.out
    assert "4 of 4 cells done" in watched.out
    assert not any(PASSWORD in each.out + each.err for each in (first, worked, watched))


@pytest.mark.parametrize("is_queued", [False, True], ids=["before", "after"])
def test_results_lost_before_or_after_queueing_are_computed_again(here: Path, dsn: str, *, is_queued: bool) -> None:
    """A worker computes them from the transcripts, without a call."""
    with model_server() as models:
        write_served_experiment(here, models.base_url, motions=1)
        if is_queued:
            enqueue(here, dsn)
            work(here, dsn)
            bring_back(here, dsn)
        else:
            run(here)
        before = judgements(here / "trial")
        models.bodies.clear()
        with Ledger.open(here / "trial") as ledger:
            ledger.query("DELETE FROM results")
        assert "added 2 cells" in enqueue(here, dsn).out
        work(here, dsn)
        bring_back(here, dsn)
        assert (judgements(here / "trial"), models.bodies) == (before, [])
    assert "added 0 cells" in enqueue(here, dsn).out


def test_a_run_shows_what_workers_do(here: Path, dsn: str) -> None:
    """A run with a queue prints each cell that a worker ends, and ends after the last cell."""
    write_experiment(here, players=PAIR)
    with start_process("worker", cwd=here, env={"DEBATE_QUEUE": dsn}) as worker:
        done = debate("experiment", "run", "exp.yaml", "--json", cwd=here, env={"DEBATE_QUEUE": dsn})
        worker.signal(signal.SIGTERM)
        assert worker.wait().code == 130
    events = [json.loads(line) for line in done.out.splitlines()]
    settled = [event["cells"] for event in events if event["type"] == "settled"]
    assert [(cells["done"], sum(cells.values())) for cells in settled] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert events[-1]["cells"]["done"] == 4


def test_all_cells_that_changed_at_once_are_brought_back(here: Path, dsn: str) -> None:
    """All changed cells are copied, even if more than one page of cells has the same time of change."""
    write_experiment(here, players=PAIR, motions=[f"Is number {number} a good number?" for number in range(300)])
    enqueue(here, dsn, "--mock")
    query(dsn, "UPDATE cells SET updated_at = '2030-01-01', attempts = 7 RETURNING key")
    debate("experiment", "status", "exp.yaml", "--mock", cwd=here, env={"DEBATE_QUEUE": dsn})
    with Ledger.open(here / "trial-mock") as ledger:
        assert {record.attempts for record in ledger.records()} == {7}


def test_a_killed_worker_is_taken_over(here: Path, dsn: str) -> None:
    """After the lease of a killed worker, another worker continues, and at most the calls in flight are repeated."""
    with model_server(latency_s=0.05) as models:
        write_served_experiment(here, models.base_url, motions=2, concurrency=2)
        run(here, "--out", "whole")
        undisturbed = len(models.bodies)
        models.bodies.clear()
        enqueue(here, dsn)
        with start_process("worker", "--lease", "2", cwd=here, env={"DEBATE_QUEUE": dsn}) as worker:
            wait_until(lambda: len(models.bodies) > undisturbed // 2, "half of the calls")
            worker.signal(signal.SIGKILL)
            worker.wait()
        assert query(dsn, "SELECT count(*) FROM cells WHERE state = 'running'")[0][0] > 0
        work(here, dsn, "--lease", "2")
        assert undisturbed <= len(models.bodies) <= undisturbed + 2 * 2
    bring_back(here, dsn)
    assert outcomes(here / "trial") == outcomes(here / "whole")
    assert query(dsn, "SELECT count(*) FROM reservations") == [(0,)]
    assert query(dsn, "SELECT count(*) FROM lines") == [(0,)]


def test_cells_of_a_dead_worker_are_brought_back_as_left(here: Path, dsn: str) -> None:
    """A cell whose worker sent no heartbeat during the lease period is open after the results were copied."""
    write_experiment(here, players=PAIR)
    enqueue(here, dsn)

    async def take() -> None:
        plan = query(dsn, "SELECT plan FROM experiments")[0][0]
        async with Database.connect(dsn) as database:
            cells = QueuedCells(database, "experiment:trial", plan, here / "worker")
            await cells.open_budget(Limits())
            assert await cells.take() is not None

    asyncio.run(take())
    assert bring_back(here, dsn)["cells"]["running"] == 1
    query(dsn, "UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 minute' RETURNING id")
    asyncio.run(copy_from_queue(dsn, here / "trial", "trial", mock=False, lease_s=0.1))
    assert count_states(here / "trial") == {"open": 4, "running": 0, "failed": 0, "done": 0}


def test_a_provider_that_refuses_calls_holds_up_no_other(here: Path, dsn: str) -> None:
    """While a cell waits for the Retry-After of its provider, the worker runs cells of another provider."""
    with model_server(failures=[429]) as closed, model_server() as open_:
        closed.retry_after = 4
        write_two_providers(here, closed.base_url, open_.base_url)
        enqueue(here, dsn)
        events = [json.loads(line) for line in work(here, dsn, "--json").out.splitlines()]
    assert [event["first"] for event in events if event["type"] == "settled"] == ["cid", "ann"]


def test_two_experiments_of_one_name_are_kept_apart(here: Path, dsn: str, tmp_path: Path) -> None:
    """The queue refuses other cells under a known name, except from a folder that already used the experiment."""
    env = {"DEBATE_QUEUE": dsn}
    write_experiment(here, players=PAIR)
    enqueue(here, dsn, "--mock")
    other = tmp_path / "other"
    other.mkdir()
    write_experiment(other, players=PAIR, motions=["Is this another motion?"])
    refused = enqueue(other, dsn, "--mock", expect=2)
    assert "a different experiment with the name `trial`" in refused.err
    assert "change `name`" in refused.err
    assert (
        "a different experiment with the name `trial`"
        in debate("experiment", "status", "exp.yaml", "--mock", cwd=other, env=env).err
    )
    write_experiment(other, players=PAIR)
    enqueue(other, dsn, "--mock")
    write_experiment(here, players=PAIR, motions=["Is this a third motion?"])
    enqueue(here, dsn, "--mock")
    assert query(dsn, "SELECT count(*) FROM experiments") == [(1,)]


def test_a_worker_that_loses_its_lease_goes_on(here: Path, dsn: str) -> None:
    """A worker that loses a lease asks nothing more under this lease, and may take the cell again."""
    with model_server(latency_s=3.0) as models:
        write_served_experiment(here, models.base_url, motions=1, concurrency=1)
        enqueue(here, dsn)
        with start_process("worker", "--until-empty", cwd=here, env={"DEBATE_QUEUE": dsn}) as worker:
            wait_until(lambda: len(models.bodies) == 1, "the first call")
            query(dsn, "UPDATE cells SET state = 'open', lease = lease + 1 WHERE state = 'running' RETURNING key")
            query(dsn, "UPDATE procrastinate_jobs SET status = 'todo' WHERE status = 'doing' RETURNING id")
            models.latency_s = 0.0
            done = worker.wait()
        assert done.code == 0, done.err
        assert "2 cells done, 0 failed" in done.err
        assert len(models.bodies) == 2 * 5 + 1
    assert query(dsn, "SELECT sum(attempts) FROM cells") == [(3,)]
    assert query(dsn, "SELECT count(*) FROM lines") == [(0,)]


def test_a_restarted_server_loses_nothing(here: Path, dsn: str, server: PostgresServer) -> None:
    """While PostgreSQL restarts, the worker waits; then it finishes the cells without repeating a call."""
    with model_server(latency_s=0.05) as models:
        write_served_experiment(here, models.base_url, motions=2, concurrency=2)
        run(here, "--out", "whole")
        undisturbed = len(models.bodies)
        models.bodies.clear()
        enqueue(here, dsn)
        with start_process("worker", "--until-empty", cwd=here, env={"DEBATE_QUEUE": dsn}) as worker:
            wait_until(lambda: len(models.bodies) > undisturbed // 3, "a third of the calls")
            server.stop()
            server.start()
            done = worker.wait()
        assert done.code == 0, done.err
        assert len(models.bodies) == undisturbed
    bring_back(here, dsn)
    assert outcomes(here / "trial") == outcomes(here / "whole")


def test_a_late_worker_cannot_write(here: Path, dsn: str) -> None:
    """A worker whose cell was taken over writes nothing. The amount that it reserved counts as spent."""
    write_experiment(here, players=PAIR, limits={"max_cost_usd": 5})
    enqueue(here, dsn, "--mock")
    asyncio.run(_take_over(here, dsn))


async def _take_over(here: Path, dsn: str) -> None:
    plan = query(dsn, "SELECT plan FROM experiments")[0][0]
    async with Database.connect(dsn) as database:
        late, new = (QueuedCells(database, "mock:trial", plan, here / name, lease_s=0.1) for name in ("late", "new"))
        budget = await late.open_budget(Limits())
        record = await late.take()
        assert record is not None
        lease = CURRENT_LEASE.get()
        lease.append(b"a line\n")
        async with AsyncExitStack() as in_flight:
            await in_flight.enter_async_context(budget.reserve(BudgetAmount(100, 0.5), "a call"))
            query(dsn, "UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 minute' RETURNING id")
            spent = await new.open_budget(Limits())
            taken = await new.take()
            assert taken is not None
            current = CURRENT_LEASE.get()
            assert (taken.cell, taken.attempts) == (record.cell, 2)
            assert spent.used == BudgetAmount(100, 0.5)
            assert (here / "new" / "debates" / f"{record.cell.debate}.jsonl").read_bytes() == b"a line\n"
            lease.append(b"too late\n")
            with pytest.raises(LeaseLostError):
                await lease.sync()
            CURRENT_LEASE.set(lease)
            with pytest.raises(LeaseLostError):
                await in_flight.enter_async_context(budget.reserve(BudgetAmount(100, 0.5), "a call"))
        assert not await late.settle(record, record._replace(state="done"), [])
        CURRENT_LEASE.set(current)
        assert await new.settle(taken, taken._replace(state="done"), [])
        assert isinstance(spent, SharedBudget)
        await spent.refresh()
        assert spent.used == BudgetAmount(100, 0.5)


def test_a_worker_without_a_disk_gives_its_cell_back(here: Path, dsn: str) -> None:
    """A worker gives back a cell whose journal it cannot write to its disk."""
    write_experiment(here, players=PAIR)
    enqueue(here, dsn, "--mock")
    query(dsn, "UPDATE cells SET transcript = 'any' RETURNING key")
    (here / "file").write_text("not a folder")

    async def take() -> None:
        plan = query(dsn, "SELECT plan FROM experiments")[0][0]
        async with Database.connect(dsn) as database:
            cells = QueuedCells(database, "mock:trial", plan, here / "file")
            await cells.open_budget(Limits())
            with pytest.raises(StorageError):
                await cells.take()

    asyncio.run(take())
    assert query(dsn, "SELECT DISTINCT state FROM cells") == [("open",)]
    assert query(dsn, "SELECT DISTINCT status::text FROM procrastinate_jobs") == [("todo",)]


def test_a_cell_that_is_not_ours_is_held(here: Path, dsn: str) -> None:
    """A worker opens no path outside its folder that a cell names, and goes on with the other cells."""
    write_experiment(here, players=PAIR)
    enqueue(here, dsn, "--mock")
    query(dsn, """UPDATE cells SET cell = jsonb_set(cell, '{debate}', '"../../escaped"') WHERE seq = 0 RETURNING key""")
    query(dsn, "UPDATE cells SET cell = cell - 'motion' WHERE seq = 1 RETURNING key")
    assert "2 cells done" in work(here, dsn).err
    assert query(dsn, "SELECT state, count(*) FROM cells GROUP BY state ORDER BY state") == [("done", 2), ("failed", 2)]
    assert not list(here.parent.rglob("escaped*"))


def test_workers_keep_one_budget(here: Path, dsn: str) -> None:
    """Two workers together spend at most the budget, and continue after the budget was raised."""
    queue = {"DEBATE_QUEUE": dsn}
    with model_server(latency_s=0.01) as models:
        write_served_experiment(here, models.base_url, motions=2, concurrency=4)
        document = yaml.safe_load((here / "exp.yaml").read_text())
        with start_process("worker", cwd=here, env=queue), start_process("worker", cwd=here, env=queue):
            for budget, code in ((0.02, 4), (5, 0)):
                (here / "exp.yaml").write_text(yaml.safe_dump(document | {"limits": {"max_cost_usd": budget}}))
                watched = debate("experiment", "run", "exp.yaml", cwd=here, env=queue)
                assert watched.code == code, watched.err
                spent = sum(usage.input_tokens + usage.output_tokens for usage in models.counted) / 1e6
                assert budget / 2 < spent <= budget or code == 0
    assert count_states(here / "trial")["done"] == 4


def test_workers_keep_one_limit_a_minute(dsn: str) -> None:
    """Of many calls at once, only the limit is admitted; each other call gets a time to wait."""

    async def ask() -> list[Admission]:
        async with Database.connect(dsn) as database:
            windows = [QueueWindow(database, "lab key", 20, 1000) for _ in range(10)]
            found = await asyncio.gather(*(window.admit(10) for window in windows for _ in range(3)))
            await windows[0].correct(found[0].entry, 900)
            other = await QueueWindow(database, "lab other-key", 20, 1000).admit(10)
            return [*found, other]

    *found, other = asyncio.run(ask())
    assert sum(each.wait_s == 0 for each in found) == 20
    assert all(50 < each.wait_s <= 62 for each in found if each.wait_s)
    assert other.wait_s == 0


@pytest.mark.parametrize("dsn", ["postgresql://me:pass%40word@host/db", "postgresql://host/db?password=pass%40word"])
def test_passwords_of_an_address_are_secrets(dsn: str) -> None:
    """The password of an address is redacted, both as written in the address and decoded."""
    redact = Redactor(address_secrets(dsn))
    for written in (dsn, "pass@word", "pass%40word"):
        assert "word" not in redact(f"a message with {written} in it")


def test_a_worker_does_not_trust_the_queue(here: Path, dsn: str) -> None:
    """A server that an experiment names needs --trust-host at the worker, and no key is in the database."""
    lab = {"kind": "openai", "base_url": "http://lab.example/v1", "api_key_env": "LAB_KEY"}
    write_experiment(
        here,
        {**BASE, "models": {"default": {"model": "lab/any"}}, "providers": {"lab": lab}},
        players=[{"name": name, "model": f"lab/{name}"} for name in ("ann", "bob")],
        judges=[{"name": "jo", "model": "lab/jo"}],
    )
    key = "sk-lab-0123456789abcdef"
    debate("experiment", "run", "exp.yaml", "--enqueue-only", cwd=here, env={"DEBATE_QUEUE": dsn, "LAB_KEY": key})
    assert "LAB_KEY" in work(here, dsn, expect=2).out
    refused = work(here, dsn, env={"LAB_KEY": key}, expect=2)
    assert "this worker refused an experiment" in refused.out
    assert "--trust-host lab.example" in refused.out
    assert query(dsn, "SELECT count(*) FROM cells WHERE state = 'open' AND attempts = 0") == [(4,)]
    document = zlib.decompress(query(dsn, "SELECT document FROM experiments")[0][0])
    assert b"LAB_KEY" in document
    assert key.encode() not in document


def test_texts_travel_with_the_experiment(here: Path, dsn: str) -> None:
    """A worker needs neither the sources nor the background files of the machine that enqueued the cells."""
    (here / "notes").mkdir()
    (here / "notes" / "cars.md").write_text("# Cars\n\nCars take half of the room in a city.\n")
    evidence = {"sources": ["notes"], "passages": 2}
    write_experiment(
        here, {**BASE, "background": "Of cities.", "evidence": evidence}, players=PAIR, motions=["Ban cars?"]
    )
    enqueue(here, dsn)
    elsewhere = here / "elsewhere"
    elsewhere.mkdir()
    shutil.rmtree(here / "notes")
    work(elsewhere, dsn)
    bring_back(here, dsn)
    transcripts = [json.loads(path.read_text()) for path in (here / "trial" / "debates").glob("*.json")]
    assert len(transcripts) == 2
    assert all("half of the room" in json.dumps(each) and "Of cities." in json.dumps(each) for each in transcripts)


def test_failed_cells_are_held(here: Path, dsn: str) -> None:
    """A failed cell stays failed until --retry-failed puts it into the queue again."""
    with model_server(failures=[400]) as models:
        write_served_experiment(here, models.base_url, motions=1, concurrency=1)
        enqueue(here, dsn)
        work(here, dsn)
        assert bring_back(here, dsn)["failures"][0]["cells"] == 1
        assert "added 0 cells" in enqueue(here, dsn).out
        assert "added 1 cell to the queue" in enqueue(here, dsn, "--retry-failed").out
        work(here, dsn)
    assert bring_back(here, dsn)["cells"]["done"] == 2


def test_a_local_run_leaves_queued_cells_alone(here: Path, dsn: str) -> None:
    """A run without --queue refuses queued cells, and workers continue debates that a local run began."""
    write_experiment(here, players=PAIR)
    run(here, "--limit", "1")
    assert "added 3 cells" in enqueue(here, dsn).out
    done = debate("experiment", "run", "exp.yaml", cwd=here)
    assert done.code == 2
    assert "this experiment is in the queue postgresql://127.0.0.1" in done.err
    work(here, dsn)
    bring_back(here, dsn)
    assert len(judgements(here / "trial")) == 4


@pytest.mark.parametrize(
    ("dsn", "words"),
    [
        ("mysql://host/db", "write the address of a PostgreSQL database"),
        ("postgresql://me:%zz@host/db", "the part of the address after the host name is not valid"),
        ("postgresql://me:pw-4711@127.0.0.1:1/db", "Connection refused"),
        ("postgresql://me:a@pw-4711@127.0.0.1:1/db", "write @ as %40"),
    ],
)
def test_a_wrong_address_is_one_sentence(here: Path, dsn: str, words: str) -> None:
    """A wrong address ends with one sentence that shows no password."""
    done = debate("worker", "--queue", dsn, cwd=here)
    assert done.code in {1, 2}
    assert words in done.err
    assert len(done.lines) == 1
    assert "pw-4711" not in done.err
