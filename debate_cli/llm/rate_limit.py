"""Concurrency and rate limits, one `RateLimiter` per provider; and deadlines that pause while a call waits in a queue.

Waiting after a 429 is part of the retry policy, in `retry`.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Protocol

from debate_cli.errors import RateLimitedError
from debate_cli.llm.model import Model, OnText, Reply, Request
from debate_cli.llm.profile import Profile
from debate_cli.llm.usage import estimate_total_tokens

_ACTIVE_DEADLINE: ContextVar[asyncio.Timeout | None] = ContextVar("deadline", default=None)


@contextmanager
def pausable_deadline(deadline: asyncio.Timeout) -> Generator[None]:
    """Register `deadline`, which has been entered, as the one that `pause_deadline` pauses."""
    token = _ACTIVE_DEADLINE.set(deadline)
    try:
        yield
    finally:
        _ACTIVE_DEADLINE.reset(token)


@contextmanager
def pause_deadline() -> Generator[None]:
    """Pause the active deadline, if there is one."""
    deadline = _ACTIVE_DEADLINE.get()
    until = None if deadline is None else deadline.when()
    if deadline is None or until is None:
        yield
        return
    now = asyncio.get_running_loop().time
    left = until - now()
    deadline.reschedule(None)
    try:
        yield
    finally:
        deadline.reschedule(now() + left)


MINUTE_S = 60.0


class SlotPool(Protocol):
    """Limits the concurrent calls of a whole run, like `asyncio.Semaphore`."""

    async def acquire(self) -> bool:
        """Wait for a slot and take it."""
        ...

    def release(self) -> None:
        """Give a slot back."""
        ...


class WindowEntry:
    """The amount of one call in a window; corrected when the actual amount is known."""

    def __init__(self, at: float, amount: int) -> None:
        self.at = at
        self.amount = amount


class RateWindow:
    """At most `limit` requests or tokens in any 60 seconds; None: no limit. A larger amount waits for an empty window."""

    def __init__(self, limit: int | None, clock: Callable[[], float]) -> None:
        self._limit = limit
        self._clock = clock
        self._entries: deque[WindowEntry] = deque()

    def wait_s(self, amount: int) -> float:
        """Seconds until `amount` fits; 0 if it fits now."""
        now = self._clock()
        while self._entries and self._entries[0].at + MINUTE_S <= now:
            self._entries.popleft()
        if self._limit is None:
            return 0.0
        excess = sum(entry.amount for entry in self._entries) + min(amount, self._limit) - self._limit
        wait = 0.0
        for entry in self._entries:
            if excess <= 0:
                break
            excess -= entry.amount
            wait = entry.at + MINUTE_S - now
        return wait

    def add(self, amount: int) -> WindowEntry:
        """Add `amount` to the window."""
        entry = WindowEntry(self._clock(), amount)
        self._entries.append(entry)
        return entry


class RateLimiter:
    """Admits calls in the order they arrive.

    The concurrency adapts: it starts at `max_concurrency`, is halved by each RateLimitedError (to at least 1), and grows
    by 1 after as many successful calls as its size. Retry-After is handled by `RetryingModel`.
    """

    def __init__(
        self,
        max_concurrency: int,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._max = max_concurrency
        self._requests = RateWindow(requests_per_minute, clock)
        self._tokens = RateWindow(tokens_per_minute, clock)
        self._sleep = sleep
        self._concurrency = max_concurrency
        self._successes = 0
        self._in_flight = 0
        self._queue_lock = asyncio.Lock()
        self._slot_freed = asyncio.Event()

    @property
    def concurrency(self) -> int:
        """Calls that may be in flight now."""
        return self._concurrency

    @property
    def in_flight(self) -> int:
        """Calls in flight."""
        return self._in_flight

    @asynccontextmanager
    async def slot(self, tokens: int, overall: SlotPool | None = None) -> AsyncGenerator[WindowEntry, None]:
        """A slot for one call of up to `tokens` tokens, and a slot of `overall`; yields its entry in the token window."""
        with pause_deadline():
            async with self._queue_lock:
                entry = await self._acquire(tokens, overall)
        try:
            yield entry
        except RateLimitedError:
            self._concurrency = max(1, self._concurrency // 2)
            self._successes = 0
            raise
        else:
            self._count_success()
        finally:
            self._in_flight -= 1
            self._slot_freed.set()
            if overall is not None:
                overall.release()

    async def _acquire(self, tokens: int, overall: SlotPool | None) -> WindowEntry:
        """Wait at the head of the queue. A cancelled call takes no slot."""
        while True:
            while self._in_flight >= self._concurrency:
                self._slot_freed.clear()
                await self._slot_freed.wait()
            while (wait := max(self._requests.wait_s(1), self._tokens.wait_s(tokens))) > 0:
                await self._sleep(wait)
            if overall is not None:
                await overall.acquire()
            if self._in_flight < self._concurrency:
                break
            if overall is not None:  # a 429 reduced the concurrency in the meantime
                overall.release()
        self._in_flight += 1
        self._requests.add(1)
        return self._tokens.add(tokens)

    def _count_success(self) -> None:
        self._successes += 1
        if self._successes >= self._concurrency:
            self._successes = 0
            self._concurrency = min(self._max, self._concurrency + 1)


class RateLimitedModel:
    """Asks `model` when `limiter` and `overall` admit the call."""

    def __init__(self, model: Model, limiter: RateLimiter, profile: Profile, overall: SlotPool | None = None) -> None:
        self._model = model
        self._profile = profile
        self._limiter = limiter
        self._overall = overall

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer `request` when a slot is free. Raises the errors of the model."""
        async with self._limiter.slot(estimate_total_tokens(request, self._profile), self._overall) as entry:
            reply = await self._model.complete(request, on_text)
            entry.amount = reply.usage.input_tokens + reply.usage.output_tokens
            return reply
