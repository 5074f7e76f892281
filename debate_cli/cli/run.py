"""`debate run`. Its options are in `debate_options`."""

import asyncio
import os
import random
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import typer

from debate_cli.app.config_resolution import check_output_folder, config_from_transcript, list_input_files
from debate_cli.app.consent import refuse_forbidden
from debate_cli.app.context import RunContext
from debate_cli.app.estimate import MAX_ESTIMATED_CALLS, estimate_run, planned_call_count
from debate_cli.app.evidence import evidence_notes
from debate_cli.app.gates import Gates
from debate_cli.app.new_limits import estimate_new_limits
from debate_cli.app.preparation import prepare_resume, prepare_run
from debate_cli.app.remedies import EndedCommand
from debate_cli.app.resume import models_replaced_by_mock
from debate_cli.app.session import Outcome, Session
from debate_cli.cli import config_options, options, run_control, screen
from debate_cli.cli.config_options import ConfigOptions
from debate_cli.cli.consent import obtain_consents
from debate_cli.cli.console import ignore_broken_pipe, print_rehearsals, print_status, write_json_chunks
from debate_cli.cli.debate_options import RunOptions
from debate_cli.cli.dry_run import show_plan
from debate_cli.cli.html_report import write_report
from debate_cli.cli.output_files import check_output, debate_files, refuse_inputs, refuse_stdout
from debate_cli.cli.run_control import PeopleOfCommand, require_terminal
from debate_cli.cli.screen import PipeSafeObserver
from debate_cli.domain.config_checks import check_config, find_notices
from debate_cli.domain.debate import rehearsal_notice
from debate_cli.domain.message_text import quote_path
from debate_cli.engine import StopSignal
from debate_cli.errors import DebateError, UsageError
from debate_cli.providers.people.person import FILES_FOLDER
from debate_cli.render import sanitize
from debate_cli.render.person_form.person import discard_drafts
from debate_cli.render.theme import RunPlan, format_cost
from debate_cli.storage.config_file import LoadedConfig
from debate_cli.storage.folder import new_id, validate_id
from debate_cli.storage.serialization import Redact
from debate_cli.storage.transcript import dump_transcript, to_transcript
from debate_cli.storage.transcript_store import (
    DEFAULT_OUTPUT_FOLDER,
    StoredDebate,
    cut_damaged_journal,
    find_debate,
    open_debate,
    transcript_dirs,
)
from debate_cli.storage.variables import ConfigChange
from debate_cli.systems.scoring import deciding_kind


def run(given: RunOptions) -> None:
    """Run a debate and save its transcript."""
    gates = options.gates_from_options(given.fail_under, given.expect_winner, given.max_warnings, given.fail_on)
    changes = _config_changes(given)
    given = _resolve_continue(given, changes)
    _check_options(given)
    loaded, context, stored = _prepare(given, changes, gates)
    target = _choose_target(given, context, stored)
    _check_outputs(given, loaded, target)
    for line in find_notices(context.config):
        print_status(line)
    if not given.close:
        for note in evidence_notes(context.corpus, context.config, None if stored is None else stored.debate):
            print_status(f"note: {sanitize.sanitize_line(note)}")
    if given.dry_run:
        refuse_forbidden(context.destinations)
        show_plan(context, as_json=given.json)
        return
    require_terminal(context.asked_people)
    obtain_consents(context.destinations, given.trust_host)
    if given.up_to_damage and stored is not None:
        print_status(
            f"note: {cut_damaged_journal(stored.path) or f'{stored.path}: the journal is not damaged, so nothing was cut'}"
        )
    recorder = config_options.open_cassette(given.record, None)
    context = replace(context, cassette=recorder or context.cassette)
    outcome, code = _execute(given, context, stored, gates, target)
    if given.report is not None:
        written = write_report(given.report, outcome, context.redact, show_hidden=given.show_hidden, force=given.force)
        code = code or written
    raise typer.Exit(code)


def _check_options(given: RunOptions) -> None:
    if given.resume is not None and (given.no_save or given.id is not None):
        raise UsageError(
            "--resume cannot be combined with --id or --no-save, because it keeps the debate's id and file; leave them out"
        )
    if given.up_to_damage and given.resume is None:
        raise UsageError("--up-to-damage works only with --resume; give the debate with --resume")
    if given.up_to_damage and given.dry_run:
        raise UsageError("--up-to-damage changes the journal, but --dry-run changes nothing; leave out one of them")
    if given.close and given.resume is None:
        raise UsageError("--close works only with --resume; give the debate with --resume")


class _Target(NamedTuple):
    """Where the run is saved."""

    debate_id: str
    folder: Path
    """The output folder."""
    path: Path | None
    """The transcript, in `folder`; None with --no-save."""


def _choose_target(given: RunOptions, context: RunContext, stored: StoredDebate | None) -> _Target:
    if stored is not None:
        return _Target(stored.debate.id, stored.path.parent, stored.path.with_suffix(".json"))
    config = context.config
    name = given.id
    if name is None:
        name = new_id(config.topic, datetime.now(UTC), random.SystemRandom(), context.redact)
    validate_id(name)
    folder = given.out or Path(config.output.dir)
    return _Target(name, folder, None if given.no_save else folder / f"{name}.json")


def _check_outputs(given: RunOptions, loaded: LoadedConfig, target: _Target) -> None:
    """Raise UsageError if the run must not write one of its outputs: the saved debate, the cassette or the report.

    For example, an output must not overwrite an input of the run or another output.
    """
    refuse_stdout(given.out, "--out")
    saved = () if target.path is None else debate_files(target.path)
    if given.resume is None:
        refuse_inputs(saved, "--out", _input_files(given, loaded))
    if given.record is not None:
        check_output(given.record, "--record", force=True, inputs=_input_files(given, loaded), results=saved)
    if given.report is not None:
        results = (*saved, *filter(None, [given.record]))
        inputs = _input_files(given, loaded)
        check_output(given.report, "--report", force=given.force, inputs=inputs, results=results)


def _input_files(given: RunOptions, loaded: LoadedConfig) -> Iterator[Path]:
    yield from filter(None, (given.background, given.playback))
    yield from list_input_files(loaded)


def _config_changes(given: RunOptions) -> list[ConfigChange]:
    return config_options.overrides_from_options(
        ConfigOptions(
            given.settings,
            given.topic,
            given.background,
            given.seed,
            given.max_cost,
            given.max_tokens,
            given.var,
            given.evidence,
        )
    )


def _resolve_continue(given: RunOptions, changes: Sequence[ConfigChange]) -> RunOptions:
    if not given.continue_:
        return given
    if given.resume is not None:
        raise UsageError("--continue and --resume cannot be combined; leave out --continue")
    if given.id is None:
        raise UsageError("--continue needs the id of a debate; add --id")
    if given.no_save:
        raise UsageError("--continue and --no-save cannot be combined; leave out one of them")
    folder = next(transcript_dirs(given.out, given.config, changes))
    place = folder / f"{validate_id(given.id)}.json"
    saved = next((path for path in (place, place.with_suffix(".jsonl")) if path.exists()), None)
    return given if saved is None else given._replace(id=None, resume=str(saved))


def _prepare(
    given: RunOptions, changes: Sequence[ConfigChange], gates: Gates
) -> tuple[LoadedConfig, RunContext, StoredDebate | None]:
    loaded, stored = _load_inputs(given, changes)
    config = (loaded if stored is None else stored.debate).config
    deciding = config.judging.deciding_kind if stored is None else deciding_kind(stored.debate, "all")
    gates.require_names([item.name for item in config.debaters], filter(None, [deciding]))
    asked = not given.dry_run
    cassette = config_options.open_cassette(given.record, given.playback, asked=False)
    if stored is None:
        if asked and given.out is None and not given.no_save:
            check_output_folder(loaded, given.trust_path or ())
        context = prepare_run(loaded, mock=given.mock, cassette=cassette, asked=asked, searches=("files", "web"))
        return loaded, context, None
    replaced = models_replaced_by_mock(stored) if given.mock and asked else ()
    if replaced:
        names = sanitize.sanitize_line(", ".join(replaced))
        print_status(f"note: --mock: the mock replaces {names} for the rest of the debate")
    context = prepare_resume(loaded, stored, mock=given.mock, cassette=cassette, asked=asked, close=given.close)
    return loaded, context, stored


def _load_inputs(given: RunOptions, changes: Sequence[ConfigChange]) -> tuple[LoadedConfig, StoredDebate | None]:
    checks = partial(check_config, needs_debaters=given.resume is None, needs_models=not given.mock)
    if given.resume is None:
        return config_options.config_from_argument(
            given.config, changes, checks=checks, trusted_folders=given.trust_path
        ), None
    if given.config is None:
        stored = _open_to_resume(given, given.resume, transcript_dirs(given.out, changes=changes))
        loaded = config_from_transcript(stored, changes)
        config_options.print_notes(loaded.env.notes)
        return loaded, stored
    loaded = config_options.config_from_argument(given.config, changes, checks=checks, trusted_folders=given.trust_path)
    folders = (given.out or Path(loaded.config.output.dir), DEFAULT_OUTPUT_FOLDER)
    return loaded, _open_to_resume(given, given.resume, folders)


def _open_to_resume(given: RunOptions, reference: str, folders: Iterable[Path]) -> StoredDebate:
    return open_debate(find_debate(reference, folders), up_to_damage=given.up_to_damage)


def _execute(
    given: RunOptions, context: RunContext, stored: StoredDebate | None, gates: Gates, target: _Target
) -> tuple[Outcome, int]:
    saved = () if target.path is None else (target.path,)
    shows_cost = stored is None and not (given.quiet or given.json)
    with run_control.report_output_failure(*saved), _open_observer(given, context, shows_cost=shows_cost) as observer:
        people = PeopleOfCommand(observer)
        context = replace(
            context,
            observer=observer,
            warn=observer.warn,
            waits=observer.waits,
            people=people.access(given.files or target.folder / FILES_FOLDER, target.path),
        )

        def work(stop: StopSignal) -> Coroutine[Any, Any, Outcome]:
            session = Session(replace(context, stop=stop))
            if stored is not None:
                return session.resume(stored, close=given.close, force=given.force)
            return session.begin(target.debate_id, target.folder if saved else None, force=given.force)

        outcome = run_control.run_until_stopped(work, observer)
    discard_drafts(outcome.path, outcome.debate)
    with run_control.report_output_failure(*saved), ignore_broken_pipe() as pipe:
        _show_outcome(given, outcome, context.redact)
    people.report_draft()
    code = run_control.report_outcome(
        outcome,
        EndedCommand(
            outcome.path,
            "" if given.files is None else f"--files {quote_path(given.files)}",
            _format_evidence_options(context),
            shown_failures=observer.shown_failures,
            new_limits=estimate_new_limits(outcome.debate, context.corpus),
        ),
        suggests_judging=not given.quiet,
        stop_cause=observer.stop_cause,
    )
    code = run_control.report_gates(gates, outcome, code)
    return outcome, run_control.report_closed_pipe(code, is_saved=bool(saved)) if pipe.is_closed else code


def _open_observer(
    given: RunOptions, context: RunContext, *, shows_cost: bool
) -> AbstractContextManager[PipeSafeObserver]:
    planned = planned_call_count(context.config)
    cost = _format_planned_cost(context) if shows_cost else ""
    return screen.open_observer(
        screen.progress_stream(quiet=given.quiet, as_json=given.json),
        plan=RunPlan(planned, cost, [destination.format() for destination in context.destinations]),
        expected=planned,
        show_hidden=given.show_hidden,
        plain=given.plain,
    )


def _show_outcome(given: RunOptions, outcome: Outcome, redact: Redact) -> None:
    if given.json:
        write_json_chunks([dump_transcript(to_transcript(outcome.debate, outcome.verdicts), redact)])
        print_rehearsals({rehearsal_notice(outcome.debate): 1}, 1)
    elif not given.quiet or outcome.halted is None:
        detail = screen.choose_detail(quiet=given.quiet, details=given.details)
        screen.show_summary(
            outcome.debate,
            outcome.verdicts,
            detail,
            plain=given.plain,
            saved=outcome.path,
            follows_reports=given.resume is None,  # a resumed run does not show earlier reports
        )


def _format_evidence_options(context: RunContext) -> str:
    evidence = context.config.evidence
    if context.corpus is None or evidence is None:
        return ""
    paths = (os.path.relpath(context.folder / source.path) for source in evidence.named_sources)
    return " ".join(f"--evidence {quote_path(path)}" for path in paths)


def _format_planned_cost(context: RunContext) -> str:
    limits = context.config.limits
    if context.mock and limits.max_tokens is None and limits.max_cost_usd is None:
        return format_cost(0.0)
    if planned_call_count(context.config) > MAX_ESTIMATED_CALLS:
        return format_cost(0.0) if context.mock else ""
    try:
        plan = asyncio.run(estimate_run(context))
    except DebateError:
        return ""
    is_replay = context.cassette is not None and context.cassette.is_replay
    for line in () if is_replay else plan.warnings(limits):
        print_status(f"warning: {line}")
    cost = plan.planned.cost_usd
    return f"about {format_cost(cost)}" if cost else format_cost(cost)
