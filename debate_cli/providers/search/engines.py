"""The search engines Ollama and SearXNG: requests, replies and error rules."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from debate_cli import errors
from debate_cli.domain.evidence import FoundPassage
from debate_cli.domain.model_call import Usage
from debate_cli.evidence.web_results import MAX_RESULTS
from debate_cli.llm.model import Profile, Reply, Request
from debate_cli.llm.search import dump_results
from debate_cli.providers import error_mapping
from debate_cli.providers.endpoint import Endpoint
from debate_cli.providers.error_mapping import ErrorRule, SentRequest
from debate_cli.providers.http_model import ProviderApi, ReplyBuilder, parse_objects, parse_optional_text

if TYPE_CHECKING:
    import httpx2

MAX_CONTENT_CHARS = 4000
"""Maximum number of characters that are used from each search result."""
FORBIDDEN = 403


def _build_ollama_body(request: Request, _model: str, _profile: Profile, _stream: bool) -> dict[str, Any]:
    return {"query": with_sites(request), "max_results": MAX_RESULTS}


def _build_searxng_body(request: Request, _model: str, _profile: Profile, _stream: bool) -> dict[str, Any]:
    return {"q": with_sites(request), "format": "json"}


def with_sites(request: Request) -> str:
    """Return the query of `request`, restricted by `site:` to the allowed domains."""
    domains = request.search.allowed_domains if request.search is not None else ()
    sites = " OR ".join(f"site:{domain}" for domain in domains)
    return " ".join(filter(None, (request.messages[-1].content, sites)))


@dataclass(frozen=True, slots=True)
class _Client:
    http: httpx2.AsyncClient
    base_url: str

    async def close(self) -> None:
        await self.http.aclose()


def _connect(endpoint: Endpoint) -> _Client:
    import httpx2

    from debate_cli.providers.http_client import make_http_client

    http = make_http_client(httpx2.AsyncClient, endpoint)
    http.headers.update({"Accept": "application/json", **endpoint.headers})
    if endpoint.api_key is not None:
        http.headers["Authorization"] = f"Bearer {endpoint.api_key}"
    return _Client(http, endpoint.base_url.rstrip("/"))


async def _send(method: str, path: str, client: _Client, body: dict[str, Any]) -> Any:
    given: dict[str, Any] = {"params": body} if method == "GET" else {"json": body}
    response = await client.http.request(method, f"{client.base_url}/{path}", **given)
    response.raise_for_status()
    return response.json()


@dataclass(slots=True)
class _ResultsBuilder(ReplyBuilder):
    results: list[FoundPassage] = field(default_factory=list[FoundPassage])

    def add_whole(self, whole: Any) -> None:
        self.usage = Usage(searches=1)
        self.results += islice(filter(None, map(_to_passage, parse_objects(whole["results"]))), MAX_RESULTS)

    def build_reply(self, latency_s: float) -> Reply:
        return Reply(text=dump_results(self.results), usage=self.usage, finish_reason="stop", latency_s=latency_s)


def _to_passage(item: dict[str, Any]) -> FoundPassage | None:
    with suppress(TypeError):  # a field is not a text
        title, url, content = (parse_optional_text(item.get(name)) for name in ("title", "url", "content"))
        return FoundPassage(url, title, "", content[:MAX_CONTENT_CHARS], "web")
    return None


def _error_rules() -> Sequence[ErrorRule]:
    import httpx2

    return error_mapping.make_error_rules(httpx2.TimeoutException, httpx2.RequestError, httpx2.HTTPStatusError)


def _searxng_rules() -> Sequence[ErrorRule]:
    import httpx2

    return (ErrorRule((httpx2.HTTPStatusError,), _map_searxng_status), *_error_rules())


def _map_searxng_status(fault: Any, asked: SentRequest) -> errors.ModelError:
    if fault.response.status_code == FORBIDDEN:
        advice = "add `json` to search.formats in its settings.yml"
        return errors.RejectedError(asked.format_message("answered 403", "", advice))
    return error_mapping.error_from_response(fault, asked)


OLLAMA_API = ProviderApi(
    _connect, _build_ollama_body, partial(_send, "POST", "api/web_search"), _ResultsBuilder, _error_rules
)
SEARXNG_API = ProviderApi(
    _connect, _build_searxng_body, partial(_send, "GET", "search"), _ResultsBuilder, _searxng_rules
)
