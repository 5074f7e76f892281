"""`debate judge`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from debate_cli.cli import completion, judge_tasks, options, screen, setup, showing, stage
from debate_cli.cli.audience import Audience
from debate_cli.cli.homes import homes
from debate_cli.cli.judge_tasks import Task
from debate_cli.cli.screen import whoever_reads
from debate_cli.engine import Stop
from debate_cli.errors import DebateError
from debate_cli.rejudging import Wish
from debate_cli.render import scores_table
from debate_cli.render.called import deciding_first
from debate_cli.render.scores_table import Scored
from debate_cli.session import Outcome, Session
from debate_cli.storage.library import expand

app = typer.Typer(add_completion=False)


@app.command(epilog=options.ASKING_EXITS)
def judge(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH",
            help="Transcripts, folders, globs, ids; any text for panel.",
            autocompletion=completion.paths,
        ),
    ],
    config: Annotated[
        str | None, typer.Option(metavar="CONFIG", help="Whose judging part to use.", autocompletion=completion.configs)
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Judge by this system (repeatable).", autocompletion=completion.systems),
    ] = None,
    model: Annotated[str | None, typer.Option(metavar="PROVIDER/MODEL", help="Model of every judge.")] = None,
    judges: Annotated[int | None, typer.Option(min=1, max=25, help="Judges of each system.")] = None,
    repeat: Annotated[int, typer.Option(min=1, max=100, help="Judging runs, independent of each other.")] = 1,
    mock: options.Mock = False,
    replace_: Annotated[
        bool, typer.Option("--replace", help="Earlier assessments of these systems no longer count.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="PATH", help="File or folder for the result; default: in place.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite what stands at --out.")] = False,
    concurrency: Annotated[int, typer.Option(min=1, max=1000, help="Files judged at the same time.")] = 4,
    quiet: options.Quiet = False,
    json_: options.Json = False,
    fail_under: options.FailUnder = None,
    expect_winner: options.ExpectWinner = None,
    max_warnings: options.MaxWarnings = None,
    fail_on: options.FailOn = None,
    debug: options.Debug = False,
) -> None:
    """Judge saved debates (again), without their debaters.

    Assessments are added as a judging run of their own; `debate score --runs all` shows them side by side. No debater's
    model or key is needed. With `--system panel`, PATH may be any text file.

    Examples:

      debate judge my-debate --system panel --model anthropic/claude-sonnet-5

      debate judge transcripts/ --config configs/panel.yaml --repeat 3

      debate judge PLAN.md --system panel --mock
    """
    del debug  # acted on where errors are caught
    gates = options.gates(fail_under, expect_winner, max_warnings, fail_on)
    loaded = setup.load(config) if config is not None else None
    wish = Wish(
        config=loaded.config if loaded is not None else None,
        systems=tuple(system or ()),
        model="mock/judge" if mock else model,
        judges=judges,
        repeat=repeat,
        replace=replace_,
    )
    tasks, bad = judge_tasks.tasks(expand(paths, homes(config=config)), wish, loaded, out)
    for task in tasks:
        gates.require_names(task.debaters, f"{task.source}: ")
    watched = showing.watching(quiet=quiet or len(tasks) != 1, as_json=json_, planned=None, show_hidden=False)
    with stage.told_where(*(task.target for task in tasks)), watched as watcher:
        outcomes, failed = _judge_all(tasks, concurrency, watcher, force=force)
    scored = [
        Scored(
            str(task.target),
            outcome.debate.id,
            outcome.debate.topic,
            outcome.debate.status,
            deciding_first(outcome.verdicts),
            outcome.debate.text,
        )
        for task, outcome in outcomes
    ]
    with stage.told_where(*(task.target for task in tasks)), whoever_reads():
        if json_:
            sys.stdout.writelines(scores_table.json_document(scored))
        elif len(outcomes) == 1:
            alone = outcomes[0][1]
            judged = {verdict.run for verdict in alone.verdicts}
            only = "verdict" if quiet else None
            showing.show_summary(alone.debate, alone.verdicts, show_hidden=False, only=only, judged=judged)
        elif quiet:
            screen.show_decisions(scored)
        else:
            screen.show_scores(scored)
    for task, outcome in outcomes:
        task.tell_of_turn(outcome.debate)
    done = [outcome for _, outcome in outcomes]
    told = len(tasks) == 1 and not quiet and not json_
    raise typer.Exit(stage.ending_of_all(done, gates, bad=bad + failed, spoken=told, unread=watcher.gone))


def _judge_all(
    tasks: Sequence[Task], concurrency: int, watcher: Audience, *, force: bool
) -> tuple[list[tuple[Task, Outcome]], int]:
    """Judge every file, several at a time; what came of each, and how many could not be judged."""
    alone = len(tasks) == 1
    room = asyncio.Semaphore(concurrency)

    async def one(task: Task, stop: Stop) -> Outcome | DebateError | None:
        """None where the user asked to stop before the file was begun: it is left as it is."""
        around = replace(task.prepared.around, note=watcher.note)
        session = Session(around, watcher, stop, secrets=task.prepared.secrets)
        async with room:
            if stop.requested:
                return None
            try:
                return await session.judge(task.events, task.openings, task.prepared.config, task.target, force=force)
            except DebateError as error:
                if alone:
                    raise
                screen.tell(f"debate: {task.source}: {error}")
                return error

    async def everything(stop: Stop) -> list[Outcome | DebateError | None]:
        return await asyncio.gather(*(one(task, stop) for task in tasks))

    results = stage.run_until_stopped(everything, watcher)
    done = [(task, result) for task, result in zip(tasks, results, strict=True) if isinstance(result, Outcome)]
    left = results.count(None)
    if left:
        screen.tell(f"stopped by the user; not begun and left as they are: {left} of {len(results)} files")
    return done, sum(isinstance(result, DebateError) for result in results)
