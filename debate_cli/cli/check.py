"""`debate check`."""

import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from debate_cli.app.config_resolution import prepare_run
from debate_cli.app.estimate import planned_calls
from debate_cli.app.model_factory import all_model_specs
from debate_cli.cli import completion, config_options, options
from debate_cli.cli.console import print_json, print_status, replace_control_chars
from debate_cli.errors import DebateError
from debate_cli.storage.overrides import unknown_variables
from debate_cli.storage.variables import load_environment
from debate_cli.systems.rubric import describe_rescaled_weights


class Options(NamedTuple):
    """Check configurations, and name missing keys.

    Without CONFIG: configs/debate.yaml or debate.yaml here, or the packaged default, as for `debate run`. Every fault is named with file, line, column and key. A missing key is a fault too, as the debate could not run.
    Exit code 2 where there is any.
    """

    configs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CONFIG", help="Configurations; - for stdin.", autocompletion=completion.complete_configs
        ),
    ] = None
    json: options.JsonOption = False
    debug: options.DebugOption = False


NO_SERVER_ASKED_NOTE = "no server was asked: `debate doctor` does that"
"""What a configuration that is fine may still come upon."""


def run(asked: Options) -> None:
    """Check configurations, and name missing keys."""
    named = asked.configs or [_default_reference()]
    _warn_unknown_variables(named)
    reports = [_check_config(config) for config in named]
    if asked.json:
        print_json([asdict(report) for report in reports])
    else:
        for report in reports:
            _print_report(report)
        if not all(report.problems for report in reports):
            print_status(NO_SERVER_ASKED_NOTE)
    if any(report.problems for report in reports):
        raise typer.Exit(2)


@dataclass(frozen=True, slots=True)
class ConfigReport:
    """What there is to say about one configuration."""

    config: str
    models: tuple[str, ...] = ()
    planned_calls: int | None = None
    """At the least; None where the configuration cannot be read."""
    problems: tuple[str, ...] = ()


def _default_reference() -> str:
    """The configuration that `run` would take; it is told which."""
    path = config_options.default_config_path()
    config_options.print_default_config(path)
    return str(path)


def _check_config(reference: str) -> ConfigReport:
    try:
        loaded = config_options.config_from_argument(reference)
    except DebateError as error:
        return ConfigReport(reference, problems=tuple(str(error).splitlines()))
    for line in describe_rescaled_weights(loaded.config.judging.systems):
        print_status(f"{reference}: {line}")
    wanted = all_model_specs(loaded.config)
    try:
        prepare_run(loaded, os.environ)
    except DebateError as error:
        problems = tuple(str(error).splitlines())
    else:
        problems = ()
    models = tuple(dict.fromkeys(spec.model for spec in wanted))
    return ConfigReport(reference, models, planned_calls(loaded.config), problems)


def _warn_unknown_variables(configs: list[str]) -> None:
    """Tell of variables that look like settings, in the environment and the `.env` files, once each."""
    told: dict[str, None] = {}
    for folder in dict.fromkeys(Path(config).parent if config != "-" else Path() for config in configs):
        with suppress(DebateError):
            told |= dict.fromkeys(unknown_variables(load_environment(folder, os.environ)))
    for line in told:
        print_status(f"warning: {line}")


def _print_report(report: ConfigReport) -> None:
    for problem in report.problems:
        print_status(problem)
    if not report.problems:
        print(
            f"{replace_control_chars(report.config)}: fine; at least {report.planned_calls} calls to {', '.join(report.models)}"
        )
