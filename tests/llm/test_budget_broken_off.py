"""What an answer that broke off counts for, where nobody said how many tokens it took."""

from __future__ import annotations

import asyncio

import pytest
from llm_support import FakeModel, reply, request

from debate_cli.domain.model_call import Usage
from debate_cli.errors import (
    BrokenBodyError,
    ModelError,
    RateLimitedError,
    ServerError,
    TruncatedError,
    UnreachableError,
)
from debate_cli.llm import usage
from debate_cli.llm.budget import Budget, BudgetedModel
from debate_cli.llm.model import Model, OnText, Reply, Request
from debate_cli.llm.retry import RetryingModel
from debate_cli.llm.usage import error_usage

ASK = request(max_output_tokens=100)
PROMPT = usage.estimate_input_tokens(ASK)
HEARD = "Half an answ"


class BreaksOff:
    """Says `HEARD` where somebody listens, then fails."""

    def __init__(self, error: ModelError) -> None:
        self._error = error
        self.asked: list[Request] = []

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Raise, in any case."""
        self.asked.append(request)
        if on_text is not None:
            on_text(HEARD)
        raise self._error


def _failed(model: Model, budget: Budget, *, streamed: bool) -> ModelError:
    """What asking `model` within `budget` raises."""
    with pytest.raises(ModelError) as caught:
        asyncio.run(BudgetedModel(model, budget, None).complete(ASK, (lambda _: None) if streamed else None))
    return caught.value


@pytest.mark.parametrize("kind", [TruncatedError, ServerError, UnreachableError, BrokenBodyError])
def test_an_answer_that_broke_off_counts_with_its_prompt_and_what_was_heard(kind: type[ModelError]) -> None:
    """In the budget and on the error alike, marked as an estimate."""
    budget = Budget()
    error = _failed(BreaksOff(kind("broke off")), budget, streamed=True)
    said = usage.estimate_answer_tokens(ASK, HEARD)
    assert error_usage(error) == Usage(input_tokens=PROMPT, output_tokens=said, estimated=True)
    assert budget.used.tokens == PROMPT + said


def test_a_stream_that_ended_without_a_word_counts_with_its_prompt() -> None:
    """The server had begun to answer."""
    budget = Budget()
    _failed(FakeModel(TruncatedError("cut")), budget, streamed=True)
    assert budget.used.tokens == PROMPT


@pytest.mark.parametrize("kind", [RateLimitedError, ServerError, UnreachableError])
def test_what_failed_before_an_answer_counts_nothing(kind: type[ModelError]) -> None:
    """A prompt that a content filter rejects uses no tokens."""
    budget = Budget()
    error = _failed(FakeModel(kind("no")), budget, streamed=True)
    assert error_usage(error) == Usage()
    assert budget.used.tokens == 0


def test_what_the_server_reported_of_it_is_not_estimated() -> None:
    """A reported usage is kept and not marked as an estimate."""
    broken = TruncatedError("cut")
    broken.input_tokens = 20
    error = _failed(BreaksOff(broken), Budget(), streamed=True)
    assert error_usage(error) == Usage(input_tokens=20)


def test_an_answer_after_one_that_broke_off_is_partly_estimated() -> None:
    """The sum is marked as an estimate if one attempt was estimated."""
    model = FakeModel(TruncatedError("cut"), reply("x", usage=Usage(input_tokens=30, output_tokens=1)))

    async def at_once(_seconds: float) -> None:
        await asyncio.sleep(0)

    retrying = RetryingModel(BudgetedModel(model, Budget(), None), max_attempts=2, sleep=at_once)
    answer = asyncio.run(retrying.complete(ASK, lambda _: None))
    assert answer.usage == Usage(input_tokens=PROMPT + 30, output_tokens=1, estimated=True)


def test_an_error_after_several_attempts_carries_the_mark() -> None:
    """The last error includes the estimate of an earlier attempt."""
    model = BudgetedModel(FakeModel(TruncatedError("cut"), RateLimitedError("429")), Budget(), None)

    async def at_once(_seconds: float) -> None:
        await asyncio.sleep(0)

    with pytest.raises(RateLimitedError) as caught:
        asyncio.run(RetryingModel(model, max_attempts=2, sleep=at_once).complete(ASK, lambda _: None))
    assert error_usage(caught.value) == Usage(input_tokens=PROMPT, estimated=True)
