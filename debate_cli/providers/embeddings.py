"""The embeddings endpoint of OpenAI and compatible servers, as a model that scores texts by similarity to a query.

The first message of a request is the query, the other messages are the texts. The reply's text is a JSON list with the
cosine similarity (-1 to 1) of each text to the query.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from debate_cli.domain.model_call import Usage
from debate_cli.evidence.corpus import query_terms
from debate_cli.llm.model import OnText, Reply, Request
from debate_cli.llm.profile import Profile
from debate_cli.providers import error_mapping, openai
from debate_cli.providers.endpoint import Endpoint
from debate_cli.providers.error_mapping import SentRequest
from debate_cli.providers.http_model import HttpServer, WholeReplyBuilder, parse_token_count

DIGITS = 6
"""Decimals of a similarity. Texts with equal rounded similarities keep their order."""


def make_embeddings_server(endpoint: Endpoint) -> HttpServer:
    """Create an `HttpServer` for the embeddings endpoint."""
    send = partial(openai.send, path="/embeddings")
    return HttpServer(
        replace(openai.API, build_body=_build_body, send=send, reply_builder=_SimilarityBuilder), endpoint
    )


def _build_body(request: Request, model: str, _profile: Profile, _stream: bool) -> dict[str, Any]:
    return {"model": model, "input": [message.content for message in request.messages], "encoding_format": "float"}


@dataclass(slots=True)
class _SimilarityBuilder(WholeReplyBuilder):
    """Reads the embeddings from an answer, which arrives whole."""

    vectors: list[list[float]] = field(default_factory=list[list[float]])

    def add_whole(self, whole: Any) -> None:
        """Read `data[{index, embedding}]`."""
        reported: dict[str, Any] = whole.get("usage") or {}
        self.usage = Usage(input_tokens=parse_token_count(reported.get("prompt_tokens")))
        rows = sorted(whole["data"], key=lambda row: int(row["index"]))
        self.vectors = [[float(number) for number in row["embedding"]] for row in rows]

    def validate(self, asked: SentRequest, *, streamed: bool) -> None:
        sizes = {len(vector) for vector in self.vectors}
        if len(sizes) != 1 or 0 in sizes or not all(map(math.isfinite, (n for row in self.vectors for n in row))):
            raise error_mapping.make_broken_body_error("embeddings that cannot be compared", asked)

    def build_reply(self, latency_s: float) -> Reply:
        query, *texts = self.vectors or [[]]
        scores = [round(_cosine(query, text), DIGITS) for text in texts]
        return Reply(text=json.dumps(scores), usage=self.usage, finish_reason="stop", latency_s=latency_s)


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    size = math.hypot(*one) * math.hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=False)) / size if size else 0.0


class MockEmbeddings:
    """Scores each text by the share of the query's words that it contains. No server is contacted."""

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Reply with a number from 0 to 1 for each text: its share of the query's words."""
        query, *texts = (frozenset(query_terms(message.content)) for message in request.messages)
        scores = [round(len(query & words) / max(1, len(query)), DIGITS) for words in texts]
        return Reply(text=json.dumps(scores), usage=Usage(input_tokens=1), finish_reason="stop")
