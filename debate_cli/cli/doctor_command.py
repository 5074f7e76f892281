"""`debate doctor`."""

from __future__ import annotations

import asyncio
import difflib
import os
import sys
from typing import Any

import typer
from pydantic import ValidationError

from debate_cli.cli import screen, setup
from debate_cli.cli.asked.doctor import Doctor
from debate_cli.cli.json_output import print_json
from debate_cli.doctor import as_data, examine
from debate_cli.domain.config import DebateConfig, ModelSpec
from debate_cli.errors import UsageError
from debate_cli.preparation import hidden
from debate_cli.storage.config_file import LoadedConfig
from debate_cli.storage.environment import environment
from debate_cli.storage.redact import Redactor, without_secrets
from debate_cli.wiring import Surroundings, mocked, specs


def carry_out(asked: Doctor) -> None:
    """Ask each model a tiny question: what it can do, what it costs, how fast it is."""
    loaded = setup.load(asked.config, told=False)
    if asked.config is None and _used(asked.models or [], loaded.config):
        setup.tell_default(setup.default_config())
    wanted, chosen = _wanted(asked.models or [], loaded.config, mock=asked.mock)
    note = screen.tell if screen.interactive(sys.stderr) else _silent
    note(f"asking {', '.join(spec.model for spec in wanted)} ...")
    around = Surroundings(loaded.folder, environment(loaded.folder, os.environ), note=note)
    entries = [as_data(found) for found in asyncio.run(examine(wanted, chosen, around))]
    _show(entries, loaded, as_json=asked.json)
    if not all(entry["usable"] for entry in entries):
        raise typer.Exit(3)


def _wanted(names: list[str], config: DebateConfig, *, mock: bool) -> tuple[tuple[ModelSpec, ...], DebateConfig]:
    """The models to ask, and the configuration to ask them with; with `mock`, of both the rehearsal.

    Raises UsageError for a name that is neither provider/model nor in the configuration.
    """
    named = {name: _resolved(name, config) for name in names}
    if mock:
        config = mocked(config.model_copy(update={"models": {**config.models, **named}}))
        named = {name: config.models[name] for name in named}
    found = named.values() if names else specs(config)
    return tuple({spec.model_dump_json(): spec for spec in found}.values()), config


def _used(names: list[str], config: DebateConfig) -> bool:
    """Whether a configuration has to say what these names mean, or which models are asked as none is named."""
    own = {*config.models, *config.providers}
    return not names or any("/" not in name or name in own or name.partition("/")[0] in own for name in names)


def _resolved(name: str, config: DebateConfig) -> ModelSpec:
    try:
        spec = config.resolve_model(name)
    except ValidationError:
        spec = None
    if spec is None:
        close = difflib.get_close_matches(name, config.models, n=1)
        hint = f"did you mean {close[0]}?" if close else "write provider/model, or add it to `models`"
        raise UsageError(f"{name}: the configuration has no model of this name; {hint}")
    return spec


def _silent(_line: str) -> None:
    """Off a terminal only results count."""


def _show(entries: list[dict[str, Any]], loaded: LoadedConfig, *, as_json: bool) -> None:
    """What was found, without secrets: one document, a table on a terminal, plain lines elsewhere."""
    shown = without_secrets(entries, Redactor(hidden(loaded, os.environ)))
    if as_json:
        print_json(shown)
    elif screen.interactive(sys.stdout):
        from debate_cli.render.drawn.doctor import doctor_view

        screen.console(sys.stdout).print(doctor_view(shown))
    else:
        from debate_cli.render.plain.doctor import doctor_lines

        for line in doctor_lines(shown):
            print(line)
