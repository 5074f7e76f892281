"""Finds the hosts that get requests, and the consents that the user must give for them. `cli.consent` asks the user.

A downloaded file could send keys to a stranger's host. So the user must consent to each host that a file names, and to
each variable that the file sends there. Four cases need no consent:

- The value of the variable comes from the `.env` file beside the configuration.
- A variable of a built-in provider, e.g. OPENAI_API_KEY, goes to that provider: to its own server, or to an address
  that the environment sets for it.
- Any other variable goes to a loopback address, or to an address that an option or the environment sets. Exception:
  this address is the server of a built-in provider.
- A request without variables goes to a loopback address, to a built-in provider, or to an address that an option or the
  environment sets.

In all other cases, the user must consent. But one of these cases is forbidden, even if the user consents: a variable of
a built-in provider goes to an address that a file names.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from debate_cli.domain.config import DebateConfig, ModelSpec
from debate_cli.errors import ConfigError, UntrustedHostError
from debate_cli.providers.provider_table import (
    ProviderRow,
    find_variables,
    is_loopback,
    load_provider_rows,
    merge_provider_rows,
    resolve_base_url,
    server_name,
)
from debate_cli.providers.registry import split_model_name
from debate_cli.providers.search.table import SEARCH_ENGINES, find_search_target
from debate_cli.providers.weights import HUB_MODELS, HUB_PREFIX, find_hub_file, hub_endpoint
from debate_cli.storage.config_file import LoadedConfig
from debate_cli.storage.provider_origin import (
    WEB_SEARCH,
    ProviderOrigin,
    RememberedConsent,
    consents_path,
    load_consents,
    search_fingerprint,
    settings_fingerprint,
    stored_origin,
    stored_search_origin,
)
from debate_cli.storage.variables import TRUSTED_HOSTS_VARIABLE, Environment


@dataclass(frozen=True, slots=True)
class Consent:
    """A consent that the user must give before requests go to a host that a file names."""

    provider: str
    file: str
    """Path of the configuration or saved debate that names the host or `variable`."""
    variable: str | None
    """Environment variable that would be sent to the host, e.g. `LAB_KEY`. None: only texts are sent, or a file is
    downloaded."""
    host: str
    fingerprint: str
    """SHA-256 of what the user allows: a configuration file, a stored debate's provider settings, or a model to
    download."""
    settings: str
    """SHA-256 of the provider's settings or, for a download, of the model's name and checksum."""
    download: str = ""
    """File that would be downloaded from the host. Empty for a consent to send texts or variables."""
    is_forbidden: bool = False
    """Whether the user cannot give this consent. True if `file` names the host, and `variable` belongs to a built-in
    provider, e.g. OPENAI_API_KEY."""

    def format_sentence(self) -> str:
        """Return the error message: what would be sent or downloaded, and how to allow the host."""
        if self.is_forbidden:
            owner = _owners(self.variable)[0]
            own_address = f", or set {owner.base_url_env} to that address" if owner.base_url_env else ""
            return (
                f"{self.file}: provider {self.provider} would send {self.variable} to {self.host}, but the key of a "
                f"built-in provider is never sent to an address that a file names; use another variable in the file{own_address}"
            )
        what = f"{self.variable} and the debate's texts" if self.variable else "the debate's texts"
        does = f"download and run {self.download} from" if self.download else f"send {what} to"
        return (
            f"{self.file}: provider {self.provider} would {does} {self.host}, and you have not allowed that; "
            f"if you trust this file and this host, use --trust-host {self.host} or "
            f"{TRUSTED_HOSTS_VARIABLE}={self.host}"
        )

    def to_records(self) -> tuple[RememberedConsent, ...]:
        """Return the records that make this consent valid in later commands.

        A consent to the provider settings in a configuration has two records. With the first, it is valid until the
        configuration file changes. With the second, it is valid for saved debates with the same provider settings. Any
        other consent has one record.
        """
        fingerprints = dict.fromkeys((self.fingerprint, self.settings))
        return tuple(RememberedConsent(self.variable, self.host, sha256) for sha256 in fingerprints)


@dataclass(frozen=True, slots=True)
class Destination:
    """A server that gets requests, and the variables that are sent to it."""

    provider: str
    host: str
    variables: tuple[str, ...]
    """Variables whose values the server receives, e.g. in a key, in headers or in the address."""
    consents: tuple[Consent, ...] = ()
    """Consents that the user must give before the server is asked."""

    def format(self) -> str:
        """Return a sentence, e.g. `provider lab sends LAB_KEY and the debate's texts to lab.example:8000`.

        Control characters in names are not removed.
        """
        downloads = [consent.download for consent in self.consents if consent.download]
        if downloads:
            return f"provider {self.provider} downloads {' and '.join(downloads)} from {self.host}"
        what = " and ".join((*self.variables, "the debate's texts"))
        return f"provider {self.provider} sends {what} to {self.host}"


def find_destinations(
    config: DebateConfig, models: Iterable[ModelSpec], origins: Mapping[str, ProviderOrigin], env: Environment
) -> tuple[Destination, ...]:
    """Return the servers to which requests to `models` go.

    The own server of a built-in provider is left out if only this provider's environment variables are sent to the
    server. Example: OpenAI's server is left out if only OPENAI_API_KEY is sent to it.

    `origins`: maps a provider's name to the file with the provider's settings.
    """
    found: list[Destination] = []
    table = merge_provider_rows(config)
    for name in dict.fromkeys(split_model_name(spec.model)[0] for spec in models):
        row = table.get(name)
        if row is None or not row.is_remote:
            continue
        settings = config.providers.get(name)
        fingerprint = "" if settings is None else settings_fingerprint(name, settings)
        if destination := _find_destination(row, origins.get(name), fingerprint, load_provider_rows().get(name), env):
            found.append(destination)
    return tuple(found)


def find_hub_destinations(file: str, models: Iterable[ModelSpec], env: Environment) -> tuple[Destination, ...]:
    """Return a destination for each download from the model hub that `models` need.

    Downloads in `HUB_MODELS`, the program's own list, need no consent and are left out.

    `file`: the configuration or saved debate that names `models`.
    """
    found: list[Destination] = []
    for spec in models:
        weights = find_hub_file(spec.model, spec.sha256) if spec.model.startswith(f"local/{HUB_PREFIX}") else None
        if weights is None or weights in HUB_MODELS.values():
            continue
        fingerprint = hashlib.sha256(f"{spec.model} {weights.sha256}".encode()).hexdigest()
        host = urlsplit(hub_endpoint(env)).netloc
        consent = Consent("local", file, None, host, fingerprint, fingerprint, f"{weights.repo}/{weights.file}")
        found.append(Destination("local", host, (), (consent,)))
    return tuple(found)


def find_search_destination(
    config: DebateConfig, origins: Mapping[str, ProviderOrigin], env: Environment
) -> Destination | None:
    """Return the server to which `config` sends web searches.

    Returns None in these cases:

    - `config` has no usable web search.
    - The web search asks no server, e.g. because it is a mock.
    - The server belongs to a built-in provider or search engine, and the only environment variables that it receives
      belong to this provider. Such a search needs no consent.
    """
    web = None if config.evidence is None else config.evidence.web
    try:
        target = find_search_target(config, env)
    except ConfigError:
        return None
    if target is None or web is None or not target.row.is_remote:
        return None
    official = SEARCH_ENGINES[web.provider][0] if web.provider in SEARCH_ENGINES else None
    if web.base_url is None:
        settings = config.providers.get(target.row.name)
        origin = origins.get(target.row.name) if official is None else None
        fingerprint = "" if settings is None else settings_fingerprint(target.row.name, settings)
    else:
        origin, fingerprint = origins.get(WEB_SEARCH), search_fingerprint(web.base_url)
    return _find_destination(
        target.row, origin, fingerprint, official or load_provider_rows().get(target.row.name), env
    )


def missing_consents(
    destinations: Iterable[Destination], trusted_hosts: Iterable[str], env: Mapping[str, str]
) -> tuple[Consent, ...]:
    """Return the consents that `destinations` need and the user has not given.

    A host in `trusted_hosts` or in DEBATE_TRUSTED_HOSTS needs no consent. Consents that the user gave in earlier
    commands count. Forbidden consents (`is_forbidden`) are always missing.
    """
    listed = [*trusted_hosts, *env.get(TRUSTED_HOSTS_VARIABLE, "").split(",")]
    trusted = {host.strip().rstrip(".").lower() for host in listed} - {""}
    remembered = load_consents(consents_path(env))
    return tuple(
        consent
        for consent in dict.fromkeys(consent for destination in destinations for consent in destination.consents)
        if consent.is_forbidden
        or (
            trusted.isdisjoint((consent.host, re.sub(r":\d+$", "", consent.host)))
            and RememberedConsent(consent.variable, consent.host, consent.fingerprint) not in remembered
        )
    )


def require_consents(destinations: Iterable[Destination], trusted_hosts: Iterable[str], env: Mapping[str, str]) -> None:
    """Raise UntrustedHostError if a needed consent is missing."""
    refuse_consents(missing_consents(destinations, trusted_hosts, env))


def refuse_forbidden(destinations: Iterable[Destination]) -> None:
    """Raise UntrustedHostError if `destinations` need a consent that is forbidden (`Consent.is_forbidden`)."""
    refuse_consents([consent for place in destinations for consent in place.consents if consent.is_forbidden])


def refuse_consents(missing: Sequence[Consent]) -> None:
    """Raise UntrustedHostError with one sentence per consent in `missing`. Do nothing if `missing` is empty."""
    if missing:
        raise UntrustedHostError(*dict.fromkeys(consent.format_sentence() for consent in missing))


def describe_destinations(destinations: Iterable[Destination]) -> list[dict[str, object]]:
    """Return the destinations as JSON data."""
    return [
        {"provider": destination.provider, "host": destination.host, "variables": list(destination.variables)}
        for destination in destinations
    ]


def stored_origins(file: str, config: DebateConfig, loaded: LoadedConfig | None) -> dict[str, ProviderOrigin]:
    """Return a `ProviderOrigin` for each provider in a saved debate. It tells what a file chose for the provider.

    - `file`: the saved debate.
    - `config`: the configuration in the saved debate.
    - `loaded`: the configuration that the user gave; None without one.

    The keys of the result are names of providers. For each provider in `config`:

    - If `loaded` has the same settings for the provider, the result has the provider's entry in
      `loaded.provider_origins`. If there is no such entry, the provider is left out.
    - Otherwise, the result has a new entry that names `file`.

    If `config` has an address for web searches (`config.web_search_url`), the result also has the key WEB_SEARCH:

    - If `loaded` has the same address, and `loaded.provider_origins` has an entry for WEB_SEARCH, the result has this
      entry.
    - Otherwise, the result has a new entry that names `file`.
    """
    given = loaded.config.providers if loaded is not None else {}
    origins: Mapping[str, ProviderOrigin] = loaded.provider_origins if loaded is not None else {}
    found = {
        name: origins[name] if name in origins and given.get(name) == spec else stored_origin(file, name, spec)
        for name, spec in config.providers.items()
        if name in origins or given.get(name) != spec
    }
    url = config.web_search_url
    if url is not None:
        is_given = loaded is not None and loaded.config.web_search_url == url and WEB_SEARCH in origins
        found[WEB_SEARCH] = origins[WEB_SEARCH] if is_given else stored_search_origin(file, url)
    return found


def _find_destination(
    row: ProviderRow,
    origin: ProviderOrigin | None,
    settings_sha256: str,
    built_in: ProviderRow | None,
    env: Environment,
) -> Destination | None:
    url = resolve_base_url(row, env) or ""
    host = server_name(url)
    in_address = origin.url_variables if origin is not None else ()
    variables = tuple(dict.fromkeys((*_own_variables(row), *in_address)))
    if built_in and server_name(built_in.base_url or "") == host and set(variables) <= _own_variables(built_in).keys():
        return None
    sent = tuple(name for name in variables if env.get(name) or name == row.api_key_env)
    if origin is None:
        return Destination(row.name, host, sent)
    consents = tuple(
        Consent(
            row.name,
            origin.file,
            variable,
            host,
            origin.fingerprint,
            settings_sha256,
            is_forbidden=origin.names_address and bool(_owners(variable)),
        )
        for variable in _variables_to_allow(sent, url, origin, env)
    )
    return Destination(row.name, host, sent, consents)


def _variables_to_allow(
    sent: Sequence[str], url: str, origin: ProviderOrigin, env: Environment
) -> Iterator[str | None]:
    """Yield each variable in `sent` that may go to `url` only with the user's consent.

    If no variable needs a consent, but the debate's texts need one, yield None.
    """
    named = [variable for variable in sent if origin.names_address or variable in origin.variables]
    from_dotenv = [variable for variable in named if origin.is_beside_dotenv and env.is_from_dotenv(variable)]
    needed = [
        variable for variable in named if variable not in from_dotenv and not _may_go_to(variable, url, origin, env)
    ]
    yield from needed
    chosen = {server_name(resolve_base_url(row, env) or "") for row in load_provider_rows().values()}
    is_known = is_loopback(url) or server_name(url) in _built_in_hosts() | chosen
    if not needed and not from_dotenv and origin.names_address and not is_known:
        yield None


def _may_go_to(variable: str, url: str, origin: ProviderOrigin, env: Environment) -> bool:
    owners, host = _owners(variable), server_name(url)
    if owners:
        own = {server_name(address or "") for row in owners for address in (row.base_url, resolve_base_url(row, env))}
        return host in own
    return is_loopback(url) or not (origin.names_address or host in _built_in_hosts())


def _owners(variable: str | None) -> list[ProviderRow]:
    return [row for row in load_provider_rows().values() if variable in _own_variables(row)]


def _own_variables(row: ProviderRow) -> dict[str, None]:
    key = (row.api_key_env,) if row.api_key_env else ()
    return dict.fromkeys((*key, *(name for value in row.headers.values() for name in find_variables(value))))


def _built_in_hosts() -> frozenset[str]:
    return frozenset(server_name(row.base_url or "") for row in load_provider_rows().values())
