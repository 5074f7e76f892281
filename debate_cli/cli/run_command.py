"""`debate run`."""

from __future__ import annotations

import os
import random
import re
import sys
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from debate_cli.cli import completion, options, setup, showing, stage, ways
from debate_cli.cli.dry_run import show_plan
from debate_cli.cli.existing import refuse_existing
from debate_cli.cli.homes import USUAL, homes
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
from debate_cli.session import Outcome, Session
from debate_cli.storage.config_file import LoadedConfig
from debate_cli.storage.ids import checked_id, new_id
from debate_cli.storage.library import StoredDebate, find, open_debate
from debate_cli.storage.overrides import Change
from debate_cli.storage.redact import Redactor, without_secrets
from debate_cli.storage.transcript import to_transcript
from debate_cli.storage.transcript_file import dump
from debate_cli.wiring import specs

app = typer.Typer(add_completion=False)
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


@app.command(epilog=options.ASKING_EXITS)
def run(
    config: Annotated[
        str | None,
        typer.Argument(metavar="CONFIG", help="A debate.yaml, or - for stdin.", autocompletion=completion.configs),
    ] = None,
    topic: Annotated[str | None, typer.Option(help="The motion, in the place of the configuration's.")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY.PATH=VALUE", help="Change a setting (YAML value).")
    ] = None,
    mock: options.Mock = False,
    seed: Annotated[int | None, typer.Option(help="Seed of the mock, and of providers that take one.")] = None,
    max_cost: Annotated[
        float | None, typer.Option(metavar="USD", help="Budget of the whole run in US dollars, above 0.")
    ] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Budget of the whole run in tokens.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder for the transcript.")] = None,
    id_: Annotated[str | None, typer.Option("--id", help="Id of the debate: a-z, 0-9 and dashes.")] = None,
    resume: Annotated[
        str | None,
        typer.Option(metavar="ID|PATH", help="Go on with an unfinished debate.", autocompletion=completion.debates),
    ] = None,
    record: Annotated[Path | None, typer.Option(metavar="FILE", help="Record every exchange to a cassette.")] = None,
    replay: Annotated[Path | None, typer.Option(metavar="FILE", help="Serve every answer from a cassette.")] = None,
    show_hidden: Annotated[bool, typer.Option("--show-hidden", help="Show hidden directives.")] = False,
    quiet: options.Quiet = False,
    json_: options.Json = False,
    plain: options.Plain = False,
    report: Annotated[Path | None, typer.Option(metavar="FILE", help="Write an HTML page of the debate too.")] = None,
    no_save: Annotated[bool, typer.Option("--no-save", help="Write no transcript.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show configuration, calls and worst cost; ask nothing.")
    ] = False,
    fail_under: options.FailUnder = None,
    expect_winner: options.ExpectWinner = None,
    max_warnings: options.MaxWarnings = None,
    fail_on: options.FailOn = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite an existing debate of this id, and the report.")
    ] = False,
    debug: options.Debug = False,
) -> None:
    """Run a debate and save its transcript.

    Without CONFIG: configs/debate.yaml or debate.yaml here, or the packaged default (a debate on the embedded local model). Options go
    before DEBATE_... variables, those before the file.

    Examples:

      debate run --mock

      debate run debate.yaml --topic "Rewrite it in Rust?" --set seed=7

      debate run --resume my-debate
    """
    del debug  # acted on where errors are caught
    gates = options.gates(fail_under, expect_winner, max_warnings, fail_on)
    changes = setup.overrides(set_, topic, seed, max_cost, max_tokens)
    if resume is not None and (no_save or id_ is not None):
        raise UsageError(
            "--resume goes on with a debate under its own id, where it is saved; leave out --id and --no-save"
        )
    if report is not None:
        refuse_existing(report, force=force, option="--report")
    loaded, stored = _found(config, changes, resume, out, asked=not (mock or replay or dry_run))
    gates.require_names([item.name for item in (loaded if stored is None else stored.debate).config.debaters])
    tape = setup.cassette(record, replay, loaded, asked=not dry_run)
    if stored is None:
        with ways.told(loaded):
            prepared = prepare(loaded, os.environ, mock=mock, tape=tape, wanted=None if dry_run else specs)
    else:
        if config is not None or changes:
            _agree(loaded, stored, models=not mock)
        if mock and not dry_run:
            _tell_of_stand_in(loaded, stored)
        prepared = resumed(loaded, stored, os.environ, mock=mock, tape=tape, asked=not dry_run)
    if dry_run:
        show_plan(prepared.config, prepared.around, as_json=json_)
        return
    if report is not None:
        try_folder(report)
    folder = None if no_save else out or Path(prepared.config.output.dir)
    debate_id = (
        checked_id(id_) if id_ is not None else new_id(prepared.config.topic, datetime.now(UTC), random.SystemRandom())
    )
    order = Order(prepared, folder, debate_id, stored, force)
    shown = showing.watching(
        quiet=quiet, as_json=json_, planned=planned_calls(prepared.config), show_hidden=show_hidden, plain=plain
    )
    with stage.told_where(*order.saved), shown as watcher:
        around = replace(prepared.around, note=watcher.note)
        session = Session(around, watcher, Stop(), secrets=prepared.secrets, warn=watcher.warn)
        outcome = stage.run_until_stopped(lambda stop: _perform(order, replace(session, stop=stop)), watcher)
    with stage.told_where(*order.saved), whoever_reads():
        if json_:
            sys.stdout.write(dump(to_transcript(outcome.debate, outcome.verdicts), Redactor(prepared.secrets)))
        else:
            part = "verdict" if quiet else None
            showing.show_summary(outcome.debate, outcome.verdicts, show_hidden=show_hidden, only=part, plain=plain)
    code = stage.ending(outcome, gates, spoken=not quiet, unread=watcher.gone)
    if report is not None:
        written = write_report(report, outcome, Redactor(prepared.secrets), show_hidden=show_hidden, force=force)
        code = code or written
    raise typer.Exit(code)


async def _perform(order: Order, session: Session) -> Outcome:
    if order.stored is not None:
        return await session.resume(order.stored, order.prepared.config)
    return await session.begin(order.prepared.config, order.debate_id, order.folder, force=order.force)


def _found(
    reference: str | None, changes: list[Change], resume: str | None, out: Path | None, *, asked: bool
) -> tuple[LoadedConfig, StoredDebate | None]:
    """The configuration named, and the debate to be gone on with; where none is named for that, the stored one."""
    if resume is None:
        return setup.load(reference, changes, asked=asked), None
    if reference is None:
        stored = open_debate(find(resume, homes(out)))
        return setup.reload(stored, changes), stored
    loaded = setup.load(reference, changes)
    return loaded, open_debate(find(resume, (out or Path(loaded.config.output.dir), USUAL)))


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
