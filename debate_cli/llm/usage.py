"""Adding up what one question cost over all its attempts."""

from __future__ import annotations

import json
import math

from debate_cli.domain.model_call import Usage
from debate_cli.errors import BudgetError, DebateError, ModelError
from debate_cli.llm.model import Reply, Request

ASCII_CHARS_PER_TOKEN = 2.5
"""Of ASCII text. Real tokenizers reach 3 (JSON, code) to 4.5 (English)."""
TOKENS_PER_NON_ASCII_CHAR = 2
"""Of everything else; Chinese needs about one, rare scripts and signs up to three."""
TOKENS_PER_MESSAGE = 16
"""What a provider adds around each message."""


def estimate_input_tokens(request: Request) -> int:
    """Tokens of the prompt at the most; the schema counts where it is sent beside the messages."""
    texts = [request.system, *(message.content for message in request.messages)]
    if request.schema is not None and request.rung in {"native", "tool"}:
        texts.append(json.dumps(request.schema.json))
    return sum(_estimate_tokens(text) + TOKENS_PER_MESSAGE for text in texts)


def estimate_answer_tokens(request: Request, text: str) -> int:
    """Tokens of an answer that says `text`, at the most; never more than it was allowed."""
    return min(_estimate_tokens(text), request.max_output_tokens)


def estimate_total_tokens(request: Request) -> int:
    """Tokens of prompt and answer at the most."""
    return estimate_input_tokens(request) + request.max_output_tokens


def _estimate_tokens(text: str) -> int:
    ascii_chars = len(text.encode("ascii", "ignore"))
    return math.ceil(ascii_chars / ASCII_CHARS_PER_TOKEN) + TOKENS_PER_NON_ASCII_CHAR * (len(text) - ascii_chars)


class UsageAccumulator:
    """A running sum; starts at nothing."""

    def __init__(self) -> None:
        self.attempts = 0
        """Requests sent."""
        self.usage = Usage()
        """Tokens known to have been used."""
        self.latency_s = 0.0
        """Seconds that answers took; those of failed attempts are not known."""

    def add_reply(self, reply: Reply) -> None:
        """Add an answer."""
        self.attempts += reply.attempts
        self.usage += reply.usage
        self.latency_s += reply.latency_s

    def add_failure(self, error: DebateError) -> None:
        """Add what a failure is known to have cost; one that is neither the model's nor the budget's cost nothing."""
        if isinstance(error, ModelError | BudgetError):
            self.attempts += error.attempts
            self.usage += error_usage(error)

    def copy_to_error(self, error: ModelError | BudgetError) -> None:
        """Write the sum on to the error that ends the question."""
        error.attempts = self.attempts
        error.input_tokens = self.usage.input_tokens
        error.cached_tokens = self.usage.cached_tokens
        error.output_tokens = self.usage.output_tokens
        error.estimated = self.usage.estimated


def error_usage(error: ModelError | BudgetError) -> Usage:
    """Tokens that a failure is known to have used."""
    return Usage(
        input_tokens=error.input_tokens,
        cached_tokens=error.cached_tokens,
        output_tokens=error.output_tokens,
        estimated=error.estimated,
    )
