"""What a run may spend: reserved at its worst before a call, settled after, never over."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llm_support import USAGE, Clock, FakeModel, reply, request, settle

from debate_cli.domain.config import Price
from debate_cli.domain.model_call import Usage
from debate_cli.errors import BudgetError, ServerError, TruncatedError
from debate_cli.llm import usage
from debate_cli.llm.budget import Budget, BudgetAmount, BudgetedModel
from debate_cli.llm.model import Reply

ASK = request(max_output_tokens=100)
WORST = usage.estimate_total_tokens(ASK)
PRICE = Price(input=1000, output=1000)
"""A thousandth of a dollar a token."""


def test_what_was_used_is_settled() -> None:
    """The usage replaces the reservation, in tokens and dollars."""
    budget = Budget(max_cost_usd=10, max_tokens=WORST, used_cost=1.0)
    asyncio.run(BudgetedModel(FakeModel("x"), budget, PRICE).complete(ASK))
    assert (budget.used.tokens, budget.used.usd) == (110, pytest.approx(1.11))


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        (
            Budget(max_tokens=WORST - 1),
            f"{WORST - 1} of limits.max_tokens {WORST - 1} are left and the next call (judge.structured) may need {WORST}",
        ),
        (
            Budget(max_tokens=1000, used_tokens=950),
            f"50 of limits.max_tokens 1000 are left and the next call (judge.structured) may need {WORST}",
        ),
        (Budget(max_tokens=10, used_tokens=50), "0 of limits.max_tokens 10 are left"),
        (Budget(max_cost_usd=0.05), "0.0500 of limits.max_cost_usd 0.05 are left"),
        (Budget(max_cost_usd=2, used_cost=1.99, max_tokens=9999), "0.0100 of limits.max_cost_usd 2 are left"),
    ],
)
def test_what_does_not_fit_is_not_sent(budget: Budget, message: str) -> None:
    """The error says what is left, what the call may need and what to do."""
    model = FakeModel("x")
    with pytest.raises(BudgetError) as caught:
        asyncio.run(BudgetedModel(model, budget, PRICE).complete(ASK))
    assert message in str(caught.value)
    assert "raise the limit and resume" in str(caught.value)
    assert (model.requests, caught.value.attempts) == ([], 0)


def test_what_just_fits_is_sent() -> None:
    """A call that uses the budget exactly is sent."""
    assert asyncio.run(BudgetedModel(FakeModel("x"), Budget(max_tokens=WORST), None).complete(ASK)).text == "x"


def test_without_bounds_everything_fits() -> None:
    """The call counts nevertheless."""
    budget = Budget()
    asyncio.run(BudgetedModel(FakeModel("x"), budget, None).complete(ASK))
    assert budget.used == BudgetAmount(110, 0.0)


def test_a_bound_in_dollars_needs_a_price() -> None:
    """An unknown price is not zero."""
    model = FakeModel("x")
    with pytest.raises(BudgetError, match="price of its model is unknown"):
        asyncio.run(BudgetedModel(model, Budget(max_cost_usd=100), None).complete(ASK))
    assert model.requests == []


def test_a_failure_counts_what_is_known_of_it() -> None:
    """Its tokens are used, its reservation is given back."""
    failed = TruncatedError("cut")
    failed.input_tokens, failed.output_tokens = 20, 5
    budget = Budget(max_tokens=WORST + 25)
    model = BudgetedModel(FakeModel(failed, ServerError("503"), "x"), budget, PRICE)

    async def story() -> None:
        with pytest.raises(TruncatedError):
            await model.complete(ASK)
        with pytest.raises(ServerError):
            await model.complete(ASK)
        assert (await model.complete(ASK)).text == "x"

    asyncio.run(story())
    assert budget.used.tokens == 25 + 110


def test_a_cancelled_call_counts_with_its_prompt() -> None:
    """A cancelled call counts with its prompt; the reservation for its answer is released."""
    clock = Clock()
    prompt = usage.estimate_input_tokens(ASK)
    budget = Budget(max_tokens=WORST + prompt)
    model = BudgetedModel(FakeModel("x", before=lambda: clock.sleep(9)), budget, None)

    async def story() -> None:
        task = asyncio.ensure_future(model.complete(ASK))
        await settle()
        task.cancel()
        await settle()
        await clock.run(model.complete(ASK))

    asyncio.run(story())
    assert budget.used.tokens == prompt + 110


def test_a_closed_budget_stays_closed() -> None:
    """After a call that does not fit, a smaller call is refused too."""
    budget = Budget(max_tokens=WORST)
    model = FakeModel("x")
    too_much = request(max_output_tokens=WORST)

    async def story() -> None:
        for asked in (too_much, ASK):
            with pytest.raises(BudgetError):
                await BudgetedModel(model, budget, None).complete(asked)

    asyncio.run(story())
    assert model.requests == []


def test_who_may_fit_later_waits() -> None:
    """A call that waits for the reservation of another is sent when that one settles for less."""
    clock = Clock()
    model = BudgetedModel(FakeModel("x", before=lambda: clock.sleep(1)), Budget(max_tokens=WORST + 110), None)
    outcomes = asyncio.run(clock.run(model.complete(ASK), model.complete(ASK)))
    assert [each.text for each in outcomes] == ["x", "x"]
    assert clock.now == 2


def test_who_turns_out_not_to_fit_is_refused_in_the_end() -> None:
    """A waiting call fails when the others use too much."""
    clock = Clock()
    model = BudgetedModel(FakeModel("x", before=lambda: clock.sleep(1)), Budget(max_tokens=WORST + 109), None)
    outcomes = asyncio.run(clock.run(model.complete(ASK), model.complete(ASK)))
    assert isinstance(outcomes[1], BudgetError)


@given(
    st.integers(0, 300),
    st.lists(st.tuples(st.integers(0, 100), st.floats(0, 1), st.booleans(), st.integers(0, 5)), max_size=10),
)
def test_never_over(most: int, calls: Sequence[tuple[int, float, bool, int]]) -> None:
    """Concurrent calls within their worst case never exceed the budget."""
    clock = Clock()
    budget = Budget(max_cost_usd=most / 10, max_tokens=most)

    async def call(worst: int, share: float, fails: bool, seconds: int) -> None:
        async with budget.reserve(BudgetAmount(worst, worst / 10), "it") as reservation:
            await clock.sleep(seconds)
            used = int(worst * share)
            reservation.used = BudgetAmount(used, used / 10)
            if fails:
                raise ServerError("503")

    outcomes = asyncio.run(clock.run(*(call(*each) for each in calls)))
    assert budget.used.tokens <= most
    assert budget.used.usd <= most / 10 + 1e-9
    for (worst, *_), outcome in zip(calls, outcomes, strict=True):
        assert worst <= most or isinstance(outcome, BudgetError)


@pytest.mark.parametrize(("text", "least"), [("word " * 100, 125), ('{"a": [1, 2]}' * 50, 250), ("辩论" * 100, 200)])
def test_estimates_are_on_the_high_side(text: str, least: int) -> None:
    """More than tokenizers make of prose, JSON and Chinese."""
    assert usage.estimate_input_tokens(request(text)) >= least


def test_the_answer_counts_in_the_worst_case() -> None:
    """Prompt and output limit together."""
    assert usage.estimate_total_tokens(ASK) == usage.estimate_input_tokens(ASK) + 100


def test_usage_beyond_the_worst_case_is_counted() -> None:
    """A usage above the estimate replaces the estimate."""
    budget = Budget(max_tokens=WORST)
    asyncio.run(
        BudgetedModel(FakeModel(reply("x", usage=USAGE + Usage(output_tokens=9999))), budget, None).complete(ASK)
    )
    assert budget.used.tokens == 110 + 9999


@pytest.mark.parametrize("streamed", [False, True])
def test_an_answer_that_nobody_counted_is_counted_at_the_estimate(streamed: bool) -> None:
    """Reply and budget count the same estimate of prompt and answer; the reply is marked."""
    budget, told = Budget(), list[int]()
    model = BudgetedModel(
        FakeModel(reply("A short word.", usage=Usage())), budget, None, on_estimate=lambda: told.append(1)
    )
    answer = asyncio.run(model.complete(ASK, (lambda _: None) if streamed else None))
    assert answer.usage == Usage(input_tokens=usage.estimate_input_tokens(ASK), output_tokens=6, estimated=True)
    assert budget.used.tokens == answer.usage.input_tokens + answer.usage.output_tokens
    assert len(told) == 1


@pytest.mark.parametrize(
    ("uncounted", "output_tokens"),
    [
        (reply("word " * 1000, usage=Usage()), 100),
        (reply("", usage=Usage()), 0),
        (reply("", usage=Usage(), refusal="I will not."), 5),
        (reply("thoughts were not shown", usage=Usage(), truncated=True), 100),
    ],
)
def test_an_estimated_answer_has_no_more_tokens_than_it_was_allowed(uncounted: Reply, output_tokens: int) -> None:
    """A truncated answer counts with its limit, a refusal with its words, and no estimate exceeds the reservation."""
    answer = asyncio.run(BudgetedModel(FakeModel(uncounted), Budget(max_tokens=WORST), None).complete(ASK))
    assert answer.usage.output_tokens == output_tokens


@pytest.mark.parametrize(
    "answer", [reply("x"), reply("", usage=Usage(), finish_reason="content_filter", refusal="Filtered.")]
)
def test_what_was_counted_and_what_was_no_answer_is_not_estimated(answer: Reply) -> None:
    """A prompt that a content filter rejects uses nothing."""
    assert asyncio.run(BudgetedModel(FakeModel(answer), Budget(), None).complete(ASK)) == answer
