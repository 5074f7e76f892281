"""From a model's name to an adapter, and what a configuration's models need before they can be asked.

No SDK is imported here, nor by building an adapter: that happens when the first call is made.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from debate_cli.domain.config import DebateConfig, ModelSpec, Price, ProviderKind
from debate_cli.errors import ConfigError
from debate_cli.llm.port import Model, OnText, Reply, Request
from debate_cli.llm.profile import Profile
from debate_cli.providers.addresses import address_problems, endpoint, key_problem, secrets_of
from debate_cli.providers.anthropic_messages import anthropic_server
from debate_cli.providers.embedded import EmbeddedServer, Place, extra_problem
from debate_cli.providers.endpoint import Endpoint
from debate_cli.providers.mock import MockModel
from debate_cli.providers.openai_chat import openai_server
from debate_cli.providers.presets import ProviderRow, profile_of
from debate_cli.providers.pricing import price
from debate_cli.providers.table import merged, row_problems, rows


def split(model: str) -> tuple[str, str]:
    """Provider and model of `provider/model`, split at the first slash."""
    provider, _, name = model.partition("/")
    return provider, name


def check(config: DebateConfig, models: Iterable[str], env: Mapping[str, str]) -> list[str]:
    """What keeps `models` (`provider/model` each) from being asked: one line a problem, none twice."""
    found = row_problems(config)
    table = merged(config)
    wanted = tuple(models)
    for model in wanted:
        provider = split(model)[0]
        row = table.get(provider)
        if row is not None:
            problems = row_faults(row, env, wanted)
        else:
            problems = [] if provider in config.providers else [unknown_provider(model, table)]
        found += [problem for problem in problems if problem not in found]
    return found


def row_faults(row: ProviderRow, env: Mapping[str, str], wanted: Iterable[str] = ()) -> list[str]:
    """What keeps every model of `row` from being asked, one sentence each; it names those that are `wanted` of it."""
    models = [model for model in wanted if split(model)[0] == row.name]
    return [*filter(None, (key_problem(row, env, models), extra_problem(row))), *address_problems(row, env)]


def keyless(config: DebateConfig, models: Iterable[str], env: Mapping[str, str]) -> tuple[str, ...]:
    """Those of `models` whose provider needs a key that is not set, or cannot be one."""
    table = merged(config)
    found = ((model, table.get(split(model)[0])) for model in models)
    return tuple(model for model, row in found if row is not None and key_problem(row, env))


def extraless(config: DebateConfig, models: Iterable[str]) -> tuple[str, ...]:
    """Those of `models` that run in this process, where what they need for it is not installed."""
    table = merged(config)
    found = ((model, table.get(split(model)[0])) for model in models)
    return tuple(model for model, row in found if row is not None and extra_problem(row))


def unknown_provider(model: str, known: Iterable[str]) -> str:
    """One sentence on a model whose provider is in no table, with the name that may have been meant."""
    provider = split(model)[0]
    names = sorted(known)
    close = difflib.get_close_matches(provider.lower(), names, n=1)
    hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(names)}"
    return f"model {model}: there is no provider {provider}; {hint}"


def secrets(config: DebateConfig, env: Mapping[str, str]) -> tuple[str, ...]:
    """Every secret value that the providers of `config`, the built-in ones too, resolve to in `env`; longest first."""
    return secrets_of(merged(config).values(), env)


class Server(Protocol):
    """Serves the models of one row over shared connections."""

    def model(self, name: str, profile: Profile) -> Model:
        """The model that the server knows as `name`."""
        ...

    async def aclose(self) -> None:
        """End the connections."""
        ...


def _bare(model: Model) -> Model:
    """Nothing around it."""
    return model


class Registry:
    """Builds adapters; the models of one row share its connections, which `aclose` ends.

    Raises ConfigError when the configuration's providers make no sense. `folder` is where relative paths start.
    """

    def __init__(self, config: DebateConfig, env: Mapping[str, str], *, folder: Path) -> None:
        self.rows = rows(config)
        self._config = config
        self._env = env
        self._folder = folder
        self._servers: dict[str, Server] = {}

    def row(self, model: str) -> ProviderRow:
        """The row of `provider/model`; raises ConfigError for a provider that nobody knows."""
        row = self.rows.get(split(model)[0])
        if row is None:
            raise ConfigError(unknown_provider(model, self.rows))
        return row

    def profile(self, model: str) -> Profile:
        """What `provider/model` can do."""
        return profile_of(self.row(model), split(model)[1])

    def price(self, spec: ModelSpec) -> Price | None:
        """What the tokens of `spec` cost; None where that is not known."""
        return price(spec, self.row(spec.model), self._env)

    def adapter(self, spec: ModelSpec, within: Callable[[Model], Model] = _bare) -> Model:
        """The model that `spec` names, without retries.

        What it needs (key, SDK, weights) is looked for when it is first asked, so that a recorded debate needs none;
        MissingKeyError and ConfigError may therefore come out of its first `complete`. `within` puts limits and budget
        around it: only when key and SDK are there, so that a slow import takes no time out of a window of a minute.
        """
        row = self.row(spec.model)
        if row.kind == "mock":
            return within(MockModel(spec, seed=self._config.seed or 0, folder=self._folder))
        name = split(spec.model)[1]
        return Deferred(lambda: within(self._server(row).model(name, profile_of(row, name))))

    async def aclose(self) -> None:
        """End all connections and processes; what is asked afterwards opens new ones."""
        servers, self._servers = self._servers, {}
        for server in servers.values():
            await server.aclose()

    def _server(self, row: ProviderRow) -> Server:
        if row.name not in self._servers:
            self._servers[row.name] = self._new_server(row)
        return self._servers[row.name]

    def _new_server(self, row: ProviderRow) -> Server:
        patience = self._config.limits.timeout_s
        if row.kind == "embedded":
            return EmbeddedServer(Place(self._folder, self._env, timeout_s=patience))
        return SERVERS[row.kind](row, endpoint(row, self._env, patience))


class Deferred:
    """A model that is built when it is asked."""

    def __init__(self, build: Callable[[], Model]) -> None:
        self._build = build

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer as the model does; what building it raises comes out here."""
        return await self._build().complete(request, on_text)


def _openai(row: ProviderRow, where: Endpoint) -> Server:
    return openai_server(where, stream_usage=row.stream_usage)


def _anthropic(_row: ProviderRow, where: Endpoint) -> Server:
    return anthropic_server(where)


SERVERS: Mapping[ProviderKind, Callable[[ProviderRow, Endpoint], Server]] = MappingProxyType(
    {
        "openai": _openai,
        "anthropic": _anthropic,
    }
)
"""What serves the rows of a kind over a wire."""
