"""`debate check`."""

import asyncio
import os
from dataclasses import dataclass, replace

import typer

from debate_cli.app.consent import Destination, describe_destinations, missing_consents
from debate_cli.app.estimate import estimate_run, planned_call_count
from debate_cli.app.model_roles import all_model_specs
from debate_cli.app.preparation import prepare_run
from debate_cli.cli import config_options
from debate_cli.cli.config_options import ConfigOptions
from debate_cli.cli.console import print_json, print_lines, print_status, redact_line, replace_control_chars
from debate_cli.cli.setup_options import CheckOptions
from debate_cli.domain.config_checks import find_notices
from debate_cli.domain.message_text import count_noun
from debate_cli.domain.nested_texts import map_texts
from debate_cli.errors import DebateError, ExitCode, add_page_hint
from debate_cli.render.theme import format_model_id
from debate_cli.storage.variables import unknown_variables


@dataclass(frozen=True, slots=True)
class ConfigReport:
    """Result of checking one configuration."""

    config: str
    models: tuple[str, ...] = ()
    planned_calls: int | None = None
    """Minimum number of calls to models in a run; None if the configuration cannot be read."""
    problems: tuple[str, ...] = ()
    help_page: str = ""
    """Name of the help page that explains `problems`. Empty if there is no such page."""
    warnings: tuple[str, ...] = ()
    destinations: tuple[Destination, ...] = ()
    """Servers that would receive requests of a run, or provide models to download."""
    has_debaters: bool = True
    """Whether the configuration has debaters. Without debaters it can only judge documents."""


def run(given: CheckOptions) -> None:
    """Check configurations, and name missing API keys."""
    for line in unknown_variables(os.environ):
        print_status(f"warning: {line}")
    reports = [_check_config(reference, given) for reference in given.configs or [None]]
    for report in reports:
        for line in report.warnings:
            print_status(f"{report.config}: {line}")
    if given.json:
        print_json([map_texts(_report_to_json(report), redact_line) for report in reports])
    else:
        for report in reports:
            _print_report(report)
        if not all(report.problems for report in reports):
            print_status("No server was contacted; to test the servers, run `debate doctor`.")
    if any(report.problems for report in reports):
        raise typer.Exit(ExitCode.WRONG_INPUT)


def _check_config(reference: str | None, given: CheckOptions) -> ConfigReport:
    report = ConfigReport(reference or str(config_options.default_config_path()))
    changes = config_options.overrides_from_options(ConfigOptions(variables=given.var))
    try:
        loaded = config_options.config_from_argument(reference, changes, trusted_folders=given.trust_path)
        report = replace(
            report,
            models=tuple(dict.fromkeys(spec.model for spec in all_model_specs(loaded.config))),
            planned_calls=planned_call_count(loaded.config),
            warnings=find_notices(loaded.config),
            has_debaters=bool(loaded.config.debaters),
        )
        context = prepare_run(loaded, searches=("files", "web"))
    except DebateError as error:
        return replace(report, problems=error.problems, help_page=error.page)
    plan = asyncio.run(estimate_run(context))
    missing = missing_consents(context.destinations, given.trust_host or (), os.environ)
    return replace(
        report,
        problems=tuple(dict.fromkeys(consent.format_sentence() for consent in missing)),
        warnings=(*report.warnings, *(f"warning: {line}" for line in plan.warnings(context.config.limits))),
        destinations=context.destinations,
    )


def _report_to_json(report: ConfigReport) -> dict[str, object]:
    return {
        "config": report.config,
        "models": report.models,
        "planned_calls": report.planned_calls,
        "problems": report.problems,
        "hosts": describe_destinations(report.destinations),
    }


def _print_report(report: ConfigReport) -> None:
    if report.problems:
        for line in add_page_hint(report.problems, report.help_page):
            print_status(line)
        return
    name, models = replace_control_chars(report.config), ", ".join(map(format_model_id, report.models))
    use = "" if report.has_debaters else " for `debate judge`, but `debate run` needs at least two debaters"
    calls = f"at least {count_noun(report.planned_calls or 0, 'call')} to {models or 'the model of --model'}"
    hosts = (f"{name}: {replace_control_chars(destination.format())}" for destination in report.destinations)
    print_lines([f"{name}: OK{use}; {calls}", *hosts], break_paths=True)
