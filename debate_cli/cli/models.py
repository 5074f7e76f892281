"""`debate models`. Its options are in `models_options`."""

import os
import sys
from pathlib import Path

from debate_cli.app.provider_list import list_providers
from debate_cli.cli import config_options, console
from debate_cli.cli.console import print_json
from debate_cli.cli.models_options import Options
from debate_cli.domain.config import DebateConfig
from debate_cli.providers.registry import collect_provider_secrets
from debate_cli.storage.redact import Redactor
from debate_cli.storage.variables import load_environment

EMPTY_CONFIG = DebateConfig(topic="none", debaters=())


def run(given: Options) -> None:
    """List the providers, what each can do, and whether its key is set."""
    loaded = config_options.config_from_argument(given.config) if given.config is not None else None
    env = loaded.env if loaded is not None else load_environment(Path(), os.environ)
    if loaded is None:
        config_options.print_notes(env.notes)
    config_ = loaded.config if loaded is not None else EMPTY_CONFIG
    redact = Redactor((*collect_provider_secrets(config_, env), *(loaded.secrets if loaded is not None else ())))
    found = list_providers(config_, env, redact)
    if given.json:
        print_json(found)
        return
    if console.is_interactive(sys.stdout):
        from debate_cli.render.model_tables import provider_table
        from debate_cli.render.terminal import render_table

        console.make_console(sys.stdout).print(render_table(provider_table(found), {}))
        return
    for entry in found:
        print(
            "\t".join(
                str(entry[name] if entry[name] is not None else "-") for name in ("name", "kind", "key", "base_url")
            )
        )
