"""Limits on concurrent calls and on requests and tokens per minute, measured with a fake clock."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llm_support import Clock, FakeModel, reply, request, settle

from debate_cli.domain.model_call import Usage
from debate_cli.errors import RateLimitedError, ServerError
from debate_cli.llm import usage
from debate_cli.llm.model import Profile
from debate_cli.llm.rate_limit import Admission, ProviderGate, RateLimitedModel, RateLimiter, RateWindow

WINDOW = 62
"""Seconds for which a call counts: sixty, and a margin of two for calls that need different times to arrive."""


@dataclass
class LimiterRun:
    """Runs calls of given durations through `limiter` and records when they enter."""

    limiter: RateLimiter
    clock: Clock
    most: int = 0
    entered: list[tuple[float, int]] = field(default_factory=list[tuple[float, int]])

    async def call(self, name: int, seconds: float = 1.0, *, fails: Exception | None = None, tokens: int = 0) -> None:
        """One call."""
        async with self.limiter.slot(tokens):
            self.entered.append((self.clock.now, name))
            self.most = max(self.most, self.limiter.in_flight)
            await self.clock.sleep(seconds)
            if fails is not None:
                raise fails


def limiter_run(most: int, requests_per_minute: int | None = None, tokens_per_minute: int | None = None) -> LimiterRun:
    """A limiter with its own clock."""
    clock = Clock()
    return LimiterRun(RateLimiter(most, requests_per_minute, tokens_per_minute, clock=clock, sleep=clock.sleep), clock)


@pytest.mark.parametrize(
    ("most", "rate_limited", "clean", "size"),
    [
        (8, 0, 100, 8),
        (8, 1, 0, 4),
        (8, 2, 0, 2),
        (8, 9, 0, 1),
        (5, 1, 0, 2),
        (8, 1, 3, 4),
        (8, 1, 4, 5),
        (8, 1, 8, 5),
        (8, 1, 9, 6),
        (8, 3, 1, 2),
        (4, 1, 100, 4),
    ],
)
async def test_concurrency_adapts_to_429s(most: int, rate_limited: int, clean: int, size: int) -> None:
    """Each 429 halves it; as many successes as it allows add one, within 1 and the initial value."""
    run = limiter_run(most)
    for _ in range(rate_limited):
        await run.clock.run(run.call(0, fails=RateLimitedError("429", retry_after=1)))
    for _ in range(clean):
        await run.clock.run(run.call(0))
    assert run.limiter.concurrency == size


async def test_a_cancelled_call_releases_its_slot() -> None:
    """A cancelled call releases its slot or its place in the queue."""
    run = limiter_run(1)
    running = asyncio.ensure_future(run.call(0))
    waiting = asyncio.ensure_future(run.call(1))
    await settle()
    waiting.cancel()
    running.cancel()
    await settle()
    await run.clock.run(run.call(2))
    assert [name for _, name in run.entered] == [0, 2]


def test_requests_per_minute() -> None:
    """The limit holds for any sixty seconds and a margin."""
    run = limiter_run(8, requests_per_minute=2)
    asyncio.run(run.clock.run(*(run.call(name) for name in range(5))))
    minute = WINDOW
    assert run.entered == [(0, 0), (0, 1), (minute, 2), (minute, 3), (2 * minute, 4)]


@given(st.lists(st.floats(0, 2), min_size=13, max_size=13))
def test_calls_that_arrive_late_stay_within_the_limit(delays: Sequence[float]) -> None:
    """The first calls have to connect, the later ones do not: the server counts at most six in any sixty seconds."""
    run = limiter_run(8, requests_per_minute=6)
    asyncio.run(run.clock.run(*(run.call(name, 5.0) for name in range(len(delays)))))
    arrived = sorted(at + delays[name] for at, name in run.entered)
    assert max(sum(start <= at < start + 60 for at in arrived) for start in arrived) <= 6


def test_tokens_per_minute() -> None:
    """A call waits until its tokens fit; one that never fits waits for an empty minute."""
    run = limiter_run(8, tokens_per_minute=100)
    calls = (run.call(name, tokens=tokens) for name, tokens in enumerate((60, 40, 10, 500, 1)))
    asyncio.run(run.clock.run(*calls))
    minute = WINDOW
    assert run.entered == [(0, 0), (0, 1), (minute, 2), (2 * minute, 3), (3 * minute, 4)]


@given(
    st.integers(1, 4),
    st.none() | st.integers(1, 5),
    st.none() | st.integers(1, 50),
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 60), st.booleans()), max_size=12),
)
def test_limits_are_never_exceeded(
    most: int, requests: int | None, tokens: int | None, calls: Sequence[tuple[int, int, bool]]
) -> None:
    """Concurrency and rates stay within their limits, and calls leave in order."""
    run = limiter_run(most, requests, tokens)
    work = [
        run.call(name, float(seconds), tokens=cost, fails=RateLimitedError("429") if fails else None)
        for name, (seconds, cost, fails) in enumerate(calls)
    ]
    asyncio.run(run.clock.run(*work))
    assert run.most <= most
    assert [name for _, name in run.entered] == list(range(len(calls)))
    for start, _ in run.entered:
        minute = [calls[name][1] for at, name in run.entered if start <= at < start + WINDOW]
        assert requests is None or len(minute) <= requests
        assert tokens is None or sum(minute) <= tokens or max(minute) > tokens
    assert 1 <= run.limiter.concurrency <= most


async def test_the_reported_usage_replaces_the_estimate() -> None:
    """The next call can use the difference."""
    clock = Clock()
    ask = request(max_output_tokens=900)
    limiter = RateLimiter(
        8, tokens_per_minute=usage.estimate_total_tokens(ask, Profile()) + 100, clock=clock, sleep=clock.sleep
    )
    model = RateLimitedModel(FakeModel(reply("x", usage=Usage(input_tokens=90, output_tokens=10))), limiter, Profile())
    await clock.run(model.complete(ask))
    await clock.run(model.complete(ask))
    assert clock.now == 0


def test_a_busy_provider_leaves_slots_to_others() -> None:
    """A call that waits for its provider holds no slot of the run."""
    clock = Clock()
    overall = asyncio.Semaphore(2)
    slow, quick = (RateLimiter(most, clock=clock, sleep=clock.sleep) for most in (1, 8))
    done: list[tuple[float, str]] = []

    async def call(limiter: RateLimiter, name: str, seconds: float) -> None:
        async with limiter.slot(0, overall):
            await clock.sleep(seconds)
            done.append((clock.now, name))

    work = (call(slow, "slow 1", 10), call(slow, "slow 2", 10), call(quick, "quick", 1))
    asyncio.run(clock.run(*work))
    assert done == [(1, "quick"), (10, "slow 1"), (20, "slow 2")]


def test_the_run_has_its_own_limit() -> None:
    """It is shared by all providers; failed calls release their slots."""
    clock = Clock()
    overall = asyncio.Semaphore(1)
    model = FakeModel(ServerError("503"), "well", before=lambda: clock.sleep(5))
    both = [
        RateLimitedModel(model, RateLimiter(8, clock=clock, sleep=clock.sleep), Profile(), overall) for _ in range(2)
    ]
    outcomes = asyncio.run(clock.run(*(each.complete(request()) for each in both)))
    assert clock.now == 10
    assert isinstance(outcomes[0], ServerError)
    assert outcomes[1].text == "well"


class MemoryWindow:
    """A shared window that two limiters of one test use like two processes."""

    def __init__(self, limit: int, clock: Clock) -> None:
        self.window = RateWindow(limit, clock)
        self.corrected: list[tuple[int, int]] = []

    async def admit(self, tokens: int) -> Admission:
        """Count the tokens if they fit."""
        wait = self.window.wait_s(tokens)
        if wait:
            return Admission(wait)
        self.window.add(tokens)
        return Admission(0, entry=7)

    async def correct(self, entry: int, tokens: int) -> None:
        """Note the correction."""
        self.corrected.append((entry, tokens))


def test_a_call_that_is_admitted_while_the_gate_closes_gives_its_tokens_back() -> None:
    """The provider refuses another call while the shared window admits this one, so this one waits and is admitted again."""
    clock = Clock()
    gate = ProviderGate(clock=clock)

    class ClosingWindow(MemoryWindow):
        async def admit(self, tokens: int) -> Admission:
            if not self.corrected:
                gate.refuse(gate.start_call(), RateLimitedError("429", retry_after=5.0), 1)
            return await super().admit(tokens)

    shared = ClosingWindow(100, clock)
    limiter = RateLimiter(8, gate=gate, clock=clock, sleep=clock.sleep, shared=shared)

    async def call() -> None:
        async with limiter.slot(50) as entry:
            entry.amount = 40

    asyncio.run(clock.run(call()))
    assert (clock.now, shared.corrected) == (5, [(7, 0), (7, 40)])


def test_limiters_that_share_a_window_keep_one_limit() -> None:
    """Two limiters with their own limit of 100 tokens pass 100 together; the actual tokens correct the entry."""
    clock = Clock()
    shared = MemoryWindow(100, clock)
    limiters = [RateLimiter(8, tokens_per_minute=100, clock=clock, sleep=clock.sleep, shared=shared) for _ in range(2)]
    entered: list[float] = []

    async def call(limiter: RateLimiter) -> None:
        async with limiter.slot(50) as entry:
            entered.append(clock.now)
            entry.amount = 40

    asyncio.run(clock.run(*(call(limiter) for limiter in limiters for _ in range(2))))
    assert entered == [0, 0, WINDOW, WINDOW]
    assert shared.corrected == [(7, 40)] * 4
