"""`debate worker`. Its options are in `worker_options`."""

import os
import sys

import typer

from debate_cli.cli import run_control, screen
from debate_cli.cli.console import print_status
from debate_cli.cli.experiment import PipeSafeExperimentObserver
from debate_cli.cli.worker_options import Options
from debate_cli.errors import UsageError
from debate_cli.experiments.cluster.worker import WorkerOptions, run_worker
from debate_cli.experiments.progress import ExperimentObserver
from debate_cli.render.experiment import JsonExperimentObserver, PlainExperimentObserver


def run(given: Options) -> None:
    """Run debates of experiments that are in a queue."""
    if not given.queue:
        raise UsageError("no queue is given; name its PostgreSQL database with --queue, or in DEBATE_QUEUE")
    control = screen.PipeSafeObserver(screen.StatusObserver())
    observer: ExperimentObserver = ExperimentObserver()
    if given.json or not given.quiet:
        printer = JsonExperimentObserver(sys.stdout) if given.json else PlainExperimentObserver(sys.stdout)
        observer = PipeSafeExperimentObserver(printer, control)
    options = WorkerOptions(given.concurrency, given.trust_host or (), given.until_empty, given.lease)
    dsn = given.queue
    summary = run_control.run_until_stopped(
        lambda stop: run_worker(dsn, observer, options, os.environ, stop=stop), control
    )
    done = "1 cell" if summary.finished == 1 else f"{summary.finished} cells"
    print_status(f"{done} done, {summary.failed} failed")
    if control.stop_cause is not None:
        raise typer.Exit(control.stop_cause.exit_code)
    raise typer.Exit(2 if summary.refused else 0)
