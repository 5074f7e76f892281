"""Selects the server, model and price for the web searches of a configuration. Pure functions."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from debate_cli.domain.config import DebateConfig, EvidenceConfig, ModelSpec, Price, WebSearchConfig
from debate_cli.domain.config_checks import Problem
from debate_cli.errors import ConfigError
from debate_cli.llm.model import WebSearch
from debate_cli.providers.http_model import ProviderApi
from debate_cli.providers.provider_table import (
    BUILTIN_PROVIDERS,
    OLLAMA_SEARCH_KEY,
    ProviderRow,
    find_address_problems,
    find_key_problem,
    find_url_problem,
    merge_provider_rows,
)
from debate_cli.providers.registry import EMBEDDING_KINDS, FREE_PRICE, find_price, split_model_name, with_api
from debate_cli.providers.search import anthropic, openai
from debate_cli.providers.search.engines import OLLAMA_API, SEARXNG_API

ENGINE_MODEL = "web_search"
"""Model name in the records of calls to search engines, e.g. of a call to `ollama/web_search`."""
NO_SEARCH_ADVICE = "or remove evidence.web: the files of evidence.sources can still be cited"
"""Advice at the end of messages that say why no web search is possible."""


SEARCH_TOOLS: Mapping[str, ProviderApi] = MappingProxyType(
    {"anthropic": anthropic.SEARCH_API, "openai": openai.SEARCH_API}
)
"""Maps a provider's kind to the API for its web searches."""
_OLLAMA = ProviderRow("ollama", "search", "https://ollama.com", api_key_env=OLLAMA_SEARCH_KEY)
SEARCH_ENGINES: Mapping[str, tuple[ProviderRow, Price | None]] = MappingProxyType({
    "ollama": (with_api(_OLLAMA, OLLAMA_API), None),
    "searxng": (with_api(ProviderRow("searxng", "search"), SEARXNG_API), FREE_PRICE),
    "mock": (BUILTIN_PROVIDERS["mock"], FREE_PRICE),
})  # fmt: skip
"""Maps the name of a search engine to the engine's address, key and limits, and to its price. None means an
unknown price."""
SEARCH_ONLY_PROVIDERS = frozenset(SEARCH_ENGINES) - frozenset(BUILTIN_PROVIDERS)
"""Names of providers that offer a search engine but no models."""


@dataclass(frozen=True, slots=True)
class SearchTarget:
    """The server, model and price for the web searches of a configuration."""

    row: ProviderRow
    """Address, key and limits of the server that searches."""
    provider: ProviderRow
    """The provider whose rate limits apply. Searches share these limits with the provider's other calls."""
    spec: ModelSpec
    """The model or search engine as `provider/model`, for records and prices."""
    settings: WebSearch
    price: Price | None
    """Price of tokens and searches. None if the price of tokens is unknown."""


def find_search_row(row: ProviderRow) -> ProviderRow | None:
    """Return the row for web searches at the provider of `row`; None for the mock, or if the provider cannot search."""
    if row.name in SEARCH_ENGINES:
        return SEARCH_ENGINES[row.name][0] if row.kind != "mock" else None
    return row if row.kind in SEARCH_TOOLS and _may_search(row.name) else None


def find_search_target(config: DebateConfig, env: Mapping[str, str]) -> SearchTarget | None:
    """Return the target of the web searches of `config`; None if `config` has no web search.

    Raises ConfigError if searches are impossible.
    """
    found = _select_target(config, env)
    if isinstance(found, Problem):
        raise ConfigError(f"{'.'.join(map(str, found.path))}: {found.message}")
    return found


def find_search_problems(config: DebateConfig, env: Mapping[str, str]) -> list[Problem]:
    """Return the problems that make the web searches of `config` impossible.

    Each message also says what is possible without a web search.
    """
    found = _select_target(config, env)
    if found is None or isinstance(found, Problem):
        return [] if found is None else [found]
    if config.web_search_url is not None and (problem := find_url_problem(config.web_search_url)):
        return [_problem("base_url", problem)]
    row, price = found.row, found.price
    lacks = [*filter(None, [find_key_problem(row, env)]), *find_address_problems(row, env)]
    if config.limits.max_cost_usd is not None and (price is None or price.search is None):
        lacks.append(
            f"limits.max_cost_usd cannot be enforced, because the price of a web search is unknown; add `price: {{input, "
            f"output, search}}` to providers.{row.name}, or remove the limit"
        )
    return [_problem("provider", message) for message in lacks]


def rerank_spec(config: DebateConfig) -> ModelSpec | None:
    """Return the model that `evidence.rerank` sets in `config`; None without this section."""
    rerank = None if config.evidence is None else config.evidence.rerank
    return None if rerank is None else ModelSpec(model=rerank.model)


def find_rerank_problems(config: DebateConfig) -> list[Problem]:
    """Return a list with one problem if the provider of the reranking model has no embeddings; else an empty list."""
    spec = rerank_spec(config)
    row = None if spec is None else merge_provider_rows(config).get(split_model_name(spec.model)[0])
    if spec is None or row is None or row.kind in EMBEDDING_KINDS:
        return []
    return [Problem(("evidence", "rerank", "model"), format_no_embeddings(spec.model))]


def format_no_embeddings(model: str) -> str:
    """Return the message that the provider of `model` has no embeddings, with advice."""
    provider = split_model_name(model)[0]
    return (
        f"{provider} has no embeddings; choose an embedding model of openai or of a compatible server, or remove "
        "evidence.rerank to rank passages by the words that they share with the query"
    )


def with_lookup_search(config: DebateConfig) -> DebateConfig:
    """Return `config` with a web search for the judges that check facts on the web.

    The model of the first such judge decides the search provider. `config` is returned unchanged if it has a web search
    already, or if there are no such judges.
    """
    if (config.evidence is not None and config.evidence.web is not None) or "web" not in config.judging.lookup_places:
        return config
    seats = (seat for system in config.judging.systems if "web" in system.lookup_places for seat in system.seats)
    spec = next(filter(None, (config.model_for_judge(seat.model) for seat in seats)), None)
    provider, name = split_model_name(spec.model) if spec is not None else ("", "")
    web = WebSearchConfig(provider=provider or "none", model=None if provider in SEARCH_ENGINES else name)
    evidence = (config.evidence or EvidenceConfig()).model_copy(update={"web": web})
    return config.model_copy(update={"evidence": evidence})


def is_search_key_missing(config: DebateConfig, env: Mapping[str, str]) -> bool:
    """Return whether the key for the web searches of `config` is missing or invalid. False without web searches."""
    try:
        target = find_search_target(config, env)
    except ConfigError:
        return False
    return target is not None and find_key_problem(target.row, env) is not None


def _problem(key: str, message: str) -> Problem:
    return Problem(("evidence", "web", key), f"{message}; {NO_SEARCH_ADVICE}")


def _select_target(config: DebateConfig, env: Mapping[str, str]) -> SearchTarget | Problem | None:
    web = None if config.evidence is None else config.evidence.web
    if web is None:
        return None
    return _engine_target(config, web) if web.provider in SEARCH_ENGINES else _tool_target(config, web, env)


def _tool_target(config: DebateConfig, web: WebSearchConfig, env: Mapping[str, str]) -> SearchTarget | Problem:
    row = merge_provider_rows(config).get(web.provider)
    if row is None or row.kind not in SEARCH_TOOLS or not _may_search(row.name):
        known = ", ".join([*SEARCH_TOOLS, *(name for name in SEARCH_ENGINES if name != "mock")])
        what = "is not a known provider" if row is None else "has no web search"
        return _problem("provider", f"{web.provider} {what}; choose one of {known}")
    spec = _find_model(config, web)
    if isinstance(spec, Problem):
        return spec
    target = _redirect(with_api(row, SEARCH_TOOLS[row.kind]), web)
    provider = row if web.base_url is None else target
    return SearchTarget(target, provider, spec, _settings(web, by_model=True), find_price(spec, row, env))


def _engine_target(config: DebateConfig, web: WebSearchConfig) -> SearchTarget | Problem:
    row, price = SEARCH_ENGINES[web.provider]
    own = config.providers.get(web.provider)
    if row.base_url is None and web.base_url is None and row.kind != "mock":
        advice = "give the address of a server, such as http://127.0.0.1:8080"
        return _problem("base_url", f"is missing, because {row.name} has no default server; {advice}")
    spec = ModelSpec(model=f"{row.name}/{ENGINE_MODEL}")
    price = price if own is None or own.price is None else own.price
    target = _redirect(row, web)
    return SearchTarget(target, target, spec, _settings(web, by_model=False), price)


def _may_search(provider: str) -> bool:
    return provider in SEARCH_TOOLS or provider not in BUILTIN_PROVIDERS


def _find_model(config: DebateConfig, web: WebSearchConfig) -> ModelSpec | Problem:
    named = config.models.get(web.model or "")
    if named is not None and split_model_name(named.model)[0] == web.provider:
        return named
    if named is not None:
        return _problem(
            "model",
            f"{web.model} is {named.model}, which is not a model of {web.provider}; choose a model of {web.provider}",
        )
    if web.model is not None:
        return ModelSpec(model=f"{web.provider}/{web.model.removeprefix(f'{web.provider}/')}")
    roles = [config.model_for_debater(debater) for debater in config.debaters]
    for spec in filter(None, (*config.models.values(), *roles)):
        if split_model_name(spec.model)[0] == web.provider:
            return spec
    return _problem(
        "model", f"is missing, and the configuration has no model of {web.provider}; set the model that searches"
    )


def _redirect(row: ProviderRow, web: WebSearchConfig) -> ProviderRow:
    """If `web` sets an address, return `row` with this address and without headers; else return `row`.

    The headers are for the provider's own server.
    """
    if web.base_url is None:
        return row
    return replace(row, base_url=web.base_url, base_url_env=None, headers={})


def _settings(web: WebSearchConfig, *, by_model: bool) -> WebSearch:
    return WebSearch(web.max_searches if by_model else 1, web.allowed_domains, by_model)
