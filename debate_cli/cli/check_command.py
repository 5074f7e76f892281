"""`debate check`."""

from __future__ import annotations

import json
import os
import sys
from typing import Annotated

import typer

from debate_cli.cli import options, setup
from debate_cli.errors import DebateError
from debate_cli.forecast import planned_calls
from debate_cli.providers.registry import check as missing
from debate_cli.storage.environment import environment
from debate_cli.wiring import require_models, specs

app = typer.Typer(add_completion=False)


@app.command()
def check(
    configs: Annotated[list[str], typer.Argument(metavar="CONFIG...", help="Configurations; - for stdin.")],
    json_: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Check configurations, and say which keys are missing.

    Every fault is named with file, line, column and key. A missing key is a fault too, as the debate could not run.
    Exit code 2 where there is any.
    """
    del debug  # acted on where errors are caught
    reports = [_report(config) for config in configs]
    if json_:
        print(json.dumps(reports, ensure_ascii=False, indent=2))
    else:
        for report in reports:
            _print(report)
    if any(report["problems"] for report in reports):
        raise typer.Exit(2)


def _report(reference: str) -> dict[str, object]:
    """What there is to say about one configuration."""
    try:
        loaded = setup.load(reference)
    except DebateError as error:
        return {"config": reference, "models": [], "planned_calls": None, "problems": str(error).splitlines()}
    wanted = specs(loaded.config)
    env = environment(loaded.folder, os.environ)
    problems = missing(loaded.config, [spec.model for spec in wanted], env)
    if not problems:
        try:
            require_models(loaded.config, wanted, env)
        except DebateError as error:
            problems = str(error).splitlines()
    return {
        "config": reference,
        "models": list(dict.fromkeys(spec.model for spec in wanted)),
        "planned_calls": planned_calls(loaded.config),
        "problems": problems,
    }


def _print(report: dict[str, object]) -> None:
    problems = report["problems"]
    for problem in problems if isinstance(problems, list) else ():  # pyright: ignore[reportUnknownVariableType]
        print(problem, file=sys.stderr)
    if not problems:
        models = ", ".join(str(model) for model in report["models"])  # pyright: ignore[reportUnknownVariableType,reportUnknownArgumentType,reportGeneralTypeIssues]
        print(f"{report['config']}: fine; at least {report['planned_calls']} calls to {models}")
