"""Budget: the worst case of a call is reserved before it, its usage is settled after it, and the limit holds."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llm_support import SCHEMA, USAGE, Clock, FakeModel, reply, request, settle

from debate_cli import errors
from debate_cli.domain.config import Price
from debate_cli.domain.model_call import ModelCall, Usage
from debate_cli.errors import (
    BudgetError,
    ModelError,
    ModelTimeoutError,
    RateLimitedError,
    ServerError,
    TruncatedError,
    UnreachableError,
)
from debate_cli.llm import usage
from debate_cli.llm.budget import Budget, BudgetAmount, BudgetedModel
from debate_cli.llm.meter import CallMeter, pause_deadline, use_meter
from debate_cli.llm.model import Model, OnText, OutputSchema, Profile, Reply, Request
from debate_cli.llm.retry import RetryingModel
from debate_cli.llm.schema_dialect import convert_schema

ASK = request(max_output_tokens=100)
PROFILE = Profile()
PROMPT = usage.estimate_input_tokens(ASK, PROFILE)
WORST = usage.estimate_total_tokens(ASK, PROFILE)
PRICE = Price(input=1000, output=1000)
"""A thousandth of a dollar per token."""


def budgeted(model: Model, budget: Budget, price: Price | None = None) -> BudgetedModel:
    """`model` within `budget`."""
    return BudgetedModel(model, budget, price, PROFILE)


def ignore(_text: str) -> None:
    """Listener that discards the text."""


def test_the_usage_replaces_the_reservation() -> None:
    """After the call its usage in tokens and dollars replaces the reservation."""
    budget = Budget(max_cost_usd=10, max_tokens=WORST, used=BudgetAmount(usd=1.0))
    asyncio.run(budgeted(FakeModel("x"), budget, PRICE).complete(ASK))
    assert (budget.used.tokens, budget.used.usd) == (110, pytest.approx(1.11))


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        (
            Budget(max_tokens=WORST - 1),
            f"the next call (judge.structured) may need {WORST} tokens, but only {WORST - 1} of {WORST - 1} are left (limits.max_tokens)",
        ),
        (
            Budget(max_tokens=1000, used=BudgetAmount(950)),
            f"the next call (judge.structured) may need {WORST} tokens, but only 50 of 1000 are left (limits.max_tokens)",
        ),
        (Budget(max_tokens=10, used=BudgetAmount(50)), "only 0 of 10 are left (limits.max_tokens)"),
        (Budget(max_cost_usd=0.05), "only $0.0500 of $0.05 is left (limits.max_cost_usd)"),
        (Budget(2, 9999, BudgetAmount(usd=1.99)), "only $0.0100 of $2 is left (limits.max_cost_usd)"),
    ],
)
def test_a_call_that_does_not_fit_is_not_sent(budget: Budget, message: str) -> None:
    """The error says what is left, what the call may need and what to do."""
    model = FakeModel("x")
    with pytest.raises(BudgetError) as caught:
        asyncio.run(budgeted(model, budget, PRICE).complete(ASK))
    assert message in str(caught.value)
    assert "raise the limit" in str(caught.value)
    assert (model.requests, caught.value.attempts) == ([], 0)


@pytest.mark.parametrize("budget", [Budget(max_tokens=WORST), Budget()], ids=["exact", "unlimited"])
def test_a_call_that_fits_is_sent_and_counted(budget: Budget) -> None:
    """A call may use the budget exactly; without limits its tokens are counted too."""
    assert asyncio.run(budgeted(FakeModel("x"), budget).complete(ASK)).text == "x"
    assert budget.used == BudgetAmount(110, 0.0)


def test_a_limit_in_dollars_needs_a_price() -> None:
    """A call with an unknown price is refused, not counted as free."""
    model = FakeModel("x")
    with pytest.raises(BudgetError, match="the price of the model for"):
        asyncio.run(budgeted(model, Budget(max_cost_usd=100)).complete(ASK))
    assert model.requests == []


async def test_a_failed_call_counts_its_known_tokens() -> None:
    """The rest of its reservation is released."""
    failed = ServerError("in the answer")
    failed.usage = Usage(input_tokens=20, output_tokens=5)
    budget = Budget(max_tokens=WORST + 25)
    model = budgeted(FakeModel(failed, ServerError("503"), "x"), budget, PRICE)
    for _ in range(2):
        with pytest.raises(ServerError):
            await model.complete(ASK)
    assert (await model.complete(ASK)).text == "x"
    assert budget.used.tokens == 25 + 110


@pytest.mark.parametrize(
    ("budget", "lost"), [(Budget(), PROMPT), (Budget(max_tokens=2 * WORST), WORST)], ids=["no limit", "limit"]
)
async def test_a_cancelled_call_counts_its_prompt_and_within_a_budget_its_limit(budget: Budget, lost: int) -> None:
    """A cancelled call is charged its prompt and, if the budget is limited, its output limit."""
    clock = Clock()
    model = budgeted(FakeModel("x", before=lambda: clock.sleep(9)), budget)
    task = asyncio.ensure_future(model.complete(ASK))
    await settle()
    task.cancel()
    await settle()
    await clock.run(model.complete(ASK))
    assert budget.used.tokens == lost + 110


async def test_a_closed_budget_stays_closed() -> None:
    """After a call that does not fit, a smaller call is refused too."""
    model = FakeModel("x")
    limited = budgeted(model, Budget(max_tokens=WORST))
    for asked in (request(max_output_tokens=WORST), ASK):
        with pytest.raises(BudgetError):
            await limited.complete(asked)
    assert model.requests == []


@pytest.mark.parametrize(("limit", "is_sent"), [(WORST + 110, True), (WORST + 109, False)])
def test_a_call_waits_for_the_reservations_of_others(limit: int, is_sent: bool) -> None:
    """The second call waits until the first settles; then it is sent if it fits, and refused if not."""
    clock = Clock()
    model = budgeted(FakeModel("x", before=lambda: clock.sleep(1)), Budget(max_tokens=limit))
    first, second = asyncio.run(clock.run(model.complete(ASK), model.complete(ASK)))
    assert first.text == "x"
    assert isinstance(second, Reply if is_sent else BudgetError)
    assert clock.now == 1 + is_sent


@given(
    st.integers(0, 300),
    st.lists(st.tuples(st.integers(0, 100), st.floats(0, 1), st.booleans(), st.integers(0, 5)), max_size=10),
)
def test_the_budget_is_never_exceeded(most: int, calls: Sequence[tuple[int, float, bool, int]]) -> None:
    """Concurrent calls within their worst case never use more than the budget."""
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


# Estimates -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "least"), [("word " * 100, 125), ('{"a": [1, 2]}' * 50, 250), ("辩论" * 100, 200)])
def test_prompts_are_estimated_high(text: str, least: int) -> None:
    """The estimate is above the count of real tokenizers for prose, JSON and Chinese."""
    assert usage.estimate_input_tokens(request(text), PROFILE) >= least


REPEATED = {"type": "object", "properties": dict.fromkeys("abcdefgh", SCHEMA), "required": list("abcdefgh")}


@pytest.mark.parametrize("mode", ["native", "tool"])
@pytest.mark.parametrize("profile", [Profile(dialect=dialect) for dialect in ("full", "openai", "anthropic")])
def test_a_schema_parameter_counts_as_it_is_sent(mode: str, profile: Profile) -> None:
    """A schema counts in the provider's dialect, with a repeated part once."""
    asked = replace(ASK, schema=OutputSchema("form", REPEATED), rung=mode)  # pyright: ignore[reportArgumentType]
    sent = json.dumps(convert_schema(REPEATED, profile.dialect, use_references=True))
    schema_tokens = usage.estimate_input_tokens(asked, profile) - PROMPT
    assert len(sent) / usage.ASCII_CHARS_PER_TOKEN <= schema_tokens < len(json.dumps(REPEATED)) / 2.5


@pytest.mark.parametrize("on_text", [None, ignore], ids=["whole", "streamed"])
def test_an_answer_without_usage_is_estimated(on_text: OnText | None) -> None:
    """Reply and budget count the same estimate of prompt and answer; the reply is marked, the callback is called."""
    budget, estimates = Budget(), list[int]()
    model = BudgetedModel(
        FakeModel(reply("A short word.", usage=Usage())), budget, None, PROFILE, on_estimate=lambda: estimates.append(1)
    )
    answer = asyncio.run(model.complete(ASK, on_text))
    assert answer.usage == Usage(input_tokens=PROMPT, output_tokens=6, estimated=True)
    assert budget.used.tokens == PROMPT + 6
    assert len(estimates) == 1


@pytest.mark.parametrize(
    ("answer", "output_tokens"),
    [
        (reply("word " * 1000, usage=Usage()), 100),
        (reply("", usage=Usage()), 0),
        (reply("", usage=Usage(), refusal="I will not."), 5),
        (reply("thoughts were not shown", usage=Usage(), truncated=True), 100),
    ],
)
def test_an_estimated_answer_stays_within_its_limit(answer: Reply, output_tokens: int) -> None:
    """A truncated answer counts with its limit, a refusal with its text, and no estimate exceeds the reservation."""
    given_back = asyncio.run(budgeted(FakeModel(answer), Budget(max_tokens=WORST)).complete(ASK))
    assert given_back.usage.output_tokens == output_tokens


@pytest.mark.parametrize(
    "answer", [reply("x"), reply("", usage=Usage(), finish_reason="content_filter", refusal="Filtered.")]
)
def test_reported_usage_and_filtered_prompts_are_not_estimated(answer: Reply) -> None:
    """A prompt that a content filter rejects uses nothing."""
    assert asyncio.run(budgeted(FakeModel(answer), Budget()).complete(ASK)) == answer


# Answers that break off ------------------------------------------------------------------------------------------

PARTIAL = "Half an answ"


class BreaksOff:
    """Streams `PARTIAL`, then fails."""

    def __init__(self, error: ModelError) -> None:
        self._error = error

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Stream and raise."""
        if on_text is not None:
            on_text(PARTIAL)
        raise self._error


def broken(kind: Callable[[str], ModelError], **tokens: int) -> ModelError:
    """An error that reports `tokens`."""
    error = kind("broke off")
    error.usage = Usage.model_validate(tokens)
    return error


def refused_connection() -> UnreachableError:
    """The error of a request that never left."""
    error = UnreachableError("refused")
    error.may_be_billed = False
    return error


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        *(
            (
                BreaksOff(broken(kind)),
                Usage(input_tokens=PROMPT, output_tokens=usage.estimate_answer_tokens(ASK, PARTIAL), estimated=True),
            )
            for kind in (TruncatedError, ServerError, UnreachableError, errors.BrokenBodyError)
        ),
        *(
            (FakeModel(kind("gone")), Usage(input_tokens=PROMPT, estimated=True))
            for kind in (TruncatedError, UnreachableError, ModelTimeoutError, errors.BrokenBodyError)
        ),
        *((FakeModel(error), Usage()) for error in (RateLimitedError("no"), ServerError("no"), refused_connection())),
        (
            BreaksOff(broken(TruncatedError, input_tokens=20)),
            Usage(input_tokens=20, output_tokens=usage.estimate_answer_tokens(ASK, PARTIAL), estimated=True),
        ),
    ],
)
def test_a_lost_answer_counts_its_prompt_and_the_text_received(model: Model, expected: Usage) -> None:
    """Budget and error agree. A reported prompt is kept; a refusal or a connection that was never made counts nothing."""
    budget = Budget()
    with pytest.raises(ModelError) as caught:
        asyncio.run(budgeted(model, budget).complete(ASK, ignore))
    assert usage.error_usage(caught.value) == expected
    assert budget.used.tokens == expected.input_tokens + expected.output_tokens


@pytest.mark.parametrize("model", [BreaksOff(TruncatedError("cut")), FakeModel(ModelTimeoutError("silence"))])
def test_within_a_budget_a_lost_answer_counts_its_limit(model: Model) -> None:
    """The server may have written all of it."""
    budget = Budget(max_tokens=2 * WORST)
    with pytest.raises(ModelError) as caught:
        asyncio.run(budgeted(model, budget).complete(ASK, ignore))
    assert budget.used.tokens == WORST
    assert usage.error_usage(caught.value) == Usage(input_tokens=PROMPT, output_tokens=100, estimated=True)


async def test_each_request_is_recorded_with_what_a_lost_answer_costs() -> None:
    """The record before the second request holds the usage of the first one too, as does one before the wait for it.

    So a killed process has paid for an invalid answer, even if it was killed before it asked again.
    """
    records = list[ModelCall]()
    model = BudgetedModel(FakeModel(reply("x")), Budget(max_tokens=10 * WORST), PRICE, PROFILE, name="lab/m")
    with use_meter(CallMeter(records.append)):
        await model.complete(ASK)
        await model.complete(ASK)
    lost = Usage(input_tokens=PROMPT, output_tokens=100, estimated=True)
    assert [(call.model, call.attempts, call.usage) for call in records] == [
        ("lab/m", 1, lost),
        ("lab/m", 1, USAGE),
        ("lab/m", 2, USAGE + lost),
    ]


async def test_a_cancelled_request_is_metered_with_the_seconds_that_it_took() -> None:
    """The wait in a queue of this program before the cancellation is left out."""
    clock = Clock()

    async def wait_and_answer() -> None:
        with pause_deadline():
            await clock.sleep(5)
        await asyncio.Event().wait()

    model = BudgetedModel(FakeModel("x", before=wait_and_answer), Budget(), PRICE, PROFILE, name="lab/m")
    meter = CallMeter(lambda _call: None, clock=clock)
    with use_meter(meter):
        task = asyncio.ensure_future(model.complete(ASK))
    await settle()
    await clock.run(settle())
    await settle()
    clock.now = 12
    task.cancel()
    await settle()
    assert [call.latency_s for call in meter.ended] == [7.0]


async def no_wait(_seconds: float) -> None:
    """Return at once."""


def test_estimates_of_earlier_attempts_are_added_to_the_reply_or_error() -> None:
    """The sum over all attempts is marked as an estimate if one of them was estimated."""

    def retrying(*acts: Reply | ModelError) -> RetryingModel:
        return RetryingModel(budgeted(FakeModel(*acts), Budget()), max_attempts=2, sleep=no_wait)

    counted = reply("x", usage=Usage(input_tokens=30, output_tokens=1))
    answer = asyncio.run(retrying(TruncatedError("cut"), counted).complete(ASK, ignore))
    assert answer.usage == Usage(input_tokens=PROMPT + 30, output_tokens=1, estimated=True)
    with pytest.raises(RateLimitedError) as caught:
        asyncio.run(retrying(TruncatedError("cut"), RateLimitedError("429")).complete(ASK, ignore))
    assert usage.error_usage(caught.value) == Usage(input_tokens=PROMPT, estimated=True)
