"""`debate audit`. Its options are in `saved_options`."""

import json
import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

import typer

from debate_cli.app.config_resolution import list_input_files
from debate_cli.app.context import Cassette, RunContext
from debate_cli.app.judge import JudgePlan, JudgeTask, judge_files
from debate_cli.app.judge_request import JudgingRequest, parse_model
from debate_cli.app.model_roles import mock_spec
from debate_cli.app.session import Outcome
from debate_cli.audit.debates import AuditDebate, load_saved_debates, load_shipped_debates
from debate_cli.audit.difference import compare_audits, read_report
from debate_cli.audit.gates import parse_gates
from debate_cli.audit.judging import (
    AuditCase,
    JudgeName,
    build_cases,
    plan_judging,
    read_judgements,
    stored_calls,
    write_cases,
)
from debate_cli.audit.labels import (
    BY_CONSTRUCTION,
    LabelSet,
    labels_by_construction,
    labels_from_reviews,
    read_labels,
    select_usable,
)
from debate_cli.audit.measures import BEYOND_LENGTH
from debate_cli.audit.report import REPORT_NAME, AuditReport, build_report
from debate_cli.audit.variants import VARIANTS, VariantName
from debate_cli.cli import config_options, run_control, screen
from debate_cli.cli.batches import BatchScreen
from debate_cli.cli.consent import obtain_consents
from debate_cli.cli.console import is_interactive, print_json, print_lines, print_status, show_tables
from debate_cli.cli.dry_run import show_judging_plans
from debate_cli.cli.output_files import check_output, refuse_inputs, refuse_stdout
from debate_cli.cli.run_control import PeopleOfCommand, require_terminal
from debate_cli.cli.saved_options import AuditOptions
from debate_cli.domain.events import ABSTAINED, CloseReason, Failure
from debate_cli.domain.message_text import count_noun
from debate_cli.domain.model_call import mock_notice
from debate_cli.engine import StopSignal
from debate_cli.errors import ExitCode, UsageError
from debate_cli.llm.budget import Budget, BudgetAmount
from debate_cli.providers.people.person import FILES_FOLDER
from debate_cli.render.html.judge_card import render_judge_cards
from debate_cli.render.judge_card import (
    card_tables,
    change_record,
    changes_table,
    first_screen,
    format_bound,
    format_card_markdown,
    judge_agreement_table,
)
from debate_cli.render.person_form.person import discard_drafts
from debate_cli.statistics import require_extra
from debate_cli.storage.atomic_write import atomic_write
from debate_cli.storage.config_file import LoadedConfig
from debate_cli.systems.registry import check_system_kind

REPORT_FILES = (REPORT_NAME, "card.md", "card.html")
"""Names of the files that an audit writes: the report as JSON, Markdown and HTML."""


def run(given: AuditOptions) -> None:
    """Measure whether a judge can be trusted."""
    require_extra()
    if given.diff or given.paths:
        _show_difference(given)
        return
    refuse_stdout(given.out, "-o")
    bounds = parse_gates(given.gate or ())
    check_system_kind(given.system)
    loaded = config_options.load_judging_config(given.config, trusted_folders=given.trust_path)
    requests = _judging_requests(given, loaded)
    _check_outputs(given, loaded)
    debates = load_saved_debates(given.on) if given.on else load_shipped_debates()
    labels = _find_labels(given, debates)
    is_trial = given.dry_run and not given.out.exists()
    with TemporaryDirectory() if is_trial else nullcontext(given.out) as folder:
        cases = build_cases(debates, _wanted_variants(given), Path(folder), repeat=given.repeat)
        if not cases:
            raise UsageError(
                "--on: none of these debates can be audited; give saved debates with speeches by exactly two debaters"
            )
        write_cases(cases)
        plans = _plan(cases, requests, loaded)
        if given.dry_run:
            show_judging_plans([plan.build() for plan in plans], as_json=given.json, each=False, batch=given.batch)
            return
    budget = Budget(given.max_cost, given.max_tokens, BudgetAmount.of_calls(stored_calls(cases)))
    code = _judge(given, plans, budget) if plans else ExitCode.DONE
    judges = [judge for judge, _ in requests]
    report = build_report(read_judgements(cases, judges), judges, labels, bounds)
    _save(report, given.out)
    _show(given, report, cases)
    gated = {gate.partition("=")[0].strip() for gate in given.gate or ()}
    for judge in report.judges:
        for gate in judge.gates:
            if gate.name in gated and gate.outcome != "met":
                print_status(f"debate: {judge.judge.model}: gate {gate.name} ({format_bound(gate)}): {gate.outcome}")
                code = code or ExitCode.GATE_NOT_MET
    raise typer.Exit(code)


def _plan(
    cases: Sequence[AuditCase], requests: Sequence[tuple[JudgeName, JudgingRequest]], loaded: LoadedConfig | None
) -> list[JudgePlan]:
    plans: list[JudgePlan] = []
    for judge, request in requests:
        found, problems = plan_judging(cases, judge, request, loaded)
        if len(problems) == len(cases):
            raise UsageError(problems[0])
        if problems:
            print_status(f"note: {len(problems)} of {len(cases)} debates are left out; the first reason: {problems[0]}")
        plans += found
    return plans


def _judging_requests(given: AuditOptions, loaded: LoadedConfig | None) -> list[tuple[JudgeName, JudgingRequest]]:
    config = None if loaded is None else loaded.config.model_copy(update={"seed": loaded.config.seed or 0})
    names = given.judge or []
    if not names:
        if config is None or not {"judge", "default"} & config.models.keys():
            raise UsageError("--judge: give the model to audit, for example --judge mock/judge")
        names = [""]
    base = JudgingRequest(
        config=config,
        systems=(given.system,),
        model_option="--judge",
        limits=config_options.limits_from_options(given.max_cost, given.max_tokens),
        batch=given.batch,
        asks_models=not given.dry_run and given.playback is None,
    )
    found: list[tuple[JudgeName, JudgingRequest]] = []
    for name in dict.fromkeys(names):
        spec = parse_model(name or "mock/judge", "--judge")
        model = mock_spec(spec).model if given.mock else name or None
        request = replace(base, model=model)
        found.append((JudgeName(request.models["judge"].model, given.system), request))
    return found


def _wanted_variants(given: AuditOptions) -> list[VariantName]:
    names: tuple[VariantName, ...] = get_args(VariantName)
    unknown = [name for name in given.variant or () if name not in VARIANTS]
    if unknown:
        raise UsageError(f"--variant {unknown[0]}: there is no such variant; the variants are {', '.join(names)}")
    wanted = {*(given.variant or names), "repeat"}
    if wanted & BEYOND_LENGTH:
        wanted.add("padded")
    return [name for name in names if name in wanted]


def _check_outputs(given: AuditOptions, loaded: LoadedConfig | None) -> None:
    """Raise UsageError if --out or --record names a file that this command must not write."""
    inputs = [path for path in (given.labels, given.playback, *map(Path, given.on or ())) if path is not None]
    inputs += () if loaded is None else list_input_files(loaded)
    reports = [given.out / name for name in REPORT_FILES]
    refuse_inputs(reports, "--out", inputs)
    if given.record is not None:
        check_output(given.record, "--record", force=True, inputs=inputs, results=reports)


def _judge(given: AuditOptions, plans: Sequence[JudgePlan], budget: Budget) -> ExitCode:
    if given.playback is None:
        obtain_consents((place for plan in plans for place in plan.destinations), given.trust_host)
    require_terminal(model for plan in plans for model in plan.asked_people)
    return _judge_with(config_options.open_cassette(given.record, given.playback), given, plans, budget)


def _judge_with(cassette: Cassette | None, given: AuditOptions, plans: Sequence[JudgePlan], budget: Budget) -> ExitCode:
    batches = BatchScreen(quiet=given.quiet)
    errors = list[str]()
    with screen.open_observer(None) as observer:
        people = PeopleOfCommand(observer)

        def prepare_context(task: JudgeTask, stop: StopSignal) -> RunContext:
            if budget.is_closed:
                stop.request()
            context = replace(task.context, observer=observer, warn=observer.warn, cassette=cassette, budget=budget)
            return replace(context, people=people.access(given.out / FILES_FOLDER, task.target))

        results = run_control.iterate_until_stopped(
            lambda stop: judge_files(
                plans,
                prepare_context=lambda task: prepare_context(task, stop),
                stop=stop,
                concurrency=given.concurrency,
                force=False,
                on_error=lambda plan, error: errors.append(f"{plan.source}: {error}"),
                batches=batches.queues if given.batch else None,
            ),
            observer,
        )
        failures: list[Failure] = []
        ends = Counter(_follow(results, len(plans), failures, quiet=given.quiet))
    _print_failures(failures)
    _print_left(errors, len(plans) - ends[None], len(plans), budget, observer)
    codes = {run_control.EXIT_CODES.get(reason or "", ExitCode.DONE) for reason in ends}
    stopped = ExitCode.DONE if observer.stop_cause is None else observer.stop_cause.exit_code
    codes.update(
        [
            batches.report_unfinished(f"debate {shlex.join(sys.argv[1:])}"),
            ExitCode.FAILED if errors else ExitCode.DONE,
            stopped,
        ]
    )
    return run_control.gravest_exit_code(codes)


def _follow(
    results: Iterable[tuple[JudgeTask, Outcome]], planned: int, failures: list[Failure], *, quiet: bool
) -> Iterator[CloseReason | None]:
    """Yield for each judging run why it ended early; None for a complete run. On a terminal, show the progress.

    Adds the failed judgements to `failures`. A run in which a provider failed counts as ended early. A run in which a
    judge abstained counts as complete.
    """
    is_shown = is_interactive(sys.stderr) and not quiet
    done = 0
    for _, outcome in results:
        found = [item for item in outcome.debate.failures if item.task.key not in outcome.debate.answered_keys]
        failures += found
        reason = outcome.halted or ("failed" if any(item.cause != ABSTAINED for item in found) else None)
        done += reason is None
        discard_drafts(outcome.path, outcome.debate)
        if is_shown:
            print(f"\rjudged {done} of {planned} ", end="", file=sys.stderr, flush=True)
        yield reason
    if is_shown:
        print(file=sys.stderr)


def _print_failures(failures: Sequence[Failure]) -> None:
    if failures:
        count, first = count_noun(len(failures), "judgement"), failures[0]
        print_status(f"note: {count} failed; the first: {first.who}: {first.message}")


def _print_left(
    errors: Sequence[str], left: int, planned: int, budget: Budget, observer: screen.PipeSafeObserver
) -> None:
    for line in errors[:5]:
        print_status(f"debate: {line}")
    cause = "the budget is reached" if budget.is_closed else "some judgements failed"
    if observer.stop_cause is not None:
        cause = observer.stop_cause.reason
    if left:
        print_status(f"{cause}; {left} of {planned} judging runs are left; the same command continues the audit")


def _find_labels(given: AuditOptions, debates: Sequence[AuditDebate]) -> LabelSet:
    if given.labels is not None:
        usable, unknown = select_usable(read_labels(given.labels), debates)
        return LabelSet(usable, str(given.labels), unknown)
    reviewed = labels_from_reviews(debates, given.system)
    if reviewed:
        return LabelSet(reviewed, "reviews")
    return LabelSet(labels_by_construction(debates), BY_CONSTRUCTION)


def _save(report: AuditReport, folder: Path) -> None:
    data = json.dumps(asdict(report), ensure_ascii=False, indent=2) + "\n"
    documents = (data, format_card_markdown(report), render_judge_cards(report))
    for name, document in zip(REPORT_FILES, documents, strict=True):
        atomic_write(folder / name, document.encode(), overwrite=True)


def _show(given: AuditOptions, report: AuditReport, cases: Sequence[AuditCase]) -> None:
    if given.json:
        print_json(asdict(report))
        return
    for judge in report.judges:
        print_lines(first_screen(judge))
        if not given.quiet:
            print()
            show_tables(card_tables(judge, report.unknown_labels))
    if report.between is not None and not given.quiet:
        print()
        show_tables([judge_agreement_table(report.between)])
    print_lines(filter(None, [mock_notice(judge.judge.model for judge in report.judges)]))
    print_status(f"saved: {given.out / 'card.html'}")
    print_status(f"note: the folder also has card.md, {REPORT_NAME} and {len(cases)} debates")


def _show_difference(given: AuditOptions) -> None:
    paths = given.paths or []
    if given.gate:
        raise UsageError(
            "--gate does not apply to a comparison of two audits; leave out --gate, or give it when you audit a judge"
        )
    if not given.diff or len(paths) != 2:  # noqa: PLR2004 - two audits are compared
        raise UsageError(
            "choose the debates for the audit of a judge with --on; to compare two audits, write "
            "`debate audit OLD/audit.json NEW/audit.json --diff`"
        )
    old, new = (read_report(path) for path in paths)
    rows = compare_audits(old, new)
    if given.json:
        print_json([change_record(row) for row in rows])
        return
    show_tables([changes_table(rows)])
