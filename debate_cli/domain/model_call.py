"""Calls to models, or to people in their place: usage, cost and outcome."""

from __future__ import annotations

from operator import not_
from typing import Annotated, Literal

from pydantic import Field

from debate_cli.domain.frozen_model import FrozenModel

PERSON_PROVIDERS = ("human", "files", "paste")
"""Providers whose models are people. The person's name is optional: `human` or `human/ann`."""
TERMINAL_PROVIDERS = ("human", "paste")
"""Person providers that need a terminal."""


def is_person(model: str) -> bool:
    """Whether `provider/model` is a person."""
    return model.partition("/")[0] in PERSON_PROVIDERS


StructuredOutputMode = Literal["native", "tool", "prompt", "text"]
"""How structured output was requested: by the provider's JSON schema, a forced tool call or the prompt; or plain text."""


Count = Annotated[int, Field(ge=0, le=10**12)]
Dollars = Annotated[float, Field(ge=0, le=1e15)]
"""US dollars. Bounded like all counts, so that sums of amounts in a file cannot overflow."""


class Usage(FrozenModel):
    """Tokens of one or more calls. Counted by the provider, or estimated if it reports none. All >= 0."""

    input_tokens: Count = 0
    """Tokens of the prompt, including cached ones."""
    cached_tokens: Count = 0
    """Tokens of the prompt that the provider read from its cache."""
    output_tokens: Count = 0
    """Tokens that the model wrote, including hidden reasoning."""
    cache_written_tokens: Count = Field(default=0, exclude_if=not_)
    """Tokens of the prompt that the provider wrote to its cache and charges for; omitted in files if 0."""
    searches: Count = Field(default=0, exclude_if=not_)
    """Web searches that the provider made and charges for; omitted in files if 0."""
    estimated: bool = Field(default=False, exclude_if=not_)
    """Whether any of these tokens were estimated; omitted in files if not."""

    def __add__(self, other: Usage) -> Usage:
        """Add field by field. The sum is estimated if one summand is."""
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cache_written_tokens=self.cache_written_tokens + other.cache_written_tokens,
            searches=self.searches + other.searches,
            estimated=self.estimated or other.estimated,
        )


class ModelCall(FrozenModel):
    """One task for a model with all its attempts, including re-asks."""

    model: str
    """`provider/model` that was asked."""
    rung: StructuredOutputMode
    """Mode of structured output that gave the answer, else the last mode that was tried: `native` (JSON schema
    parameter), `tool` (forced tool call), `prompt` (schema in the prompt) or `text` (no form)."""
    attempts: Count
    """Number of sent requests, >= 0, including retries and re-asks."""
    repaired: bool = False
    """Whether the JSON of the answer had to be repaired."""
    usage: Usage = Usage()
    """Sum over all attempts."""
    latency_s: Annotated[float, Field(ge=0, le=1e9)] = 0.0
    """Seconds that the provider took for all attempts, without the waits between them."""
    cost_usd: Dollars | None = None
    """Price of all attempts in US dollars; None if a price is not known."""
    rejected: tuple[StructuredOutputMode, ...] = Field(default=(), exclude_if=not_)
    """Modes of structured output that the server rejected or ignored; omitted in files if there are none."""
    finish_reason: str | None = None
    """The provider's name for the reason why the model stopped."""


class RawAnswer(FrozenModel):
    """The text that a model wrote, and its prompt, for audit trails."""

    text: str
    """The last answer, with secrets removed."""
    system: str = Field(default="", exclude_if=not_)
    """Rules and instructions in the prompt; kept only with `output.raw: true`, otherwise empty and omitted in files."""
    task: str = Field(default="", exclude_if=not_)
    """The task in the prompt; kept only with `output.raw: true`, otherwise empty and omitted in files."""


def add_model_calls(*calls: ModelCall) -> ModelCall:
    """Return the sum of the calls for one task, with the model and outcome of the last call.

    An unknown price makes the cost of the sum unknown.
    """
    last = calls[-1]
    costs = [call.cost_usd for call in calls]
    known = [cost for cost in costs if cost is not None]
    return last.model_copy(
        update={
            "attempts": sum(call.attempts for call in calls),
            "usage": sum((call.usage for call in calls), Usage()),
            "latency_s": round(sum(call.latency_s for call in calls), 6),
            "rejected": tuple(dict.fromkeys(mode for call in calls for mode in call.rejected)),
            "cost_usd": sum(known) if len(known) == len(costs) else None,
        }
    )


class TotalUsage(FrozenModel):
    """Usage of a whole debate, as stored in a transcript."""

    calls: int = 0
    """Number of tasks that were sent. Several attempts at a task count as one."""
    attempts: int = 0
    """Number of sent requests, including questions to people."""
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    searches: int = Field(default=0, exclude_if=not_)
    """Web searches; omitted in files if 0."""
    cost_usd: float | None = None
    """Cost in US dollars; None if the price of any call is not known."""
    estimated: bool = Field(default=False, exclude_if=not_)
    """Whether the tokens and cost of any call were estimated; omitted in files if not."""
    human_calls: int = Field(default=0, exclude_if=not_)
    """Number of calls that people answered; omitted in files if 0."""
    human_s: float = Field(default=0.0, exclude_if=not_)
    """Seconds that people took for their answers; omitted in files if 0."""


def total_usage(exchanges: list[ModelCall]) -> TotalUsage:
    """Return the sum of `exchanges`. The cost is None if one has no price, and 0.0 without exchanges."""
    costs = [exchange.cost_usd for exchange in exchanges]
    priced = [cost for cost in costs if cost is not None]
    by_people = [exchange for exchange in exchanges if is_person(exchange.model)]
    return TotalUsage(
        calls=sum(1 for exchange in exchanges if exchange.attempts),
        attempts=sum(1 if is_person(exchange.model) else exchange.attempts for exchange in exchanges),
        input_tokens=sum(exchange.usage.input_tokens for exchange in exchanges),
        cached_tokens=sum(exchange.usage.cached_tokens for exchange in exchanges),
        output_tokens=sum(exchange.usage.output_tokens for exchange in exchanges),
        searches=sum(exchange.usage.searches for exchange in exchanges),
        cost_usd=round(sum(priced), 10) if len(priced) == len(costs) else None,
        estimated=any(exchange.usage.estimated for exchange in exchanges),
        human_calls=len(by_people),
        human_s=round(sum(exchange.latency_s for exchange in by_people), 3),
    )
