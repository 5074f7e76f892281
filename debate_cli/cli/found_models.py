"""What `debate init` offers: models that are at hand here, without asking any of them anything that costs."""

from __future__ import annotations

import http.client
import importlib.util
import json
import re
import threading
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from debate_cli.providers.addresses import base_url, key_problem
from debate_cli.providers.presets import TABLE
from debate_cli.storage.plain import is_list, is_mapping

SUGGESTED: Mapping[str, str] = MappingProxyType(
    {
        "anthropic": "claude-sonnet-5",
        "openai": "gpt-5-mini",
        "gemini": "gemini-2.5-flash",
        "openrouter": "openai/gpt-5-mini",
        "groq": "openai/gpt-oss-120b",
        "together": "meta-llama/Llama-3.3-70B-Instruct-Turbo",
        "deepseek": "deepseek-chat",
        "mistral": "mistral-medium-latest",
        "xai": "grok-4-fast",
    }
)
"""Provider -> a model of it that debates well for its price."""
SHOWN = 5
"""Models of one server that are offered at most."""
PATIENCE_S = 1.0
"""For a server to be reached, and for each piece of what it says."""
DEADLINE_S = 3.0
"""For all that it says."""
LARGEST = 1_000_000
"""Bytes of a server's list of models."""
_NAME = re.compile(r"[A-Za-z0-9][\w./:@-]{0,99}")
_NO_DEBATER = re.compile(r"embed|rerank|whisper|ocr", re.IGNORECASE)

Listing = Callable[[str], Sequence[str]]
"""Address of an OpenAI-compatible server -> names of its models; none where nobody answers."""


@dataclass(frozen=True, slots=True)
class Found:
    """A model that is at hand."""

    model: str
    """`provider/model`."""
    why: str
    """Why it is thought to be there, in a few words."""
    paid: bool = False
    toy: bool = False
    """Good for trying things out, not for debates."""


def names_at(address: str, deadline_s: float = DEADLINE_S) -> list[str]:
    """Names of the models of the server at `address`, asked over HTTP with little patience and without a proxy.

    Whatever listens there may answer as it likes and as slowly; what is no list of models within `deadline_s` has none.
    """
    heard: list[object] = []
    asking = threading.Thread(target=lambda: heard.append(_answer(f"{address}/models")), daemon=True)
    asking.start()
    asking.join(deadline_s)
    data = heard[0] if heard else None
    listed = data.get("data") if is_mapping(data) else None
    names = [str(item.get("id")) for item in listed if is_mapping(item)] if is_list(listed) else []
    return [name for name in names if _NAME.fullmatch(name) and not _NO_DEBATER.search(name)]


def _answer(url: str) -> object:
    """The JSON that is served there; None where it is none, or nobody answers."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=PATIENCE_S) as answer:
            return json.loads(answer.read(LARGEST))
    except (OSError, ValueError, http.client.HTTPException, RecursionError):
        return None


def found_models(env: Mapping[str, str], listing: Listing = names_at, *, embedded: bool | None = None) -> list[Found]:
    """The models at hand, the ones to prefer first: Ollama's, those whose key is set, the embedded one, the mock.

    `embedded` says whether the extra `local` is installed; None: look.
    """
    ollama = [Found(f"ollama/{name}", "Ollama on this machine") for name in _at_ollama(env, listing)]
    keyed = [
        Found(f"{name}/{SUGGESTED[name]}", f"{row.api_key_env} is set", paid=True)
        for name, row in TABLE.items()
        if name in SUGGESTED and key_problem(row, env) is None
    ]
    there = importlib.util.find_spec("xllamacpp") is not None if embedded is None else embedded
    local = [Found("local/smollm2", "in this process; small, writes poorly", toy=True)] if there else []
    return [*ollama, *keyed, *local, Found("mock/debater", "no model, a rehearsal", toy=True)]


def judge_beside(model: str, found: Sequence[Found]) -> str:
    """A judge for debaters that speak with `model`: another model at hand that costs no more than it, else the same."""
    debater = next((one for one in found if one.model == model), None)
    others = [one for one in found if one.model != model and not one.toy]
    fit = [one.model for one in others if debater is not None and not debater.toy and one.paid == debater.paid]
    return fit[0] if fit else model


def _at_ollama(env: Mapping[str, str], listing: Listing) -> Sequence[str]:
    address = base_url(TABLE["ollama"], env)
    return listing(address)[:SHOWN] if address else ()
