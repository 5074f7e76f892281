"""Estimates tokens, and adds up the usage of all attempts of one question."""

import copy
import json
import math
from collections.abc import Sequence
from typing import TypeVar

from debate_cli.domain.model_call import ModelCall, Usage
from debate_cli.errors import BudgetError, DebateError, ModelError
from debate_cli.llm.model import Reply, Request
from debate_cli.llm.profile import Profile
from debate_cli.llm.schema_dialect import convert_schema

ASCII_CHARS_PER_TOKEN = 2.5
"""ASCII characters per token. The number is low so that estimates are high: real tokenizers have 3 (JSON, code) to 4.5
(English)."""
TOKENS_PER_NON_ASCII_CHAR = 2
"""Tokens per character outside ASCII. Chinese needs about one, rare scripts up to three."""
TOKENS_PER_MESSAGE = 16
"""Tokens that a provider adds per message."""
TOKENS_PER_SEARCH = 12_000
"""Tokens in the results of one web search. A high estimate: the vendors report 5,000 to 10,000."""

ErrorT = TypeVar("ErrorT", bound=ModelError | BudgetError)


def estimate_input_tokens(request: Request, profile: Profile) -> int:
    """Return an upper estimate of the prompt's tokens, including the schema in the dialect of `profile`.

    For a web search, adds the tokens of the results that its model reads.
    """
    if request.search is not None and not request.search.by_model:
        return 0
    found = 0 if request.search is None else request.search.max_searches * TOKENS_PER_SEARCH
    texts = [request.system, *(message.content for message in request.messages)]
    if request.schema is not None and request.rung in {"native", "tool"}:
        sent = convert_schema(request.schema.json, profile.dialect, use_references=profile.schema_references)
        texts.append(json.dumps(sent))
    return found + sum(_estimate_tokens(text) + TOKENS_PER_MESSAGE for text in texts)


def estimate_answer_tokens(request: Request, text: str) -> int:
    """Return an upper estimate of the tokens in the answer `text`, within the output limit."""
    return min(_estimate_tokens(text), request.max_output_tokens)


def estimate_total_tokens(request: Request, profile: Profile) -> int:
    """Return an upper estimate of the tokens in prompt and answer."""
    return estimate_input_tokens(request, profile) + request.max_output_tokens


def _estimate_tokens(text: str) -> int:
    ascii_chars = len(text.encode("ascii", "ignore"))
    return math.ceil(ascii_chars / ASCII_CHARS_PER_TOKEN) + TOKENS_PER_NON_ASCII_CHAR * (len(text) - ascii_chars)


class UsageAccumulator:
    """The sum over the attempts of one question."""

    def __init__(self) -> None:
        self.attempts = 0
        """Number of requests sent."""
        self.usage = Usage()
        """Known tokens."""
        self.latency_s = 0.0
        """Seconds of successful attempts; those of failed ones are unknown."""

    def add_reply(self, reply: Reply) -> None:
        """Add the usage of a reply."""
        self.attempts += reply.attempts
        self.usage += reply.usage
        self.latency_s += reply.latency_s

    def add_failure(self, error: DebateError) -> None:
        """Add the known usage of a failure. Only errors of a model or the budget have a usage."""
        if isinstance(error, ModelError | BudgetError):
            self.attempts += error.attempts
            self.usage += error_usage(error)

    def replace_with(self, calls: Sequence[ModelCall]) -> None:
        """Forget the sum so far. The new sum is that of the requests and tokens of `calls`."""
        self.attempts = sum(call.attempts for call in calls)
        self.usage = sum((call.usage for call in calls), Usage())

    def to_error(self, error: ErrorT) -> ErrorT:
        """Copy the error that ends the question, and store the sum on the copy."""
        last = copy.copy(error)
        last.attempts = self.attempts
        set_error_usage(last, self.usage)
        return last


_ERROR_FIELDS = ("input_tokens", "cached_tokens", "output_tokens", "searches", "estimated")
"""Fields of `Usage` that errors also have."""


def set_error_usage(error: ModelError | BudgetError, usage: Usage) -> None:
    """Store the tokens of a failure on its error."""
    for name in _ERROR_FIELDS:
        setattr(error, name, getattr(usage, name))


def error_usage(error: ModelError | BudgetError) -> Usage:
    """Return the known tokens of a failure."""
    return Usage(**{name: getattr(error, name) for name in _ERROR_FIELDS})
