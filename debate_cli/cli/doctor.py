"""`debate doctor`."""

import asyncio
import sys
from dataclasses import replace
from typing import Annotated, Any, NamedTuple

import typer

from debate_cli.app.config_resolution import all_secrets
from debate_cli.app.consent import find_destinations, find_hub_destinations, find_search_destination
from debate_cli.app.context import RunContext
from debate_cli.app.doctor import diagnose_models, diagnosis_to_json, select_models
from debate_cli.cli import config_options, console, options
from debate_cli.cli.config_options import ConfigOptions
from debate_cli.cli.consent import obtain_consents
from debate_cli.cli.console import print_json, print_status
from debate_cli.cli.screen import StatusObserver
from debate_cli.domain.nested_texts import map_texts
from debate_cli.errors import UsageError
from debate_cli.llm.redaction import Redactor
from debate_cli.render.model_tables import doctor_lines, doctor_table


class Options(NamedTuple):
    """Test each model with a tiny question: what it can do, what it costs, how fast it is.

    Each model gets one question for each structured-output mode: native schema, forced tool call, schema in the prompt.
    Another question tests a streamed answer. The questions cost a few hundred tokens per model. A model is usable if at
    least one mode gives a valid answer. If no MODEL is named and the configuration searches the web, one web search is
    tested too. Exit code 3 if a model or the search is not usable.

    Examples:

      debate doctor

      debate doctor --config debate.yaml strong ollama/qwen3:8b
    """

    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MODEL",
            help="provider/model, or a name under `models` in the configuration; default: all models that the configuration uses.",
        ),
    ] = None
    config: options.ConfigOption = None
    var: options.VarOption = None
    mock: options.MockOption = False
    json: options.JsonOption = False
    trust_host: options.TrustHostOption = None
    trust_path: options.TrustPathOption = None
    debug: options.DebugOption = False


def run(given: Options) -> None:
    """Test each model with a tiny question: what it can do, what it costs, how fast it is."""
    names = given.models or []
    changes = config_options.overrides_from_options(ConfigOptions(variables=given.var))
    loaded = config_options.config_from_argument(given.config, changes, trusted_folders=given.trust_path)
    specs, config = select_models(names, loaded.config, mock=given.mock)
    context = RunContext(config, loaded.folder, loaded.env)
    destinations = find_destinations(config, specs, loaded.provider_origins, loaded.env)
    searching = None if names else find_search_destination(config, loaded.provider_origins, loaded.env)
    downloads = find_hub_destinations(loaded.source_map.name, specs, loaded.env)
    obtain_consents((*destinations, *downloads, *filter(None, [searching])), given.trust_host)
    if console.is_interactive(sys.stderr):
        print_status(f"asking {', '.join(spec.model for spec in specs)} ...")
        context = replace(context, observer=StatusObserver())
    diagnoses = asyncio.run(diagnose_models(specs, context, searches=not names))
    if not diagnoses:
        raise UsageError("the configuration names no model; name one: debate doctor PROVIDER/MODEL")
    entries = [diagnosis_to_json(diagnosis) for diagnosis in diagnoses]
    shown: list[dict[str, Any]] = map_texts(entries, Redactor(all_secrets(loaded)))
    if given.json:
        print_json(shown)
    else:
        console.show_tables([doctor_table(shown)], lines=doctor_lines(shown))
    if not all(entry["usable"] for entry in entries):
        raise typer.Exit(3)
