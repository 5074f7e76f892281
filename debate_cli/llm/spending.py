"""Adding up what one question cost over all its attempts."""

from __future__ import annotations

from debate_cli.domain.exchange import Usage
from debate_cli.errors import BudgetError, DebateError, ModelError
from debate_cli.llm.port import Reply


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
