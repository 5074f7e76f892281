"""From a model's name to an adapter, and what a configuration's models need before they can be asked.

No SDK is imported here, nor by building an adapter: that happens when the first call is made.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from ipaddress import ip_address
from pathlib import Path
from types import MappingProxyType
from typing import Protocol
from urllib.parse import urlsplit

from debate_cli.domain.config import DebateConfig, ModelSpec, Price, ProviderKind
from debate_cli.errors import ConfigError
from debate_cli.llm.model import Model, OnText, Reply, Request
from debate_cli.llm.prices import find_bundled_price
from debate_cli.llm.profile import Profile
from debate_cli.providers.addresses import (
    collect_secrets,
    find_address_problems,
    find_key_problem,
    resolve_base_url,
    resolve_endpoint,
)
from debate_cli.providers.anthropic import make_anthropic_server
from debate_cli.providers.embedded import EmbeddedServer, EmbeddedSettings, find_extra_problem
from debate_cli.providers.endpoint import Endpoint
from debate_cli.providers.mock.model import MockModel
from debate_cli.providers.openai import make_openai_server
from debate_cli.providers.provider_table import (
    ProviderRow,
    build_provider_table,
    find_profile,
    find_provider_problems,
    merge_provider_rows,
)

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


def split_model_name(model: str) -> tuple[str, str]:
    """Provider and model of `provider/model`, split at the first slash."""
    provider, _, name = model.partition("/")
    return provider, name


def find_model_problems(config: DebateConfig, models: Iterable[str], env: Mapping[str, str]) -> list[str]:
    """What keeps `models` (`provider/model` each) from being asked: one line a problem, none twice."""
    found = find_provider_problems(config)
    table = merge_provider_rows(config)
    wanted = tuple(models)
    for model in wanted:
        provider = split_model_name(model)[0]
        row = table.get(provider)
        if row is not None:
            problems = find_row_problems(row, env, wanted)
        else:
            problems = [] if provider in config.providers else [format_unknown_provider(model, table)]
        found += [problem for problem in problems if problem not in found]
    return found


def find_row_problems(row: ProviderRow, env: Mapping[str, str], wanted: Iterable[str] = ()) -> list[str]:
    """What keeps every model of `row` from being asked, one sentence each; it names those that are `wanted` of it."""
    models = [model for model in wanted if split_model_name(model)[0] == row.name]
    return [
        *filter(None, (find_key_problem(row, env, models), find_extra_problem(row))),
        *find_address_problems(row, env),
    ]


def models_without_key(config: DebateConfig, models: Iterable[str], env: Mapping[str, str]) -> tuple[str, ...]:
    """Those of `models` whose provider needs a key that is not set, or cannot be one."""
    table = merge_provider_rows(config)
    found = ((model, table.get(split_model_name(model)[0])) for model in models)
    return tuple(model for model, row in found if row is not None and find_key_problem(row, env))


def models_without_extra(config: DebateConfig, models: Iterable[str]) -> tuple[str, ...]:
    """Those of `models` that run in this process, where what they need for it is not installed."""
    table = merge_provider_rows(config)
    found = ((model, table.get(split_model_name(model)[0])) for model in models)
    return tuple(model for model, row in found if row is not None and find_extra_problem(row))


def format_unknown_provider(model: str, known: Iterable[str]) -> str:
    """One sentence on a model whose provider is in no table, with the name that may have been meant."""
    provider = split_model_name(model)[0]
    names = sorted(known)
    close = difflib.get_close_matches(provider.lower(), names, n=1)
    hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(names)}"
    return f"model {model}: there is no provider {provider}; {hint}"


def collect_provider_secrets(config: DebateConfig, env: Mapping[str, str]) -> tuple[str, ...]:
    """Every secret value that the providers of `config`, the built-in ones too, resolve to in `env`; longest first."""
    return collect_secrets(merge_provider_rows(config).values(), env)


class ModelServer(Protocol):
    """Serves the models of one row over shared connections."""

    def model(self, name: str, profile: Profile) -> Model:
        """The model that the server knows as `name`."""
        ...

    async def aclose(self) -> None:
        """End the connections."""
        ...


def _unwrapped(model: Model) -> Model:
    """Nothing around it."""
    return model


class ProviderRegistry:
    """Builds adapters; the models of one row share its connections, which `aclose` ends.

    Raises ConfigError when the configuration's providers make no sense. `folder` is where relative paths start.
    """

    def __init__(self, config: DebateConfig, env: Mapping[str, str], *, folder: Path) -> None:
        self.rows = build_provider_table(config)
        self._config = config
        self._env = env
        self._folder = folder
        self._servers: dict[str, ModelServer] = {}

    def row(self, model: str) -> ProviderRow:
        """The row of `provider/model`; raises ConfigError for a provider that nobody knows."""
        row = self.rows.get(split_model_name(model)[0])
        if row is None:
            raise ConfigError(format_unknown_provider(model, self.rows))
        return row

    def profile(self, model: str) -> Profile:
        """What `provider/model` can do."""
        return find_profile(self.row(model), split_model_name(model)[1])

    def price(self, spec: ModelSpec) -> Price | None:
        """What the tokens of `spec` cost; None where that is not known."""
        return find_price(spec, self.row(spec.model), self._env)

    def adapter(self, spec: ModelSpec, within: Callable[[Model], Model] = _unwrapped) -> Model:
        """The model that `spec` names, without retries.

        What it needs (key, SDK, weights) is looked for when it is first asked, so that a recorded debate needs none;
        MissingKeyError and ConfigError may therefore come out of its first `complete`. `within` puts limits and budget
        around it: only when key and SDK are there, so that a slow import takes no time out of a window of a minute.
        """
        row = self.row(spec.model)
        if row.kind == "mock":
            return within(MockModel(spec, seed=self._config.seed or 0, folder=self._folder))
        name = split_model_name(spec.model)[1]
        return LazyModel(lambda: within(self._server(row).model(name, find_profile(row, name))))

    async def aclose(self) -> None:
        """End all connections and processes; what is asked afterwards opens new ones."""
        servers, self._servers = self._servers, {}
        for server in servers.values():
            await server.aclose()

    def _server(self, row: ProviderRow) -> ModelServer:
        if row.name not in self._servers:
            self._servers[row.name] = self._new_server(row)
        return self._servers[row.name]

    def _new_server(self, row: ProviderRow) -> ModelServer:
        patience = self._config.limits.timeout_s
        if row.kind == "embedded":
            return EmbeddedServer(EmbeddedSettings(self._folder, self._env, timeout_s=patience))
        return SERVER_FACTORIES[row.kind](row, resolve_endpoint(row, self._env, patience))


class LazyModel:
    """A model that is built when it is asked."""

    def __init__(self, build: Callable[[], Model]) -> None:
        self._build = build

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer as the model does; what building it raises comes out here."""
        return await self._build().complete(request, on_text)


def _make_openai(row: ProviderRow, where: Endpoint) -> ModelServer:
    return make_openai_server(where, stream_usage=row.stream_usage)


def _make_anthropic(_row: ProviderRow, where: Endpoint) -> ModelServer:
    return make_anthropic_server(where)


SERVER_FACTORIES: Mapping[ProviderKind, Callable[[ProviderRow, Endpoint], ModelServer]] = MappingProxyType(
    {
        "openai": _make_openai,
        "anthropic": _make_anthropic,
    }
)
"""What serves the rows of a kind over a wire."""
