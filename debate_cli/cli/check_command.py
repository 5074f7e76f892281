"""`debate check`."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from debate_cli.cli import completion, options, setup
from debate_cli.cli.screen import shown, tell
from debate_cli.errors import DebateError
from debate_cli.forecast import planned_calls
from debate_cli.preparation import prepare
from debate_cli.storage.environment import environment
from debate_cli.storage.overrides import unknown_variables
from debate_cli.wiring import specs

app = typer.Typer(add_completion=False)


@app.command()
def check(
    configs: Annotated[
        list[str] | None,
        typer.Argument(metavar="CONFIG", help="Configurations; - for stdin.", autocompletion=completion.configs),
    ] = None,
    json_: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Check configurations, and say which keys are missing.

    Without CONFIG: configs/debate.yaml or debate.yaml here, or the packaged default, as for `debate run`. Every fault is named with file, line, column and key. A missing key is a fault too, as the debate could not run.
    Exit code 2 where there is any.
    """
    del debug  # acted on where errors are caught
    named = configs or [_default()]
    _warn(named)
    reports = [_report(config) for config in named]
    if json_:
        print(json.dumps([asdict(report) for report in reports], ensure_ascii=False, indent=2))
    else:
        for report in reports:
            _print(report)
    if any(report.problems for report in reports):
        raise typer.Exit(2)


@dataclass(frozen=True, slots=True)
class Report:
    """What there is to say about one configuration."""

    config: str
    models: tuple[str, ...] = ()
    planned_calls: int | None = None
    """At the least; None where the configuration cannot be read."""
    problems: tuple[str, ...] = ()


def _default() -> str:
    """The configuration that `run` would take; it is told which."""
    path = setup.default_config()
    tell(f"configuration: {path}")
    return str(path)


def _report(reference: str) -> Report:
    try:
        loaded = setup.load(reference, asked=True)
    except DebateError as error:
        return Report(reference, problems=tuple(str(error).splitlines()))
    wanted = specs(loaded.config)
    try:
        prepare(loaded, os.environ)
    except DebateError as error:
        problems = tuple(str(error).splitlines())
    else:
        problems = ()
    models = tuple(dict.fromkeys(spec.model for spec in wanted))
    return Report(reference, models, planned_calls(loaded.config), problems)


def _warn(configs: list[str]) -> None:
    """Tell of variables that look like settings, in the environment and the `.env` files, once each."""
    told: dict[str, None] = {}
    for folder in dict.fromkeys(Path(config).parent if config != "-" else Path() for config in configs):
        with suppress(DebateError):
            told |= dict.fromkeys(unknown_variables(environment(folder, os.environ)))
    for line in told:
        tell(f"warning: {line}")


def _print(report: Report) -> None:
    for problem in report.problems:
        tell(problem)
    if not report.problems:
        print(f"{shown(report.config)}: fine; at least {report.planned_calls} calls to {', '.join(report.models)}")
