"""`debate experiment`. Its options are in `debate_options`."""

import asyncio
import os
import re
import sys
from collections.abc import Collection, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, TextIO, cast

import typer

from debate_cli.app.consent import describe_destinations, refuse_forbidden
from debate_cli.app.model_roles import judge_model_specs
from debate_cli.app.preparation import require_batches
from debate_cli.cli import config_options, console, run_control, screen
from debate_cli.cli.batches import BatchScreen
from debate_cli.cli.consent import obtain_consents
from debate_cli.cli.console import print_json, print_status, write_document
from debate_cli.cli.debate_options import Action, ExperimentOptions
from debate_cli.cli.dry_run import NOTHING_ASKED, format_plan_rows, plan_data, show_plan_table
from debate_cli.cli.output_files import check_output, file_or_stdout, refuse_stdout
from debate_cli.domain.message_text import count_noun, quote_path
from debate_cli.errors import ExitCode, UsageError
from debate_cli.experiments.analysis import analyze
from debate_cli.experiments.cell_store import LedgerCells
from debate_cli.experiments.cells import CellPlan
from debate_cli.experiments.cluster.queue_sync import QueueOptions, copy_from_queue, refuse_queued, run_in_queue
from debate_cli.experiments.definition import Experiment, load_experiment
from debate_cli.experiments.estimate import (
    SECONDS_TO_FIRST_TOKEN,
    TOKENS_PER_SECOND,
    ExperimentEstimate,
    ParticipantEstimate,
    estimate_experiment,
)
from debate_cli.experiments.ledger import DEBATES_FOLDER, LEDGER_NAME, Ledger
from debate_cli.experiments.merge import merge_experiments
from debate_cli.experiments.progress import ExperimentObserver, ExperimentProgress, Status, read_status
from debate_cli.experiments.rating_file import read_rating_file
from debate_cli.experiments.results import JudgementRow, dump_parquet, flatten, read_judgements
from debate_cli.experiments.runner import (
    MAX_FAILURES_IN_A_ROW,
    ExperimentRun,
    RunSummary,
    plan_experiment,
)
from debate_cli.experiments.settings import read_experiment_file
from debate_cli.observer import NullObserver
from debate_cli.render import experiment as shown
from debate_cli.render import sanitize, theme
from debate_cli.render.content.experiment_report import leaderboard_table, report_tables
from debate_cli.render.html.experiment import render_experiment
from debate_cli.render.records import Record, dump_csv, dump_json_array, dump_jsonl
from debate_cli.statistics import require_extra
from debate_cli.statistics.ratings import rate
from debate_cli.storage.atomic_write import atomic_write
from debate_cli.storage.batch_store import BatchStore
from debate_cli.storage.variables import QUEUE_VARIABLE

PLAN_HEADINGS = ("who", "debates", "", "calls", "tokens in", "tokens out", "USD")
_OPTIONS: Mapping[Action, Collection[str]] = {
    "run": ExperimentOptions._field_defaults.keys() - {"format", "html", "force"},
    "status": ("out", "mock", "queue", "json"),
    "report": ("out", "mock", "queue", "json", "plain", "format", "html", "force"),
    "rate": ("json", "plain"),
    "merge": ("out", "json"),
}
"""Maps each action, e.g. `report`, to the options that it accepts."""
EXIT_CODES = {
    "interrupted": ExitCode.INTERRUPTED,
    "budget": ExitCode.BUDGET_REACHED,
    "failures": ExitCode.PROVIDER_FAILED,
}
"""Maps the reason why a run ended early to the exit code."""


def run(given: ExperimentOptions) -> None:
    """Run an experiment, show its state, print its results, or join its folders."""
    _check_options(given)
    match given.action:
        case "run":
            _run(given)
        case "status":
            with _open_ledger(given) as ledger:
                _show_status(read_status(ledger), given)
        case "report":
            with _open_ledger(given) as ledger:
                _report(ledger, given)
        case "rate":
            _rate(given)
        case "merge":
            if given.out is None:
                raise UsageError("`debate experiment merge` needs a new folder for its result; give it with -o DIR")
            with merge_experiments([Path(path) for path in given.paths], given.out.path) as ledger:
                _show_status(read_status(ledger), given)


def _check_options(given: ExperimentOptions) -> None:
    action = given.action
    for name in ExperimentOptions._field_defaults:
        value = getattr(given, name)
        if value and name not in _OPTIONS[action] and value != os.environ.get(QUEUE_VARIABLE):
            option = name.replace("_", "-")
            raise UsageError(f"--{option} is not an option of `debate experiment {action}`; leave it out")
    if given.queue and (given.shard or given.limit):
        raise UsageError(
            f"--shard and --limit do not apply to a queue; leave them out, or leave out --queue and unset {QUEUE_VARIABLE}"
        )
    if given.enqueue_only and not given.queue:
        raise UsageError("--enqueue-only needs a queue; give it with --queue")
    if action != "merge" and len(given.paths) > 1:
        raise UsageError(f"`debate experiment {action}` takes one file or folder; leave out {given.paths[1]}")
    if action != "report":
        refuse_stdout(given.out, "-o")
    if action == "report":
        _check_report_options(given)
    elif action == "status" and given.out is not None and Path(given.paths[0]).is_dir():
        raise UsageError(f"{given.paths[0]} is already the folder of the experiment; leave out --out")


def _check_report_options(given: ExperimentOptions) -> None:
    forms = {"--format": given.format, "--html": given.html, "--json": given.json}
    chosen = [option for option, value in forms.items() if value]
    if len(chosen) > 1:
        raise UsageError(f"{' and '.join(chosen)} are different forms of the report; give only one of them")
    if given.out is not None and given.format is None:
        raise UsageError(
            f"-o {given.out}: this option works only with --format; add --format csv, or write a page with --html FILE"
        )
    if given.out is not None and given.out.is_folder:
        raise UsageError(f"--out {given.out}: this is a folder; give the path of a file")


def _parse_shard(text: str | None) -> tuple[int, int]:
    if text is None:
        return 1, 1
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise UsageError(f"--shard {text}: write I/N, for example 2/8 for the second of eight parts")
    return int(found[1]), int(found[2])


def _run(given: ExperimentOptions) -> None:
    shard = _parse_shard(given.shard)
    path, trusted = Path(given.paths[0]), given.trust_path or ()
    asked = not (given.dry_run or given.queue)
    loaded = load_experiment(path, os.environ, mock=given.mock, trusted_folders=trusted, asked=asked)
    config_options.print_notes(loaded.notes)
    folder = loaded.default_folder if given.out is None else given.out.path
    _check_batches(given, loaded, folder)
    if given.dry_run:
        refuse_forbidden(loaded.destinations)
        _show_plan(loaded, folder, shard=shard, as_json=given.json, batch=given.batch)
        return
    if not given.queue:
        obtain_consents(loaded.destinations, given.trust_host)
    with Ledger.create(folder, loaded.file.config.name, mock=loaded.mock) as ledger:
        plan = plan_experiment(loaded, ledger)
        if not given.json:
            _print_if_open(shown.rehearsal_lines(ledger.rehearsal_notice))
        control = screen.PipeSafeObserver(NullObserver(), show_warning=screen.print_note)
        batches = BatchScreen(quiet=given.quiet, show=lambda line: control.warn(f"batch: {line}"))
        with _observe(given, control, read_status(ledger).progress) as observer:
            if given.queue:
                queue = QueueOptions(given.queue, given.retry_failed, given.enqueue_only)
                work = partial(run_in_queue, queue, plan, ledger, observer)
            else:
                refuse_queued(ledger)
                cells = LedgerCells(ledger, folder, retry_failed=given.retry_failed, shard=shard)
                queues = batches.queues if given.batch else None
                work = ExperimentRun(plan, cells, folder, observer, limit=given.limit, batches=queues).run
            summary = run_control.run_until_stopped(lambda stop: work(stop=stop), control)
            if isinstance(observer, shown.JsonExperimentObserver):
                observer.finish(summary)
        status = read_status(ledger)
    if not given.json:
        _print_if_open([*shown.status_lines(status), *shown.rehearsal_lines(status.progress.rehearsal_notice)])
    code = _report_end(summary, given, folder, loaded, control)
    if summary.stopped == "interrupted" and given.batch:
        batches.report_end(_command(given, loaded))
    raise typer.Exit(code)


def _check_batches(given: ExperimentOptions, experiment: Experiment, folder: Path) -> None:
    if given.batch and given.queue:
        raise UsageError(
            "--batch cannot be combined with a queue; leave out --queue and unset DEBATE_QUEUE, or leave out --batch"
        )
    if given.batch:
        for variant in experiment.variants:
            config = variant.context.config
            specs = [judge.spec for judge in variant.judges] or judge_model_specs(config)
            require_batches(config, specs, str(experiment.file.path))
    elif BatchStore(folder / DEBATES_FOLDER).open_debates():
        raise UsageError(
            f"{folder}: batches with questions to judges are in progress; add --batch to collect the answers"
        )


@contextmanager
def _observe(
    given: ExperimentOptions, control: screen.PipeSafeObserver, progress: ExperimentProgress
) -> Generator[ExperimentObserver]:
    stdout = cast("TextIO", screen.PipeSafeStdout(control))
    if given.json:
        yield shown.JsonExperimentObserver(stdout)
    elif given.quiet:
        yield ExperimentObserver()
    elif console.is_interactive(sys.stdout) and not given.plain:
        from debate_cli.render.live.experiment import LiveExperimentObserver

        with screen.show_view(LiveExperimentObserver(console.make_console(stdout), progress)) as view:
            control.show_warning = view.note
            yield view
        control.show_warning = screen.print_note
    else:
        yield shown.PlainExperimentObserver(stdout)


def _report_end(
    summary: RunSummary,
    given: ExperimentOptions,
    folder: Path,
    experiment: Experiment,
    control: screen.PipeSafeObserver,
) -> ExitCode:
    print_status(f"saved: {folder}")
    if summary.cells_elsewhere:
        cells_are = "1 cell is" if summary.cells_elsewhere == 1 else f"{summary.cells_elsewhere} cells are"
        print_status(f"note: {cells_are} being run by other processes")
    if given.queue and (summary.stopped == "interrupted" or given.enqueue_only):
        print_status(
            "note: the unfinished cells (debates) stay in the queue, and workers run them even after this command has ended"
        )
    command = _command(given, experiment)
    if summary.stopped is not None:
        reasons = {
            "interrupted": (control.stop_cause or screen.BY_USER).reason,
            "budget": "the budget of the experiment is reached; raise limits.max_cost_usd or limits.max_tokens",
            "failures": f"{MAX_FAILURES_IN_A_ROW} cells failed in a row, so no further cell was started; correct the cause "
            "(to see it, run `debate experiment status`)",
        }
        progress = summary.progress
        sentence = f"debate: {reasons[summary.stopped]}; {progress.left} of {progress.total} cells are left"
        if summary.stopped == "interrupted" and given.batch:  # the line about batches names the command
            print_status(sentence)
        else:
            print_status(f"{sentence}; continue with:")
            print_status(command)
        return control.stop_cause.exit_code if control.stop_cause is not None else EXIT_CODES[summary.stopped]
    if not summary.failed:
        return ExitCode.DONE
    print_status(f"debate: {count_noun(summary.failed, 'cell')} failed; run them again with:")
    print_status(f"{command} --retry-failed")
    return ExitCode.FAILED if summary.finished else ExitCode.PROVIDER_FAILED


def _command(given: ExperimentOptions, experiment: Experiment) -> str:
    parts = ["debate", "experiment", "run", quote_path(experiment.file.path)]
    parts += ["--mock"] if given.mock else []
    parts += ["--out", quote_path(given.out)] if given.out is not None else []
    parts += ["--shard", given.shard] if given.shard is not None else []
    parts += ["--queue", "DSN"] if given.queue not in {None, os.environ.get(QUEUE_VARIABLE)} else []
    parts += ["--batch"] if given.batch else []
    return " ".join(parts)


def _open_ledger(given: ExperimentOptions) -> Ledger:
    path = Path(given.paths[0])
    if path.is_dir():
        folder = path
        with Ledger.open(folder) as ledger:
            name, mock = ledger.name, ledger.replaces_models
    else:
        file = read_experiment_file(path)
        name, mock = file.config.name, given.mock
        folder = file.folder / f"{file.config.slug}{'-mock' if mock else ''}"
        if given.action == "status" and given.out is not None:
            folder = given.out.path
    if given.queue:
        asyncio.run(copy_from_queue(given.queue, folder, name, mock=mock))
    ledger = Ledger.open(folder)
    ledger.require_name(name)
    return ledger


def _show_status(status: Status, given: ExperimentOptions) -> None:
    if given.json:
        print_json(shown.status_data(status))
        return
    notice = shown.rehearsal_lines(status.progress.rehearsal_notice)
    console.print_lines([*notice, *shown.status_lines(status), *notice])


def _print_if_open(lines: Iterable[str]) -> None:
    with console.ignore_broken_pipe():
        console.print_lines(lines)


def _report(ledger: Ledger, given: ExperimentOptions) -> None:
    given = given._replace(out=file_or_stdout(given.out))
    if given.format is None:
        _show_report(ledger, given)
        return
    if given.out is not None:
        check_output(given.out.path, "--out", force=given.force, inputs=_report_inputs(ledger, given))
    rows = read_judgements(ledger)
    if given.format == "parquet":
        if given.out is None:
            raise UsageError("--format parquet needs a file to write to; give it with -o FILE")
        atomic_write(given.out.path, dump_parquet(rows, ledger.axes), overwrite=given.force)
    else:
        _write_rows(map(flatten, rows), ledger, given)
    if given.out is not None:
        print_status(f"written: {given.out}")


def _report_inputs(ledger: Ledger, given: ExperimentOptions) -> list[Path]:
    debates = ledger.path.parent / DEBATES_FOLDER
    return [Path(given.paths[0]), ledger.path, *(debates.iterdir() if debates.is_dir() else ())]


def _write_rows(rows: Iterable[Record], ledger: Ledger, given: ExperimentOptions) -> None:
    is_shown = given.out is None and sys.stdout.isatty()
    if given.format == "csv":
        columns = [*(name for name in JudgementRow._fields if name != "axes"), *(f"axes.{key}" for key in ledger.axes)]
        pieces = dump_csv(rows, columns, for_terminal=is_shown)
    else:
        pieces = dump_json_array(rows) if given.format == "json" else dump_jsonl(rows)
    if given.out is not None:
        atomic_write(given.out.path, "".join(pieces).encode("utf-8", "replace"), overwrite=given.force)
    elif given.format == "csv":
        write_document(pieces)
    else:
        console.write_json_chunks(pieces)


def _show_report(ledger: Ledger, given: ExperimentOptions) -> None:
    require_extra()
    if given.html is not None:
        check_output(given.html, "--html", force=given.force, inputs=_report_inputs(ledger, given))
    rows = list(read_judgements(ledger))
    status = read_status(ledger)
    if not any(row.weight for row in rows):
        print_status(
            "debate: no verdict names a winner or a draw yet, so there is nothing to compare; continue with `debate experiment run`"
        )
    if not rows:
        _show_status(status, given)
        return
    analysis = analyze(rows)
    if given.html is not None:
        folder, target = ledger.path.parent, given.html.resolve().parent

        def link(path: str) -> str:
            transcript = folder / path
            files = [file for file in (transcript.with_suffix(".html"), transcript) if file.exists()]
            return os.path.relpath(files[0], target) if files else ""

        page = render_experiment(ledger.name, analysis, status, rows, link)
        atomic_write(given.html, page.encode("utf-8", "replace"), overwrite=given.force)
        print_status(f"written: {given.html}")
        return
    if given.json:
        print_json({"status": shown.status_data(status), "analysis": asdict(analysis)})
        return
    notice = shown.rehearsal_lines(status.progress.rehearsal_notice)
    console.print_lines([*notice, *shown.status_lines(status)])
    print()
    console.show_tables(report_tables(analysis, status.failures), plain=given.plain)
    console.print_lines(notice)


def _rate(given: ExperimentOptions) -> None:
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
    console.show_tables([table._replace(remarks=(*table.remarks, *remarks))], plain=given.plain)


def _show_plan(experiment: Experiment, folder: Path, *, shard: tuple[int, int], as_json: bool, batch: bool) -> None:
    plan = CellPlan(experiment)
    cells = [cell for cell in plan.cells() if cell.bucket % shard[1] == shard[0] - 1]
    done: set[str] = set()
    if (folder / LEDGER_NAME).is_file():
        with Ledger.open(folder) as ledger:
            ledger.require_experiment(experiment.file.config.name, mock=experiment.mock)
            found = [(cell, ledger.find(cell.key)) for cell in cells]
        done = {
            cell.key
            for cell, known in found
            if known and known.state == "done" and known.cell.questions == cell.questions
        }
    left = [cell for cell in cells if cell.key not in done]
    estimate = asyncio.run(estimate_experiment(plan, left, len(done), batch=batch))
    notes = plan.describe_self_judging()
    notes += ["judges are asked in batches, at half the price; their answers may take a day"] if batch else []
    if as_json:
        print_json(_plan_data(estimate) | {"notes": notes, "hosts": describe_destinations(experiment.destinations)})
        return
    _print_plan(experiment, estimate, notes)


def _print_plan(experiment: Experiment, estimate: ExperimentEstimate, remarks: Iterable[str]) -> None:
    config = experiment.file.config
    parts = [count_noun(len(experiment.motions), "motion"), count_noun(len(config.pairs()), "pair")]
    parts.append(f"sides: {config.sides}")
    parts += [f"repeated {config.repeat} times"] if config.repeat > 1 else []
    parts += [f"{len(experiment.variants)} variants of the base"] if len(experiment.variants) > 1 else []
    title = f"{sanitize.sanitize_line(config.name)}: {estimate.cells:,} cells ({', '.join(parts)})"
    left = f"{estimate.cells - estimate.done:,}"
    if estimate.done:
        title += f"; {estimate.done:,} are done, and this is the plan for the remaining {left}"
    groups = [
        format_plan_rows(each.name, each.model, each.planned, each.worst, f"{each.debates:,}")
        for each in (*estimate.players, *estimate.judges)
    ]
    groups.append(format_plan_rows("all", "", estimate.planned, estimate.worst, left))
    clock = theme.format_duration(estimate.seconds)
    speed = f"{TOKENS_PER_SECOND} tokens a second and {SECONDS_TO_FIRST_TOKEN:g} s before each answer"
    notes = [f"Time: at least {clock}. The slowest is {estimate.slowest}, at {speed}."]
    if config.limits.max_cost_usd is not None:
        notes.append(
            "The experiment starts no call that could raise the total cost above "
            f"{config.limits.max_cost_usd:g} USD (limits)."
        )
    notes += [f"Note: {sanitize.sanitize_line(remark)}." for remark in remarks]
    notes.append(
        "Planned: the calls of one debate, simulated with the mock, times the number of cells. "
        "At worst: every answer has full length."
    )
    show_plan_table(title, PLAN_HEADINGS, groups, [*notes, NOTHING_ASKED])


def _plan_data(estimate: ExperimentEstimate) -> dict[str, Any]:
    def data(each: ParticipantEstimate) -> dict[str, Any]:
        return {
            "name": each.name,
            "model": each.model,
            "debates": each.debates,
            **plan_data(each.planned, each.worst),
        }

    return {
        "cells": estimate.cells,
        "done": estimate.done,
        "players": [data(each) for each in estimate.players],
        "judges": [data(each) for each in estimate.judges],
        **plan_data(estimate.planned, estimate.worst),
        "seconds": round(estimate.seconds, 1),
        "slowest_limit": estimate.slowest,
    }
