"""Creates the adapter of a model, and reports a missing key, package extra or address."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType

from debate_cli.domain.config import DebateConfig, ModelSpec, Price
from debate_cli.domain.message_text import format_suggestion_or_list
from debate_cli.errors import ConfigError
from debate_cli.llm.model import BatchApi, Model, OnText, Profile, Reply, Request
from debate_cli.llm.retry import ExternalModel
from debate_cli.llm.usage import find_bundled_price, find_context_window
from debate_cli.providers.anthropic import MESSAGES_API
from debate_cli.providers.batches import make_batches, make_mock_batches
from debate_cli.providers.embedded import CONTEXT_TOKENS, EmbeddedServer, EmbeddedSettings, find_extra_problem
from debate_cli.providers.endpoint import Endpoint, ModelServer
from debate_cli.providers.http_model import HttpServer, ProviderApi
from debate_cli.providers.mock.model import MockEmbeddings, MockModel, MockSearch
from debate_cli.providers.openai import CHAT_API, EMBEDDINGS_API
from debate_cli.providers.people.person import PeopleAccess, PromptFolder, default_files_folder, make_person
from debate_cli.providers.provider_table import (
    BUILTIN_PROVIDERS,
    OLLAMA_SEARCH_KEY,
    PERSON_KIND,
    ProviderRow,
    build_provider_table,
    collect_secrets,
    find_address_problems,
    find_key_problem,
    find_profile,
    is_loopback,
    merge_provider_rows,
    resolve_base_url,
    resolve_endpoint,
)

FREE_PRICE = Price(input=0, output=0, search=0)
"""Price of models and web searches that run on the user's own machine."""
_CLOUD_MODELS = ("ollama/*-cloud", "ollama/*:cloud")


def find_price(spec: ModelSpec, row: ProviderRow, env: Mapping[str, str]) -> Price | None:
    """Return the price of the tokens of `spec`: the price in `spec`, else in `row`, else in the package `genai-prices`.

    Without such a price, a model that runs on this machine without a key is free. For other models, returns None.
    """
    known = spec.price or row.price or find_bundled_price(spec.model)
    if known is not None or any(fnmatchcase(spec.model, pattern) for pattern in _CLOUD_MODELS):
        return known
    if not row.local or row.api_key_env is not None:
        return None
    address = resolve_base_url(row, env)
    return FREE_PRICE if address is None or is_loopback(address) else None


def split_model_name(model: str) -> tuple[str, str]:
    """Split `provider/model` at its first slash into the provider and the model."""
    provider, _, name = model.partition("/")
    return provider, name


def find_row_problems(row: ProviderRow, env: Mapping[str, str]) -> list[str]:
    """Return the problems with the key, package extra, address and headers of `row`, one sentence each."""
    return [*filter(None, (find_key_problem(row, env), find_extra_problem(row))), *find_address_problems(row, env)]


def is_key_missing(config: DebateConfig, models: Iterable[str], env: Mapping[str, str]) -> bool:
    """Return whether any of `models` has a provider whose key is missing or invalid."""
    return any(find_key_problem(row, env) for row in _rows_of(config, models))


def is_extra_missing(config: DebateConfig, models: Iterable[str]) -> bool:
    """Return whether the extra `[local]` is not installed although a model in `models` needs it."""
    return any(map(find_extra_problem, _rows_of(config, models)))


def _rows_of(config: DebateConfig, models: Iterable[str]) -> list[ProviderRow]:
    table = merge_provider_rows(config)
    return [row for model in models if (row := table.get(split_model_name(model)[0]))]


def format_unknown_provider(model: str, known: Iterable[str]) -> str:
    """Return the error message for a model of an unknown provider, with the closest known name."""
    provider = split_model_name(model)[0]
    return f"model {model}: unknown provider {provider}{format_suggestion_or_list(provider, sorted(known))}"


def find_batch_problem(row: ProviderRow, model: str) -> str | None:
    """Return an error message if the provider of `model` has no batches; else None. `model` is a `provider/model`."""
    if row.batches:
        return None
    able = ", ".join(name for name, other in BUILTIN_PROVIDERS.items() if other.batches)
    return f"model {model}: {row.name} has no batches that debate-cli supports (supported: {able}); leave out --batch"


def collect_provider_secrets(config: DebateConfig, env: Mapping[str, str]) -> tuple[str, ...]:
    """Return all secrets in `env` of known providers and of the web search, longest first."""
    search = ProviderRow("web search", "search", config.web_search_url, api_key_env=OLLAMA_SEARCH_KEY)
    return collect_secrets((*merge_provider_rows(config).values(), search), env)


EMBEDDING_KINDS = ("openai", "mock")
"""Kinds of providers that offer embedding models."""
_APIS: Mapping[str, ProviderApi] = MappingProxyType({"openai": CHAT_API, "anthropic": MESSAGES_API})
"""Maps a provider's kind to the API of its models."""


def with_api(row: ProviderRow, api: ProviderApi) -> ProviderRow:
    """Return `row` with a `make_server` that creates a server for `api`."""

    def make_server(_row: ProviderRow, endpoint: Endpoint) -> ModelServer:
        return HttpServer(api, endpoint)

    return replace(row, make_server=make_server)


class ProviderRegistry:
    """Creates adapters. The models of one provider share connections.

    `folder` is the base of relative paths. `people` says how people are asked. Raises ConfigError if a provider in
    `config` is invalid.
    """

    def __init__(
        self, config: DebateConfig, env: Mapping[str, str], *, folder: Path, people: PeopleAccess | None = None
    ) -> None:
        self.rows = build_provider_table(config)
        self._config = config
        self._env = env
        self._folder = folder
        self._people = people or PeopleAccess(PromptFolder(default_files_folder(config)))
        self._servers: dict[str, ModelServer] = {}

    def row(self, model: str) -> ProviderRow:
        """Return the provider's row for `model`, a `provider/model`. Raises ConfigError for an unknown provider."""
        row = self.rows.get(split_model_name(model)[0])
        if row is None:
            raise ConfigError(format_unknown_provider(model, self.rows))
        return row

    def context_tokens(self, model: str) -> int | None:
        """Return the context window of `provider/model` in tokens; None if unknown."""
        return CONTEXT_TOKENS if self.row(model).kind == "embedded" else find_context_window(model)

    def profile(self, model: str) -> Profile:
        """Return the profile of `provider/model`."""
        return find_profile(self.row(model), split_model_name(model)[1])

    def price(self, spec: ModelSpec) -> Price | None:
        """Return the price of the tokens of `spec`; None if unknown."""
        return find_price(spec, self.row(spec.model), self._env)

    def adapter(self, spec: ModelSpec, within: Callable[[Model], Model] = lambda model: model) -> Model:
        """Return the model of `spec`. `within` adds wrappers to the model, for example a rate limit.

        If the model is a person, `within` is not used.

        Raises ConfigError for an unknown provider, and for an unreadable script of the mock. If the key, package or
        address of the provider is missing or invalid, each call of the model raises MissingKeyError or ConfigError.
        """
        row = self.row(spec.model)
        if row.kind == PERSON_KIND:
            return LazyModel(lambda: make_person(row.name, self._people, spec.time_limit_s))
        if row.kind == "mock":
            return within(MockModel(spec, seed=self._config.seed or 0, folder=self._folder))
        name = split_model_name(spec.model)[1]
        if row.make_server is not None:
            return self._plugin_model(row, name, within)
        return self._lazy_model(row.name, row, name, within)

    def batches(self, spec: ModelSpec) -> BatchApi:
        """Return the batch API for the model of `spec`.

        Raises ConfigError if the provider has no batches, and MissingKeyError if its key is missing.
        """
        row, name = self.row(spec.model), split_model_name(spec.model)[1]
        problem = find_batch_problem(row, spec.model)
        if problem is not None:
            raise ConfigError(problem)
        if row.kind == "mock":
            fast = spec.model_copy(update={"latency_s": None, "tokens_per_second": None})
            model = MockModel(fast, seed=self._config.seed or 0, folder=self._folder)
            return make_mock_batches(model, spec.model, spec.latency_s or 0.0)
        endpoint = resolve_endpoint(row, self._env, self._config.limits)
        return make_batches(row.kind, endpoint, name, find_profile(row, name))

    def search_adapter(
        self, row: ProviderRow, name: str, within: Callable[[Model], Model] = lambda model: model
    ) -> Model:
        """Return the model or search engine `name`, for web searches at the server of `row`.

        `within` adds wrappers to the model, for example a rate limit.
        """
        if row.kind == "mock":
            return within(MockSearch())
        return self._lazy_model(f"{row.name} search", row, name, within)

    def embedding_adapter(self, spec: ModelSpec, within: Callable[[Model], Model] = lambda model: model) -> Model:
        """Return the embedding model of `spec`. The kind of its provider must be in EMBEDDING_KINDS.

        `within` adds wrappers to the model, for example a rate limit.
        """
        row, name = self.row(spec.model), split_model_name(spec.model)[1]
        if row.kind == "mock":
            return within(MockEmbeddings())
        return self._lazy_model(f"{row.name} embeddings", with_api(row, EMBEDDINGS_API), name, within)

    async def aclose(self) -> None:
        """Close all connections and unload all embedded models. A later call opens or loads what it needs."""
        servers, self._servers = self._servers, {}
        for server in servers.values():
            await server.aclose()

    def _lazy_model(self, key: str, row: ProviderRow, name: str, within: Callable[[Model], Model]) -> Model:
        return LazyModel(lambda: within(self._server(key, row).model(name, find_profile(row, name))))

    def _plugin_model(self, row: ProviderRow, name: str, within: Callable[[Model], Model]) -> Model:
        def build() -> Model:
            endpoint = resolve_endpoint(row, self._env, self._config.limits)  # an error here is not one of the plug-in
            model = self._lazy_model(row.name, row, name, lambda model: model)
            advice = f"update or remove the package of the provider {row.name}"
            return within(
                ExternalModel(model, f"{row.name}/{name}", deadline_s=endpoint.answer_deadline_s, advice=advice)
            )

        return LazyModel(build)

    def _server(self, key: str, row: ProviderRow) -> ModelServer:
        if key not in self._servers:
            self._servers[key] = self._new_server(row)
        return self._servers[key]

    def _new_server(self, row: ProviderRow) -> ModelServer:
        limits = self._config.limits
        if row.kind != "embedded":
            endpoint = resolve_endpoint(row, self._env, limits)
            return row.make_server(row, endpoint) if row.make_server else HttpServer(_APIS[row.kind], endpoint)
        checksums = {spec.model: spec.sha256 for spec in self._config.models.values() if spec.sha256 is not None}
        settings = EmbeddedSettings(
            self._folder, self._env, checksums, timeout_s=limits.timeout_s, answer_timeout_s=limits.answer_timeout_s
        )
        return EmbeddedServer(settings)


class LazyModel:
    """Creates its model at each call. Errors of the creation are therefore raised by the call."""

    def __init__(self, build: Callable[[], Model]) -> None:
        self._build = build

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Create the model and return its answer to `request`."""
        return await self._build().complete(request, on_text)
