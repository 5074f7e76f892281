"""Tells whether the user or a file chose a provider's address and environment variables."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from debate_cli.domain.config import ProviderSpec
from debate_cli.providers.provider_table import find_variables
from debate_cli.regular_file import read_regular_file
from debate_cli.storage.atomic_write import atomic_write
from debate_cli.storage.plain_data import is_list, is_mapping
from debate_cli.storage.serialization import providers_to_json
from debate_cli.storage.variables import Environment

WEB_SEARCH = "web search"
"""Key of the web-search server in mappings whose other keys are names of providers. It contains a space, so no provider
can have this name."""
IsOption = Callable[..., bool]
"""Tells whether a provider's setting comes from an option or a `DEBATE_…` variable, not from the file.

The arguments are the parts of the key path within the provider's settings, e.g. `"headers", "X-Key"`.
"""
_ADDRESS_VARIABLE = re.compile(
    r"(?:https?://)?\$\{(?P<name>\w*(?:URL|HOST|ENDPOINT|ADDRESS))(?::-[^}]*)?\}(?::\d+)?(?:/.*)?"
)


@dataclass(frozen=True, slots=True)
class ProviderOrigin:
    """What a file chooses for a provider: whether the file names the server, and which variables the file names."""

    file: str
    """Name of the file for messages."""
    fingerprint: str
    """SHA-256 of the text that contains the file's choices. If the choices change, the SHA-256 changes.

    The text is:

    - For a configuration file: the whole file.
    - For a provider of a saved debate: the provider's settings.
    - For the web searches of a saved debate: the server's address.
    """
    names_address: bool
    """Whether the file names the server. If False, an option, the environment or the program names the server."""
    variables: frozenset[str] = frozenset()
    """Environment variables from which the file takes the key, headers or the address."""
    url_variables: tuple[str, ...] = ()
    """Variables in the address. A variable at the start is left out if its name says that it holds the address of the
    server, e.g. `LAB_URL` in `${LAB_URL}/${TOKEN}`."""
    is_beside_dotenv: bool = False
    """Whether `file` is in the folder of the `.env` file in use."""


def find_origin(
    written: Mapping[str, Any], is_option: IsOption, env: Environment, *, file: str, fingerprint: str
) -> ProviderOrigin:
    """Return what `file` chooses for a provider: whether it names the server, and which variables it names.

    `written`: the provider's settings before variables are replaced. `is_option`: tells which of these settings come from
    an option or a variable, not from `file`.
    """
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
    """Return whether the stored debate `file` names the server of a provider, and which variables the file names.

    `name`: name of the provider. `spec`: the provider's settings in the debate.
    """
    return find_origin(
        spec.model_dump(), lambda *_: False, Environment({}), file=file, fingerprint=settings_fingerprint(name, spec)
    )


def stored_search_origin(file: str, base_url: str) -> ProviderOrigin:
    """Return the `ProviderOrigin` of the server for web searches that the stored debate `file` names.

    `base_url`: the address of the server in the debate. The result lists the variables in this address (see
    `ProviderOrigin.url_variables`).
    """
    fingerprint = search_fingerprint(base_url)
    return find_origin({"base_url": base_url}, lambda *_: False, Environment({}), file=file, fingerprint=fingerprint)


def search_fingerprint(base_url: str) -> str:
    """Return the SHA-256 of the address of the server for web searches."""
    return hashlib.sha256(f"evidence.web.base_url: {base_url}".encode()).hexdigest()


def settings_fingerprint(name: str, spec: ProviderSpec) -> str:
    """Return the SHA-256 of the settings that the user wrote for a provider.

    A configuration and the debates saved from it have the same fingerprint.
    """
    return hashlib.sha256(json.dumps(providers_to_json({name: spec}), sort_keys=True).encode()).hexdigest()


_MAX_BYTES = 4 * 1024 * 1024


class RememberedConsent(NamedTuple):
    """The user's consent to use a host: to send requests to it, or to send it the value of a variable."""

    variable: str | None
    """Environment variable whose value may be sent to `host`. None if the consent is to send requests."""
    host: str
    sha256: str
    """SHA-256 of what the user allowed: a configuration file, a provider's settings, or a model (its name and hash)."""


def consents_path(env: Mapping[str, str]) -> Path:
    """Return the path of `debate-cli/consents.json` in XDG_CONFIG_HOME of `env`, else in ~/.config."""
    named = env.get("XDG_CONFIG_HOME", "")
    root = Path(named) if Path(named).is_absolute() else Path(env.get("HOME") or "~").expanduser() / ".config"
    return root / "debate-cli" / "consents.json"


def load_consents(path: Path) -> frozenset[RememberedConsent]:
    """Return the consents in `path`; empty if the file is absent or damaged."""
    try:
        data = json.loads(read_regular_file(path, _MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        data = None
    entries = data.get("consents") if is_mapping(data) else None
    keys = RememberedConsent._fields
    return frozenset(
        RememberedConsent(*(entry[key] for key in keys))
        for entry in (entries if is_list(entries) else ())
        if is_mapping(entry) and all(isinstance(entry.get(key), str | None) and key in entry for key in keys)
    )


def save_consents(path: Path, added: Iterable[RememberedConsent]) -> None:
    """Add consents to the file `path`, which only the user can read. Raises StorageError."""
    kept = sorted(load_consents(path) | set(added), key=str)
    document = json.dumps({"consents": [consent._asdict() for consent in kept]}, indent=2)
    atomic_write(path, f"{document}\n".encode(), overwrite=True)
