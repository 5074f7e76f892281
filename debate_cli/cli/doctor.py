"""`debate doctor`."""

import asyncio
import difflib
import os
import sys
from typing import Annotated, Any, NamedTuple

import typer
from pydantic import ValidationError

from debate_cli.app.config_resolution import all_secrets
from debate_cli.app.doctor import diagnose_models, diagnosis_to_json
from debate_cli.app.model_factory import RunContext, all_model_specs, with_mock_models
from debate_cli.cli import config_options, console, options
from debate_cli.cli.console import print_json
from debate_cli.domain.config import DebateConfig, ModelSpec
from debate_cli.errors import UsageError
from debate_cli.storage.config_file import LoadedConfig
from debate_cli.storage.redact import Redactor, redact_values
from debate_cli.storage.variables import load_environment


class Options(NamedTuple):
    """Ask each model a tiny question: what it can do, what it costs, how fast it is.

    One question for each way of asking for structure (native schema, forced tool call, schema in the prompt) and one
    streamed; a few hundred tokens a model. A model is usable where at least one way gives a valid form. Exit code 3
    where one is not.

    Examples:

      debate doctor

      debate doctor --config debate.yaml strong ollama/qwen3:8b
    """

    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MODEL",
            help="provider/model, or a name in the configuration's models; without any, all it uses.",
        ),
    ] = None
    config: Annotated[
        str | None, typer.Option(metavar="CONFIG", help="A debate.yaml, or - for stdin; default as for run.")
    ] = None
    mock: options.MockOption = False
    json: options.JsonOption = False
    debug: options.DebugOption = False


def run(asked: Options) -> None:
    """Ask each model a tiny question: what it can do, what it costs, how fast it is."""
    loaded = config_options.config_from_argument(asked.config, told=False)
    if asked.config is None and _uses_config(asked.models or [], loaded.config):
        config_options.print_default_config(config_options.default_config_path())
    wanted, chosen = _select_models(asked.models or [], loaded.config, mock=asked.mock)
    note = console.print_status if console.is_interactive(sys.stderr) else _discard_note
    note(f"asking {', '.join(spec.model for spec in wanted)} ...")
    around = RunContext(loaded.folder, load_environment(loaded.folder, os.environ), note=note)
    entries = [diagnosis_to_json(found) for found in asyncio.run(diagnose_models(wanted, chosen, around))]
    _print_entries(entries, loaded, as_json=asked.json)
    if not all(entry["usable"] for entry in entries):
        raise typer.Exit(3)


def _select_models(names: list[str], config: DebateConfig, *, mock: bool) -> tuple[tuple[ModelSpec, ...], DebateConfig]:
    """The models to ask, and the configuration to ask them with; with `mock`, of both the rehearsal.

    Raises UsageError for a name that is neither provider/model nor in the configuration.
    """
    named = {name: _resolve_model(name, config) for name in names}
    if mock:
        config = with_mock_models(config.model_copy(update={"models": {**config.models, **named}}))
        named = {name: config.models[name] for name in named}
    found = named.values() if names else all_model_specs(config)
    return tuple({spec.model_dump_json(): spec for spec in found}.values()), config


def _uses_config(names: list[str], config: DebateConfig) -> bool:
    """Whether a configuration has to say what these names mean, or which models are asked as none is named."""
    own = {*config.models, *config.providers}
    return not names or any("/" not in name or name in own or name.partition("/")[0] in own for name in names)


def _resolve_model(name: str, config: DebateConfig) -> ModelSpec:
    try:
        spec = config.resolve_model(name)
    except ValidationError:
        spec = None
    if spec is None:
        close = difflib.get_close_matches(name, config.models, n=1)
        hint = f"did you mean {close[0]}?" if close else "write provider/model, or add it to `models`"
        raise UsageError(f"{name}: the configuration has no model of this name; {hint}")
    return spec


def _discard_note(_line: str) -> None:
    """Off a terminal only results count."""


def _print_entries(entries: list[dict[str, Any]], loaded: LoadedConfig, *, as_json: bool) -> None:
    """What was found, without secrets: one document, a table on a terminal, plain lines elsewhere."""
    shown = redact_values(entries, Redactor(all_secrets(loaded, os.environ)))
    if as_json:
        print_json(shown)
    elif console.is_interactive(sys.stdout):
        from debate_cli.render.model_tables import doctor_table
        from debate_cli.render.terminal import render_table

        console.make_console(sys.stdout).print(render_table(doctor_table(shown), {}))
    else:
        from debate_cli.render.model_tables import doctor_lines

        for line in doctor_lines(shown):
            print(line)
