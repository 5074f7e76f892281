"""What a call to a model cost and how it went."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from debate_cli.domain.frozen_model import FrozenModel

StructuredOutputMode = Literal["native", "tool", "prompt", "text"]
"""How structure was asked for: the provider's JSON schema, a forced tool call, the prompt alone; or plain text."""


def _is_zero(count: int) -> bool:
    return count == 0


class Usage(FrozenModel):
    """Tokens of one or more calls, as the provider counted them; of what it did not count, an estimate. All >= 0."""

    input_tokens: int = 0
    """Tokens of the prompt, the cached ones among them."""
    cached_tokens: int = 0
    """Tokens of the prompt that the provider read from its cache."""
    output_tokens: int = 0
    """Tokens that the model wrote, hidden reasoning among them."""
    cache_written_tokens: int = Field(default=0, exclude_if=_is_zero)
    """Tokens of the prompt that the provider wrote to its cache, where it bills that; left out of files where there are none."""
    estimated: bool = Field(default=False, exclude_if=_is_zero)
    """Whether any of these tokens were not counted by the provider but estimated; left out of files where none were."""

    def __add__(self, other: Usage) -> Usage:
        """Sum field by field; with any estimated part, the sum is an estimate."""
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cache_written_tokens=self.cache_written_tokens + other.cache_written_tokens,
            estimated=self.estimated or other.estimated,
        )


class ModelCall(FrozenModel):
    """One question to a model with all its attempts, re-asks included."""

    model: str
    """`provider/model` as it was asked."""
    rung: StructuredOutputMode
    """The way of asking that gave the answer, or the last one tried."""
    attempts: int
    """Requests sent, >= 0: retries and re-asks count, each of them."""
    repaired: bool = False
    """Whether the JSON of the answer had to be repaired."""
    usage: Usage = Usage()
    """Sum over all attempts."""
    latency_s: float = 0.0
    """Seconds that the provider took, summed over the attempts; waits between them not counted."""
    cost_usd: float | None = None
    """Price of all attempts in US dollars; None where a price is not known."""
    finish_reason: str | None = None
    """Why the model stopped, in the provider's word."""


class TotalUsage(FrozenModel):
    """What a whole debate used, as it stands in a transcript."""

    calls: int = 0
    """Exchanges: questions asked, however many attempts each took."""
    attempts: int = 0
    """Requests sent."""
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    """None where any call's price is not known."""
    estimated: bool = Field(default=False, exclude_if=_is_zero)
    """Whether the tokens of any call were estimated, and so its cost; left out of files where none were."""


def total_usage(exchanges: list[ModelCall]) -> TotalUsage:
    """Add up `exchanges`; the cost is None as soon as one is unpriced, and 0.0 for none."""
    costs = [exchange.cost_usd for exchange in exchanges]
    priced = [cost for cost in costs if cost is not None]
    return TotalUsage(
        calls=len(exchanges),
        attempts=sum(exchange.attempts for exchange in exchanges),
        input_tokens=sum(exchange.usage.input_tokens for exchange in exchanges),
        cached_tokens=sum(exchange.usage.cached_tokens for exchange in exchanges),
        output_tokens=sum(exchange.usage.output_tokens for exchange in exchanges),
        cost_usd=round(sum(priced), 10) if len(priced) == len(costs) else None,
        estimated=any(exchange.usage.estimated for exchange in exchanges),
    )
