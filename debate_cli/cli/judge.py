"""`debate judge`."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from debate_cli.app import judge_files
from debate_cli.app.judge_files import JudgeTask
from debate_cli.app.judge_request import JudgingRequest
from debate_cli.app.session import Outcome, Session
from debate_cli.cli import completion, config_options, console, options, run_control
from debate_cli.cli.console import ignore_broken_pipe, write_json_chunks
from debate_cli.cli.run_control import PipeSafeObserver
from debate_cli.cli.score import format_unfinished_note
from debate_cli.engine import StopSignal
from debate_cli.errors import DebateError
from debate_cli.render import score_rows
from debate_cli.render.agreement import sort_deciding_first
from debate_cli.render.score_rows import ScoredFile
from debate_cli.storage.transcript_dirs import transcript_dirs
from debate_cli.storage.transcript_store import expand_references

EPILOG = options.EXIT_CODES_WITH_MODELS


class Options(NamedTuple):
    """Judge saved debates (again), without their debaters.

    Assessments are added as a judging run of their own; `debate score --runs all` shows them side by side. No debater's
    model or key is needed. With `--system panel`, PATH may be any text file.

    Examples:

      debate judge my-debate --system panel --model anthropic/claude-sonnet-5

      debate judge transcripts/ --config configs/panel.yaml --repeat 3

      debate judge PLAN.md --system panel --mock
    """

    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH",
            help="Transcripts, folders, globs, ids; any text for panel.",
            autocompletion=completion.complete_paths,
        ),
    ]
    config: Annotated[
        str | None,
        typer.Option(metavar="CONFIG", help="Whose judging part to use.", autocompletion=completion.complete_configs),
    ] = None
    system: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Judge by this system (repeatable).", autocompletion=completion.complete_systems
        ),
    ] = None
    model: Annotated[str | None, typer.Option(metavar="PROVIDER/MODEL", help="Model of every judge.")] = None
    judges: Annotated[int | None, typer.Option(min=1, max=25, help="Judges of each system.")] = None
    repeat: Annotated[int, typer.Option(min=1, max=100, help="Judging runs, independent of each other.")] = 1
    mock: options.MockOption = False
    replace: Annotated[
        bool, typer.Option("--replace", help="Earlier assessments of these systems no longer count.")
    ] = False
    out: Annotated[
        Path | None, typer.Option(metavar="PATH", help="File or folder for the result; default: in place.")
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Overwrite what stands at --out.")] = False
    concurrency: Annotated[int, typer.Option(min=1, max=1000, help="Files judged at the same time.")] = 4
    quiet: options.QuietOption = False
    details: options.DetailsOption = False
    json: options.JsonOption = False
    fail_under: options.FailUnderOption = None
    expect_winner: options.ExpectWinnerOption = None
    max_warnings: options.MaxWarningsOption = None
    fail_on: options.FailOnOption = None
    debug: options.DebugOption = False


def run(asked: Options) -> None:
    """Judge saved debates (again), without their debaters."""
    gates = options.gates_from_options(asked.fail_under, asked.expect_winner, asked.max_warnings, asked.fail_on)
    loaded = config_options.config_from_argument(asked.config) if asked.config is not None else None
    wish = JudgingRequest(
        config=loaded.config if loaded is not None else None,
        systems=tuple(asked.system or ()),
        model="mock/judge" if asked.mock else asked.model,
        judges=asked.judges,
        repeat=asked.repeat,
        replace=asked.replace,
    )
    tasks, bad = judge_files.build_judge_tasks(
        expand_references(asked.paths, transcript_dirs(config=asked.config)), wish, loaded, asked.out
    )
    for task in tasks:
        gates.require_names(task.debater_names, f"{task.source}: ")
    watched = run_control.open_observer(
        quiet=asked.quiet or len(tasks) != 1, as_json=asked.json, planned=None, show_hidden=False
    )
    with run_control.report_output_failure(*(task.target for task in tasks)), watched as watcher:
        outcomes, failed = _judge_all(tasks, asked.concurrency, watcher, force=asked.force)
    with run_control.report_output_failure(*(task.target for task in tasks)), ignore_broken_pipe():
        _print_outcomes(asked, outcomes)
    for task, outcome in outcomes:
        task.warn_if_verdict_changed(outcome.debate)
        part = format_unfinished_note(outcome.debate)
        if part is not None:
            console.print_status(f"note: {task.target}: {part}")
    done = [outcome for _, outcome in outcomes]
    told = len(tasks) == 1 and not asked.quiet and not asked.json
    raise typer.Exit(
        run_control.combined_exit_code(done, gates, bad=bad + failed, spoken=told, unread=watcher.is_closed)
    )


def _print_outcomes(asked: Options, outcomes: Sequence[tuple[JudgeTask, Outcome]]) -> None:
    """What the judges said, on stdout: one document, a summary of a debate that is alone, a table of several."""
    scored = [
        ScoredFile(
            str(task.target),
            outcome.debate.id,
            outcome.debate.topic,
            outcome.debate.status,
            sort_deciding_first(outcome.verdicts),
            outcome.debate.document_name,
        )
        for task, outcome in outcomes
    ]
    if asked.json:
        write_json_chunks(score_rows.dump_scores_json(scored))
    elif len(outcomes) == 1:
        alone = outcomes[0][1]
        judged = {verdict.run for verdict in alone.verdicts}
        only = "verdict" if asked.quiet else None
        run_control.show_summary(alone.debate, alone.verdicts, only=only, full=asked.details, judged=judged)
    elif asked.quiet:
        console.show_deciding_verdicts(scored)
    else:
        console.show_scores(scored)


def _judge_all(
    tasks: Sequence[JudgeTask], concurrency: int, watcher: PipeSafeObserver, *, force: bool
) -> tuple[list[tuple[JudgeTask, Outcome]], int]:
    """Judge every file, several at a time; what came of each, and how many could not be judged."""
    alone = len(tasks) == 1
    room = asyncio.Semaphore(concurrency)

    async def one(task: JudgeTask, stop: StopSignal) -> Outcome | DebateError | None:
        """None where the user asked to stop before the file was begun: it is left as it is."""
        around = replace(task.prepared.context, note=watcher.note)
        session = Session(around, watcher, stop, secrets=task.prepared.secrets)
        async with room:
            if stop.requested:
                return None
            try:
                return await session.judge(task.events, task.openings, task.prepared.config, task.target, force=force)
            except DebateError as error:
                if alone:
                    raise
                console.print_status(f"debate: {task.source}: {error}")
                return error

    async def everything(stop: StopSignal) -> list[Outcome | DebateError | None]:
        return await asyncio.gather(*(one(task, stop) for task in tasks))

    results = run_control.run_until_stopped(everything, watcher)
    done = [(task, result) for task, result in zip(tasks, results, strict=True) if isinstance(result, Outcome)]
    left = results.count(None)
    if left:
        console.print_status(f"stopped by the user; not begun and left as they are: {left} of {len(results)} files")
    return done, sum(isinstance(result, DebateError) for result in results)
