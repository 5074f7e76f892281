"""`debate check`."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import typer

from debate_cli.cli import setup
from debate_cli.cli.asked.check import Check
from debate_cli.cli.json_output import print_json
from debate_cli.cli.screen import shown, tell
from debate_cli.errors import DebateError
from debate_cli.forecast import planned_calls
from debate_cli.preparation import prepare
from debate_cli.scoring.rescaled import rescaled
from debate_cli.storage.environment import environment
from debate_cli.storage.overrides import unknown_variables
from debate_cli.wiring import specs

UNASKED = "no server was asked: `debate doctor` does that"
"""What a configuration that is fine may still come upon."""


def carry_out(asked: Check) -> None:
    """Check configurations, and say which keys are missing."""
    named = asked.configs or [_default()]
    _warn(named)
    reports = [_report(config) for config in named]
    if asked.json:
        print_json([asdict(report) for report in reports])
    else:
        for report in reports:
            _print(report)
        if not all(report.problems for report in reports):
            tell(UNASKED)
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
    setup.tell_default(path)
    return str(path)


def _report(reference: str) -> Report:
    try:
        loaded = setup.load(reference, asked=True)
    except DebateError as error:
        return Report(reference, problems=tuple(str(error).splitlines()))
    for line in rescaled(loaded.config.judging.systems):
        tell(f"{reference}: {line}")
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
