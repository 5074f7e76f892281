"""`debate experiment`. Its options are in `command_options`."""

import asyncio
import os
import re
import shlex
import sys
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path

import typer

from debate_cli.app.model_roles import judge_model_specs
from debate_cli.app.preparation import require_batches
from debate_cli.cli import config_options, console, run_control, screen
from debate_cli.cli.batches import BatchScreen
from debate_cli.cli.command_options import Action, ExperimentOptions, ReportFormat
from debate_cli.cli.consent import obtain_consents
from debate_cli.cli.console import print_json, print_status, refuse_existing, write_document
from debate_cli.errors import UsageError
from debate_cli.experiments.analysis import analyze
from debate_cli.experiments.cell_store import LedgerCells
from debate_cli.experiments.cluster.exchange import QueueOptions, copy_from_queue, refuse_queued, run_in_queue
from debate_cli.experiments.definition import Experiment, load_experiment
from debate_cli.experiments.ledger import DEBATES_FOLDER, CellRecord, Ledger, Settlement
from debate_cli.experiments.merge import merge_experiments
from debate_cli.experiments.progress import ExperimentObserver, Progress, Status, read_status
from debate_cli.experiments.rating_file import read_rating_file
from debate_cli.experiments.results import read_judgements, write_parquet
from debate_cli.experiments.runner import MAX_FAILURES_IN_A_ROW, ExperimentRun, RunSummary, plan_experiment
from debate_cli.experiments.settings import read_experiment_file
from debate_cli.observer import NullObserver
from debate_cli.render import experiment as shown
from debate_cli.render.content.experiment_report import leaderboard_table, report_tables
from debate_cli.render.html.experiment import render_experiment
from debate_cli.render.text.plain import table_lines
from debate_cli.statistics import require_extra
from debate_cli.statistics.ratings import rate
from debate_cli.storage.atomic_write import atomic_write
from debate_cli.storage.batch_store import BatchStore
from debate_cli.storage.variables import QUEUE_VARIABLE
from debate_cli.systems.tables import Table

_RUN_ONLY = ("dry_run", "batch", "enqueue_only", "limit", "retry_failed", "shard", "quiet", "trust_host")
_REPORT_ONLY = ("format", "html", "force")
EXIT_CODES = {"interrupted": screen.BY_USER.exit_code, "budget": 4, "failures": 3}
"""Why a run ended early -> exit code."""


def run(given: ExperimentOptions) -> None:
    """Run an experiment, show its state, print its results, or join its folders."""
    _check_options(given)
    match given.action:
        case Action.run:
            _run(given)
        case Action.status:
            with _open_ledger(given) as ledger:
                _show_status(read_status(ledger), given)
        case Action.report:
            with _open_ledger(given) as ledger:
                _report(ledger, given)
        case Action.rate:
            _rate(given)
        case Action.merge:
            assert given.out is not None
            with merge_experiments([Path(path) for path in given.paths], given.out) as ledger:
                _show_status(read_status(ledger), given)


def _check_options(given: ExperimentOptions) -> None:
    """Raise UsageError for options of another action, and for a wrong number of paths."""
    action = given.action.value
    others = {"run": _REPORT_ONLY, "report": _RUN_ONLY}.get(action, (*_RUN_ONLY, *_REPORT_ONLY))
    for name in others:
        if getattr(given, name):
            raise UsageError(
                f"--{name.replace('_', '-')} is not an option of `debate experiment {action}`; leave it out"
            )
    is_from_env = given.queue is not None and given.queue == os.environ.get(QUEUE_VARIABLE)
    if given.queue and (given.shard or given.limit):
        instead = f"{QUEUE_VARIABLE} is set; unset it, or leave them out" if is_from_env else "leave them out"
        raise UsageError(f"--shard and --limit do not apply to a queue, from which workers take the cells; {instead}")
    if given.queue and not is_from_env and given.action in {Action.rate, Action.merge}:
        raise UsageError(f"`debate experiment {action}` reads files, not a queue; leave out --queue")
    if given.enqueue_only and not given.queue:
        raise UsageError("--enqueue-only needs a queue; name it with --queue")
    if given.action is Action.merge:
        if given.out is None:
            raise UsageError("merge writes a new folder; name it with -o DIR")
    elif len(given.paths) > 1:
        raise UsageError(f"`debate experiment {action}` takes one file or folder; leave out {given.paths[1]}")


def _parse_shard(text: str | None) -> tuple[int, int]:
    if text is None:
        return 1, 1
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise UsageError(f"--shard {text}: write I/N, for example 2/8 for the second of eight parts")
    return int(found[1]), int(found[2])


def _run(given: ExperimentOptions) -> None:
    shard = _parse_shard(given.shard)
    loaded = load_experiment(
        Path(given.paths[0]),
        os.environ,
        mock=given.mock,
        trusted_folders=given.trust_path or (),
        asked=not (given.dry_run or given.queue),
    )
    config_options.print_notes(loaded.notes)
    folder = given.out or loaded.default_folder
    _check_batches(given, loaded, folder)
    if given.dry_run:
        from debate_cli.cli.experiment_plan import show_plan

        show_plan(loaded, folder, shard=shard, as_json=given.json, batch=given.batch)
        return
    if not given.queue:
        obtain_consents(loaded.destinations, given.trust_host)
    with Ledger.create(folder, loaded.file.config.name, mock=loaded.mock) as ledger:
        plan = plan_experiment(loaded, ledger)
        notes = _StopNotes()
        control = screen.PipeSafeObserver(notes)
        batches = BatchScreen(quiet=given.quiet, show=lambda line: notes.show(f"batch: {line}"))
        with _observe(given, control, notes, read_status(ledger).progress) as observer:
            if given.queue:
                queue = QueueOptions(given.queue, given.retry_failed, given.enqueue_only)
                work = partial(run_in_queue, queue, plan, ledger, observer)
            else:
                refuse_queued(ledger)
                cells = LedgerCells(ledger, folder, retry_failed=given.retry_failed, shard=shard)
                queues = batches.queues if given.batch else None
                work = ExperimentRun(plan, cells, folder, observer, limit=given.limit, batches=queues).run
            summary = run_control.run_until_stopped(lambda stop: work(stop=stop), control)
            if isinstance(observer, PipeSafeExperimentObserver):
                observer.finish(summary)
        status = read_status(ledger)
    if not given.json:
        with console.ignore_broken_pipe():
            _show_status(status, given)
    code = _report_end(summary, given, folder, loaded, control)
    if summary.stopped == "interrupted" and given.batch:
        batches.report_end(_command(given, loaded))
    raise typer.Exit(code)


def _check_batches(given: ExperimentOptions, experiment: Experiment, folder: Path) -> None:
    """Raise ConfigError if a judge has no batches, UsageError if answers wait in batches and --batch is missing."""
    if given.batch and given.queue:
        raise UsageError(
            "--batch asks the judges from this process, not from workers; leave out --queue, and unset DEBATE_QUEUE"
        )
    if given.batch:
        for variant in experiment.variants:
            config = variant.context.config
            specs = [judge.spec for judge in variant.judges] or judge_model_specs(config)
            require_batches(config, specs, str(experiment.file.path))
    elif BatchStore(folder / DEBATES_FOLDER).open_debates():
        raise UsageError(f"{folder}: questions to judges wait in batches; add --batch to collect the answers")


def print_note(note: str) -> None:
    """Print a note on stderr."""
    print_status(f"note: {note}")


class _StopNotes(NullObserver):
    """Shows notes about signals on stderr. While the live table is shown, they appear above it instead."""

    def __init__(self) -> None:
        self.show: Callable[[str], None] = print_note

    def note(self, note: str) -> None:
        self.show(note)


class PipeSafeExperimentObserver(ExperimentObserver):
    """Forwards events to an observer. Once stdout is closed, requests a stop of the run."""

    def __init__(self, observer: ExperimentObserver, control: screen.PipeSafeObserver) -> None:
        self._observer = observer
        self._control = control

    def started(self, record: CellRecord, progress: Progress) -> None:
        """See `ExperimentObserver`."""
        self._control.forward(lambda: self._observer.started(record, progress))

    def settled(
        self, record: CellRecord, how: Settlement, winners: Mapping[str, str | None], progress: Progress
    ) -> None:
        """See `ExperimentObserver`."""
        self._control.forward(lambda: self._observer.settled(record, how, winners, progress))

    def changed(self, progress: Progress) -> None:
        """See `ExperimentObserver`."""
        self._control.forward(lambda: self._observer.changed(progress))

    def note(self, note: str) -> None:
        """See `ExperimentObserver`."""
        self._control.forward(lambda: self._observer.note(note))

    def finish(self, summary: RunSummary) -> None:
        """With `--json`, print the last event, the summary; else nothing."""
        observer = self._observer
        if isinstance(observer, shown.JsonExperimentObserver):
            self._control.forward(lambda: observer.finish(summary))


@contextmanager
def _observe(
    given: ExperimentOptions, control: screen.PipeSafeObserver, notes: _StopNotes, progress: Progress
) -> Generator[ExperimentObserver]:
    """The observer of a run: JSON lines (--json), nothing (--quiet), a live table on a terminal, or plain lines."""
    if given.json:
        yield PipeSafeExperimentObserver(shown.JsonExperimentObserver(sys.stdout), control)
    elif given.quiet:
        yield ExperimentObserver()
    elif console.is_interactive(sys.stdout) and not given.plain:
        from debate_cli.render.live.experiment import LiveExperimentObserver

        with screen.show_view(LiveExperimentObserver(console.make_console(sys.stdout), progress)) as view:
            notes.show = view.note
            yield PipeSafeExperimentObserver(view, control)
        notes.show = print_note
    else:
        yield PipeSafeExperimentObserver(shown.PlainExperimentObserver(sys.stdout), control)


def _report_end(
    summary: RunSummary,
    given: ExperimentOptions,
    folder: Path,
    experiment: Experiment,
    control: screen.PipeSafeObserver,
) -> int:
    """Print where the debates are and what is left to do. Returns the exit code."""
    print_status(f"saved: {folder}")
    left = summary.progress.left
    if summary.elsewhere:
        cells = "1 cell is" if summary.elsewhere == 1 else f"{summary.elsewhere} cells are"
        print_status(f"note: {cells} being run by other processes")
    reasons = {
        "interrupted": (control.stop_cause or screen.BY_USER).reason,
        "budget": "the budget of the experiment is reached; raise limits.max_cost_usd or limits.max_tokens",
        "failures": f"{MAX_FAILURES_IN_A_ROW} cells failed in a row, so no further one was started; correct the cause",
    }
    if given.queue and (summary.stopped == "interrupted" or given.enqueue_only):
        print_status("note: workers go on with the cells in the queue")
    if summary.stopped is not None:
        sentence = f"debate: {reasons[summary.stopped]}; {left} of {summary.progress.total} cells are left"
        if summary.stopped == "interrupted" and given.batch:  # the line about batches names the command
            print_status(sentence)
        else:
            print_status(f"{sentence}; continue with:")
            print_status(_command(given, experiment))
        return control.stop_cause.exit_code if control.stop_cause is not None else EXIT_CODES[summary.stopped]
    if summary.failed:
        cells = "1 cell" if summary.failed == 1 else f"{summary.failed} cells"
        print_status(f"debate: {cells} failed; ask again with:")
        print_status(f"{_command(given, experiment)} --retry-failed")
        return 1 if summary.finished else 3
    return 0


def _command(given: ExperimentOptions, experiment: Experiment) -> str:
    parts = ["debate", "experiment", "run", shlex.quote(str(experiment.file.path))]
    parts += ["--mock"] if given.mock else []
    parts += ["--out", shlex.quote(str(given.out))] if given.out is not None else []
    parts += ["--shard", given.shard] if given.shard is not None else []
    parts += ["--queue", "DSN"] if given.queue not in {None, os.environ.get(QUEUE_VARIABLE)} else []
    parts += ["--batch"] if given.batch else []
    return " ".join(parts)


def _open_ledger(given: ExperimentOptions) -> Ledger:
    """The ledger of the experiment that the first path names: its folder, or its file."""
    path = Path(given.paths[0])
    if path.is_dir():
        folder = path
        with Ledger.open(folder) as ledger:
            name, mock = ledger.name, ledger.is_rehearsal
    else:
        file = read_experiment_file(path)
        name, mock = file.config.name, given.mock
        folder = file.folder / f"{file.config.slug}{'-mock' if mock else ''}"
        if given.action is Action.status and given.out is not None:
            folder = given.out
    if given.queue:
        asyncio.run(copy_from_queue(given.queue, folder, name, mock=mock))
    return Ledger.open(folder)


def _show_status(status: Status, given: ExperimentOptions) -> None:
    if given.json:
        print_json(shown.status_data(status))
    elif console.is_interactive(sys.stdout) and not given.plain:
        from debate_cli.render.terminal.drawing import render_table, terminal_line

        screen_ = console.make_console(sys.stdout)
        screen_.print(terminal_line(status.progress.name, "bold"))
        if status.progress.is_rehearsal:
            screen_.print(terminal_line(shown.REHEARSAL))
        screen_.print(terminal_line(shown.progress_sentence(status.progress)))
        screen_.print(render_table(shown.player_table(status.progress), {}))
        for line in shown.status_remarks(status):
            screen_.print(terminal_line(line))
    else:
        for line in shown.status_lines(status):
            print(line)


def _report(ledger: Ledger, given: ExperimentOptions) -> None:
    if given.format is None:
        _show_report(ledger, given)
        return
    if given.out is not None:
        refuse_existing(given.out, force=given.force, option="--out")
    rows = read_judgements(ledger)
    if given.format is ReportFormat.parquet:
        if given.out is None:
            raise UsageError("--format parquet writes a file; name it with -o FILE")
        write_parquet(given.out, rows, ledger.axes)
    else:
        pieces: Iterable[str] = {
            ReportFormat.json: lambda: shown.dump_json(rows),
            ReportFormat.jsonl: lambda: shown.dump_jsonl(rows),
            ReportFormat.csv: lambda: shown.dump_csv(rows, ledger.axes),
        }[given.format]()
        if given.out is None:
            write_document(pieces)
            return
        atomic_write(given.out, "".join(pieces).encode("utf-8", "replace"), overwrite=given.force)
    print_status(f"written: {given.out}")


def _show_report(ledger: Ledger, given: ExperimentOptions) -> None:
    """Show leaderboard, judges, motions and spending; write them as a page with --html."""
    require_extra()
    if given.html is not None:
        refuse_existing(given.html, force=given.force, option="--html")
    rows = list(read_judgements(ledger))
    status = read_status(ledger)
    if not any(row.weight for row in rows):
        print_status("debate: there is no judgement yet that counts, so there is nothing to compare")
        _show_status(status, given)
        return
    analysis = analyze(rows)
    if given.html is not None:
        folder, target = ledger.path.parent, given.html.resolve().parent

        def link(path: str) -> str:
            return os.path.relpath(folder / path, target) if (folder / path).exists() else ""

        page = render_experiment(ledger.name, analysis, status, rows, link)
        atomic_write(given.html, page.encode("utf-8", "replace"), overwrite=given.force)
        print_status(f"written: {given.html}")
        return
    if given.json:
        print_json({"status": shown.status_data(status), "analysis": asdict(analysis)})
        return
    if not given.quiet:
        _show_status(status, given)
    _print_tables(report_tables(analysis, status.failures), given)


def _rate(given: ExperimentOptions) -> None:
    """Rate the pairwise results of a CSV file."""
    require_extra()
    found = read_rating_file(Path(given.paths[0]))
    ratings = rate(found.results)
    if given.json:
        print_json({"ratings": asdict(ratings), "notes": ratings.notes, "margin_scale": found.margin_scale})
        return
    table = leaderboard_table(ratings, "ratings")
    remarks = [f"Clusters: {found.clusters}."]
    if found.margin_scale is not None:
        remarks.append(f"A margin of {found.margin_scale:.4g}, the largest in the file, counts as a full win.")
    _print_tables([table._replace(remarks=(*table.remarks, *remarks))], given)


def _is_drawn(given: ExperimentOptions) -> bool:
    return console.is_interactive(sys.stdout) and not given.plain


def _print_tables(tables: Iterable[Table], given: ExperimentOptions) -> None:
    if _is_drawn(given):
        from debate_cli.render.terminal.drawing import render_table

        screen_ = console.make_console(sys.stdout)
        for table in tables:
            screen_.print(render_table(table, {}))
        return
    for table in tables:
        write_document(f"{line}\n" for line in ("", *table_lines(table)))
