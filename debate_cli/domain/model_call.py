"""Calls to models or people: usage, cost and outcome."""

from __future__ import annotations

from collections.abc import Iterable
from operator import not_
from typing import Annotated, Literal

from pydantic import Field

from debate_cli.domain.frozen_model import FrozenModel

PERSON_PROVIDERS = ("human", "files", "paste")
"""Providers that ask people. A person's name may follow, e.g. `human/ann`."""
TERMINAL_PROVIDERS = ("human", "paste")
"""Providers that ask a person at the terminal."""


def is_person(model: str) -> bool:
    """Whether `model` names a person, e.g. `human/ann`."""
    return model.partition("/")[0] in PERSON_PROVIDERS


MOCK_PROVIDER = "mock"
REHEARSAL_NOTICE = "REHEARSAL: mock provider, no model was called"
"""Printed before and after a debate or an experiment in which the mock gives all answers."""
PARTIAL_REHEARSAL_NOTICE = "REHEARSAL in part: some answers are from the mock provider, not from a model"
"""Printed before and after a debate or an experiment in which the mock gives some of the answers."""


def is_mock(model: str) -> bool:
    """Whether `model` belongs to the mock provider, e.g. `mock/debater`."""
    return model.partition("/")[0] == MOCK_PROVIDER


def mock_notice(models: Iterable[str]) -> str:
    """Return REHEARSAL_NOTICE if each of `models` is the mock, PARTIAL_REHEARSAL_NOTICE if some are; else empty."""
    found = set(map(is_mock, models))
    if found == {True}:
        return REHEARSAL_NOTICE
    return PARTIAL_REHEARSAL_NOTICE if True in found else ""


StructuredOutputMode = Literal["native", "tool", "prompt", "text"]
"""How a model is asked for JSON: `native` (JSON schema parameter), `tool` (forced tool call), `prompt` (schema in the
prompt) or `text` (plain text, no JSON)."""


Count = Annotated[int, Field(ge=0, le=10**12)]
Dollars = Annotated[float, Field(ge=0, le=1e15)]
"""US dollars, bounded so that sums cannot overflow."""


class Usage(FrozenModel):
    """Tokens and web searches of one or more calls, as counted by the provider or estimated."""

    input_tokens: Count = 0
    """Tokens of the prompt, including cached tokens."""
    cached_tokens: Count = 0
    """Tokens of the prompt that the provider read from its cache."""
    output_tokens: Count = 0
    """Tokens that the model wrote, including hidden reasoning."""
    cache_written_tokens: Count = Field(default=0, exclude_if=not_)
    """Tokens of the prompt that the provider wrote to its cache and charges for; omitted in files if 0."""
    searches: Count = Field(default=0, exclude_if=not_)
    """Web searches that the provider made and charges for; omitted in files if 0."""
    estimated: bool = Field(default=False, exclude_if=not_)
    """Whether some tokens are estimated; omitted in files if false."""

    def __add__(self, other: Usage) -> Usage:
        """Add two usages field by field. The sum is estimated if one of them is estimated."""
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cache_written_tokens=self.cache_written_tokens + other.cache_written_tokens,
            searches=self.searches + other.searches,
            estimated=self.estimated or other.estimated,
        )

    def __mul__(self, calls: int) -> Usage:
        """Return the usage of `calls` calls that each have this usage."""
        numbers = self.model_dump(exclude={"estimated"})
        return self.model_copy(update={name: calls * number for name, number in numbers.items()})


class ModelCall(FrozenModel):
    """All requests to a model for one task."""

    model: str
    """The model that was called, as `provider/model`."""
    rung: StructuredOutputMode
    """Mode of structured output that gave the answer. Without an answer, the mode that was tried last."""
    attempts: Count
    """Number of sent requests, including repeated requests; 0 if none was sent."""
    repaired: bool = False
    """Whether the JSON of the answer had to be repaired."""
    usage: Usage = Usage()
    """Usage of all attempts together."""
    latency_s: Annotated[float, Field(ge=0, le=1e9)] = 0.0
    """Seconds that the provider took for all attempts. Waits between attempts do not count."""
    cost_usd: Dollars | None = None
    """Cost of all attempts in US dollars; None if a price is not known."""
    rejected: tuple[StructuredOutputMode, ...] = Field(default=(), exclude_if=not_)
    """Modes of structured output that the server rejected or ignored; omitted in files if there are none."""
    finish_reason: str | None = None
    """Why the model stopped, in the provider's words, e.g. `length`."""


class RawAnswer(FrozenModel):
    """The last answer of a model, and its prompt."""

    text: str
    """The answer, with secrets removed."""
    system: str = Field(default="", exclude_if=not_)
    """Rules and instructions in the prompt. If `output.raw` is false, this field is empty, and omitted in files. In
    this case, a `RawAnswer` is stored only for a judge who abstained."""
    task: str = Field(default="", exclude_if=not_)
    """The task in the prompt. Empty, and omitted in files, if `output.raw` is false."""


def add_model_calls(*calls: ModelCall) -> ModelCall:
    """Return the sum of the calls for one task, with the model and outcome of the last call.

    The cost of the sum is None if any price is unknown.
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
    """Number of model calls with at least one sent request. Repeated requests of a call do not count."""
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
    """Whether tokens and cost of at least one call are estimated; omitted in files if false."""
    human_calls: int = Field(default=0, exclude_if=not_)
    """Number of calls that people answered; omitted in files if 0."""
    human_s: float = Field(default=0.0, exclude_if=not_)
    """Seconds that people took for their answers; omitted in files if 0."""


def total_usage(calls: list[ModelCall]) -> TotalUsage:
    """Return the sum of `calls`. The cost is None if any price is unknown."""
    costs = [call.cost_usd for call in calls]
    priced = [cost for cost in costs if cost is not None]
    by_people = [call for call in calls if is_person(call.model)]
    attempts = [call.attempts for call in calls]
    usages = [call.usage for call in calls]
    return TotalUsage(
        calls=len(calls) - attempts.count(0),
        attempts=sum(attempts) + sum([1 - call.attempts for call in by_people]),
        input_tokens=sum([usage.input_tokens for usage in usages]),
        cached_tokens=sum([usage.cached_tokens for usage in usages]),
        output_tokens=sum([usage.output_tokens for usage in usages]),
        searches=sum([usage.searches for usage in usages]),
        cost_usd=round(sum(priced), 10) if len(priced) == len(costs) else None,
        estimated=any(usage.estimated for usage in usages),
        human_calls=len(by_people),
        human_s=round(sum([call.latency_s for call in by_people]), 3),
    )
