"""OpenAI's web search tool in the responses API: request body and reply.

OpenAI returns a summary by the model and no quotes from pages. A paragraph of the summary that cites a page becomes a
passage.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from debate_cli.domain.evidence import FoundPassage
from debate_cli.llm.model import Profile, Reply, Request
from debate_cli.llm.search import dump_results
from debate_cli.providers import openai
from debate_cli.providers.http_model import ProviderApi, ReplyBuilder, parse_objects, parse_optional_text

MAX_CITATIONS = 50


def build_search_body(request: Request, model: str, _profile: Profile, _stream: bool) -> dict[str, Any]:
    """Build the body of a request that must search the web. The body asks OpenAI not to store the answer."""
    assert request.search is not None
    tool: dict[str, Any] = {"type": "web_search"}
    if request.search.allowed_domains:
        tool["filters"] = {"allowed_domains": list(request.search.allowed_domains)}
    return {
        "model": model,
        "instructions": request.system,
        "input": [{"role": message.role, "content": message.content} for message in request.messages],
        "tools": [tool],
        "tool_choice": "required",
        "max_tool_calls": request.search.max_searches,
        "max_output_tokens": request.max_output_tokens,
        "include": ["web_search_call.action.sources"],
        "store": False,
    }


@dataclass(slots=True)
class _SearchBuilder(ReplyBuilder):
    results: list[FoundPassage] = field(default_factory=list[FoundPassage])
    status: str = ""
    refusal: str = ""

    def add_whole(self, whole: Any) -> None:
        output = parse_objects(whole["output"])
        self.status = parse_optional_text(whole.get("status"))
        self.usage = openai.parse_usage(whole.get("usage"), "input", "output", sum(map(_is_paid_search, output)))
        for item in output:
            for part in _list_objects(item, "content") if item.get("type") == "message" else ():
                self.refusal += parse_optional_text(part.get("refusal"))
                text = part.get("text")
                if part.get("type") == "output_text" and isinstance(text, str):
                    self.results += _cited_paragraphs(text, _list_objects(part, "annotations"))

    def build_reply(self, latency_s: float) -> Reply:
        return Reply(
            text=dump_results(self.results),
            usage=self.usage,
            finish_reason=self.status,
            refusal=self.refusal or None,
            latency_s=latency_s,
        )


def _list_objects(item: dict[str, Any], name: str) -> list[dict[str, Any]]:
    with suppress(TypeError):
        return parse_objects(item.get(name))
    return []


def _is_paid_search(item: dict[str, Any]) -> bool:
    actions = parse_objects([item.get("action")])  # empty if the action is missing
    return item.get("type") == "web_search_call" and all(each.get("type", "search") == "search" for each in actions)


class _Citation(NamedTuple):
    url: str
    title: str
    start: int
    end: int
    """Position after the citation's link in the text. A link is written e.g. `([example.org](https://example.org))`."""


def _to_citation(item: dict[str, Any]) -> _Citation | None:
    with suppress(KeyError, TypeError, ValueError, OverflowError):  # a field is missing or has another type
        if item.get("type") == "url_citation":
            url, title = parse_optional_text(item["url"]), parse_optional_text(item.get("title"))
            return _Citation(url, title, int(item["start_index"]), int(item["end_index"]))
    return None


def _cited_paragraphs(text: str, annotations: Sequence[dict[str, Any]]) -> Iterator[FoundPassage]:
    cited = [item for item in map(_to_citation, annotations) if item is not None][:MAX_CITATIONS]
    marks = [(item.start, item.end) for item in cited]
    for item in cited:
        place = min(max(0, item.start), len(text))
        start = text.rfind("\n", 0, place) + 1
        end = text.find("\n", place)
        paragraph = _without_marks(text, start, len(text) if end < 0 else end, marks)
        yield FoundPassage(item.url, item.title, "", paragraph, "summary")


def _without_marks(text: str, start: int, end: int, marks: Sequence[tuple[int, int]]) -> str:
    kept = list(text[start:end])
    for first, last in marks:
        if text[first:last].lstrip("(").startswith("["):
            for place in range(max(first, start), min(last, end)):
                kept[place - start] = ""
    return " ".join("".join(kept).split())


SEARCH_API = ProviderApi(
    openai.connect, build_search_body, partial(openai.send, path="/responses"), _SearchBuilder, openai.error_rules
)
