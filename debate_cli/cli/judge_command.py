"""`debate judge`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import typer

from debate_cli.cli import judge_tasks, options, screen, setup, showing, stage
from debate_cli.cli.asked.judge import Judge
from debate_cli.cli.audience import Audience
from debate_cli.cli.homes import homes
from debate_cli.cli.json_output import hand_on_json
from debate_cli.cli.judge_tasks import Task
from debate_cli.cli.score_remarks import unfinished
from debate_cli.cli.screen import whoever_reads
from debate_cli.engine import Stop
from debate_cli.errors import DebateError
from debate_cli.rejudging import Wish
from debate_cli.render import scores_table
from debate_cli.render.called import deciding_first
from debate_cli.render.scores_table import Scored
from debate_cli.session import Outcome, Session
from debate_cli.storage.library import expand


def carry_out(asked: Judge) -> None:
    """Judge saved debates (again), without their debaters."""
    gates = options.gates(asked.fail_under, asked.expect_winner, asked.max_warnings, asked.fail_on)
    loaded = setup.load(asked.config) if asked.config is not None else None
    wish = Wish(
        config=loaded.config if loaded is not None else None,
        systems=tuple(asked.system or ()),
        model="mock/judge" if asked.mock else asked.model,
        judges=asked.judges,
        repeat=asked.repeat,
        replace=asked.replace,
    )
    tasks, bad = judge_tasks.tasks(expand(asked.paths, homes(config=asked.config)), wish, loaded, asked.out)
    for task in tasks:
        gates.require_names(task.debaters, f"{task.source}: ")
    watched = showing.watching(
        quiet=asked.quiet or len(tasks) != 1, as_json=asked.json, planned=None, show_hidden=False
    )
    with stage.told_where(*(task.target for task in tasks)), watched as watcher:
        outcomes, failed = _judge_all(tasks, asked.concurrency, watcher, force=asked.force)
    with stage.told_where(*(task.target for task in tasks)), whoever_reads():
        _show(asked, outcomes)
    for task, outcome in outcomes:
        task.tell_of_turn(outcome.debate)
        part = unfinished(outcome.debate)
        if part is not None:
            screen.tell(f"note: {task.target}: {part}")
    done = [outcome for _, outcome in outcomes]
    told = len(tasks) == 1 and not asked.quiet and not asked.json
    raise typer.Exit(stage.ending_of_all(done, gates, bad=bad + failed, spoken=told, unread=watcher.gone))


def _show(asked: Judge, outcomes: Sequence[tuple[Task, Outcome]]) -> None:
    """What the judges said, on stdout: one document, a summary of a debate that is alone, a table of several."""
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
    if asked.json:
        hand_on_json(scores_table.json_document(scored))
    elif len(outcomes) == 1:
        alone = outcomes[0][1]
        judged = {verdict.run for verdict in alone.verdicts}
        only = "verdict" if asked.quiet else None
        showing.show_summary(alone.debate, alone.verdicts, show_hidden=False, only=only, judged=judged)
    elif asked.quiet:
        screen.show_decisions(scored)
    else:
        screen.show_scores(scored)


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
