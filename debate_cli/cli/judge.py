"""`debate judge`. Its options are in `judge_options`."""

import os
from collections.abc import Sequence
from pathlib import Path

import typer

from debate_cli.app.config_resolution import check_for_judging
from debate_cli.app.judge import JudgeTarget, JudgeTask, build_judge_tasks, judge_files
from debate_cli.app.judge_request import JudgingRequest
from debate_cli.app.outcome import Outcome
from debate_cli.app.score import ScoredFile, describe_unfinished
from debate_cli.cli import config_options, console, options, run_control, screen
from debate_cli.cli.config_options import ConfigOptions
from debate_cli.cli.consent import obtain_consents
from debate_cli.cli.console import ignore_broken_pipe, print_status, refuse_existing, write_json_chunks
from debate_cli.cli.dry_run import show_judging_plans
from debate_cli.cli.judge_options import Options
from debate_cli.cli.run import write_report
from debate_cli.errors import DebateError, UsageError
from debate_cli.render import score_rows
from debate_cli.render.agreement import sort_deciding_first
from debate_cli.storage.config_file import LoadedConfig
from debate_cli.storage.transcript_dirs import transcript_dirs
from debate_cli.storage.transcript_store import expand_references
from debate_cli.storage.variables import load_environment


def run(given: Options) -> None:
    """Judge saved debates (again), without their debaters."""
    gates = options.gates_from_options(given.fail_under, given.expect_winner, given.max_warnings, given.fail_on)
    if given.report is not None:
        refuse_existing(given.report, force=given.force, option="--report")
    loaded = _load_config(given)
    files = expand_references(given.paths, transcript_dirs(config=given.config))
    if given.report is not None and len(files) > 1:
        raise UsageError("--report: one file is written; judge one debate, or use `debate score --format html -o DIR`")
    target = JudgeTarget(given.out, save=not given.no_save, text_id=given.id)
    tasks, problems = build_judge_tasks(files, _build_request(given, loaded), loaded, target)
    for problem in problems:
        print_status(f"debate: {problem}")
    for task in tasks:
        console.print_truncation_note(task.note)
        gates.require_names(task.debater_names, f"{task.source}: ")
    if given.dry_run:
        show_judging_plans(tasks, as_json=given.json)
        raise typer.Exit(1 if problems else 0)
    if given.playback is None:
        obtain_consents((place for task in tasks for place in task.context.destinations), given.trust_host)
    outcomes, failed, stop_cause = _judge_all(given, tasks, loaded)
    with run_control.report_output_failure(*_saved_paths(tasks)), ignore_broken_pipe():
        _print_outcomes(given, outcomes)
    for task, outcome in outcomes:
        _print_notes(task, outcome)
    if outcomes and max(1, len(given.model or ())) * given.repeat > 1:
        print_status("note: the newest judging run decides; `debate score --runs all` shows all of them")
    code = run_control.combined_exit_code(
        [outcome for _, outcome in outcomes],
        gates,
        bad=len(problems) + failed,
        suggest_judging=len(tasks) == 1 and not given.quiet and not given.json,
        stop_cause=stop_cause,
    )
    if given.report is not None and outcomes:
        task, outcome = outcomes[0]
        written = write_report(given.report, outcome, task.context.redact, show_hidden=False, force=given.force)
        code = code or written
    raise typer.Exit(code)


def _load_config(given: Options) -> LoadedConfig | None:
    if given.config is None:
        if given.settings or given.var:
            option = "--set changes a setting" if given.settings else "--var fills a text"
            raise UsageError(f"{option} of --config; name one")
        config_options.print_notes(load_environment(Path(), os.environ).notes)
        return None
    changes = config_options.overrides_from_options(ConfigOptions(given.settings, variables=given.var))
    return config_options.config_from_argument(
        given.config, changes, checks=check_for_judging, trusted_folders=given.trust_path
    )


def _build_request(given: Options, loaded: LoadedConfig | None) -> JudgingRequest:
    models = ["mock/judge"] if given.mock else given.model or []
    limits = {"max_cost_usd": given.max_cost, "max_tokens": given.max_tokens}
    if given.max_cost is not None and given.max_cost <= 0:
        raise UsageError(f"--max-cost {given.max_cost:g}: give an amount above 0")
    return JudgingRequest(
        config=loaded.config if loaded is not None else None,
        systems=tuple(given.system or ()),
        model=models[0] if models else None,
        other_models=tuple(models[1:]),
        judges=given.judges,
        repeat=given.repeat,
        replace=given.replace,
        limits={key: value for key, value in limits.items() if value is not None},
        asks_models=not given.dry_run and given.playback is None,
    )


def _judge_all(
    given: Options, tasks: Sequence[JudgeTask], loaded: LoadedConfig | None
) -> tuple[list[tuple[JudgeTask, Outcome]], int, screen.StopCause | None]:
    """Judge every file: the outcomes, the number of failed files, and what stopped the run, if anything did."""
    cassette = config_options.open_cassette(given.record, given.playback, loaded)
    failed: list[JudgeTask] = []

    def report_error(task: JudgeTask, error: DebateError) -> None:
        failed.append(task)
        for problem in error.problems:
            print_status(f"debate: {task.source}: {problem}")

    shown = screen.open_observer(
        quiet=given.quiet or len(tasks) != 1, as_json=given.json, planned=None, show_hidden=False
    )
    with run_control.report_output_failure(*_saved_paths(tasks)), shown as observer:
        results = run_control.run_until_stopped(
            lambda stop: judge_files(
                tasks,
                observer=observer,
                stop=stop,
                concurrency=given.concurrency,
                force=given.force,
                cassette=cassette,
                on_error=report_error,
            ),
            observer,
        )
    outcomes = [(task, outcome) for task, outcome in zip(tasks, results, strict=True) if outcome is not None]
    skipped = len(tasks) - len(outcomes) - len(failed)
    if skipped:
        reason = (observer.stop_cause or screen.BY_USER).reason
        print_status(f"{reason}; not begun and unchanged: {skipped} of {len(tasks)} files")
    return outcomes, len(failed), observer.stop_cause


def _saved_paths(tasks: Sequence[JudgeTask]) -> list[Path]:
    return [task.target for task in tasks if task.target is not None]


def _print_outcomes(given: Options, outcomes: Sequence[tuple[JudgeTask, Outcome]]) -> None:
    """Print the verdicts: one document, a summary of a single debate, or a table of several."""
    scored = [
        ScoredFile(
            str(task.target or task.source),
            outcome.debate.id,
            outcome.debate.topic,
            outcome.debate.status,
            sort_deciding_first(outcome.verdicts),
            outcome.debate.document_name,
        )
        for task, outcome in outcomes
    ]
    if given.json:
        write_json_chunks(score_rows.dump_scores_json(scored))
    elif len(outcomes) == 1:
        single = outcomes[0][1]
        judged = {verdict.run for verdict in single.verdicts}
        only = "verdict" if given.quiet else None
        screen.show_summary(single.debate, single.verdicts, only=only, full=given.details, judged=judged)
    elif given.quiet:
        console.show_deciding_verdicts(scored)
    else:
        console.show_scores(scored)


def _print_notes(task: JudgeTask, outcome: Outcome) -> None:
    change = task.describe_verdict_change(outcome.debate)
    if change is not None:
        print_status(f"note: {change}")
    unfinished = describe_unfinished(outcome.debate)
    if unfinished is not None:
        print_status(f"note: {task.target or task.source}: {unfinished}")
