"""Asks a `Model` to search the web, or to order passages by similarity to a query."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace

from pydantic import TypeAdapter, ValidationError

from debate_cli.domain.config import Price
from debate_cli.domain.evidence import FoundPassage, Search, SearchFailure, SearchRecord
from debate_cli.domain.model_call import ModelCall
from debate_cli.errors import BrokenBodyError, CallError, PermanentError, RefusedError, UsageError
from debate_cli.evidence.web_results import select_results
from debate_cli.llm.model import Message, Model, Request, WebSearch
from debate_cli.llm.prompt_sanitizer import new_nonce, sanitize_for_prompt
from debate_cli.llm.usage import UsageAccumulator, compute_cost

SEARCH_PURPOSE = "search"
RERANK_PURPOSE = "rerank"
"""The `Request.purpose` of requests that order passages by similarity to a query."""
REPORT_TOKENS = 1500
"""Output limit, in tokens, of a model that searches and reports the results."""
MAX_CONTINUATIONS = 3
"""Maximum number of times that a search is continued after the provider paused it."""


@dataclass(frozen=True, slots=True)
class SearchResults:
    """The content of a reply to a web search."""

    results: tuple[FoundPassage, ...] = ()
    continuation: str = ""
    """Partial answer as JSON, which the next request sends back; empty if the provider did not pause the search."""


_RESULTS: TypeAdapter[SearchResults] = TypeAdapter(SearchResults)
_SCORES: TypeAdapter[list[float]] = TypeAdapter(list[float])


def dump_results(results: Iterable[FoundPassage], continuation: str = "") -> str:
    """Return the found passages as JSON, which is the text of a reply to a web search.

    `continuation`: the provider's partial answer, if the provider paused the search; else empty. A lone surrogate,
    which UTF-8 cannot represent, becomes `?`.
    """
    text = json.dumps(asdict(SearchResults(tuple(results), continuation)), ensure_ascii=False)
    return text.encode(errors="replace").decode()


@dataclass(frozen=True, slots=True)
class SearchClient:
    """Searches the web with one model or one search engine."""

    model: Model
    """The model or search engine, wrapped for retries, limits and budget."""
    name: str
    """Name of the model or search engine, as `provider/model`."""
    price: Price | None
    settings: WebSearch
    passage_words: int
    """Maximum number of words in a passage."""
    instructions: str = ""
    """System message for a model that searches."""

    async def search(self, search: Search) -> SearchRecord:
        """Run the web search `search`. A provider or budget error becomes the `failure` of the returned record."""
        spent = UsageAccumulator()
        found: list[FoundPassage] = []
        request = self._build_request(search.query)
        try:
            for _ in range(1 + MAX_CONTINUATIONS):
                reply = await self.model.complete(request)
                spent.add_reply(reply)
                if reply.refusal is not None:
                    raise RefusedError(f"the model declined to search: {reply.refusal or 'no reason given'}")
                try:
                    answer = _RESULTS.validate_json(reply.text)
                except ValidationError as error:
                    raise BrokenBodyError("the reply to a web search cannot be read; search again") from error
                found += answer.results
                if not answer.continuation:
                    break
                request = replace(request, messages=(*request.messages, Message("assistant", answer.continuation)))
        except (CallError, UsageError) as error:
            spent.add_failure(error)
            advice = "; correct evidence.web, or remove it" if isinstance(error, PermanentError | UsageError) else ""
            return _to_record(self, search, spent, failure=_to_failure(error, advice))
        results = select_results(found, search.query, self.passage_words, self.settings.allowed_domains)
        return _to_record(self, search, spent, results=results)

    def _build_request(self, query: str) -> Request:
        if not self.settings.by_model:
            message, nonce, output = sanitize_for_prompt(query), "", 0
        else:
            nonce, output = new_nonce(), REPORT_TOKENS
            data = json.dumps(sanitize_for_prompt(query), ensure_ascii=False)
            message = f"[query {nonce}]\n{data}\n[/query {nonce}]"
        return Request(
            system=self.instructions,
            messages=(Message("user", message),),
            purpose=SEARCH_PURPOSE,
            max_output_tokens=output,
            search=self.settings,
            nonce=nonce,
        )


def _to_record(
    client: SearchClient | Reranker,
    search: Search,
    spent: UsageAccumulator,
    *,
    results: tuple[FoundPassage, ...] = (),
    failure: SearchFailure | None = None,
) -> SearchRecord:
    call = ModelCall(
        model=client.name,
        rung="text",
        attempts=spent.attempts,
        usage=spent.usage,
        latency_s=spent.latency_s,
        cost_usd=compute_cost(spent.usage, client.price),
    )
    return SearchRecord(
        **search.model_dump(), results=results, failure=failure, exchange=call if spent.attempts else None
    )


def _to_failure(error: CallError | UsageError, advice: str = "") -> SearchFailure:
    return SearchFailure(cause=type(error).__name__, message=f"{str(error).rstrip('.')}{advice}")


@dataclass(frozen=True, slots=True)
class Reranker:
    """Orders passages by similarity to a query. An embedding model computes the similarity."""

    model: Model
    name: str
    """Name of the model, as `provider/model`."""
    price: Price | None

    async def order(self, search: Search, candidates: Sequence[FoundPassage]) -> SearchRecord:
        """Return a search record whose results are `candidates`, the most similar to the query first.

        Equally similar candidates keep their order.

        After an error of the provider or of the budget, the record has a `failure` and no results.
        """
        spent = UsageAccumulator()
        texts = (search.query, *(item.text for item in candidates))
        request = Request("", tuple(Message("user", text) for text in texts), RERANK_PURPOSE, max_output_tokens=0)
        try:
            reply = await self.model.complete(request)
            spent.add_reply(reply)
            scores = _parse_scores(reply.text, len(candidates))
        except (CallError, UsageError) as error:
            spent.add_failure(error)
            return _to_record(self, search, spent, failure=_to_failure(error))
        ranked = sorted(zip(scores, candidates, strict=True), key=lambda pair: -pair[0])
        return _to_record(self, search, spent, results=tuple(item for _, item in ranked))


def _parse_scores(text: str, count: int) -> list[float]:
    with suppress(ValidationError):
        scores = _SCORES.validate_json(text)
        if len(scores) == count:
            return scores
    raise BrokenBodyError(f"the reranking model did not rate each of the {count} passages; try again")
