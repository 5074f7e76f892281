"""Concurrency and rate limits, one `RateLimiter` per provider; and deadlines that pause while a call waits in a queue.

`ProviderGate` holds all calls of a provider back after a 429 or 529. Retries after other faults are in `retry`.
"""

from __future__ import annotations

import asyncio
import copy
import heapq
import itertools
import math
import random as randomness
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Protocol

from debate_cli.errors import BudgetError, ModelError, RateLimitedError
from debate_cli.llm.model import Model, OnText, Reply, Request
from debate_cli.llm.profile import Profile
from debate_cli.llm.retry import MAX_RETRY_AFTER_S, MIN_WAIT_S, draw_backoff, ignore_note, make_restartable
from debate_cli.llm.usage import estimate_total_tokens

_ACTIVE_DEADLINE: ContextVar[asyncio.Timeout | None] = ContextVar("deadline", default=None)


@contextmanager
def pausable_deadline(deadline: asyncio.Timeout) -> Generator[None]:
    """Make `deadline`, which is already running, the one that `pause_deadline` pauses."""
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


@dataclass(frozen=True, slots=True)
class Departure:
    """One call that has left for the provider."""

    at: float
    """Seconds by the clock of the gate."""
    is_probe: bool
    """Whether it is the first call after the gate closed."""


MAX_CLOSED_S = 600.0
"""Seconds without an accepted call after which the waiting calls fail."""
PACE_MARGIN = 1.05
"""The pace is slower than the measured one by this factor, because clocks and networks are not exact."""
QUICKENING = 0.8
"""Factor of the interval between calls after a series without a refusal."""
SERIES = 2
"""Length of such a series, in multiples of the calls from which the pace was measured."""
MAX_REMEMBERED_CALLS = 1000
"""Accepted calls from which a pace is measured."""


class ProviderGate:
    """Holds back the calls of one provider after it refused one (429 or 529).

    The refusal closes the gate for Retry-After, or for a random backoff. Then one call leaves as a probe. If the provider
    accepts it, the others follow at the best pace that the provider accepted since the gate last opened, up to the probe.
    After a series of accepted calls the pace grows; the next refusal brings back the pace of that series. If Retry-After
    is longer than MAX_RETRY_AFTER_S, or no call was accepted for `patience_s`, the waiting calls fail.

    `name` is the provider's name in notes, `random(low, high)` draws a backoff in seconds.
    """

    def __init__(
        self,
        name: str = "the provider",
        *,
        note: Callable[[str], None] = ignore_note,
        patience_s: float = MAX_CLOSED_S,
        clock: Callable[[], float] = time.monotonic,
        random: Callable[[float, float], float] = randomness.uniform,
    ) -> None:
        self._name = name
        self._note = note
        self._patience_s = patience_s
        self._clock = clock
        self._random = random
        self._closed = False
        self._is_probing = False
        self._refusals = 0
        """Refused calls that closed the gate since the last accepted probe."""
        self._next_at = 0.0
        """When the next call may leave."""
        self._opened_at = 0.0
        """When the last accepted probe left."""
        self._refused_since: float | None = None
        """When the first call was refused after the last accepted one."""
        self._failure: RateLimitedError | None = None
        """The error of the calls that wait until `_next_at`."""
        self._interval = 0.0
        """Seconds between two calls."""
        self._accepted: deque[float] = deque(maxlen=MAX_REMEMBERED_CALLS)
        """When the accepted calls left, since the gate last opened."""
        self._proven_interval: float | None = None
        """The interval of the last whole series without a refusal, since the gate last opened."""
        self._measured_calls = 0
        """Calls from which the pace was measured, and after which it grows."""
        self._calls_at_pace = 0

    @property
    def awaits_probe(self) -> bool:
        """Whether no call may leave until the probe in flight ends."""
        return self._is_probing

    def wait_s(self) -> float:
        """Seconds until the next call may leave."""
        return max(0.0, self._next_at - self._clock())

    def raise_if_given_up(self) -> None:
        """Raise RateLimitedError if the gate has given up and the next call may not leave yet."""
        if self._failure is not None and self.wait_s() > 0:
            raise copy.copy(self._failure)

    def depart(self) -> Departure:
        """Let one call leave."""
        now = self._clock()
        self._is_probing = self._closed
        self._next_at = now + self._interval
        return Departure(now, self._is_probing)

    def accept(self, call: Departure) -> None:
        """Note that the provider answered `call`."""
        self._refused_since = None
        if call.is_probe:
            self._open(call)
            return
        self._accepted.append(call.at)
        self._calls_at_pace += 1
        if self._calls_at_pace >= SERIES * self._measured_calls:
            self._calls_at_pace = 0
            self._proven_interval = self._interval
            self._interval *= QUICKENING

    def refuse(self, call: Departure, error: RateLimitedError, waiting: int) -> bool:
        """Close the gate because of `error`; `waiting` calls wait with `call`. Returns whether it was open.

        A call that left before the gate closed, or before the accepted probe, only makes the wait longer.
        """
        now = self._clock()
        is_late = not call.is_probe and (self._closed or call.at < self._opened_at)
        if self._refused_since is None:
            self._refused_since = now
        asked = error.retry_after or 0.0
        if is_late:
            self._next_at = max(self._next_at, now + min(asked, MAX_RETRY_AFTER_S))
            return False
        wait = max(asked, MIN_WAIT_S) if asked > 0 else draw_backoff(self._refusals + 1, self._random)
        self._refusals += 1
        self._closed = True
        self._next_at = now + wait
        self._failure = self._give_up(error, wait, now - self._refused_since)
        if self._failure is None:
            calls = f"{waiting} call{' waits' if waiting == 1 else 's wait'}"
            self._note(f"{self._name} limits requests: waiting {wait:.2g} s, {calls}")
        return True

    def end(self, call: Departure) -> None:
        """Note that `call` has ended. After a probe that was neither accepted nor refused the next call is one."""
        if call.is_probe:
            self._is_probing = False

    def _open(self, probe: Departure) -> None:
        """Open the gate, with the best pace that was accepted up to the probe."""
        left = sorted(self._accepted)
        if left:
            paces = ((probe.at - at) / (len(left) - number) for number, at in enumerate(left))
            self._interval = min(PACE_MARGIN * min(paces), self._proven_interval or math.inf)
        self._proven_interval = None
        self._measured_calls = len(left)
        self._calls_at_pace = 0
        self._accepted.clear()
        self._accepted.append(probe.at)
        self._closed = False
        self._failure = None
        self._refusals = 0
        self._opened_at = probe.at
        self._next_at = probe.at + self._interval

    def _give_up(self, error: RateLimitedError, wait: float, refused_s: float) -> RateLimitedError | None:
        """The error of the calls that wait; None if they go on waiting."""
        if wait > MAX_RETRY_AFTER_S:
            reason = f", because the wait is longer than {MAX_RETRY_AFTER_S:.0f} s"
        elif refused_s >= self._patience_s:
            reason = f" after {refused_s / 60:.0f} minutes without an accepted call"
        else:
            return None
        failure = copy.copy(error)
        failure.args = (f"{error} — gave up{reason}; resume later",)
        failure.attempts, failure.is_final = 0, True
        return failure


class TicketQueue:
    """A lock. Its next holder is the waiting call with the lowest ticket."""

    def __init__(self) -> None:
        self._is_held = False
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []
        """A heap. Cancelled calls stay in it until they are first."""

    def __len__(self) -> int:
        """Number of waiting calls, with the holder."""
        return self._is_held + sum(not granted.done() for _, granted in self._waiting)

    def has_before(self, ticket: int) -> bool:
        """Whether a call with a lower ticket waits."""
        while self._waiting and self._waiting[0][1].done():
            heapq.heappop(self._waiting)
        return bool(self._waiting) and self._waiting[0][0] < ticket

    @asynccontextmanager
    async def turn(self, ticket: int) -> AsyncGenerator[None, None]:
        """Wait for the lock and hold it."""
        await self._acquire(ticket)
        try:
            yield
        finally:
            self._release()

    async def _acquire(self, ticket: int) -> None:
        if not self._is_held:
            self._is_held = True
            return
        granted = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (ticket, granted))
        try:
            await granted
        except asyncio.CancelledError:
            if not granted.cancelled():
                self._release()
            raise

    def _release(self) -> None:
        self._is_held = False
        while self._waiting and not self._is_held:
            _, granted = heapq.heappop(self._waiting)
            if not granted.done():
                granted.set_result(None)
                self._is_held = True


class RateLimiter:
    """Admits calls in the order of their tickets, when `gate` is open.

    The concurrency adapts: it starts at `max_concurrency`, is halved each time the gate closes (to at least 1), and grows
    by 1 after as many successful calls as its size.
    """

    def __init__(
        self,
        max_concurrency: int,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        *,
        gate: ProviderGate | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._max = max_concurrency
        self._gate = gate or ProviderGate(clock=clock)
        self._requests = RateWindow(requests_per_minute, clock)
        self._tokens = RateWindow(tokens_per_minute, clock)
        self._sleep = sleep
        self._concurrency = max_concurrency
        self._successes = 0
        self._in_flight = 0
        self._tickets = itertools.count()
        self._queue = TicketQueue()
        self._slot_freed = asyncio.Event()

    @property
    def concurrency(self) -> int:
        """Calls that may be in flight now."""
        return self._concurrency

    @property
    def in_flight(self) -> int:
        """Calls in flight."""
        return self._in_flight

    def new_ticket(self) -> int:
        """Place of a call in the queue. A call keeps its ticket when it is made again."""
        return next(self._tickets)

    @asynccontextmanager
    async def slot(
        self, tokens: int, overall: SlotPool | None = None, ticket: int | None = None
    ) -> AsyncGenerator[WindowEntry, None]:
        """A slot for one call of up to `tokens` tokens, and a slot of `overall`; yields its entry in the token window.

        Raises RateLimitedError if the provider's gate has given up.
        """
        with pause_deadline():
            call = await self._admit(self.new_ticket() if ticket is None else ticket, tokens, overall)
        self._requests.add(1)
        try:
            yield self._tokens.add(tokens)
        except RateLimitedError as error:
            if self._gate.refuse(call, error, waiting=len(self._queue) + 1):
                self._concurrency = max(1, self._concurrency // 2)
                self._successes = 0
            raise
        else:
            self._gate.accept(call)
            self._count_success()
        finally:
            self._gate.end(call)
            self._in_flight -= 1
            self._slot_freed.set()
            if overall is not None:
                overall.release()

    async def _admit(self, ticket: int, tokens: int, overall: SlotPool | None) -> Departure:
        while True:
            async with self._queue.turn(ticket):
                call = await self._depart_in_turn(ticket, tokens, overall)
                if call is not None:
                    return call

    async def _depart_in_turn(self, ticket: int, tokens: int, overall: SlotPool | None) -> Departure | None:
        """Wait at the head of the queue; None if a call with a lower ticket came back. A cancelled call takes no slot."""
        while not self._queue.has_before(ticket):
            self._gate.raise_if_given_up()
            if self._is_full:
                self._slot_freed.clear()
                await self._slot_freed.wait()
            elif (wait := self._wait_s(tokens)) > 0:
                await self._sleep(wait)
            else:
                if overall is not None:
                    await overall.acquire()
                if not (self._is_full or self._wait_s(tokens) or self._queue.has_before(ticket)):
                    self._in_flight += 1
                    return self._gate.depart()
                if overall is not None:  # a refusal closed the gate in the meantime
                    overall.release()
        return None

    @property
    def _is_full(self) -> bool:
        return self._in_flight >= self._concurrency or self._gate.awaits_probe

    def _wait_s(self, tokens: int) -> float:
        return max(self._gate.wait_s(), self._requests.wait_s(1), self._tokens.wait_s(tokens))

    def _count_success(self) -> None:
        self._successes += 1
        if self._successes >= self._concurrency:
            self._successes = 0
            self._concurrency = min(self._max, self._concurrency + 1)


class RateLimitedModel:
    """Asks `model` when `limiter` and `overall` admit the call, and again after a refusal (429 or 529).

    A refusal before the answer began is not raised until the provider's gate gives up. Refused requests are added to the
    attempts of the reply or error.
    """

    def __init__(self, model: Model, limiter: RateLimiter, profile: Profile, overall: SlotPool | None = None) -> None:
        self._model = model
        self._profile = profile
        self._limiter = limiter
        self._overall = overall

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer `request` when a slot is free. Raises the errors of the model."""
        tokens, ticket = estimate_total_tokens(request, self._profile), self._limiter.new_ticket()
        stream = make_restartable(on_text)
        refused = 0
        while True:
            try:
                async with self._limiter.slot(tokens, self._overall, ticket) as entry:
                    reply = await self._model.complete(request, stream)
                    entry.amount = reply.usage.input_tokens + reply.usage.output_tokens
                    return replace(reply, attempts=refused + reply.attempts)
            except (ModelError, BudgetError) as error:
                began = stream is not None and stream.has_output
                if isinstance(error, RateLimitedError) and not (error.is_final or began):
                    refused += error.attempts
                    continue
                raise _add_attempts(error, refused) from error


def _add_attempts(error: ModelError | BudgetError, attempts: int) -> ModelError | BudgetError:
    """A copy of `error` with more attempts."""
    added = copy.copy(error)
    added.attempts += attempts
    return added
