"""`debate run`."""

import asyncio
import os
import random
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
import yaml

from debate_cli.app.config_resolution import PreparedRun, all_secrets, prepare_resume, prepare_run
from debate_cli.app.estimate import NO_CALLS, CallTotals, RunEstimate, estimate_run, planned_calls
from debate_cli.app.gates import Gates
from debate_cli.app.judge_request import normalize_resume_config
from debate_cli.app.model_factory import RunContext, all_model_specs
from debate_cli.app.resume import find_remaining_work
from debate_cli.app.session import Outcome, Session
from debate_cli.cli import completion, config_options, options, run_control
from debate_cli.cli.console import ignore_broken_pipe, print_json, print_status, refuse_existing, write_json_chunks
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.config_differences import format_differences
from debate_cli.engine import StopSignal
from debate_cli.errors import ConfigError, StorageError, UsageError
from debate_cli.render import sanitize
from debate_cli.storage.atomic_write import atomic_write, friendly_os_errors, make_folder
from debate_cli.storage.config_file import LoadedConfig
from debate_cli.storage.ids import new_id, validate_id
from debate_cli.storage.overrides import ConfigChange
from debate_cli.storage.plain import is_list, is_mapping
from debate_cli.storage.redact import Redactor, redact_values
from debate_cli.storage.serialization import Redact, config_to_json
from debate_cli.storage.transcript import dump_transcript, parse_transcript, to_transcript, transcript_to_debate
from debate_cli.storage.transcript_dirs import DEFAULT_OUTPUT_FOLDER, transcript_dirs
from debate_cli.storage.transcript_store import StoredDebate, find_debate, open_debate
from debate_cli.systems.rubric import describe_rescaled_weights

EPILOG = options.EXIT_CODES_WITH_MODELS


class Options(NamedTuple):
    """Run a debate and save its transcript.

    Without CONFIG: configs/debate.yaml or debate.yaml here, or the packaged default (a debate on the embedded local model). Options go
    before DEBATE_... variables, those before the file.

    Examples:

      debate run --mock

      debate run debate.yaml --topic "Rewrite it in Rust?" --set seed=7

      debate run --resume my-debate
    """

    config: Annotated[
        str | None,
        typer.Argument(
            metavar="CONFIG", help="A debate.yaml, or - for stdin.", autocompletion=completion.complete_configs
        ),
    ] = None
    topic: Annotated[str | None, typer.Option(help="The motion, in the place of the configuration's.")] = None
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY.PATH=VALUE", help="Change a setting (YAML value).")
    ] = None
    mock: options.MockOption = False
    seed: Annotated[int | None, typer.Option(help="Seed of the mock, and of providers that take one.")] = None
    max_cost: Annotated[
        float | None, typer.Option(metavar="USD", help="Budget of the whole run in US dollars, above 0.")
    ] = None
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Budget of the whole run in tokens.")] = None
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder for the transcript.")] = None
    id: Annotated[str | None, typer.Option("--id", help="Id of the debate: a-z, 0-9 and dashes.")] = None
    resume: Annotated[
        str | None,
        typer.Option(
            metavar="ID|PATH", help="Go on with an unfinished debate.", autocompletion=completion.complete_debates
        ),
    ] = None
    record: Annotated[Path | None, typer.Option(metavar="FILE", help="Record every exchange to a cassette.")] = None
    replay: Annotated[Path | None, typer.Option(metavar="FILE", help="Serve every answer from a cassette.")] = None
    show_hidden: Annotated[bool, typer.Option("--show-hidden", help="Show hidden directives.")] = False
    quiet: options.QuietOption = False
    json: options.JsonOption = False
    plain: options.PlainOption = False
    details: options.DetailsOption = False
    report: Annotated[Path | None, typer.Option(metavar="FILE", help="Write an HTML page of the debate too.")] = None
    no_save: Annotated[bool, typer.Option("--no-save", help="Write no transcript.")] = False
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show configuration, calls and worst cost; ask nothing.")
    ] = False
    fail_under: options.FailUnderOption = None
    expect_winner: options.ExpectWinnerOption = None
    max_warnings: options.MaxWarningsOption = None
    fail_on: options.FailOnOption = None
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing debate of this id, and the report.")] = (
        False
    )
    debug: options.DebugOption = False


def check_writable(place: Path) -> None:
    """Make sure, before anything is asked, that a file can be written at `place`. Raises StorageError."""
    make_folder(place.parent)
    with (
        friendly_os_errors(place, "written"),
        tempfile.NamedTemporaryFile(dir=place.parent, prefix=f".{place.name}.", suffix=".tmp"),
    ):
        pass


def write_report(place: Path, outcome: Outcome, redact: Redact, *, show_hidden: bool, force: bool) -> int:
    """Write the page of what was saved, secrets taken out as they are there, and tell of it; 0, or the exit code why not."""
    from debate_cli.render.html.page import render_html

    saved = parse_transcript(
        dump_transcript(to_transcript(outcome.debate, outcome.verdicts), redact).encode(), str(place)
    )
    page = render_html(transcript_to_debate(saved), saved.verdicts, show_hidden=show_hidden)
    try:
        atomic_write(place, page.encode("utf-8", "replace"), overwrite=force)
    except StorageError as error:
        print_status(f"debate: {error}")
        return error.exit_code
    print_status(f"written: {place}")
    return 0


PLAN_HEADINGS = ("role", "model", "", "calls", "tokens in", "tokens out", "USD")


def show_plan(config: DebateConfig, around: RunContext, *, as_json: bool) -> None:
    """The resolved configuration, and calls, tokens and cost as planned and at the worst; nothing is asked.

    As text, only what is set of the configuration; as JSON, all of it.
    """
    plan = asyncio.run(estimate_run(config, around))
    redact = Redactor(around.secrets)
    if as_json:
        data = redact_values(config_to_json(config), redact)
        print_json({"config": data, "plan": _plan_data(plan)})
        return
    written = redact_values(_drop_empty(_explicit_settings(config)), redact)
    shown = yaml.safe_dump(written, sort_keys=False, allow_unicode=True, width=120).rstrip()
    print(sanitize.sanitize_text(shown) if sys.stdout.isatty() else shown)
    speeches, assessments = (
        _format_count(plan.speeches, "speech", "es"),
        _format_count(plan.assessments, "assessment", "s"),
    )
    print(f"\n# planned: {speeches} and at least {assessments}")
    for line in _format_table(plan):
        print(f"# {line}".rstrip())
    for line in _format_notes(config):
        print(f"# {line}")


def _format_count(count: int, one: str, more: str) -> str:
    """`1 speech`, `2 speeches`: `more` is what is added to `one`."""
    return f"{count} {one}{'' if count == 1 else more}"


def _format_table(plan: RunEstimate) -> Iterator[str]:
    """Two lines a role, and two for all; columns aligned."""
    rows: list[tuple[str, ...]] = [PLAN_HEADINGS]
    for share in plan.roles:
        rows += _format_rows(share.role, share.spec.model, share.planned, share.worst)
    rows += _format_rows("all", "", plan.planned, plan.worst)
    widths = [max(len(row[column]) for row in rows) for column in range(len(PLAN_HEADINGS))]
    for row in rows:
        cells = zip(row, widths, strict=True)
        yield "  ".join(
            text.ljust(width) if column < 3 else text.rjust(width)  # noqa: PLR2004 - three columns of words
            for column, (text, width) in enumerate(cells)
        )


def _format_rows(role: str, model: str, planned: CallTotals, worst: CallTotals) -> list[tuple[str, ...]]:
    return [(role, model, "planned", *_format_cells(planned)), ("", "", "at worst", *_format_cells(worst))]


def _format_cells(amount: CallTotals) -> tuple[str, ...]:
    usage = amount.usage
    money = "unknown" if amount.cost_usd is None else f"{amount.cost_usd:.4f}"
    return f"{amount.calls:,}", f"{usage.input_tokens:,}", f"{usage.output_tokens:,}", money


def _format_notes(config: DebateConfig) -> Iterator[str]:
    limits = config.limits
    bounds = [
        *([f"{limits.max_cost_usd:g} USD"] if limits.max_cost_usd is not None else []),
        *([f"{limits.max_tokens:,} tokens"] if limits.max_tokens is not None else []),
    ]
    if bounds:
        yield f"The run ends before it exceeds {' or '.join(bounds)} (limits)."
    yield "Planned: as on the mock. At worst: every answer at its full length and asked for as often as is allowed."
    yield "Nothing was asked."


def _plan_data(plan: RunEstimate) -> dict[str, object]:
    return {
        "speeches": plan.speeches,
        "assessments": plan.assessments,
        "roles": [
            {
                "role": share.role,
                "model": share.spec.model,
                "planned": _amount_data(share.planned),
                "worst": _amount_data(share.worst),
            }
            for share in plan.roles
        ],
        "models": _group_by_model(plan),
        "planned": _amount_data(plan.planned),
        "worst": _amount_data(plan.worst),
        "worst_cost_usd": plan.worst.cost_usd,
    }


def _group_by_model(plan: RunEstimate) -> list[dict[str, object]]:
    """The roles of each model together: planned calls, and tokens and cost at the worst."""
    found: list[dict[str, object]] = []
    for model in dict.fromkeys(share.spec.model for share in plan.roles):
        shares = [share for share in plan.roles if share.spec.model == model]
        worst = sum((share.worst for share in shares), NO_CALLS)
        found.append({"model": model, **_amount_data(worst), "calls": sum(share.planned.calls for share in shares)})
    return found


def _amount_data(amount: CallTotals) -> dict[str, object]:
    return {
        "calls": amount.calls,
        "input_tokens": amount.usage.input_tokens,
        "output_tokens": amount.usage.output_tokens,
        "cost_usd": amount.cost_usd,
    }


def _explicit_settings(config: DebateConfig) -> dict[str, Any]:
    """What is set of a configuration; a judging system always names its kind, be it there by default."""
    data = config.model_dump(mode="json", exclude_unset=True)
    judging = data.get("judging", {})
    if "systems" in judging:
        pairs = zip(config.judging.systems, judging["systems"], strict=True)
        judging["systems"] = [{"kind": system.kind} | told for system, told in pairs]
    return data


def _drop_empty(data: Any) -> Any:
    """The same without keys that hold nothing, save where a null says something: a provider without a key."""
    if is_mapping(data):
        kept = {key: _drop_empty(value) for key, value in data.items()}
        return {key: value for key, value in kept.items() if value not in (None, [], {}) or key == "api_key_env"}
    return [_drop_empty(item) for item in data] if is_list(data) else data


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


def run(asked: Options) -> None:
    """Run a debate and save its transcript."""
    gates = options.gates_from_options(asked.fail_under, asked.expect_winner, asked.max_warnings, asked.fail_on)
    changes = config_options.overrides_from_options(
        asked.settings, asked.topic, asked.seed, asked.max_cost, asked.max_tokens
    )
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


def _prepare_run(asked: Options, changes: list[ConfigChange], gates: Gates) -> tuple[PreparedRun, StoredDebate | None]:
    """What can be run, and the debate to be gone on with."""
    loaded, stored = _load_inputs(asked, changes)
    gates.require_names([item.name for item in (loaded if stored is None else stored.debate).config.debaters])
    tape = config_options.open_cassette(asked.record, asked.replay, loaded, asked=not asked.dry_run)
    if stored is None:
        wanted = None if asked.dry_run else all_model_specs
        with config_options.suggest_alternatives(loaded):
            return prepare_run(loaded, os.environ, mock=asked.mock, tape=tape, wanted=wanted), None
    if asked.config is not None or changes:
        _check_config_matches(loaded, stored, models=not asked.mock)
    if asked.mock and not asked.dry_run:
        _print_mock_note(loaded, stored)
    return prepare_resume(loaded, stored, os.environ, mock=asked.mock, tape=tape, asked=not asked.dry_run), stored


def _build_request(asked: Options, prepared: PreparedRun, stored: StoredDebate | None) -> RunRequest:
    """What is to be run under which id; one is made up where none is given."""
    folder = None if asked.no_save else asked.out or Path(prepared.config.output.dir)
    debate_id = (
        validate_id(asked.id)
        if asked.id is not None
        else new_id(prepared.config.topic, datetime.now(UTC), random.SystemRandom())
    )
    return RunRequest(prepared, folder, debate_id, stored, asked.force)


def _execute(asked: Options, order: RunRequest, gates: Gates) -> tuple[Outcome, int]:
    """Hold the debate and show it: what came of it, and the exit code for that."""
    prepared = order.prepared
    shown = run_control.open_observer(
        quiet=asked.quiet,
        as_json=asked.json,
        planned=planned_calls(prepared.config),
        show_hidden=asked.show_hidden,
        plain=asked.plain,
    )
    with run_control.report_output_failure(*order.transcript_paths), shown as watcher:
        around = replace(prepared.context, note=watcher.note)
        session = Session(around, watcher, StopSignal(), secrets=prepared.secrets, warn=watcher.warn)
        outcome = run_control.run_until_stopped(lambda stop: _run_session(order, replace(session, stop=stop)), watcher)
    with run_control.report_output_failure(*order.transcript_paths), ignore_broken_pipe():
        if asked.json:
            write_json_chunks(
                [dump_transcript(to_transcript(outcome.debate, outcome.verdicts), Redactor(prepared.secrets))]
            )
        else:
            only = "verdict" if asked.quiet else None
            run_control.show_summary(outcome.debate, outcome.verdicts, only=only, full=asked.details, plain=asked.plain)
    return outcome, run_control.report_outcome(outcome, gates, spoken=not asked.quiet, unread=watcher.is_closed)


async def _run_session(order: RunRequest, session: Session) -> Outcome:
    if order.stored is not None:
        return await session.resume(order.stored, order.prepared.config)
    return await session.begin(order.prepared.config, order.debate_id, order.folder, force=order.force)


def _load_inputs(asked: Options, changes: list[ConfigChange]) -> tuple[LoadedConfig, StoredDebate | None]:
    """The configuration named, and the debate to be gone on with; where none is named for that, the stored one."""
    if asked.resume is None:
        return config_options.config_from_argument(asked.config, changes, mock=asked.mock), None
    if asked.config is None:
        stored = open_debate(find_debate(asked.resume, transcript_dirs(asked.out)))
        return config_options.config_from_transcript(stored, changes), stored
    loaded = config_options.config_from_argument(asked.config, changes, mock=asked.mock)
    return loaded, open_debate(
        find_debate(asked.resume, (asked.out or Path(loaded.config.output.dir), DEFAULT_OUTPUT_FOLDER))
    )


def _print_mock_note(loaded: LoadedConfig, stored: StoredDebate) -> None:
    """Say in whose place the mock answers what is left of a stored debate."""
    left = find_remaining_work(stored.debate, loaded.config).models
    real = dict.fromkeys(spec.model for spec in left if not spec.model.startswith("mock/"))
    if real:
        print_status(
            f"note: --mock: the mock answers what is left, in the place of {sanitize.sanitize_line(', '.join(real))}"
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
