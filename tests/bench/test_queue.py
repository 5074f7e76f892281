"""CPU time of a cell: a worker with a queue on PostgreSQL, against a run without a queue."""

from pathlib import Path

from bench.figures import DEBATE, Figures, run_measured
from experiments_support import PAIR, write_experiment
from postgres_support import needs_postgres, postgres_server

CELLS = 400


@needs_postgres
def test_cpu_time_of_a_cell(figures: Figures, tmp_path: Path) -> None:
    """A worker keeps the journal of each cell in the database, and asks it before each call."""
    write_experiment(
        tmp_path, motions=[f"Is number {number} a good number?" for number in range(CELLS // 2)], players=PAIR
    )
    run = [DEBATE, "experiment", "run", tmp_path / "exp.yaml", "--quiet"]
    local = run_measured(run)
    with postgres_server() as server:
        queue = ["--queue", server.new_database()]
        run_measured([*run, "--out", tmp_path / "queued", *queue, "--enqueue-only"])
        worker = run_measured([DEBATE, "worker", "--until-empty", "--quiet", *queue])
    figures.add(
        "CPU time of a cell, worker against run",
        worker.cpu_s / local.cpu_s,
        f"{worker.cpu_s / CELLS * 1000:.0f} against {local.cpu_s / CELLS * 1000:.0f} ms, {CELLS / worker.wall_s:.0f} cells a second",
        bound=2,
    )
