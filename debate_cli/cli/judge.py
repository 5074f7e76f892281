"""`debate judge`. Its options are in `saved_options`."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import typer

from debate_cli.app.config_resolution import list_evidence_files, list_input_files
from debate_cli.app.consent import refuse_forbidden
from debate_cli.app.context import Cassette, RunContext
from debate_cli.app.documents import TRANSCRIPT_SUFFIXES, find_sources, read_text_file
from debate_cli.app.gates import Gates
from debate_cli.app.judge import (
    JudgePlan,
    JudgeTask,
    build_completion_plans,
    build_judge_plans,
    find_uncollected,
    judge_files,
    judged_folders,
)
from debate_cli.app.judge_request import JudgingRequest, add_judge_settings, parse_model
from debate_cli.app.model_roles import mock_spec
from debate_cli.app.new_limits import ended_command_of
from debate_cli.app.remedies import EndedCommand
from debate_cli.app.score import ScoredFile, describe_unfinished
from debate_cli.app.session import Outcome
from debate_cli.cli import config_options, console, options, run_control, screen
from debate_cli.cli.batches import BatchScreen, collect_command
from debate_cli.cli.config_options import ConfigOptions
from debate_cli.cli.consent import obtain_consents
from debate_cli.cli.console import ignore_broken_pipe, print_status, read_stdin, write_json_chunks
from debate_cli.cli.dry_run import show_judging_plans
from debate_cli.cli.html_report import write_report
from debate_cli.cli.output_files import check_output, debate_files, refuse_inputs, refuse_stdout
from debate_cli.cli.run_control import PeopleOfCommand, require_terminal
from debate_cli.cli.saved_options import JudgeOptions
from debate_cli.cli.screen import PipeSafeObserver
from debate_cli.domain.debate import rehearsal_notice
from debate_cli.domain.message_text import quote_path
from debate_cli.errors import DebateError, ExitCode, UsageError
from debate_cli.evidence.source_checks import check_sources
from debate_cli.providers.people.person import FILES_FOLDER, default_files_folder
from debate_cli.render import sanitize, score_rows
from debate_cli.render.content.agreement import sort_deciding_first
from debate_cli.render.person_form.person import discard_drafts
from debate_cli.storage.batch_store import BatchStore
from debate_cli.storage.config_file import LoadedConfig
from debate_cli.storage.transcript_store import expand_references

_REFUSED_WITH_COLLECT = (
    "system", "model", "judges", "repeat", "lookup", "evidence", "mock", "replace", "context", "out", "settings", "files",
    "record", "playback", "id", "no_save",
)  # fmt: skip
_OPTION_NAMES = {"settings": "set", "playback": "replay"}


def run(given: JudgeOptions) -> None:
    """Judge saved debates (again), without their debaters."""
    _check_batch_options(given)
    gates = options.gates_from_options(given.fail_under, given.expect_winner, given.max_warnings, given.fail_on)
    if given.config is None and given.var:
        raise UsageError("--var has no effect without a configuration; give one with --config")
    changes = config_options.overrides_from_options(ConfigOptions(given.settings, variables=given.var))
    loaded = config_options.load_judging_config(given.config, changes, given.trust_path)
    request = _build_request(given, loaded)
    plans, problems = (_plan_collection if given.collect else _plan_judging)(given, request, loaded)
    for problem in problems:
        print_status(f"debate: {problem}")
    for note in dict.fromkeys(note for plan in plans for note in plan.notes):
        print_status(f"note: {sanitize.sanitize_line(note)}")
    _check_outputs(given, plans, loaded)
    for plan in plans:
        gates.require_names(plan.debater_names, filter(None, [plan.deciding_kind]), f"{plan.source}: ")
    if given.dry_run:
        refuse_forbidden(place for plan in plans for place in plan.destinations)
        in_batch = given.batch or given.collect
        show_judging_plans([plan.build() for plan in plans], as_json=given.json, batch=in_batch)
        raise typer.Exit(ExitCode.FAILED if problems else ExitCode.DONE)
    if given.playback is None:
        obtain_consents((place for plan in plans for place in plan.destinations), given.trust_host)
    require_terminal(model for plan in plans for model in plan.asked_people)
    judging = _Judging(given, plans, gates, config_options.open_cassette(given.record, given.playback))
    judging.judge_and_print()
    codes = {*judging.codes, ExitCode.FAILED if problems or judging.failed else ExitCode.DONE}
    raise typer.Exit(run_control.gravest_exit_code(codes) or judging.report_code)


def _check_batch_options(given: JudgeOptions) -> None:
    if not given.paths and not given.collect:
        raise UsageError("no transcript is given; give a file, a folder or an id as PATH")
    if given.resubmit and not given.collect:
        raise UsageError("--resubmit has no effect without --collect; add --collect")
    if given.collect:
        changed = [
            name
            for name in _REFUSED_WITH_COLLECT
            if getattr(given, name) not in ([], (), JudgeOptions._field_defaults[name])
        ]
        if changed:
            option = _OPTION_NAMES.get(changed[0], changed[0].replace("_", "-"))
            raise UsageError(
                f"--{option} has no effect with --collect, which only completes stored judging runs; leave out --{option}"
            )
    elif given.batch and (given.no_save or given.playback is not None):
        option = "--replay" if given.playback is not None else "--no-save"
        raise UsageError(f"--batch cannot be combined with {option}; leave out {option}")


def _plan_collection(
    given: JudgeOptions, request: JudgingRequest, loaded: LoadedConfig | None
) -> tuple[list[JudgePlan], list[str]]:
    references = [Path(reference) for reference in given.paths or ()]
    searched = list(judged_folders(request, loaded))
    folders = [path for path in references if path.is_dir()] if references else searched
    files = [str(path) for path in references if not path.is_dir()]
    paths = expand_references(files, searched) if files else []
    paths += [path for folder in folders if folder.is_dir() for path in find_uncollected(folder)]
    if not paths and not any(folder.is_dir() for folder in folders):
        places = " or ".join(map(str, folders))
        raise UsageError(f"--collect: there is no folder {places}; give the path of the folder with the transcripts")
    if not paths:
        print_status(f"no debate in {' or '.join(map(str, folders))} waits for a batch; nothing to collect")
    plans, problems, complete = build_completion_plans(list(dict.fromkeys(paths)), request, loaded)
    for path in complete:
        print_status(f"{path}: no judgement is missing; no model was asked")
    for plan in () if given.resubmit else plans:
        # Without the store, questions that are in a batch would be submitted and paid again.
        store = BatchStore(plan.source.parent).path
        if not store.exists():
            raise UsageError(
                f"{plan.source}: the file {store} does not exist, so the submitted batches are unknown; restore {store.name}, "
                f"or submit all questions again with: debate judge --collect {quote_path(plan.source)} --resubmit"
            )
    return plans, problems


def _plan_judging(
    given: JudgeOptions, request: JudgingRequest, loaded: LoadedConfig | None
) -> tuple[list[JudgePlan], list[str]]:
    described_in = (given.config, given.context, loaded.background_file if loaded is not None else None)
    sources, notes = find_sources(
        given.paths or (),
        judged_folders(request, loaded),
        judges_texts=request.judges_texts,
        read_stdin=read_stdin,
        not_judged=[Path(file) for file in described_in if file is not None],
    )
    config_options.print_notes(notes)
    if given.report is not None and len(sources) > 1:
        raise UsageError(
            "--report works for one debate only; judge one debate, or use `debate score --format html -o DIR`"
        )
    return build_judge_plans(sources, request, loaded)


def _check_outputs(given: JudgeOptions, plans: Sequence[JudgePlan], loaded: LoadedConfig | None) -> None:
    """Raise UsageError if --out, --record or --report names a file that this command must not write."""
    refuse_stdout(given.out, "--out")
    settings = [path for path in (given.context, given.playback) if path is not None]
    settings += list_evidence_files(map(str, given.evidence or ()), Path())
    settings += () if loaded is None else list_input_files(loaded)
    targets = [plan.target for plan in plans if plan.target is not None]
    results = [file for target in targets for file in (target, *debate_files(target))]
    texts = [plan.source for plan in plans if plan.source.suffix not in TRANSCRIPT_SUFFIXES]
    refuse_inputs(results, "--out", [*settings, *texts])
    inputs = [*settings, *(plan.source for plan in plans)]
    if given.record is not None:
        check_output(given.record, "--record", force=True, inputs=inputs, results=results)
        results.append(given.record)
    if given.report is not None:
        check_output(given.report, "--report", force=given.force, inputs=inputs, results=results)


def _build_request(given: JudgeOptions, loaded: LoadedConfig | None) -> JudgingRequest:
    models = given.model or []
    if given.mock:  # each model keeps its name, so that it gets a separate judging run
        models = [mock_spec(parse_model(name)).model for name in models or ["mock/judge"]]
    if given.evidence and given.lookup == "web":
        raise UsageError("--lookup web does not search the files of --evidence; use --lookup both")
    changes = config_options.overrides_from_options(ConfigOptions(given.settings))
    request = JudgingRequest(
        changes=() if loaded is not None else tuple(changes),
        config=loaded.config if loaded is not None else None,
        systems=tuple(given.system or ()),
        model=models[0] if models else None,
        other_models=tuple(models[1:]),
        judges=given.judges,
        repeat=given.repeat,
        lookup=given.lookup or ("corpus" if given.evidence else None),
        evidence=tuple(str(path.absolute()) for path in given.evidence or ()),
        replace=given.replace,
        context=None if given.context is None else read_text_file(given.context),
        limits=config_options.limits_from_options(given.max_cost, given.max_tokens),
        batch=given.batch,
        asks_models=not given.dry_run and given.playback is None,
        out=given.out,
        save=not given.no_save,
        text_id=given.id,
    )
    return request if loaded is None else add_judge_settings(request, loaded.config, changes)


@dataclass(slots=True)
class _Judging:
    given: JudgeOptions
    plans: Sequence[JudgePlan]
    gates: Gates
    cassette: Cassette | None
    codes: set[ExitCode] = field(default_factory=set[ExitCode])
    report_code: ExitCode = ExitCode.DONE
    failed: int = 0
    judged: int = 0
    waiting: int = 0
    is_pipe_closed: bool = False
    rehearsals: Counter[str] = field(default_factory=Counter[str])
    batches: BatchScreen | None = None
    people: PeopleOfCommand | None = None

    def judge_and_print(self) -> None:
        given = self.given
        if given.batch or given.collect:
            self.batches = BatchScreen(waits=given.batch, resubmit=given.resubmit, quiet=given.quiet)
        is_single = len(self.plans) == 1
        is_silent = given.quiet or not is_single or self.batches is not None
        shown = screen.open_observer(screen.progress_stream(quiet=is_silent, as_json=given.json))
        saved = [plan.target for plan in self.plans if plan.target is not None]
        with run_control.report_output_failure(*saved):
            with shown as observer:
                results = self._judge(observer)
                if is_single:  # the summary must follow the live view
                    results = iter([*results])
            rows = self._rows(results, observer)
            with ignore_broken_pipe() as pipe:
                if given.json:
                    write_json_chunks(score_rows.dump_scores_json(rows))
                elif not is_single:
                    console.show_scores(rows, quiet=given.quiet)
            for _ in rows:  # if stdout is closed, judging continues
                pass
            self._print_rest(observer)
        if pipe.is_closed or self.is_pipe_closed:
            self.codes.add(run_control.report_closed_pipe(ExitCode.DONE, is_saved=bool(saved)))

    def _judge(self, observer: PipeSafeObserver) -> Iterator[tuple[JudgeTask, Outcome]]:
        people = self.people = PeopleOfCommand(observer)

        def prepare_context(task: JudgeTask) -> RunContext:
            beside = None if task.target is None else task.target.parent / FILES_FOLDER
            folder = self.given.files or beside or default_files_folder(task.context.config)
            access = people.access(folder, task.target)
            context = replace(task.context, observer=observer, warn=observer.warn, waits=observer.waits)
            return replace(context, cassette=self.cassette, people=access)

        def report_error(plan: JudgePlan, error: DebateError) -> None:
            self.failed += 1
            print_status(f"debate: {plan.source}: {str(error).removeprefix(f'{plan.source}: ')}")

        return run_control.iterate_until_stopped(
            lambda stop: judge_files(
                self.plans,
                prepare_context=prepare_context,
                stop=stop,
                concurrency=self.given.concurrency,
                force=self.given.force,
                on_error=report_error,
                batches=self.batches.queues if self.batches is not None else None,
            ),
            observer,
        )

    def _rows(self, results: Iterator[tuple[JudgeTask, Outcome]], observer: PipeSafeObserver) -> Iterator[ScoredFile]:
        for task, outcome in results:
            if not self._is_waiting(outcome):
                with ignore_broken_pipe() as pipe:
                    self._show_summary(task, outcome)
                self.is_pipe_closed |= pipe.is_closed
                yield _score_row(task, outcome)
            self._report(task, outcome, observer)

    def _show_summary(self, task: JudgeTask, outcome: Outcome) -> None:
        given = self.given
        if given.json or (len(self.plans) > 1 and (given.quiet or not task.is_text)):
            return
        detail = screen.choose_detail(quiet=given.quiet, details=given.details)
        judged = {verdict.run for verdict in outcome.verdicts}
        screen.show_summary(outcome.debate, outcome.verdicts, detail, judged=judged, saved=outcome.path)

    def _report(self, task: JudgeTask, outcome: Outcome, observer: PipeSafeObserver) -> None:
        given = self.given
        self.judged += 1
        if self._is_waiting(outcome):
            self.waiting += 1
            self.codes.add(observer.stop_cause.exit_code if observer.stop_cause is not None else ExitCode.DONE)
            return
        discard_drafts(outcome.path, outcome.debate)
        if outcome.path is None and task.target is not None:
            if task.target.exists():
                print_status(f"unchanged: {task.target}")
            print_status("note: no judge answered and nothing was paid, so this judging was not saved")
        elif (change := task.describe_verdict_change(outcome.debate)) is not None:
            print_status(f"note: {change}")
        if (unfinished := describe_unfinished(outcome.debate)) is not None:
            print_status(f"note: {task.target or task.source}: {unfinished}")
        files = "" if given.files is None else f"--files {quote_path(given.files)}"
        config = "" if given.config is None or given.settings or given.var else f"--config {quote_path(given.config)}"
        ended = EndedCommand(None) if outcome.path is None else ended_command_of(outcome.path, outcome.debate)
        code = run_control.report_outcome(
            outcome,
            ended._replace(options=files, config_option=config, shown_failures=observer.shown_failures),
            suggests_judging=len(self.plans) == 1 and not given.quiet and not given.json,
            stop_cause=observer.stop_cause,
        )
        prefix = f"{task.target or task.source}: " if len(self.plans) > 1 else ""
        self.codes.add(run_control.report_gates(self.gates, outcome, code, prefix))
        self.rehearsals[rehearsal_notice(outcome.debate)] += 1
        if given.report is not None:
            self.report_code = write_report(
                given.report, outcome, task.context.redact, show_hidden=False, force=given.force
            )

    def _is_waiting(self, outcome: Outcome) -> bool:
        return self.batches is not None and outcome.halted == "interrupted"

    def _print_rest(self, observer: PipeSafeObserver) -> None:
        if self.people is not None:
            self.people.report_draft()
        if len(self.plans) > 1 or self.given.json:
            console.print_rehearsals(self.rehearsals, self.judged - self.waiting)
        skipped = len(self.plans) - self.judged - self.failed
        if skipped:
            reason = (observer.stop_cause or screen.BY_USER).reason
            print_status(f"{reason}; {skipped} of {len(self.plans)} files were not judged and are unchanged")
        if self.judged and len(self.given.model or ()) > 1:
            print_status(
                "note: several models judged, so there is no deciding verdict, and each verdict must meet the gates; "
                "`debate score` shows all verdicts"
            )
        elif self.judged and self.given.repeat > 1:
            print_status("note: the newest judging run decides; `debate score --runs all` shows all runs")
        if self.batches is not None and self.waiting:
            targets = [plan.target for plan in self.plans if plan.target is not None]
            self.codes.add(self.batches.report_end(collect_command(targets)))


def _score_row(task: JudgeTask, outcome: Outcome) -> ScoredFile:
    debate = outcome.debate
    return ScoredFile(
        str(task.target or task.source),
        debate.id,
        debate.topic,
        debate.status,
        sort_deciding_first(outcome.verdicts),
        debate.document_name,
        check_sources(debate),
    )
