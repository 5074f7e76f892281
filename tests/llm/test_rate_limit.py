"""How many calls are let in at once and in a minute. Time passes only in a fake clock."""

from __future__ import annotations

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
from debate_cli.llm.profile import Profile
from debate_cli.llm.rate_limit import MINUTE_S, RateLimitedModel, RateLimiter, RateWindow


@dataclass
class Bar:
    """Lets calls through `limiter`, each taking some seconds, and notes what happens."""

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


def bar(most: int, requests_per_minute: int | None = None, tokens_per_minute: int | None = None) -> Bar:
    """A bar with its own clock."""
    clock = Clock()
    return Bar(RateLimiter(most, requests_per_minute, tokens_per_minute, clock=clock, sleep=clock.sleep), clock)


def test_no_more_than_allowed_at_once_and_in_order() -> None:
    """Calls are admitted in order."""
    here = bar(2)
    asyncio.run(here.clock.run(*(here.call(name) for name in range(5))))
    assert here.most == 2
    assert here.entered == [(0, 0), (0, 1), (1, 2), (1, 3), (2, 4)]


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
def test_the_size_adapts(most: int, rate_limited: int, clean: int, size: int) -> None:
    """Halved by each 429, one more after as many clean calls as it is large, never under 1 or over the start."""
    here = bar(most)

    async def story() -> None:
        for _ in range(rate_limited):
            await here.clock.run(here.call(0, fails=RateLimitedError("429", retry_after=1e9)))
        for _ in range(clean):
            await here.clock.run(here.call(0))

    asyncio.run(story())
    assert here.limiter.concurrency == size


def test_other_faults_neither_shrink_nor_grow_it() -> None:
    """A server error does not reduce the concurrency."""
    here = bar(2)

    async def story() -> None:
        await here.clock.run(here.call(0, fails=RateLimitedError("429")))
        await here.clock.run(*(here.call(0, fails=ServerError("503")) for _ in range(9)))

    asyncio.run(story())
    assert (here.limiter.concurrency, here.limiter.in_flight) == (1, 0)


def test_a_cancelled_call_gives_its_place_back() -> None:
    """A cancelled call releases its slot, in flight or in the queue."""
    here = bar(1)

    async def story() -> None:
        running = asyncio.ensure_future(here.call(0))
        waiting = asyncio.ensure_future(here.call(1))
        await settle()
        waiting.cancel()
        running.cancel()
        await settle()
        await here.clock.run(here.call(2))

    asyncio.run(story())
    assert [name for _, name in here.entered] == [0, 2]


def test_a_place_lost_while_waiting_for_the_minute_is_not_taken() -> None:
    """A 429 that arrives in the meantime reduces the concurrency for the first call in the queue."""
    here = bar(3, requests_per_minute=2)
    turned_away = here.call(1, fails=RateLimitedError("429"))
    asyncio.run(here.clock.run(here.call(0, seconds=70), turned_away, here.call(2)))
    assert here.entered == [(0, 0), (0, 1), (70, 2)]


def test_requests_per_minute() -> None:
    """Two a minute are two in any sixty seconds."""
    here = bar(8, requests_per_minute=2)
    asyncio.run(here.clock.run(*(here.call(name) for name in range(5))))
    assert here.entered == [(0, 0), (0, 1), (60, 2), (60, 3), (120, 4)]


def test_tokens_per_minute() -> None:
    """A call waits until its tokens fit; one that never fits waits for an empty minute."""
    here = bar(8, tokens_per_minute=100)
    calls = (here.call(name, tokens=tokens) for name, tokens in enumerate((60, 40, 10, 500, 1)))
    asyncio.run(here.clock.run(*calls))
    assert here.entered == [(0, 0), (0, 1), (60, 2), (120, 3), (180, 4)]


def test_waiting_for_a_rate_is_one_nap() -> None:
    """Objects beyond the limit are not parsed."""
    here = bar(8, requests_per_minute=1)
    asyncio.run(here.clock.run(*(here.call(name, 0.0) for name in range(3))))
    assert [nap for nap in here.clock.naps if nap > 0] == [60, 60]


@given(
    st.integers(1, 4),
    st.none() | st.integers(1, 5),
    st.none() | st.integers(1, 50),
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 60), st.booleans()), max_size=12),
)
def test_never_above_its_bounds(
    most: int, requests: int | None, tokens: int | None, calls: Sequence[tuple[int, int, bool]]
) -> None:
    """However calls come and fail: never more at once, never more in a minute, all are served in order."""
    here = bar(most, requests, tokens)
    work = [
        here.call(name, float(seconds), tokens=cost, fails=RateLimitedError("429") if fails else None)
        for name, (seconds, cost, fails) in enumerate(calls)
    ]
    asyncio.run(here.clock.run(*work))
    assert here.most <= most
    assert [name for _, name in here.entered] == list(range(len(calls)))
    for start, _ in here.entered:
        minute = [calls[name][1] for at, name in here.entered if start <= at < start + MINUTE_S]
        assert requests is None or len(minute) <= requests
        assert tokens is None or sum(minute) <= tokens or max(minute) > tokens
    assert 1 <= here.limiter.concurrency <= most


def test_a_window_takes_corrections() -> None:
    """A reported usage counts instead of the estimate."""
    clock = Clock()
    window = RateWindow(100, clock)
    entry = window.add(100)
    assert window.wait_s(50) == MINUTE_S
    entry.amount = 50
    assert window.wait_s(50) == 0


def test_limited_counts_what_was_used() -> None:
    """The usage of a call replaces its estimate."""
    clock = Clock()
    ask = request(max_output_tokens=900)
    limiter = RateLimiter(
        8, tokens_per_minute=usage.estimate_total_tokens(ask, Profile()) + 100, clock=clock, sleep=clock.sleep
    )
    model = RateLimitedModel(FakeModel(reply("x", usage=Usage(input_tokens=90, output_tokens=10))), limiter, Profile())

    async def story() -> None:
        await clock.run(model.complete(ask))
        await clock.run(model.complete(ask))

    asyncio.run(story())
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


def test_the_run_has_a_bound_of_its_own() -> None:
    """All providers together stay within it, and give their slots back when they fail."""
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
