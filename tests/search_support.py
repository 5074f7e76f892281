"""Answers of the servers that search the web, as bytes, and one search over a real connection."""

import asyncio
import json
import time
import zlib
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from serving_support import Answering, serving
from wire_support import Playback, Seen, Wire, http_response

from debate_cli.domain.evidence import Search, SearchRecord
from debate_cli.llm.model import Profile, WebSearch
from debate_cli.llm.search import SearchClient
from debate_cli.providers.endpoint import Endpoint
from debate_cli.providers.http_model import HttpServer, ProviderApi
from debate_cli.providers.registry import FREE_PRICE
from debate_cli.providers.search import anthropic, openai
from debate_cli.providers.search.engines import OLLAMA_API, SEARXNG_API

KEY = "sk-test-0123456789abcdef"
URL, TITLE, TEXT = "https://stats.example/report", "Report 2025", "Hosting rose 43 percent in 2024."
QUERY = "hosting costs of microservices"


def engine_answer(*results: Mapping[str, Any]) -> tuple[bytes]:
    """An answer of Ollama or SearXNG; without results, the usual one."""
    found = results or ({"title": TITLE, "url": URL, "content": TEXT},)
    return http_response({"query": QUERY, "results": list(found)})


def cited_block(url: str = URL, text: str = TEXT) -> dict[str, Any]:
    """A text of Anthropic's answer that cites a page."""
    citation = {
        "type": "web_search_result_location",
        "url": url,
        "title": TITLE,
        "cited_text": text,
        "encrypted_index": "E",
    }
    return {"type": "text", "text": "Costs rose.", "citations": [citation]}  # fmt: skip


def result_block(content: Any = None) -> dict[str, Any]:
    """The results of one search of Anthropic's tool, or its error."""
    page = {"type": "web_search_result", "url": URL, "title": TITLE, "encrypted_content": "X", "page_age": None}
    return {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [page] if content is None else content}  # fmt: skip


def tool_error(code: str) -> dict[str, Any]:
    """A failed search of Anthropic's tool."""
    return result_block({"type": "web_search_tool_result_error", "error_code": code})


ASKED_BLOCK = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": QUERY}}


def anthropic_answer(*blocks: Mapping[str, Any], stop: str = "end_turn", searches: int = 1) -> tuple[bytes]:
    """A message of Anthropic; without blocks, one that searches and cites."""
    usage = {"input_tokens": 6000, "output_tokens": 100, "server_tool_use": {"web_search_requests": searches}}
    return http_response({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None, "stop_reason": stop,
        "content": list(blocks or (ASKED_BLOCK, result_block(), cited_block())), "usage": usage,
    })  # fmt: skip


def openai_answer(text: str | None = None, annotations: Sequence[Mapping[str, Any]] | None = None) -> tuple[bytes]:
    """A response of OpenAI that searches and cites one page."""
    text = f"Costs rose ([stats]({URL})).\nOther things did not." if text is None else text
    mark = f"([stats]({URL}))"
    start = text.find(mark)
    cited = {"type": "url_citation", "url": URL, "title": TITLE, "start_index": start, "end_index": start + len(mark)}
    content = {
        "type": "output_text",
        "text": text,
        "annotations": [cited] if annotations is None else list(annotations),
    }
    action = {"type": "search", "query": QUERY, "queries": [QUERY], "sources": [{"type": "url", "url": URL}]}
    return http_response({
        "id": "resp_1", "object": "response", "status": "completed", "model": "m", "error": None,
        "output": [
            {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": action},
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [content]},
        ],
        "usage": {"input_tokens": 6000, "output_tokens": 100, "input_tokens_details": {"cached_tokens": 0}},
    })  # fmt: skip


@dataclass(frozen=True, slots=True)
class SearchServer:
    """A kind of server that searches the web."""

    name: str
    api: ProviderApi
    by_model: bool
    answer: tuple[bytes]

    def search(
        self, *playbacks: Playback, domains: tuple[str, ...] = (), words: int = 120
    ) -> tuple[SearchRecord, list[Seen]]:
        """The record of one search that is answered with `playbacks`, and the requests that were sent."""

        async def run() -> tuple[SearchRecord, list[Seen]]:
            async with Wire(playbacks or (self.answer,)) as wire:
                endpoint = Endpoint("lab", wire.url, api_key=KEY, api_key_env="LAB_KEY", secrets=(KEY,), timeout_s=2.0)
                server = HttpServer(self.api, endpoint)
                settings = WebSearch(2, domains, self.by_model)
                model = server.model("m1", Profile(sampling=False))
                client = SearchClient(model, "lab/m1", FREE_PRICE, settings, words, "Report what sources say.")
                try:
                    return await client.search(Search(key="turn/0", query=QUERY)), wire.seen
                finally:
                    await server.aclose()

        return asyncio.run(run())


OLLAMA = SearchServer("ollama", OLLAMA_API, by_model=False, answer=engine_answer())
SEARXNG = SearchServer("searxng", SEARXNG_API, by_model=False, answer=engine_answer())
ANTHROPIC = SearchServer("anthropic", anthropic.SEARCH_API, by_model=True, answer=anthropic_answer())
OPENAI = SearchServer("openai", openai.SEARCH_API, by_model=True, answer=openai_answer())
SERVERS = (OLLAMA, SEARXNG, ANTHROPIC, OPENAI)


@dataclass
class FakeSearXNG:
    """A SearXNG server that invents a page for each query."""

    port: int = 0
    queries: list[str] = field(default_factory=list[str])
    fails: bool = False
    """Whether it answers 500."""
    waits: bool = False
    """Whether it does not answer."""

    @property
    def base_url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def searxng_server() -> Generator[FakeSearXNG]:
    """A server for the length of a `with` block."""
    state = FakeSearXNG()

    class Handler(Answering):
        def do_GET(self) -> None:  # noqa: N802 - the base class's name
            """A search."""
            query = parse_qs(urlsplit(self.path).query)["q"][0]
            state.queries.append(query)
            while state.waits:
                time.sleep(0.01)
            page = {
                "title": "Page",
                "url": f"https://stats.example/{zlib.crc32(query.encode())}",
                "content": f"Found for {query}",
            }
            self.send(500 if state.fails else 200, "application/json", json.dumps({"results": [page]}).encode())

    with serving(Handler) as state.port:
        yield state


@contextmanager
def json_server(answer: Mapping[str, Any]) -> Generator[int]:
    """A server that answers every request with `answer`, for the length of a `with` block; its port."""

    class Handler(Answering):
        def do_POST(self) -> None:  # noqa: N802 - the base class's name
            """Any call."""
            self.rfile.read(int(self.headers["Content-Length"]))
            self.do_GET()

        def do_GET(self) -> None:  # noqa: N802 - the base class's name
            """A search."""
            self.send(200, "application/json", json.dumps(answer).encode())

    with serving(Handler) as port:
        yield port


@dataclass
class FakeEmbeddings:
    """A server with embeddings. Texts with the word `lemon`, and the query, point in one direction, others in another."""

    port: int = 0
    bodies: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    fails: bool = False
    """Whether it answers 500."""
    vectors: Any = None
    """Sent instead of embeddings, if set."""

    @property
    def base_url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}/v1"


@contextmanager
def embeddings_server() -> Generator[FakeEmbeddings]:
    """A server for the length of a `with` block."""
    state = FakeEmbeddings()

    class Handler(Answering):
        def do_POST(self) -> None:  # noqa: N802 - the base class's name
            """The embeddings of some texts, in reversed order."""
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.bodies.append(body)
            found = [
                [1.0, 0.1] if not place or "lemon" in text else [0.1, 1.0] for place, text in enumerate(body["input"])
            ]
            vectors = found if state.vectors is None else state.vectors
            rows = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(vectors)]
            answer = {
                "object": "list",
                "data": rows[::-1],
                "model": "m",
                "usage": {"prompt_tokens": 70, "total_tokens": 70},
            }
            self.send(500 if state.fails else 200, "application/json", json.dumps(answer).encode())

    with serving(Handler) as state.port:
        yield state
