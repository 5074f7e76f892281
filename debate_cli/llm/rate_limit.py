"""Concurrency and rate limits, one `RateLimiter` per provider; and deadlines that pause while a call waits in a queue.

`provider_gate` decides how long the calls of a provider wait after a 429 or 529. `retry` handles other faults.
"""

import asyncio
import copy
import heapq
import itertools
import math
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import NamedTuple, Protocol

from debate_cli.errors import BudgetError, ModelError, RateLimitedError
from debate_cli.llm.meter import waiting_for_turn
from debate_cli.llm.model import Model, OnText, Reply, Request
from debate_cli.llm.profile import Profile
from debate_cli.llm.provider_gate import Departure, ProviderGate
from debate_cli.llm.retry import make_restartable
from debate_cli.llm.usage import estimate_total_tokens

_ACTIVE_DEADLINE: ContextVar[asyncio.Timeout | None] = ContextVar("deadline", default=None)


@contextmanager
def pausable_deadline(deadline: asyncio.Timeout) -> Generator[None]:
    """Allow `pause_deadline` to pause `deadline`, which is already running."""
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
    """Allows at most `limit` requests or tokens in any 60 seconds; None means no limit.

    An amount larger than `limit` waits until the window is empty.
    """

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


class Admission(NamedTuple):
    """Answer of a shared window to a call."""

    wait_s: float
    """Seconds after which to ask again; 0 if the call is admitted."""
    entry: int = 0
    """Number of the call's entry in the window."""


class SharedWindow(Protocol):
    """Requests and tokens of the last minute of one key at one provider, counted for several processes."""

    async def admit(self, tokens: int) -> Admission:
        """Add a call of up to `tokens` tokens if it fits within the limits."""
        ...

    async def correct(self, entry: int, tokens: int) -> None:
        """Correct the tokens of a call that has ended. Never raises, because the answer has already arrived."""
        ...


class SharedRates(Protocol):
    """The shared windows of all providers."""

    def window(self, account: str, requests_per_minute: int | None, tokens_per_minute: int | None) -> SharedWindow:
        """The window of an account: provider, address, and a hash of the key."""
        ...


class TicketQueue:
    """A lock. The waiting call with the lowest ticket gets it next."""

    def __init__(self) -> None:
        self._is_held = False
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []
        """A heap. Cancelled calls stay in it until they are first."""

    def __len__(self) -> int:
        """Number of waiting calls, including the holder."""
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
        shared: SharedWindow | None = None,
    ) -> None:
        """`shared`: window that also counts the calls of other processes."""
        self._shared = shared
        self._shared_until = -math.inf
        """The time until which the shared window has no room."""
        self._clock = clock
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
        """Number of calls that may be in flight now."""
        return self._concurrency

    @property
    def is_closed(self) -> bool:
        """Whether no call may be sent for now because the provider refused one."""
        return self._gate.is_closed

    @property
    def in_flight(self) -> int:
        """Number of calls in flight."""
        return self._in_flight

    def new_ticket(self) -> int:
        """Place of a call in the queue. A call keeps its ticket when it is made again."""
        return next(self._tickets)

    @asynccontextmanager
    async def slot(
        self, tokens: int, overall: SlotPool | None = None, ticket: int | None = None
    ) -> AsyncGenerator[WindowEntry, None]:
        """Take a slot of this provider, and one of the pool `overall`, for a call of up to `tokens` tokens.

        Yields the call's entry in the token window. Raises RateLimitedError if the provider's gate has given up.
        """
        with pause_deadline(), waiting_for_turn():
            call, shared_entry = await self._admit(self.new_ticket() if ticket is None else ticket, tokens, overall)
        self._requests.add(1)
        entry = self._tokens.add(tokens)
        try:
            yield entry
        except RateLimitedError as error:
            if self._gate.refuse(call, error, waiting=len(self._queue) + 1):
                self._concurrency = max(1, self._concurrency // 2)
                self._successes = 0
            raise
        else:
            self._gate.accept(call)
            self._count_success()
            if self._shared is not None and entry.amount != tokens:
                await self._shared.correct(shared_entry, entry.amount)
        finally:
            self._gate.end(call)
            self._in_flight -= 1
            self._slot_freed.set()
            if overall is not None:
                overall.release()

    async def _admit(self, ticket: int, tokens: int, overall: SlotPool | None) -> tuple[Departure, int]:
        """Wait until the call may be sent; also return its entry in the shared window."""
        while True:
            async with self._queue.turn(ticket):
                call = await self._depart_in_turn(ticket, tokens, overall)
                if call is not None:
                    return call

    async def _depart_in_turn(self, ticket: int, tokens: int, overall: SlotPool | None) -> tuple[Departure, int] | None:
        """Wait until the first call of the queue is sent; None if a call with a lower ticket came back to the queue.

        A cancelled call takes no slot.
        """
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
                call = None
                try:
                    call = await self._try_depart(ticket, tokens)
                finally:
                    if overall is not None and call is None:
                        overall.release()
                if call is not None:
                    return call
        return None

    async def _try_depart(self, ticket: int, tokens: int) -> tuple[Departure, int] | None:
        """Send a call; None if a refusal closed the gate meanwhile, or other processes have used up the minute."""
        admission = Admission(0)
        if self._may_leave(ticket, tokens) and self._shared is not None:
            admission = await self._shared.admit(tokens)
            self._shared_until = self._clock() + admission.wait_s
        if not self._may_leave(ticket, tokens):
            return None
        self._in_flight += 1
        return self._gate.depart(), admission.entry

    def _may_leave(self, ticket: int, tokens: int) -> bool:
        return not (self._is_full or self._wait_s(tokens) or self._queue.has_before(ticket))

    @property
    def _is_full(self) -> bool:
        return self._in_flight >= self._concurrency or self._gate.awaits_probe

    def _wait_s(self, tokens: int) -> float:
        shared = self._shared_until - self._clock()
        return max(0.0, shared, self._gate.wait_s(), self._requests.wait_s(1), self._tokens.wait_s(tokens))

    def _count_success(self) -> None:
        self._successes += 1
        if self._successes >= self._concurrency:
            self._successes = 0
            self._concurrency = min(self._max, self._concurrency + 1)


class RateLimitedModel:
    """Asks `model` when `limiter` and `overall` admit the call, and again after a refusal (429 or 529).

    A refusal is raised only when the provider's gate gives up, or after the answer began. Refused requests are added to
    the attempts of the reply or error.
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
    added = copy.copy(error)
    added.attempts += attempts
    return added
