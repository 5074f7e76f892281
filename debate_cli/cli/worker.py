"""`debate worker`. Its options are in `debate_options`."""

import os
from typing import TextIO, cast

import typer

from debate_cli.cli import run_control, screen
from debate_cli.cli.console import print_status
from debate_cli.cli.debate_options import WorkerOptions
from debate_cli.domain.message_text import count_noun
from debate_cli.errors import ExitCode, UsageError
from debate_cli.experiments.cluster import worker
from debate_cli.experiments.progress import ExperimentObserver
from debate_cli.render.experiment import JsonExperimentObserver, PlainExperimentObserver


def run(given: WorkerOptions) -> None:
    """Take debates of experiments from a queue, and run them."""
    dsn = given.queue
    if not dsn:
        raise UsageError("no queue is given; give its PostgreSQL database with --queue, or in DEBATE_QUEUE")
    control = screen.PipeSafeObserver(screen.StatusObserver())
    observer: ExperimentObserver = ExperimentObserver()
    if given.json or not given.quiet:
        stdout = cast("TextIO", screen.PipeSafeStdout(control))
        observer = JsonExperimentObserver(stdout) if given.json else PlainExperimentObserver(stdout)
    options = worker.WorkerOptions(given.concurrency, given.trust_host or (), given.until_empty, given.lease)
    summary = run_control.run_until_stopped(
        lambda stop: worker.run_worker(dsn, observer, options, os.environ, stop=stop), control
    )
    print_status(f"{count_noun(summary.finished, 'cell')} done, {summary.failed} failed")
    if control.stop_cause is not None:
        raise typer.Exit(control.stop_cause.exit_code)
    raise typer.Exit(ExitCode.WRONG_INPUT if summary.refused else ExitCode.DONE)
