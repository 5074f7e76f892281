"""Budget, rate limits and concurrency, as measured by the server."""

import asyncio
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from faults.fault_server import FaultServer, ReceivedRequest, Served
from faults.runs import FakeSleep, RecordingObserver, config, session, used
from rehearsal_support import Sessions

from debate_cli.app.session import Outcome
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import DebateClosed, Event, TaskFailed
from debate_cli.domain.model_call import Usage
from debate_cli.storage.transcript_store import open_debate

LIVE = {"systems": [{"kind": "live", "feedback": False}]}
"""Many judgements that can be requested concurrently."""
QUIET_ROUNDS = 60
"""Rounds of the event loop without a new request, after which all sent requests have arrived."""


@dataclass
class Minutes:
    """A fake clock that advances on `sleep`, after the server has received all sent requests."""

    server: FaultServer
    now: float = 0.0
    waited: list[float] = field(default_factory=list[float])
    moving: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Only one sleeper advances the clock at a time."""

    def __call__(self) -> float:
        """Seconds since the start."""
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Advance the clock."""
        until = self.now + seconds
        async with self.moving:
            await self.server.received.wait()
            await quiet(self.server)
            self.waited.append(seconds)
            self.now = max(self.now, until)


async def quiet(server: FaultServer) -> None:
    """Wait until no more requests arrive."""
    received, rounds = -1, 0
    while rounds < QUIET_ROUNDS:
        rounds = rounds + 1 if received == len(server.served) else 0
        received = len(server.served)
        await asyncio.sleep(0.002)


async def hold(server: FaultServer, kind: str, clock: Minutes, **changes: Any) -> Outcome:
    """Run a debate whose rate limiter uses `clock`."""
    here = session(RecordingObserver(), FakeSleep())
    context = replace(here.context, clock=clock, sleep=clock.sleep)
    return await Sessions(context).begin(config(server, kind, **changes), "limited", None)


JUDGES = 16


@dataclass(slots=True)
class Closing(RecordingObserver):
    """When the budget refuses a call, holds the server's answers back until all sent requests have arrived."""

    server: FaultServer = field(default_factory=FaultServer)
    received: int | None = None
    """Requests received by then."""
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    counting: asyncio.Task[None] | None = None

    def event(self, event: Event, debate: Debate) -> None:
        """See `Observer`."""
        RecordingObserver.event(self, event, debate)
        if isinstance(event, TaskFailed) and event.failure.cause == "BudgetError" and self.counting is None:
            self.server.before = self.wait
            self.counting = asyncio.create_task(self._count())

    async def wait(self, _served: Served) -> None:
        """See `FaultServer.before`."""
        await self.gate.wait()

    async def _count(self) -> None:
        await quiet(self.server)
        self.received = len(self.server.served)
        self.gate.set()


LIMITS = [1_500, 3_000, 5_000, 7_000, 9_000, 11_000, 50_000]
LIMITS_IN_CI = {("max_tokens", 1_500), ("max_tokens", 7_000), ("max_tokens", 50_000), ("max_cost_usd", 5_000)}
"""Reached by the first speeches, among the speeches, by none, and in money among the speeches."""
MODEST = {
    "judge": {"model": "lab/judge", "max_output_tokens": 700},
    "pro": {"model": "lab/pro", "max_output_tokens": 700},
    "con": {"model": "lab/con", "max_output_tokens": 700},
}
DEBATERS = [{"name": "Pro", "side": "for", "model": "pro"}, {"name": "Con", "side": "against", "model": "con"}]
PRICE = {"input": 1.0, "output": 1.0, "cached_input": 1.0}
"""One dollar per million tokens of any kind, so that dollars and tokens are comparable."""


def limited_config(server: FaultServer, limits: dict[str, Any]) -> Any:
    """A debate of about fifteen thousand tokens."""
    return config(
        server, "anthropic", models=MODEST, debaters=DEBATERS, provider={"price": PRICE}, judging=LIVE, limits=limits
    )


@pytest.mark.parametrize(
    ("bound", "most"),
    [
        pytest.param(bound, most, marks=[] if (bound, most) in LIMITS_IN_CI else pytest.mark.soak)
        for bound in ("max_tokens", "max_cost_usd")
        for most in LIMITS
    ],
)
def test_a_budget_is_never_exceeded(bound: str, most: int, tmp_path: Path) -> None:
    """Every fifth answer fails. After the refusal the server receives no request, and the debate can be resumed."""

    async def story() -> None:
        count = [0]

        def plan(_request: ReceivedRequest) -> str | None:
            count[0] += 1
            return ("cut", "wrong_schema")[count[0] // 5 % 2] if count[0] % 5 == 0 else None

        async with FaultServer(plan) as server:
            observer = Closing(server=server)
            here = session(observer, FakeSleep())
            limits = {bound: most if bound == "max_tokens" else most / 1e6}
            outcome = await here.begin(limited_config(server, limits), "limited", tmp_path)
            assert total(server.counted) <= total(used(outcome.debate)) <= most
            if outcome.halted == "budget":
                assert observer.counting is not None
                await observer.counting
                assert len(server.served) == observer.received
                assert [event.reason for event in observer.events if isinstance(event, DebateClosed)] == ["budget"]
            else:
                assert most == LIMITS[-1]
            await resumed_whole(here, server, outcome)

    asyncio.run(story())


def total(usage: Usage) -> int:
    """Tokens of prompts and answers."""
    return usage.input_tokens + usage.output_tokens


async def resumed_whole(here: Sessions, server: FaultServer, outcome: Outcome) -> None:
    """With a larger budget the debate completes; the transcript counts no less than the server."""
    assert outcome.path is not None
    roomy = limited_config(server, {"max_tokens": 10_000_000})
    after = await here.resume(open_debate(outcome.path), roomy)
    assert after.halted is None
    assert after.debate.closed == "complete"
    assert total(used(after.debate)) >= total(server.counted)


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
async def test_the_budget_ends_failing_attempts(kind: str) -> None:
    """Each answer that breaks off counts its output limit, because the server may have written all of it."""
    async with FaultServer(lambda _request: "cut") as server:
        limits = {"max_tokens": 8_000, "max_attempts": 20}
        settings = config(server, kind, models=MODEST, debaters=DEBATERS, judging=LIVE, limits=limits)
        outcome = await session(RecordingObserver(), FakeSleep()).begin(settings, "cut", None)
        spent = used(outcome.debate)
        assert outcome.halted == "budget"
        assert 0 < spent.input_tokens + spent.output_tokens <= limits["max_tokens"]
        assert spent.estimated
        assert spent.output_tokens == 700 * outcome.debate.usage.attempts
