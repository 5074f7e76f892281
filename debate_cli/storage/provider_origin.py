"""Who chose the address and the variables of a provider: the user, or a file, which may have been downloaded."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from debate_cli.domain.config import ProviderSpec
from debate_cli.providers.provider_table import find_variables
from debate_cli.storage.plain_data import is_mapping
from debate_cli.storage.serialization import providers_to_json
from debate_cli.storage.variables import Environment

WEB_SEARCH = "web search"
"""Key of the server in `evidence.web` in mappings by provider name. No provider has a space in its name."""
IsOption = Callable[..., bool]
"""Tells whether an option set the value at a key path of the provider."""
_ADDRESS_VARIABLE = re.compile(
    r"(?:https?://)?\$\{(?P<name>\w*(?:URL|HOST|ENDPOINT|ADDRESS))(?::-[^}]*)?\}(?::\d+)?(?:/.*)?"
)
"""An address whose server part is one variable."""


@dataclass(frozen=True, slots=True)
class ProviderOrigin:
    """Where a file sends a provider's requests."""

    file: str
    """Name of the file in messages."""
    fingerprint: str
    """SHA-256 of the file; for a stored debate, SHA-256 of its provider settings."""
    names_address: bool
    """Whether the file names the server. False if the server is built in, or set by an option or by the environment."""
    variables: frozenset[str] = frozenset()
    """Variables in the file for the key, for headers and within the address."""
    url_variables: tuple[str, ...] = ()
    """Variables within the address, except one that holds the server part."""
    is_beside_dotenv: bool = False
    """Whether `file` is in the folder of the `.env` file in use."""


def find_origin(
    written: Mapping[str, Any], is_option: IsOption, env: Environment, *, file: str, fingerprint: str
) -> ProviderOrigin:
    """The origin of a provider. `written`: its settings in the file, with changes by options."""
    url = written.get("base_url")
    address = url if isinstance(url, str) else ""
    server = _ADDRESS_VARIABLE.fullmatch(address)
    named = find_variables(address)
    url_variables = named[1:] if server else named
    variables: set[str] = set() if is_option("base_url") else set(url_variables)
    key = written.get("api_key_env")
    if isinstance(key, str) and not is_option("api_key_env"):
        variables.add(key)
    headers = written.get("headers")
    for header, value in headers.items() if is_mapping(headers) else ():
        if isinstance(value, str) and not is_option("headers", header):
            variables.update(find_variables(value))
    is_own = is_option("base_url") or (server is not None and bool(env.get(server["name"])))
    names_address = bool(address) and not (is_own and not any(map(env.is_from_dotenv, named)))
    return ProviderOrigin(file, fingerprint, names_address, frozenset(variables), url_variables)


def stored_origin(file: str, name: str, spec: ProviderSpec) -> ProviderOrigin:
    """The origin of a provider in the stored debate `file`."""
    return find_origin(
        spec.model_dump(), lambda *_: False, Environment({}), file=file, fingerprint=settings_fingerprint(name, spec)
    )


def stored_search_origin(file: str, base_url: str) -> ProviderOrigin:
    """The origin of the server for web searches in the stored debate `file`."""
    written = {"base_url": base_url}
    return find_origin(written, lambda *_: False, Environment({}), file=file, fingerprint=search_fingerprint(base_url))


def search_fingerprint(base_url: str) -> str:
    """SHA-256 of the setting for the server of web searches."""
    return hashlib.sha256(f"evidence.web.base_url: {base_url}".encode()).hexdigest()


def settings_fingerprint(name: str, spec: ProviderSpec) -> str:
    """SHA-256 of the settings of a provider, equal in a configuration and in its debates."""
    return hashlib.sha256(json.dumps(providers_to_json({name: spec}), sort_keys=True).encode()).hexdigest()
