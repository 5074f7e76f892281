"""Anthropic's web search tool in the messages API: request body and reply.

The passages are the texts that the answer cites, because Anthropic encrypts the search results.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from debate_cli.domain.evidence import FoundPassage
from debate_cli.domain.model_call import Usage
from debate_cli.llm.model import Message, Profile, Reply, Request
from debate_cli.llm.search import dump_results
from debate_cli.providers import anthropic, error_mapping
from debate_cli.providers.error_mapping import SentRequest
from debate_cli.providers.http_model import ReplyBuilder, parse_optional_text, parse_token_count

TOOL_TYPE = "web_search_20250305"
"""Version of the search tool. Newer versions are not used, because they execute code to filter results."""
PAUSED = "pause_turn"
_STATUS_BY_CODE: Mapping[str, int] = MappingProxyType({
    "too_many_requests": 429, "unavailable": 503, "invalid_tool_input": 400, "query_too_long": 400,
    "request_too_large": 413,
})  # fmt: skip


def build_search_body(request: Request, model: str, profile: Profile, stream: bool) -> dict[str, Any]:
    """Build the body of a request that may search.

    Claude may pause in the middle of an answer. To continue it, `request` contains each earlier part as an assistant
    message whose content is JSON.
    """
    assert request.search is not None
    body = anthropic.build_messages_body(request, model, profile, stream)
    body["messages"] = [_to_message(message) for message in request.messages]
    tool: dict[str, Any] = {"type": TOOL_TYPE, "name": "web_search", "max_uses": request.search.max_searches}
    if request.search.allowed_domains:
        tool["allowed_domains"] = list(request.search.allowed_domains)
    return body | {"tools": [tool]}


def _to_message(message: Message) -> dict[str, Any]:
    content = json.loads(message.content) if message.role == "assistant" else message.content
    return {"role": message.role, "content": content}


@dataclass(slots=True)
class _SearchBuilder(ReplyBuilder):
    results: list[FoundPassage] = field(default_factory=list[FoundPassage])
    stop_reason: str = ""
    continuation: str = ""
    error_code: str = ""

    def add_whole(self, whole: Any) -> None:
        usage = anthropic.find_usage(whole)
        counts = getattr(usage, "server_tool_use", None)
        searches = parse_token_count(getattr(counts, "web_search_requests", None))
        self.usage = anthropic.parse_usage(usage, Usage()).model_copy(update={"searches": searches})
        self.stop_reason = parse_optional_text(whole.stop_reason)
        blocks = [block for block in whole.content if hasattr(block, "type")]
        for block in blocks:
            if block.type == "text":
                self.results += filter(None, map(_to_passage, block.citations or ()))
            elif block.type == "web_search_tool_result":
                self.error_code = getattr(block.content, "error_code", None) or self.error_code
        if self.stop_reason == PAUSED:
            self.continuation = json.dumps(
                [block.to_dict(mode="json", warnings=False) for block in blocks], ensure_ascii=False
            )

    def validate(self, asked: SentRequest) -> None:
        status = _STATUS_BY_CODE.get(self.error_code)
        if status is not None and not self.results:
            body = json.dumps({"error": {"message": f"web search: {self.error_code}"}})
            raise error_mapping.error_from_status(status, body, asked)

    def build_reply(self, latency_s: float) -> Reply:
        refusal = "" if self.stop_reason == "refusal" else None
        return Reply(
            text=dump_results(self.results, self.continuation),
            usage=self.usage,
            finish_reason=self.stop_reason,
            refusal=refusal,
            latency_s=latency_s,
        )


def _to_passage(citation: Any) -> FoundPassage | None:
    with suppress(AttributeError, TypeError):  # a field is missing or not a text
        if citation.type == "web_search_result_location":
            url, title, text = map(parse_optional_text, (citation.url, citation.title, citation.cited_text))
            return FoundPassage(url, title, "", text, "web")
    return None


SEARCH_API = replace(anthropic.MESSAGES_API, build_body=build_search_body, reply_builder=_SearchBuilder)
