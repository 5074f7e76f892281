"""`debate models`."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from debate_cli.app.model_discovery import list_providers
from debate_cli.cli import config_options
from debate_cli.cli.console import print_json, print_status, show_tables
from debate_cli.cli.setup_options import ModelsOptions
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.message_text import format_suggestion_or_list
from debate_cli.errors import UsageError
from debate_cli.llm.redaction import Redactor
from debate_cli.providers.registry import collect_provider_secrets
from debate_cli.providers.weights import HUB_MODELS, WEIGHTS_CACHE, HubAccess, fetch_hub_file, hub_table
from debate_cli.regular_file import cache_folder
from debate_cli.render.model_tables import provider_table
from debate_cli.storage.variables import load_environment
from debate_cli.systems.tables import Table


def run(given: ModelsOptions) -> None:
    """List the providers, what each can do, and whether its key is set."""
    if given.action == "pull":
        _pull(given)
        return
    if given.name is not None:
        raise UsageError(
            f"{given.name}: `debate models` takes no name; to download a model: debate models pull {given.name}"
        )
    if given.config is None:
        config, env, secrets = DebateConfig(topic="none", debaters=()), load_environment(Path(), os.environ), ()
        config_options.print_notes(env.notes)
    else:
        loaded = config_options.config_from_argument(given.config)
        config, env, secrets = loaded.config, loaded.env, loaded.secrets
    found = list_providers(config, env, Redactor((*collect_provider_secrets(config, env), *secrets)))
    if given.json:
        print_json(found)
    else:
        show_tables([provider_table(found)], lines=map(_format_provider, found))


def _format_provider(entry: Mapping[str, Any]) -> str:
    columns = [str(entry[name] or "-") for name in ("name", "kind", "key", "base_url")]
    search = entry["search"]
    needs = f" ({search['api_key_env']} is not set)" if search is not None and not search["ready"] else ""
    return "\t".join([*columns, "-" if search is None else f"web search{needs}"])


def _pull(given: ModelsOptions) -> None:
    if given.name is None:
        rows = tuple(hub_table())
        heads = ("name", "download", "licence", "memory", "model")
        if given.json:
            print_json([dict(zip(heads, row, strict=True)) for row in rows])
        else:
            table = Table("models to download", heads, rows, has_key_column=True)
            show_tables([table], lines=map("\t".join, rows))
        return
    name = given.name.removeprefix("local/")
    file = HUB_MODELS.get(name)
    if file is None:
        raise UsageError(f"{given.name}: there is no such model{format_suggestion_or_list(given.name, HUB_MODELS)}")
    env = load_environment(Path(), os.environ)
    config_options.print_notes(env.notes)
    path = fetch_hub_file(file, HubAccess(cache_folder(env, WEIGHTS_CACHE), env, print_status))
    if given.json:
        print_json({"name": given.name, "model": file.model, "path": str(path), "sha256": file.sha256})
        return
    print(path)
    print_status(f"ready: debate run --set models.default.model=local/{name}")
