"""Lists the providers for `debate models`, and finds the models that `debate init` offers. No paid call is made."""

import http.client
import importlib.util
import json
import re
import threading
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from debate_cli.domain.config import DebateConfig
from debate_cli.llm.redaction import REDACTED
from debate_cli.providers.provider_table import (
    PERSON_KIND,
    ProviderRow,
    find_key_problem,
    load_provider_rows,
    merge_provider_rows,
    resolve_base_url,
)
from debate_cli.providers.search.table import SEARCH_ENGINES, SEARCH_ONLY_PROVIDERS, find_search_row
from debate_cli.storage.plain_data import is_list, is_mapping

SUGGESTED_MODELS: Mapping[str, str] = MappingProxyType(
    {
        "anthropic": "claude-sonnet-5",
        "openai": "gpt-5.4-mini",
        "gemini": "gemini-2.5-flash",
        "openrouter": "openai/gpt-5.4-mini",
        "groq": "openai/gpt-oss-120b",
        "together": "meta-llama/Llama-3.3-70B-Instruct-Turbo",
        "deepseek": "deepseek-chat",
        "mistral": "mistral-medium-latest",
        "xai": "grok-4-fast",
    }
)
MAX_MODELS_PER_SERVER = 5
LISTING_TIMEOUT_S = 1.0
"""Seconds to wait for a connection to a server, and for each part of its answer."""
LISTING_DEADLINE_S = 3.0
"""Seconds to wait for a server's whole answer."""
MAX_LISTING_BYTES = 1_000_000
_MODEL_NAME = re.compile(r"[A-Za-z0-9][\w./:@-]{0,99}")
_NON_CHAT_MODEL = re.compile(r"embed|rerank|whisper|ocr", re.IGNORECASE)

ModelLister = Callable[[str], Sequence[str]]
"""Returns the models of the OpenAI-compatible server at an address. Without an answer, the list is empty."""


@dataclass(frozen=True, slots=True)
class DiscoveredModel:
    """A model that `debate init` offers."""

    model: str
    """The model as `provider/model`."""
    reason: str
    """Why the model is offered, in a few words."""
    is_paid: bool = False
    is_toy: bool = False
    """Whether the model is only good for trials, not for real debates."""


def list_server_models(address: str, deadline_s: float = LISTING_DEADLINE_S) -> list[str]:
    """Return the names of the models of the server at `address`. A slow, large or malformed answer gives no names."""
    answers: list[object] = []
    request = threading.Thread(target=lambda: answers.append(_fetch_json(f"{address}/models")), daemon=True)
    request.start()
    request.join(deadline_s)
    data = answers[0] if answers else None
    models = data.get("data") if is_mapping(data) else None
    names = [str(item.get("id")) for item in models if is_mapping(item)] if is_list(models) else []
    return [name for name in names if _MODEL_NAME.fullmatch(name) and not _NON_CHAT_MODEL.search(name)]


def _fetch_json(url: str) -> object:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=LISTING_TIMEOUT_S) as answer:
            return json.loads(answer.read(MAX_LISTING_BYTES))
    except (OSError, ValueError, http.client.HTTPException, RecursionError):
        return None


def discover_models(
    env: Mapping[str, str], listing: ModelLister = list_server_models, *, embedded: bool | None = None
) -> list[DiscoveredModel]:
    """Return the available models, best first. `embedded`: whether the extra `local` is installed; None detects it."""
    address = resolve_base_url(load_provider_rows()["ollama"], env)
    names = listing(address)[:MAX_MODELS_PER_SERVER] if address else ()
    ollama = [DiscoveredModel(f"ollama/{name}", "Ollama on this machine") for name in names]
    keyed = [
        DiscoveredModel(f"{name}/{SUGGESTED_MODELS[name]}", f"{row.api_key_env} is set", is_paid=True)
        for name, row in load_provider_rows().items()
        if name in SUGGESTED_MODELS and find_key_problem(row, env) is None
    ]
    there = importlib.util.find_spec("xllamacpp") is not None if embedded is None else embedded
    local = (
        [
            DiscoveredModel(
                "local/smollm2", "runs in this process; shows that everything works, but writes nonsense", is_toy=True
            )
        ]
        if there
        else []
    )
    return [*ollama, *keyed, *local, DiscoveredModel("mock/debater", "no model, a rehearsal", is_toy=True)]


def suggest_judge(model: str, found: Sequence[DiscoveredModel]) -> str:
    """Return a model to judge debaters that use `model`: another model of `found`.

    The judge is free if `model` is free, and paid if `model` is paid. If `found` has no such judge, returns `model`.
    """
    debater = next((one for one in found if one.model == model), None)
    others = [one for one in found if one.model != model and not one.is_toy]
    fit = [one.model for one in others if debater is not None and not debater.is_toy and one.is_paid == debater.is_paid]
    return fit[0] if fit else model


_URL_USER = re.compile(r"^(\w[\w+.-]*://)[^/?#]*@")
_URL_QUERY = re.compile(r"[?#].*$", re.DOTALL)
EXAMPLE_MODELS = {"local": "smollm2", "mock": "any", "ollama": "qwen3:8b", "anthropic": "claude-sonnet-5"}


def list_providers(config: DebateConfig, env: Mapping[str, str], redact: Callable[[str], str]) -> list[dict[str, Any]]:
    """Return the providers as JSON data, with their addresses and abilities, but without secrets."""
    table = merge_provider_rows(config)
    engines = {name: row for name, (row, _) in SEARCH_ENGINES.items() if name not in table}
    return [_provider_entry(row, env, redact) for row in (*table.values(), *engines.values())]


def _provider_entry(row: ProviderRow, env: Mapping[str, str], redact: Callable[[str], str]) -> dict[str, Any]:
    key, searching = row.api_key_env, find_search_row(row)
    state = "not needed" if key is None else f"{key} is set" if env.get(key) else f"{key} is not set"
    example = f"{row.name}/{'NAME' if row.kind == PERSON_KIND else EXAMPLE_MODELS.get(row.name, 'MODEL')}"
    address = resolve_base_url(row, env)
    if address is not None:
        address = _URL_USER.sub(rf"\1{REDACTED}@", redact(_URL_QUERY.sub("", address)))
        address = address if address.isprintable() else ascii(address)[1:-1]
    search: dict[str, Any] | None = None
    if searching is not None:
        name = searching.api_key_env
        search = {"api_key_env": name, "ready": name is None or bool(env.get(name))}
    return {
        "name": row.name,
        "kind": row.kind,
        "key": state,
        "api_key_env": key,
        "ready": key is None or bool(env.get(key)),
        "base_url": address,
        "structured": list(row.profile.modes) if row.name not in SEARCH_ONLY_PROVIDERS else [],
        "search": search,
        "sampling": row.profile.sampling,
        "max_concurrency": row.max_concurrency,
        "example": f"evidence.web.provider: {row.name}" if row.name in SEARCH_ONLY_PROVIDERS else example,
    }
