"""Patience is for the model: the wait for a free place with us is not counted."""

from __future__ import annotations

import asyncio

from llm_support import GOOD, OPINION, FakeModel, Opinion, request

from debate_cli.llm.profile import Profile
from debate_cli.llm.rate_limit import RateLimitedModel, RateLimiter
from debate_cli.llm.structured_output import StructuredAnswer, StructuredOutputClient

PATIENCE_S, LONGER_S = 0.4, 0.7


async def behind(held_s: float, model_s: float) -> StructuredAnswer[Opinion]:
    """The answer to a question whose only place is held by another call for so long, and whose model takes so long."""
    limiter = RateLimiter(1)

    async def hold() -> None:
        async with limiter.slot(0):
            await asyncio.sleep(held_s)

    holding = asyncio.create_task(hold())
    await asyncio.sleep(0)
    model = RateLimitedModel(FakeModel(GOOD, before=lambda: asyncio.sleep(model_s)), limiter, Profile())
    answer = await StructuredOutputClient(model, Profile(), name="a/b").ask(request(), OPINION, patience_s=PATIENCE_S)
    await holding
    return answer


def test_the_queue_is_not_counted() -> None:
    """Time in the queue does not count against the deadline."""
    assert not asyncio.run(behind(LONGER_S, 0)).timed_out


def test_the_model_is_counted() -> None:
    """A question whose model takes too long passes its deadline."""
    assert asyncio.run(behind(0, LONGER_S)).timed_out
