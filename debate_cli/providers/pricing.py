"""What the tokens of a model cost, once it is known where it runs: the bundled tables know names alone."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from ipaddress import ip_address
from urllib.parse import urlsplit

from debate_cli.domain.config import ModelSpec, Price
from debate_cli.llm.prices import find_bundled_price
from debate_cli.providers.addresses import resolve_base_url
from debate_cli.providers.presets import ProviderRow

FREE_PRICE = Price(input=0, output=0)
"""Of what runs on the user's own machine: nobody bills it."""
_CLOUD_MODELS = ("ollama/*-cloud", "ollama/*:cloud")
"""Models that a local server passes on to its maker's machines."""


def find_price(spec: ModelSpec, row: ProviderRow, env: Mapping[str, str]) -> Price | None:
    """What the tokens of `spec` cost: as its own entry says, else its provider's, else the bundled tables.

    What none of these knows is free where it runs on this machine; None where it does not, as that is not nothing.
    """
    known = spec.price or row.price or find_bundled_price(spec.model)
    if known is not None or any(fnmatchcase(spec.model, pattern) for pattern in _CLOUD_MODELS):
        return known
    return FREE_PRICE if is_run_locally(row, env) else None


def is_run_locally(row: ProviderRow, env: Mapping[str, str]) -> bool:
    """Whether the models of `row` run on this machine: in this process, or in one of the servers that are made for it.

    Not one that the environment or the configuration moved elsewhere, nor one that wants a key; nor a server of the
    user's own, as it may pass on what it is asked.
    """
    if not row.local or row.api_key_env is not None:
        return False
    address = resolve_base_url(row, env)
    return address is None or _is_loopback(address)


def _is_loopback(url: str) -> bool:
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
