"""`debate run`."""

from __future__ import annotations

import os
import random
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import typer

from debate_cli.cli import options, setup, showing, stage, ways
from debate_cli.cli.asked.run import RunOptions
from debate_cli.cli.dry_run import show_plan
from debate_cli.cli.existing import refuse_existing
from debate_cli.cli.homes import DEFAULT_OUTPUT_FOLDER, transcript_dirs
from debate_cli.cli.json_output import write_json_chunks
from debate_cli.cli.report import check_writable, write_report
from debate_cli.cli.screen import ignore_broken_pipe, print_status
from debate_cli.domain.config_differences import format_differences
from debate_cli.engine import StopSignal
from debate_cli.errors import ConfigError, UsageError
from debate_cli.forecast import planned_calls
from debate_cli.preparation import PreparedRun, all_secrets, prepare_resume, prepare_run
from debate_cli.rejudging import normalize_resume_config
from debate_cli.render import hostile
from debate_cli.resuming import find_remaining_work
from debate_cli.scoring.gates import Gates
from debate_cli.scoring.rescaled import describe_rescaled_weights
from debate_cli.session import Outcome, Session
from debate_cli.storage.config_file import LoadedConfig
from debate_cli.storage.ids import new_id, validate_id
from debate_cli.storage.library import StoredDebate, find_debate, open_debate
from debate_cli.storage.overrides import ConfigChange
from debate_cli.storage.redact import Redactor, redact_values
from debate_cli.storage.transcript import to_transcript
from debate_cli.storage.transcript_file import dump_transcript
from debate_cli.wiring import all_model_specs

_MODEL_DIFFERENCE = re.compile(
    r"(?:models|providers)[.:]|(?:debaters\.\d+\.model|judging\.systems\.\d+\.judge(?:s\.\d+\.model)?):"
)
"""A line on a difference between two configurations that lies in what models are asked."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What is to be run: a new debate, or a stored one to be gone on with."""

    prepared: PreparedRun
    folder: Path | None
    debate_id: str
    stored: StoredDebate | None
    force: bool

    @property
    def transcript_paths(self) -> tuple[Path, ...]:
        """Where the transcript will be; empty where nothing is saved."""
        if self.stored is not None:
            return (self.stored.path.with_suffix(".json"),)
        return (self.folder / f"{self.debate_id}.json",) if self.folder is not None else ()


def run(asked: RunOptions) -> None:
    """Run a debate and save its transcript."""
    gates = options.gates_from_options(asked.fail_under, asked.expect_winner, asked.max_warnings, asked.fail_on)
    changes = setup.overrides_from_options(asked.settings, asked.topic, asked.seed, asked.max_cost, asked.max_tokens)
    if asked.resume is not None and (asked.no_save or asked.id is not None):
        raise UsageError(
            "--resume goes on with a debate under its own id, where it is saved; leave out --id and --no-save"
        )
    if asked.report is not None:
        refuse_existing(asked.report, force=asked.force, option="--report")
    prepared, stored = _prepare_run(asked, changes, gates)
    for line in describe_rescaled_weights(prepared.config.judging.systems):
        print_status(line)
    if asked.dry_run:
        show_plan(prepared.config, prepared.context, as_json=asked.json)
        return
    if asked.report is not None:
        check_writable(asked.report)
    outcome, code = _execute(asked, _build_request(asked, prepared, stored), gates)
    if asked.report is not None:
        redact = Redactor(prepared.secrets)
        written = write_report(asked.report, outcome, redact, show_hidden=asked.show_hidden, force=asked.force)
        code = code or written
    raise typer.Exit(code)


def _prepare_run(
    asked: RunOptions, changes: list[ConfigChange], gates: Gates
) -> tuple[PreparedRun, StoredDebate | None]:
    """What can be run, and the debate to be gone on with."""
    loaded, stored = _load_inputs(asked, changes)
    gates.require_names([item.name for item in (loaded if stored is None else stored.debate).config.debaters])
    tape = setup.open_cassette(asked.record, asked.replay, loaded, asked=not asked.dry_run)
    if stored is None:
        wanted = None if asked.dry_run else all_model_specs
        with ways.suggest_alternatives(loaded):
            return prepare_run(loaded, os.environ, mock=asked.mock, tape=tape, wanted=wanted), None
    if asked.config is not None or changes:
        _check_config_matches(loaded, stored, models=not asked.mock)
    if asked.mock and not asked.dry_run:
        _print_mock_note(loaded, stored)
    return prepare_resume(loaded, stored, os.environ, mock=asked.mock, tape=tape, asked=not asked.dry_run), stored


def _build_request(asked: RunOptions, prepared: PreparedRun, stored: StoredDebate | None) -> RunRequest:
    """What is to be run under which id; one is made up where none is given."""
    folder = None if asked.no_save else asked.out or Path(prepared.config.output.dir)
    debate_id = (
        validate_id(asked.id)
        if asked.id is not None
        else new_id(prepared.config.topic, datetime.now(UTC), random.SystemRandom())
    )
    return RunRequest(prepared, folder, debate_id, stored, asked.force)


def _execute(asked: RunOptions, order: RunRequest, gates: Gates) -> tuple[Outcome, int]:
    """Hold the debate and show it: what came of it, and the exit code for that."""
    prepared = order.prepared
    shown = showing.open_observer(
        quiet=asked.quiet,
        as_json=asked.json,
        planned=planned_calls(prepared.config),
        show_hidden=asked.show_hidden,
        plain=asked.plain,
    )
    with stage.report_output_failure(*order.transcript_paths), shown as watcher:
        around = replace(prepared.context, note=watcher.note)
        session = Session(around, watcher, StopSignal(), secrets=prepared.secrets, warn=watcher.warn)
        outcome = stage.run_until_stopped(lambda stop: _run_session(order, replace(session, stop=stop)), watcher)
    with stage.report_output_failure(*order.transcript_paths), ignore_broken_pipe():
        if asked.json:
            write_json_chunks(
                [dump_transcript(to_transcript(outcome.debate, outcome.verdicts), Redactor(prepared.secrets))]
            )
        else:
            only = "verdict" if asked.quiet else None
            showing.show_summary(
                outcome.debate, outcome.verdicts, show_hidden=asked.show_hidden, only=only, plain=asked.plain
            )
    return outcome, stage.report_outcome(outcome, gates, spoken=not asked.quiet, unread=watcher.is_closed)


async def _run_session(order: RunRequest, session: Session) -> Outcome:
    if order.stored is not None:
        return await session.resume(order.stored, order.prepared.config)
    return await session.begin(order.prepared.config, order.debate_id, order.folder, force=order.force)


def _load_inputs(asked: RunOptions, changes: list[ConfigChange]) -> tuple[LoadedConfig, StoredDebate | None]:
    """The configuration named, and the debate to be gone on with; where none is named for that, the stored one."""
    if asked.resume is None:
        real = not (asked.mock or asked.replay or asked.dry_run)
        return setup.config_from_argument(asked.config, changes, asked=real, mock=asked.mock), None
    if asked.config is None:
        stored = open_debate(find_debate(asked.resume, transcript_dirs(asked.out)))
        return setup.config_from_transcript(stored, changes), stored
    loaded = setup.config_from_argument(asked.config, changes, mock=asked.mock)
    return loaded, open_debate(
        find_debate(asked.resume, (asked.out or Path(loaded.config.output.dir), DEFAULT_OUTPUT_FOLDER))
    )


def _print_mock_note(loaded: LoadedConfig, stored: StoredDebate) -> None:
    """Say in whose place the mock answers what is left of a stored debate."""
    left = find_remaining_work(stored.debate, loaded.config).models
    real = dict.fromkeys(spec.model for spec in left if not spec.model.startswith("mock/"))
    if real:
        print_status(
            f"note: --mock: the mock answers what is left, in the place of {hostile.sanitize_line(', '.join(real))}"
        )


def _check_config_matches(loaded: LoadedConfig, stored: StoredDebate, *, models: bool) -> None:
    """A configuration given with --resume may differ from the stored one in limits and output only.

    Which models it names counts for nothing unless `models` are asked: the mock stands in the place of each.

    Raises ConfigError, which tells no secret of either.
    """
    kept = stored.debate.config
    redact = Redactor({*all_secrets(loaded, os.environ), *all_secrets(replace(loaded, config=kept), os.environ)})
    found = format_differences(
        kept, normalize_resume_config(loaded.config, stored.debate), partial(redact_values, redact=redact)
    )
    found = [line for line in found if models or not _MODEL_DIFFERENCE.match(line)]
    if found:
        raise ConfigError(
            f"{stored.path}: the stored debate was configured otherwise; resume without CONFIG, or undo these differences",
            *(f"  {line}" for line in found),
        )
