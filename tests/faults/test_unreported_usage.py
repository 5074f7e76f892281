"""A server whose answers break off before they tell of any tokens is paid from the budget all the same."""

from __future__ import annotations

import asyncio

from faults.fault_server import FaultServer
from faults.runs import Waits, Witness, config, session, used
from faults.test_limits import DEBATERS, LIVE, MODEST


def test_attempts_that_broke_off_untold_end_with_the_budget() -> None:
    """Streams in OpenAI's format, which tells of tokens last: the estimate ends the attempts, not their number."""

    async def story() -> None:
        async with FaultServer(lambda _heard: "cut") as server:
            limits = {"max_tokens": 8_000, "max_attempts": 20}
            settings = config(server, "openai", models=MODEST, debaters=DEBATERS, judging=LIVE, limits=limits)
            outcome = await session(Witness(), Waits()).begin(settings, "cut", None)
            spent = used(outcome.debate)
            assert outcome.halted == "budget"
            assert spent.estimated
            assert 0 < spent.input_tokens + spent.output_tokens <= limits["max_tokens"]
            assert server.counted.input_tokens == 0

    asyncio.run(story())
