"""How many calls may be under way, and how many may be made a minute. One `Limiter` for each provider."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Protocol

from debate_cli.errors import RateLimitedError
from debate_cli.llm import usage
from debate_cli.llm.model import Model, OnText, Reply, Request

_ACTIVE_DEADLINE: ContextVar[asyncio.Timeout | None] = ContextVar("patience", default=None)


@contextmanager
def pausable_deadline(patience: asyncio.Timeout) -> Generator[None]:
    """Within, `queueing` stops the clock of `patience`, which has been entered."""
    token = _ACTIVE_DEADLINE.set(patience)
    try:
        yield
    finally:
        _ACTIVE_DEADLINE.reset(token)


@contextmanager
def pause_deadline() -> Generator[None]:
    """Time spent within is not counted against the patience of whoever asks."""
    patience = _ACTIVE_DEADLINE.get()
    until = None if patience is None else patience.when()
    if patience is None or until is None:
        yield
        return
    now = asyncio.get_running_loop().time
    left = until - now()
    patience.reschedule(None)
    try:
        yield
    finally:
        patience.reschedule(now() + left)


MINUTE_S = 60.0


class SlotPool(Protocol):
    """What bounds the calls of a whole run; `asyncio.Semaphore` is one."""

    async def acquire(self) -> bool:
        """Wait for a slot and take it."""
        ...

    def release(self) -> None:
        """Give a slot back."""
        ...


class WindowEntry:
    """What one call took out of a window; `amount` may be corrected when the truth is known."""

    def __init__(self, at: float, amount: int) -> None:
        self.at = at
        self.amount = amount


class RateWindow:
    """At most `most` (requests, tokens) in any 60 seconds; None means no bound. More than that at once waits for an empty window."""

    def __init__(self, most: int | None, clock: Callable[[], float]) -> None:
        self._limit = most
        self._clock = clock
        self._entries: deque[WindowEntry] = deque()

    def wait_s(self, amount: int) -> float:
        """Seconds until `amount` fits; 0 if it does."""
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
        """Count `amount` from now on."""
        entry = WindowEntry(self._clock(), amount)
        self._entries.append(entry)
        return entry


class RateLimiter:
    """Lets calls in, first come, first served.

    The number under way adapts: it starts at `max_concurrency`, is halved by each RateLimitedError (not below 1), and
    grows by 1, up to the start, after as many clean calls as it is large. A server's Retry-After is none of its
    business: who retries waits outside.
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
        """Calls that may be under way now."""
        return self._concurrency

    @property
    def in_flight(self) -> int:
        """Calls that are."""
        return self._in_flight

    @asynccontextmanager
    async def slot(self, tokens: int, overall: SlotPool | None = None) -> AsyncGenerator[WindowEntry, None]:
        """A place for one call that may need `tokens`, and one of `overall`; yields what it counts for in the tokens."""
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
        """Wait as the first in the queue. Whatever is cancelled here has taken nothing."""
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
            if overall is not None:  # a 429 took the place away while the rates or the run were waited for
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
    """Asks `model` when `limiter` and `overall` let it."""

    def __init__(self, model: Model, limiter: RateLimiter, overall: SlotPool | None = None) -> None:
        self._model = model
        self._limiter = limiter
        self._overall = overall

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer `request` in its turn. Raises what the model raises."""
        async with self._limiter.slot(usage.estimate_total_tokens(request), self._overall) as entry:
            reply = await self._model.complete(request, on_text)
            entry.amount = reply.usage.input_tokens + reply.usage.output_tokens
            return reply
