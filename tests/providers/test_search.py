"""Web search over the wire: requests as the vendors document them, results, pauses, errors and what a page may not do."""

import json
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

import pytest
from openapi_support import problems
from search_support import (
    ANTHROPIC,
    ASKED_BLOCK,
    KEY,
    OLLAMA,
    OPENAI,
    QUERY,
    SEARXNG,
    SERVERS,
    TEXT,
    TITLE,
    URL,
    SearchServer,
    anthropic_answer,
    cited_block,
    engine_answer,
    openai_answer,
    result_block,
    tool_error,
)
from wire_support import Playback, http_response

DOMAINS = ("stats.example", "other.example/blog")
each_server = pytest.mark.parametrize("server", SERVERS, ids=lambda server: server.name)


@each_server
def test_a_search_gives_passages_with_their_addresses(server: SearchServer) -> None:
    """Pages are quoted as origin `web`; OpenAI's words are the model's own, so they are a `summary`."""
    record, _ = server.search()
    (found,) = record.results
    expected = ("Costs rose .", "summary") if server is OPENAI else (TEXT, "web")
    assert (found.source, found.title, (found.text, found.origin)) == (URL, TITLE, expected)
    assert record.exchange is not None
    assert (record.exchange.usage.searches, record.exchange.attempts) == (1, 1)


def test_the_request_to_anthropic_follows_its_document() -> None:
    """It has the search tool with its limit and domains, and no other tool."""
    _, (seen,) = ANTHROPIC.search(domains=DOMAINS)
    assert problems("anthropic", "CreateMessageParams", seen.json) == []
    assert seen.json["tools"] == [
        {"type": "web_search_20250305", "name": "web_search", "max_uses": 2, "allowed_domains": list(DOMAINS)}
    ]
    assert problems("anthropic", "WebSearchTool_20250305", seen.json["tools"][0]) == []
    assert (seen.path, seen.headers["authorization"]) == ("/v1/messages", f"Bearer {KEY}")


def test_the_request_to_openai_follows_its_document() -> None:
    """It must search, at most as often as allowed, within the domains, and is not stored."""
    _, (seen,) = OPENAI.search(domains=DOMAINS)
    assert problems("openai", "CreateResponse", seen.json) == []
    assert problems("openai", "WebSearchTool", seen.json["tools"][0]) == []
    assert seen.json["tools"] == [{"type": "web_search", "filters": {"allowed_domains": list(DOMAINS)}}]
    assert (seen.json["max_tool_calls"], seen.json["store"], seen.path) == (2, False, "/responses")


def test_the_requests_to_search_engines() -> None:
    """Ollama gets JSON with the key, SearXNG a query; the domains are part of the words."""
    words = f"{QUERY} site:stats.example OR site:other.example/blog"
    _, (ollama,) = OLLAMA.search(domains=DOMAINS)
    _, (searxng,) = SEARXNG.search(domains=DOMAINS)
    assert (ollama.method, ollama.path) == ("POST", "/api/web_search")
    assert ollama.json == {"query": words, "max_results": 10}
    assert ollama.headers["authorization"] == f"Bearer {KEY}"
    parts = urlsplit(searxng.path)
    assert (searxng.method, parts.path) == ("GET", "/search")
    assert parse_qs(parts.query) == {"q": [words], "format": ["json"]}


def test_a_paused_search_is_continued() -> None:
    """After `pause_turn` the answer so far is sent back as it came; both requests count."""
    blocks = (ASKED_BLOCK, result_block(), cited_block(text="Part one of it."))
    record, seen = ANTHROPIC.search(anthropic_answer(*blocks, stop="pause_turn"), anthropic_answer())
    assert [item.text for item in record.results] == ["Part one of it.", TEXT]
    assert problems("anthropic", "CreateMessageParams", seen[1].json) == []
    assert [message["role"] for message in seen[1].json["messages"]] == ["user", "assistant"]
    assert [block["type"] for block in seen[1].json["messages"][1]["content"]] == [
        "server_tool_use", "web_search_tool_result", "text",
    ]  # fmt: skip
    assert record.exchange is not None
    assert (record.exchange.attempts, record.exchange.usage.searches) == (2, 2)


def test_an_endless_pause_ends() -> None:
    """A server that always pauses is asked four times."""
    _, seen = ANTHROPIC.search(anthropic_answer(ASKED_BLOCK, stop="pause_turn"))
    assert len(seen) == 4


@pytest.mark.parametrize(
    ("server", "playback", "cause", "words"),
    [
        (ANTHROPIC, anthropic_answer(ASKED_BLOCK, tool_error("too_many_requests")), "RateLimitedError", "too_many_requests"),
        (ANTHROPIC, anthropic_answer(ASKED_BLOCK, tool_error("unavailable")), "ServerError", "unavailable"),
        (ANTHROPIC, anthropic_answer(ASKED_BLOCK, tool_error("query_too_long")), "RejectedError", "correct evidence.web"),
        (ANTHROPIC, http_response({"error": {"type": "not_found_error", "message": "no"}}, status=404), "UnknownModelError", "m1"),
        (ANTHROPIC, anthropic_answer(stop="refusal"), "RefusedError", "declined to search"),
        (OPENAI, http_response({"error": {"message": "Hosted tool 'web_search' is not supported with m1."}}, status=400), "RejectedError", "not supported with m1"),
        (OPENAI, http_response({"error": {"message": "no", "type": "server_error"}}), "ServerError", "no"),
        (OPENAI, http_response({"id": "x"}), "BrokenBodyError", "check that base_url"),
        (SEARXNG, http_response("<html>", status=403, content_type="text/html"), "RejectedError", "settings.yml"),
        (SEARXNG, http_response("<html><title>Search</title>", content_type="text/html"), "BrokenBodyError", "check that base_url"),
        (SEARXNG, http_response("", status=429, headers={"Retry-After": "7"}), "RateLimitedError", "7 s"),
        (OLLAMA, http_response({"error": "unauthorized"}, status=401), "UnauthorizedError", "LAB_KEY"),
        (OLLAMA, http_response({"results": "none"}), "BrokenBodyError", "check that base_url"),
        (OLLAMA, http_response("", status=302, headers={"Location": "http://other.example"}), "RejectedError", "redirects"),
        (OLLAMA, ("reset",), "UnreachableError", "try again"),
        (SEARXNG, ("stall",), "ModelTimeoutError", "limits.timeout_s"),
    ],
)  # fmt: skip
def test_a_failed_search_is_an_error_of_a_known_kind(
    server: SearchServer, playback: Playback, cause: str, words: str
) -> None:
    """Errors are those of the models, by the same tables, without the key, and part of the record."""
    record, _ = server.search(playback)
    assert record.failure is not None
    assert (record.failure.cause, record.results) == (cause, ()), record.failure
    assert words in record.failure.message
    assert KEY not in record.model_dump_json()


def test_a_failed_search_that_was_billed_keeps_its_usage() -> None:
    """Anthropic's answer with an error of the tool has tokens."""
    record, _ = ANTHROPIC.search(anthropic_answer(ASKED_BLOCK, tool_error("unavailable")))
    assert record.exchange is not None
    assert (record.exchange.usage.input_tokens, record.exchange.usage.searches) == (6000, 1)


def test_the_limit_of_searches_is_no_error() -> None:
    """Anthropic reports `max_uses_exceeded` beside what it found before."""
    blocks = (ASKED_BLOCK, result_block(), tool_error("max_uses_exceeded"), cited_block())
    assert len(ANTHROPIC.search(anthropic_answer(*blocks))[0].results) == 1
    nothing, _ = ANTHROPIC.search(anthropic_answer(ASKED_BLOCK, tool_error("max_uses_exceeded")))
    assert (nothing.failure, nothing.results) == (None, ())


ODD_RESULTS = (
    "text",
    None,
    5,
    {"title": 5, "url": URL, "content": TEXT},
    {"title": TITLE, "url": [URL], "content": TEXT},
)


@pytest.mark.parametrize("server", [OLLAMA, SEARXNG], ids=lambda server: server.name)
def test_a_malformed_result_of_a_search_engine_is_left_out(server: SearchServer) -> None:
    """Results that are no objects, or whose fields are no texts, cost no other result, and do not use up the limit."""
    usual = {"title": TITLE, "url": URL, "content": TEXT}
    record, _ = server.search(http_response({"results": [*ODD_RESULTS * 2, usual]}))
    assert (record.failure, [item.text for item in record.results]) == (None, [TEXT])


def test_half_a_character_in_a_result_costs_no_other_result() -> None:
    """A page cut in the middle of an emoji has a character that UTF-8 cannot represent; it becomes a question mark."""
    usual = {"title": TITLE, "url": URL, "content": TEXT}
    record, _ = SEARXNG.search(engine_answer(usual, usual | {"content": "Costs \ud83d"}))
    assert (record.failure, [item.text for item in record.results]) == (None, [TEXT, "Costs ?"])


@pytest.mark.parametrize("field", ["url", "title", "cited_text"])
def test_a_malformed_citation_of_anthropic_is_left_out(field: str) -> None:
    """A citation with a field that is no text, and a block that is no object, cost no other result."""
    odd = cited_block()
    odd["citations"][0][field] = 5
    answer = anthropic_answer(ASKED_BLOCK, odd, cast("dict[str, Any]", "text"), cited_block(), stop="pause_turn")
    record, seen = ANTHROPIC.search(answer, anthropic_answer())
    assert (record.failure, [item.text for item in record.results], len(seen)) == (None, [TEXT], 2)


@pytest.mark.parametrize("field", ["url", "title", "start_index", "end_index"])
def test_a_malformed_citation_of_openai_is_left_out(field: str) -> None:
    """A citation with a field of another type, and an annotation that is no object, cost no other result."""
    text, cited = "Costs rose.", {"type": "url_citation", "url": URL, "title": TITLE, "start_index": 0, "end_index": 0}
    odd = cast("dict[str, Any]", "text")
    record, _ = OPENAI.search(openai_answer(text, [odd, cited | {field: [5]}, cited]))
    assert (record.failure, [item.text for item in record.results]) == (None, [text])


def test_a_malformed_part_of_an_answer_of_openai_is_left_out() -> None:
    """An output item, a content part or a list of annotations of another type costs no result of the other items."""
    usual = json.loads(openai_answer()[0].partition(b"\r\n\r\n")[2])
    message = usual["output"][1]
    parts = ["text", {"type": "output_text", "text": 5}, {"type": "output_text", "text": "Words.", "annotations": 5}]
    odd = [
        "text",
        {"type": "web_search_call", "action": "search"},
        message | {"content": 5},
        message | {"content": parts},
    ]
    record, _ = OPENAI.search(http_response(usual | {"output": [*odd, *usual["output"]]}))
    assert (record.failure, [item.text for item in record.results]) == (None, ["Costs rose ."])


def _addresses(results: list[dict[str, Any]], domains: tuple[str, ...] = ()) -> list[str]:
    record, _ = SEARXNG.search(engine_answer(*results), domains=domains)
    return [item.source for item in record.results]


@pytest.mark.parametrize(
    ("url", "is_kept"),
    [
        ("https://stats.example/a", True),
        ("http://www.stats.example/a", True),
        ("https://other.example/blog/a", True),
        ("https://other.example/blogs", False),
        ("https://other.example/blog/../private", False),
        ("https://other.example/blog/%2e%2E/private", False),
        ("https://notstats.example/", False),
        ("https://stats.example.evil.example/", False),
        ("https://stats.example@evil.example/", False),
        (r"https://evil.example\@stats.example/", False),
        ("javascript:alert(1)//stats.example", False),
        ("file:///etc/passwd", False),
        ("", False),
    ],
)
def test_only_allowed_domains_become_passages(url: str, is_kept: bool) -> None:
    """A server that ignores the domains changes nothing."""
    found = _addresses([{"url": url, "title": "T", "content": "Words."}], DOMAINS)
    assert found == ([url] if is_kept else [])


def test_an_address_loses_its_password() -> None:
    """Credentials in an address are not stored."""
    assert _addresses([{"url": "https://me:secret@stats.example/a", "title": "T", "content": "Words."}]) == [
        "https://stats.example/a"
    ]


def test_a_long_page_is_cut_to_its_best_part() -> None:
    """The part with most words of the query is kept, at whole sentences; invisible characters are removed."""
    filler = "Nothing of interest is here. " * 30
    text = f"{filler}\n\nThe costs\u200b of hosting microservices rose.\n\n{filler}"
    record, _ = OLLAMA.search(engine_answer({"title": "T", "url": URL, "content": text}), words=7)
    assert record.results[0].text == "The costs of hosting microservices rose."


@each_server
def test_the_query_is_data(server: SearchServer) -> None:
    """A model gets it as a JSON string between tags in the user's message; the rules are in the system's."""
    _, (seen, *_) = server.search()
    if server is ANTHROPIC:
        content = seen.json["messages"][0]["content"]
        assert json.loads(content.splitlines()[1]) == QUERY
    if server is OPENAI:
        assert json.loads(seen.json["input"][0]["content"].splitlines()[1]) == QUERY
        assert "Report what sources say." in seen.json["instructions"]
