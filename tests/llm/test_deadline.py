"""The deadline of a question counts the model's time, not the time in the queue."""

import asyncio

from llm_support import GOOD, OPINION, Clock, FakeModel, Opinion, request

from debate_cli.llm.budget import Budget, BudgetedModel
from debate_cli.llm.meter import CallMeter, use_meter
from debate_cli.llm.model import Profile
from debate_cli.llm.rate_limit import RateLimitedModel, RateLimiter
from debate_cli.llm.structured_output import StructuredAnswer, StructuredOutputClient

DEADLINE_S, LONGER_S = 0.4, 0.7


async def ask_behind(held_s: float, model_s: float) -> StructuredAnswer[Opinion]:
    """The answer to a question whose slot another call holds for `held_s`, and whose model takes `model_s`."""
    limiter = RateLimiter(1)

    async def hold() -> None:
        async with limiter.slot(0):
            await asyncio.sleep(held_s)

    holding = asyncio.create_task(hold())
    await asyncio.sleep(0)
    model = RateLimitedModel(FakeModel(GOOD, before=lambda: asyncio.sleep(model_s)), limiter, Profile())
    answer = await StructuredOutputClient(model, Profile(), name="a/b").ask(request(), OPINION, patience_s=DEADLINE_S)
    await holding
    return answer


def test_time_in_the_queue_is_not_counted() -> None:
    """The deadline is paused while the call waits for a slot."""
    assert not asyncio.run(ask_behind(LONGER_S, 0)).timed_out


def test_time_of_the_model_is_counted() -> None:
    """A question whose model takes too long passes its deadline."""
    assert asyncio.run(ask_behind(0, LONGER_S)).timed_out


async def test_a_late_answer_has_the_seconds_that_the_model_took() -> None:
    """The answer of a question whose deadline passed has the time of the cancelled request."""
    clock = Clock()

    async def think_for_ever() -> None:
        clock.now = 30
        await asyncio.Event().wait()

    model = BudgetedModel(FakeModel(GOOD, before=think_for_ever), Budget(), None, Profile(), name="a/b")
    with use_meter(CallMeter(lambda _call: None, clock=clock)):
        answer = await StructuredOutputClient(model, Profile(), name="a/b").ask(request(), OPINION, patience_s=0.01)
    assert (answer.timed_out, answer.call.latency_s) == (True, 30)
