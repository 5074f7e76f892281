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
from debate_cli.cli.asked.run import Run
from debate_cli.cli.dry_run import show_plan
from debate_cli.cli.existing import refuse_existing
from debate_cli.cli.homes import USUAL, homes
from debate_cli.cli.json_output import hand_on_json
from debate_cli.cli.report import try_folder, write_report
from debate_cli.cli.screen import tell, whoever_reads
from debate_cli.domain.config_differences import differences
from debate_cli.engine import Stop
from debate_cli.errors import ConfigError, UsageError
from debate_cli.forecast import planned_calls
from debate_cli.preparation import Prepared, hidden, prepare, resumed
from debate_cli.rejudging import meant
from debate_cli.render import hostile
from debate_cli.resuming import remainder
from debate_cli.scoring.gates import Gates
from debate_cli.scoring.rescaled import rescaled
from debate_cli.session import Outcome, Session
from debate_cli.storage.config_file import LoadedConfig
from debate_cli.storage.ids import checked_id, new_id
from debate_cli.storage.library import StoredDebate, find, open_debate
from debate_cli.storage.overrides import Change
from debate_cli.storage.redact import Redactor, without_secrets
from debate_cli.storage.transcript import to_transcript
from debate_cli.storage.transcript_file import dump
from debate_cli.wiring import specs

_OF_MODELS = re.compile(
    r"(?:models|providers)[.:]|(?:debaters\.\d+\.model|judging\.systems\.\d+\.judge(?:s\.\d+\.model)?):"
)
"""A line on a difference between two configurations that lies in what models are asked."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be run: a new debate, or a stored one to be gone on with."""

    prepared: Prepared
    folder: Path | None
    debate_id: str
    stored: StoredDebate | None
    force: bool

    @property
    def saved(self) -> tuple[Path, ...]:
        """Where the transcript will be; empty where nothing is saved."""
        if self.stored is not None:
            return (self.stored.path.with_suffix(".json"),)
        return (self.folder / f"{self.debate_id}.json",) if self.folder is not None else ()


def carry_out(asked: Run) -> None:
    """Run a debate and save its transcript."""
    gates = options.gates(asked.fail_under, asked.expect_winner, asked.max_warnings, asked.fail_on)
    changes = setup.overrides(asked.settings, asked.topic, asked.seed, asked.max_cost, asked.max_tokens)
    if asked.resume is not None and (asked.no_save or asked.id is not None):
        raise UsageError(
            "--resume goes on with a debate under its own id, where it is saved; leave out --id and --no-save"
        )
    if asked.report is not None:
        refuse_existing(asked.report, force=asked.force, option="--report")
    prepared, stored = _prepared(asked, changes, gates)
    for line in rescaled(prepared.config.judging.systems):
        tell(line)
    if asked.dry_run:
        show_plan(prepared.config, prepared.around, as_json=asked.json)
        return
    if asked.report is not None:
        try_folder(asked.report)
    outcome, code = _held(asked, _order(asked, prepared, stored), gates)
    if asked.report is not None:
        redact = Redactor(prepared.secrets)
        written = write_report(asked.report, outcome, redact, show_hidden=asked.show_hidden, force=asked.force)
        code = code or written
    raise typer.Exit(code)


def _prepared(asked: Run, changes: list[Change], gates: Gates) -> tuple[Prepared, StoredDebate | None]:
    """What can be run, and the debate to be gone on with."""
    loaded, stored = _found(asked, changes)
    gates.require_names([item.name for item in (loaded if stored is None else stored.debate).config.debaters])
    tape = setup.cassette(asked.record, asked.replay, loaded, asked=not asked.dry_run)
    if stored is None:
        wanted = None if asked.dry_run else specs
        with ways.told(loaded):
            return prepare(loaded, os.environ, mock=asked.mock, tape=tape, wanted=wanted), None
    if asked.config is not None or changes:
        _agree(loaded, stored, models=not asked.mock)
    if asked.mock and not asked.dry_run:
        _tell_of_stand_in(loaded, stored)
    return resumed(loaded, stored, os.environ, mock=asked.mock, tape=tape, asked=not asked.dry_run), stored


def _order(asked: Run, prepared: Prepared, stored: StoredDebate | None) -> Order:
    """What is to be run under which id; one is made up where none is given."""
    folder = None if asked.no_save else asked.out or Path(prepared.config.output.dir)
    debate_id = (
        checked_id(asked.id)
        if asked.id is not None
        else new_id(prepared.config.topic, datetime.now(UTC), random.SystemRandom())
    )
    return Order(prepared, folder, debate_id, stored, asked.force)


def _held(asked: Run, order: Order, gates: Gates) -> tuple[Outcome, int]:
    """Hold the debate and show it: what came of it, and the exit code for that."""
    prepared = order.prepared
    shown = showing.watching(
        quiet=asked.quiet,
        as_json=asked.json,
        planned=planned_calls(prepared.config),
        show_hidden=asked.show_hidden,
        plain=asked.plain,
    )
    with stage.told_where(*order.saved), shown as watcher:
        around = replace(prepared.around, note=watcher.note)
        session = Session(around, watcher, Stop(), secrets=prepared.secrets, warn=watcher.warn)
        outcome = stage.run_until_stopped(lambda stop: _perform(order, replace(session, stop=stop)), watcher)
    with stage.told_where(*order.saved), whoever_reads():
        if asked.json:
            hand_on_json([dump(to_transcript(outcome.debate, outcome.verdicts), Redactor(prepared.secrets))])
        else:
            only = "verdict" if asked.quiet else None
            showing.show_summary(
                outcome.debate, outcome.verdicts, show_hidden=asked.show_hidden, only=only, plain=asked.plain
            )
    return outcome, stage.ending(outcome, gates, spoken=not asked.quiet, unread=watcher.gone)


async def _perform(order: Order, session: Session) -> Outcome:
    if order.stored is not None:
        return await session.resume(order.stored, order.prepared.config)
    return await session.begin(order.prepared.config, order.debate_id, order.folder, force=order.force)


def _found(asked: Run, changes: list[Change]) -> tuple[LoadedConfig, StoredDebate | None]:
    """The configuration named, and the debate to be gone on with; where none is named for that, the stored one."""
    if asked.resume is None:
        real = not (asked.mock or asked.replay or asked.dry_run)
        return setup.load(asked.config, changes, asked=real, mock=asked.mock), None
    if asked.config is None:
        stored = open_debate(find(asked.resume, homes(asked.out)))
        return setup.reload(stored, changes), stored
    loaded = setup.load(asked.config, changes, mock=asked.mock)
    return loaded, open_debate(find(asked.resume, (asked.out or Path(loaded.config.output.dir), USUAL)))


def _tell_of_stand_in(loaded: LoadedConfig, stored: StoredDebate) -> None:
    """Say in whose place the mock answers what is left of a stored debate."""
    left = remainder(stored.debate, loaded.config).models
    real = dict.fromkeys(spec.model for spec in left if not spec.model.startswith("mock/"))
    if real:
        tell(f"note: --mock: the mock answers what is left, in the place of {hostile.line(', '.join(real))}")


def _agree(loaded: LoadedConfig, stored: StoredDebate, *, models: bool) -> None:
    """A configuration given with --resume may differ from the stored one in limits and output only.

    Which models it names counts for nothing unless `models` are asked: the mock stands in the place of each.

    Raises ConfigError, which tells no secret of either.
    """
    kept = stored.debate.config
    redact = Redactor({*hidden(loaded, os.environ), *hidden(replace(loaded, config=kept), os.environ)})
    found = differences(kept, meant(loaded.config, stored.debate), partial(without_secrets, redact=redact))
    found = [line for line in found if models or not _OF_MODELS.match(line)]
    if found:
        raise ConfigError(
            f"{stored.path}: the stored debate was configured otherwise; resume without CONFIG, or undo these differences",
            *(f"  {line}" for line in found),
        )
