"""Experiments that are killed, stopped, run twice at once, or run out of disk: nothing is lost and nothing is done twice."""

import asyncio
import signal
import sqlite3
from collections.abc import Collection
from contextlib import closing, suppress
from pathlib import Path

import pytest
from cli_support import debate, files_limited_to, start_process, wait_until
from experiments_support import (
    PAIR,
    check_killed_runs,
    count_states,
    judgements,
    outcomes,
    run,
    write_experiment,
    write_served_experiment,
)
from model_server import model_server

from debate_cli.engine import StopSignal
from debate_cli.experiments.cell_store import LedgerCells
from debate_cli.experiments.cells import CellPlan
from debate_cli.experiments.definition import load_experiment
from debate_cli.experiments.ledger import LEDGER_NAME, CellRecord, Ledger
from debate_cli.experiments.progress import ExperimentObserver, ExperimentProgress
from debate_cli.experiments.runner import OPENING_CELLS, ExperimentRun, plan_experiment
from debate_cli.llm.budget import Budget
from debate_cli.llm.redaction import Redactor
from debate_cli.storage.journal import Journal
from debate_cli.storage.lock import lock_debate
from debate_cli.storage.transcript import parse_transcript, transcript_to_events


def test_a_killed_experiment_continues_to_the_same_results(here: Path) -> None:
    """After a kill the results are those of an undisturbed run, and at most the calls in flight are repeated."""
    check_killed_runs(here, motions=3, kills=1, concurrency=3)


def test_no_cell_waits_for_the_answers_of_another(here: Path) -> None:
    """Sixteen requests leave before the first answer, from more cells than are opened at once."""
    with model_server(latency_s=600) as server:
        write_served_experiment(here, server.base_url, motions=8, concurrency=16)
        with start_process("experiment", "run", "exp.yaml", cwd=here) as running:
            wait_until(lambda: len(server.bodies) == 16, "as many requests as are allowed")
            assert count_states(here / "trial").get("running", 0) > OPENING_CELLS
            running.signal(signal.SIGKILL)
            running.wait()


def test_a_cell_that_is_not_opened_before_a_stop_begins_no_debate(here: Path) -> None:
    """A cell that a stop reaches before its debate begins stays open."""
    write_experiment(here)
    stop = StopSignal()

    class Stopping(ExperimentObserver):
        def started(self, record: CellRecord, progress: ExperimentProgress) -> None:
            stop.request()

    experiment = load_experiment(here / "exp.yaml", {}, mock=True)
    with Ledger.create(here / "trial", "trial", mock=True) as ledger:
        plan = plan_experiment(experiment, ledger)
        cells = LedgerCells(ledger, here / "trial")
        summary = asyncio.run(ExperimentRun(plan, cells, here / "trial", Stopping()).run(stop=stop))
    assert (summary.stopped, summary.finished, summary.failed) == ("interrupted", 0, 0)
    assert list((here / "trial").glob("debates/*")) == []
    assert count_states(here / "trial") == {"open": 12, "running": 0, "failed": 0, "done": 0}


def test_a_run_ends_although_a_library_swallows_a_cancellation(here: Path) -> None:
    """`asyncio.wait_for` of Python 3.11 sometimes does, if it is cancelled when its result arrives."""
    began = asyncio.Event()

    class Swallowing(LedgerCells):
        async def take(self, without: Collection[str] = ()) -> None:
            del without
            await began.wait()

        async def renew(self, budget: Budget) -> None:
            del budget
            is_first = not began.is_set()
            began.set()
            with suppress(*[asyncio.CancelledError] * is_first):
                await asyncio.Event().wait()

    write_experiment(here)
    experiment = load_experiment(here / "exp.yaml", {}, mock=True)
    with Ledger.create(here / "trial", "trial", mock=True) as ledger:
        cells = Swallowing(ledger, here / "trial")
        work = ExperimentRun(plan_experiment(experiment, ledger), cells, here / "trial", ExperimentObserver())
        summary = asyncio.run(asyncio.wait_for(work.run(stop=StopSignal()), 30))
    assert (summary.stopped, summary.finished) == (None, 0)


def test_two_processes_share_the_cells(here: Path) -> None:
    """Of two processes that run at once, each does some cells, and no cell is done twice."""
    with model_server(latency_s=0.03) as server:
        write_served_experiment(here, server.base_url, motions=2, concurrency=2)
        run(here, "--out", "whole")
        undisturbed = len(server.bodies)
        server.bodies.clear()
        with start_process("experiment", "run", "exp.yaml", cwd=here) as other:
            wait_until(lambda: count_states(here / "trial").get("running"), "the first cell")
            out = run(here)
            result = other.wait()
        assert result.code == 0, result.err
        assert len(server.bodies) == undisturbed
    assert out.count(" done  ") + result.out.count(" done  ") == 4
    assert min(out.count(" done  "), result.out.count(" done  ")) > 0
    assert outcomes(here / "trial") == outcomes(here / "whole")


def test_ctrl_c_keeps_everything(here: Path) -> None:
    """After Ctrl-C the run names the command to continue, and the next run repeats at most the calls in flight."""
    with model_server(latency_s=0.05) as server:
        write_served_experiment(here, server.base_url, motions=2, concurrency=2)
        run(here, "--out", "whole")
        undisturbed = len(server.bodies)
        server.bodies.clear()
        with start_process("experiment", "run", "exp.yaml", cwd=here) as process:
            wait_until(lambda: count_states(here / "trial").get("done"), "a finished cell")
            process.signal(signal.SIGINT)
            done = process.wait()
        assert done.code == 130
        assert "continue with:" in done.err
        assert "debate experiment run exp.yaml" in done.lines
        assert count_states(here / "trial")["running"] == 0
        run(here)
        assert undisturbed <= len(server.bodies) <= undisturbed + 4
    assert outcomes(here / "trial") == outcomes(here / "whole")


def test_one_limit_holds_for_all_debates(here: Path) -> None:
    """All debates together never have more requests at the server than the limit."""
    with model_server(latency_s=0.02) as server:
        write_served_experiment(here, server.base_url, motions=2, concurrency=3)
        run(here)
        assert server.most_at_once == 3


def test_a_full_disk_loses_nothing(here: Path) -> None:
    """A full disk ends the run with exit code 1 and one sentence, and the next run continues."""
    write_experiment(here, players=PAIR)
    with files_limited_to(60 * 1024):
        full = debate("experiment", "run", "exp.yaml", cwd=here)
    assert full.code == 1, full.err
    assert "free some space" in full.err
    assert "Traceback" not in full.err
    before = {row.debate for row in judgements(here / "trial")}
    run(here)
    assert before < {row.debate for row in judgements(here / "trial")}
    assert count_states(here / "trial")["done"] == 4


def test_what_dead_processes_spent_counts(here: Path) -> None:
    """After a kill, the ledger counts the tokens in the journals of unfinished debates."""
    with model_server(latency_s=0.03) as server:
        write_served_experiment(here, server.base_url, motions=2, concurrency=4)
        with start_process("experiment", "run", "exp.yaml", cwd=here) as process:
            wait_until(lambda: len(server.counted) > 12, "a dozen answers")
            process.signal(signal.SIGKILL)
            process.wait()
        run(here)
    status = debate("experiment", "status", "exp.yaml", "--json", cwd=here).json
    answered = sum(usage.input_tokens + usage.output_tokens for usage in server.counted)
    assert status["tokens"] >= answered * 0.99


def test_status_counts_the_cells_of_a_killed_run_as_left(here: Path) -> None:
    """Directly after a kill, `status` counts no cell as running, and it changes nothing that the next run needs."""
    with model_server(latency_s=600) as server:
        write_served_experiment(here, server.base_url, motions=2, concurrency=4)
        with start_process("experiment", "run", "exp.yaml", cwd=here) as process:
            wait_until(lambda: count_states(here / "trial").get("running") == 4, "the cells")
            process.signal(signal.SIGKILL)
            process.wait()
    before = stored_cells(here / "trial")
    status = debate("experiment", "status", "exp.yaml", "--json", cwd=here).json
    assert status["cells"] == {"open": 4, "running": 0, "failed": 0, "done": 0}
    assert stored_cells(here / "trial") == before


def stored_cells(folder: Path) -> list[tuple[str, str]]:
    """State and owner of each cell, as stored."""
    with Ledger.open(folder) as ledger:
        return ledger.query("SELECT state, owner FROM cells ORDER BY key")


def test_a_run_removes_the_lock_file_of_a_killed_cell(here: Path) -> None:
    """A cell that was killed between its transcript and the ledger leaves a lock file, which the next run removes."""
    write_experiment(here, players=PAIR)
    run(here, "--limit", "1")
    transcript = next((here / "trial" / "debates").glob("*.json"))
    transcript.with_suffix(".lock").write_text("4711\n")
    with closing(sqlite3.connect(here / "trial" / LEDGER_NAME)) as ledger, ledger:
        ledger.execute("UPDATE cells SET state = 'running', owner = 'killed' WHERE debate = ?", (transcript.stem,))
    run(here)
    assert not list((here / "trial" / "debates").glob("*.lock"))


def test_a_debate_that_another_process_uses_is_left_alone(here: Path) -> None:
    """A run leaves a locked debate open and does the other cells; the next run does the open cell."""
    write_experiment(here, players=PAIR)
    plan = CellPlan(load_experiment(here / "exp.yaml", {}))
    held = next(iter(plan.cells())).debate
    with lock_debate(here / "trial" / "debates" / f"{held}.json"):
        assert "in use by another process" in run(here)
    assert count_states(here / "trial") == {"open": 1, "running": 0, "failed": 0, "done": 3}
    run(here)
    assert count_states(here / "trial")["done"] == 4


@pytest.mark.parametrize("lost", ["all", "one judge"])
@pytest.mark.parametrize("judges", [None, ["jo", "max"]], ids=["of the base", "of the file"])
def test_lost_results_are_computed_again(here: Path, judges: list[str] | None, lost: str) -> None:
    """A run computes results that the ledger has lost from the transcripts, without a call, and no others."""
    named = None if judges is None else [{"name": name, "model": f"mock/{name}"} for name in judges]
    write_experiment(here, players=PAIR, judges=named)
    run(here)
    before, debates = judgements(here / "trial"), sorted((here / "trial" / "debates").iterdir())
    stored = [path.read_bytes() for path in debates]
    with closing(sqlite3.connect(here / "trial" / LEDGER_NAME)) as ledger, ledger:
        where = "" if lost == "all" else " WHERE (cell, questions) IN (SELECT cell, MIN(questions) FROM results)"
        ledger.execute(f"DELETE FROM results{where}")
    assert run(here).count(" done  ") == (4 if lost == "all" else 1)
    assert judgements(here / "trial") == before
    assert [path.read_bytes() for path in debates] == stored
    assert " done  " not in run(here)


def test_a_finished_debate_that_is_lost_is_not_held_again(here: Path) -> None:
    """Without result and transcript, the debate would be paid for twice, so the cell stays finished."""
    write_experiment(here, players=PAIR)
    run(here)
    lost = min((here / "trial" / "debates").iterdir())
    lost.unlink()
    with closing(sqlite3.connect(here / "trial" / LEDGER_NAME)) as ledger, ledger:
        ledger.execute("DELETE FROM results")
    assert run(here).count(" done  ") == 3
    assert not lost.exists()


def test_a_journal_that_outlived_its_transcript_is_removed(here: Path) -> None:
    """A run removes a journal whose transcript is complete, and asks no model."""
    write_experiment(here, players=PAIR)
    run(here)
    transcript = next((here / "trial" / "debates").glob("*.json"))
    before = transcript.read_bytes()
    events = transcript_to_events(parse_transcript(before, "it"))
    Journal.create(transcript.with_suffix(".jsonl"), events, Redactor()).close()
    with closing(sqlite3.connect(here / "trial" / LEDGER_NAME)) as ledger, ledger:
        ledger.execute("UPDATE cells SET state = 'open' WHERE debate = ?", (transcript.stem,))
    run(here)
    assert not transcript.with_suffix(".jsonl").exists()
    assert transcript.read_bytes() == before
    assert count_states(here / "trial")["done"] == 4
