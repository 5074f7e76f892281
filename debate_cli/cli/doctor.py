"""`debate doctor`."""

import asyncio
import sys
from dataclasses import replace
from typing import Any

import typer

from debate_cli.app.config_resolution import all_secrets
from debate_cli.app.consent import find_destinations, find_hub_destinations, find_search_destination
from debate_cli.app.context import RunContext
from debate_cli.app.doctor import diagnose_models, diagnosis_to_json, select_models
from debate_cli.cli import config_options, console
from debate_cli.cli.config_options import ConfigOptions
from debate_cli.cli.consent import obtain_consents
from debate_cli.cli.console import print_json, print_status
from debate_cli.cli.screen import StatusObserver
from debate_cli.cli.setup_options import DoctorOptions
from debate_cli.domain.nested_texts import map_texts
from debate_cli.errors import ExitCode, UsageError
from debate_cli.llm.redaction import Redactor
from debate_cli.render.model_tables import doctor_lines, doctor_table


def run(given: DoctorOptions) -> None:
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
        raise UsageError("the configuration names no model; give one: debate doctor PROVIDER/MODEL")
    entries = [diagnosis_to_json(diagnosis) for diagnosis in diagnoses]
    shown: list[dict[str, Any]] = map_texts(entries, Redactor(all_secrets(loaded)))
    if given.json:
        print_json(shown)
    else:
        console.show_tables([doctor_table(shown)], lines=doctor_lines(shown))
    if not all(entry["usable"] for entry in entries):
        raise typer.Exit(ExitCode.PROVIDER_FAILED)
