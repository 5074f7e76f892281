"""The deadline of a question counts the model's time, not the time in the queue."""

import asyncio

from llm_support import GOOD, OPINION, FakeModel, Opinion, request

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
