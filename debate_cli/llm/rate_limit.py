"""Concurrency and rate limits: one `RateLimiter` per provider, with a gate that closes after a 429 or 529.

`llm.retry` repeats calls after other faults.
"""

import asyncio
import bisect
import copy
import itertools
import math
import random as randomness
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import NamedTuple, Protocol

from debate_cli.errors import CallError, RateLimitedError
from debate_cli.llm.meter import waiting_for_turn
from debate_cli.llm.model import Model, OnText, Profile, Reply, Request
from debate_cli.llm.retry import MAX_RETRY_AFTER_S, MIN_WAIT_S, draw_backoff, ignore_note, make_restartable
from debate_cli.llm.usage import estimate_total_tokens

# The gate of a provider -------------------------------------------------------------------------------------------

MAX_CLOSED_S = 600.0
"""Waiting calls fail after this many seconds without an accepted call."""
PACE_MARGIN = 1.02
"""Factor that makes the pace slower than the measured pace, because clocks and networks are not exact."""
MAX_WAITS_PER_INTERVAL = 4
"""Maximum interval between calls, as a multiple of the total wait before the accepted probe."""
QUICKENING = 0.85
"""Factor by which the interval between calls is multiplied after a series of accepted calls, so that the pace grows."""
SERIES = 3
"""Length of a series, as a multiple of the number of calls from which the pace was measured. The pace grows after each
series of accepted calls."""
MAX_REMEMBERED_CALLS = 1000
"""Maximum number of accepted calls from which a pace is measured."""


class Departure(NamedTuple):
    """A call that was sent to the provider."""

    at: float
    """Time of sending, in seconds of the gate's clock."""
    is_probe: bool
    """Whether the call was the first one after the gate closed."""


class ProviderGate:
    """Holds back the calls of one provider after the provider refused a call (429 or 529).

    The refusal closes the gate for the time in Retry-After, or for a random backoff. Then one call is sent as a probe.
    If the provider accepts it, the waiting calls follow at the fastest pace at which calls were accepted before the
    refusal. The pace grows after each series of accepted calls, and the next refusal does not lower it below that of
    the last whole series. The waiting calls fail if Retry-After is longer than MAX_RETRY_AFTER_S, or if no call is
    accepted for `patience_s`.

    `name`: the provider's name in notes. `random(low, high)`: draws a backoff in seconds.
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
        self.is_closed = False
        """Whether all calls wait because of a refusal."""
        self.is_probing = False
        """Whether a probe is in flight. No other call may be sent until it ends."""
        self._refusals = 0
        """Number of refused calls that closed the gate since the last accepted probe."""
        self._next_at = 0.0
        """Time at which the next call may be sent."""
        self._opened_at = 0.0
        """Time at which the last accepted probe was sent."""
        self._waited_s = 0.0
        """Sum of the waits since the gate closed."""
        self._refused_since: float | None = None
        """Time at which the server began to refuse every call; None after an accepted call."""
        self._failure: RateLimitedError | None = None
        """Error for the waiting calls, if the gate has given up."""
        self._interval = 0.0
        """Seconds between two calls."""
        self._accepted: deque[float] = deque(maxlen=MAX_REMEMBERED_CALLS)
        """Times at which the accepted calls were sent, since the gate last opened."""
        self._proven_interval = math.inf
        """Interval of the last complete series without a refusal, since the gate last opened."""
        self._series_calls = 0
        """Number of calls in a series. The pace grows after each series of accepted calls."""
        self._calls_at_pace = 0

    def wait_s(self) -> float:
        """Return the seconds until the next call may be sent."""
        return max(0.0, self._next_at - self._clock())

    def raise_if_given_up(self) -> None:
        """Raise RateLimitedError if the gate has given up and the next call may not be sent yet."""
        if self._failure is not None and self.wait_s() > 0:
            raise copy.copy(self._failure)

    def depart(self) -> Departure:
        """Register a call that is being sent."""
        now = self._clock()
        self.is_probing = self.is_closed
        self._next_at = now + self._interval
        return Departure(now, self.is_probing)

    def accept(self, call: Departure) -> None:
        """Register that the provider answered `call`."""
        self._refused_since = None
        if call.is_probe:
            self._open(call)
            return
        self._accepted.append(call.at)
        self._calls_at_pace += 1
        if self._interval and self._calls_at_pace >= self._series_calls:
            self._calls_at_pace = 0
            self._proven_interval = self._interval
            self._interval *= QUICKENING

    def refuse(self, call: Departure, error: RateLimitedError, waiting: int) -> bool:
        """Close the gate because of `error`. Return whether the gate was open.

        `waiting`: number of waiting calls, for the note. If `call` was sent before the gate closed, or before the last
        accepted probe, its refusal only prolongs the wait.
        """
        now = self._clock()
        if self._refused_since is None:
            self._refused_since = now
        asked = error.retry_after or 0.0
        if not call.is_probe and (self.is_closed or call.at < self._opened_at):
            self._next_at = max(self._next_at, now + min(asked, MAX_RETRY_AFTER_S))
            return False
        wait = max(asked, MIN_WAIT_S) if asked > 0 else draw_backoff(self._refusals + 1, self._random)
        self._refusals += 1
        self._waited_s += wait
        self.is_closed = True
        self._next_at = max(self._next_at, now + wait)
        self._failure = self._give_up(error, wait, now - self._refused_since)
        if self._failure is None:
            calls = f"{waiting} call{' waits' if waiting == 1 else 's wait'}"
            self._note(f"{self._name} limits requests: waiting {wait:.2g} s, {calls}")
        return True

    def end(self, call: Departure) -> None:
        """Register that `call` has ended. If a probe was neither accepted nor refused, the next call is a probe."""
        if call.is_probe:
            self.is_probing = False

    def _open(self, probe: Departure) -> None:
        """Open the gate. Set the pace to the fastest average from any accepted call to the probe.

        Because the fastest average counts, a time in which no call was due does not slow the pace. The interval between
        calls is at most MAX_WAITS_PER_INTERVAL times the sum of the waits before the probe, because a server that
        refuses calls at random would otherwise slow the pace more and more.
        """
        sent = sorted(self._accepted)
        if sent:
            measured = PACE_MARGIN * min((probe.at - at) / (len(sent) - number) for number, at in enumerate(sent))
            self._interval = min(measured, MAX_WAITS_PER_INTERVAL * self._waited_s, self._proven_interval)
        self._proven_interval = math.inf
        self._series_calls = SERIES * len(sent)
        self._calls_at_pace = 0
        self._accepted.clear()
        self._accepted.append(probe.at)
        self._waited_s = 0.0
        self._refusals = 0
        self._failure = None
        self.is_closed = False
        self._opened_at = probe.at
        self._next_at = probe.at + self._interval

    def _give_up(self, error: RateLimitedError, wait: float, refused_s: float) -> RateLimitedError | None:
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


# Limits per minute ------------------------------------------------------------------------------------------------

MINUTE_S = 60.0


@dataclass(slots=True)
class WindowEntry:
    """One call in a window."""

    at: float
    amount: int
    """Requests or tokens of the call. They are corrected when the actual amount is known."""


class RateWindow:
    """Allows at most `limit` requests or tokens in any 60 seconds; None means no limit.

    A call whose amount is larger than `limit` waits until no other call is in the window.
    """

    def __init__(self, limit: int | None, clock: Callable[[], float]) -> None:
        self._limit = limit
        self._clock = clock
        self._entries: deque[WindowEntry] = deque()

    def wait_s(self, amount: int) -> float:
        """Return the seconds until `amount` fits into the window; 0 if it fits now."""
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
    """Whether a call may be sent now according to a `SharedWindow`; if not, how long the call waits."""

    wait_s: float
    """Seconds after which to ask again; 0 if the call is admitted."""
    entry: int = 0
    """Number of the call's entry in the window, for `SharedWindow.correct`; 0 if the call was not admitted."""


class SharedWindow(Protocol):
    """The requests and tokens of the last minute for one key at one provider, counted over several processes."""

    async def admit(self, tokens: int) -> Admission:
        """Admit a call of up to `tokens` tokens if it fits within the limits. Add an admitted call to the window."""
        ...

    async def correct(self, entry: int, tokens: int) -> None:
        """Set the actual tokens of a call that has ended. Never raises, because the reply has already arrived."""
        ...


SharedRates = Callable[[str, int | None, int | None], SharedWindow]
"""Returns the window of an account (provider, address and a hash of the key). The other arguments are its limits:
requests and tokens per minute."""


# Admission of calls -----------------------------------------------------------------------------------------------


_Place = tuple[int, asyncio.Event]
"""The position of a call in the queue: its ticket, and an event that wakes the call when it comes first."""


class RateLimiter:
    """Admits calls in the order of their tickets while `gate` is open.

    The concurrency adapts. It starts at `max_concurrency`, is halved (to at least 1) each time the gate closes, and
    grows by 1 when as many calls as the concurrency have succeeded. `shared`: window that also counts the calls of
    other processes.
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
        self._max = max_concurrency
        self._gate = gate or ProviderGate(clock=clock)
        self._requests = RateWindow(requests_per_minute, clock)
        self._tokens = RateWindow(tokens_per_minute, clock)
        self._clock = clock
        self._sleep = sleep
        self._shared = shared
        self._shared_until = -math.inf
        """Time until which the shared window has no room."""
        self._successes = 0
        self._tickets = itertools.count()
        self._waiting: list[_Place] = []
        """Waiting calls, lowest ticket first."""
        self.concurrency = max_concurrency
        """Number of calls that may be in flight now."""
        self.in_flight = 0
        """Number of calls in flight."""

    @property
    def is_closed(self) -> bool:
        """Whether all calls wait because the provider refused one."""
        return self._gate.is_closed

    def new_ticket(self) -> int:
        """Return a ticket: a position in the queue. A call that is made again keeps its ticket."""
        return next(self._tickets)

    @asynccontextmanager
    async def slot(
        self, tokens: int, overall: asyncio.Semaphore | None = None, ticket: int | None = None
    ) -> AsyncGenerator[WindowEntry, None]:
        """Take a slot of this provider, and one of the run (`overall`), for a call of up to `tokens` tokens.

        Yields the call's entry in the token window. Raises RateLimitedError if the provider's gate has given up.
        """
        with waiting_for_turn():
            call, shared_entry = await self._admit(self.new_ticket() if ticket is None else ticket, tokens, overall)
        self._requests.add(1)
        entry = self._tokens.add(tokens)
        try:
            yield entry
        except RateLimitedError as error:
            if self._gate.refuse(call, error, waiting=len(self._waiting) + 1):
                self.concurrency = max(1, self.concurrency // 2)
                self._successes = 0
            raise
        else:
            self._gate.accept(call)
            self._successes += 1
            if self._successes >= self.concurrency:
                self._successes = 0
                self.concurrency = min(self._max, self.concurrency + 1)
            if self._shared is not None and entry.amount != tokens:
                await self._shared.correct(shared_entry, entry.amount)
        finally:
            self._gate.end(call)
            self.in_flight -= 1
            self._wake_first()
            if overall is not None:
                overall.release()

    async def _admit(self, ticket: int, tokens: int, overall: asyncio.Semaphore | None) -> tuple[Departure, int]:
        """Wait until the call may be sent. Return its departure and the number of its entry in the shared window."""
        wake = asyncio.Event()
        place = (ticket, wake)
        bisect.insort(self._waiting, place, key=itemgetter(0))
        try:
            while True:
                self._gate.raise_if_given_up()
                if self._is_full or self._waiting[0] is not place:
                    wake.clear()
                    await wake.wait()
                elif (wait := self._wait_s(tokens)) > 0:
                    await self._sleep(wait)
                elif (departed := await self._try_depart(place, tokens, overall)) is not None:
                    return departed
        finally:
            self._waiting.remove(place)
            self._wake_first()

    async def _try_depart(
        self, place: _Place, tokens: int, overall: asyncio.Semaphore | None
    ) -> tuple[Departure, int] | None:
        """Register that the call at `place` is sent. Return None if it may not be sent yet.

        One reason is that another call became the first of the queue while this one waited for a slot of the run
        (`overall`).
        """
        if overall is not None:
            await overall.acquire()
        has_left = False
        try:
            admission = Admission(0)
            if self._shared is not None and self._may_leave(place, tokens):
                admission = await self._shared.admit(tokens)
                self._shared_until = self._clock() + admission.wait_s
            has_left = self._may_leave(place, tokens)
            if not has_left:
                return None
            self.in_flight += 1
            return self._gate.depart(), admission.entry
        finally:
            if overall is not None and not has_left:
                overall.release()

    def _may_leave(self, place: _Place, tokens: int) -> bool:
        return self._waiting[0] is place and not self._is_full and not self._wait_s(tokens)

    @property
    def _is_full(self) -> bool:
        return self.in_flight >= self.concurrency or self._gate.is_probing

    def _wait_s(self, tokens: int) -> float:
        shared = self._shared_until - self._clock()
        return max(0.0, shared, self._gate.wait_s(), self._requests.wait_s(1), self._tokens.wait_s(tokens))

    def _wake_first(self) -> None:
        if self._waiting:
            self._waiting[0][1].set()


class RateLimitedModel:
    """Asks `model` when `limiter` and `overall` admit the call. Asks again after a refusal (429 or 529).

    A refusal is raised only if the provider's gate gives up, or if the answer had begun. The attempts of the reply or
    error include refused requests.
    """

    def __init__(
        self, model: Model, limiter: RateLimiter, profile: Profile, overall: asyncio.Semaphore | None = None
    ) -> None:
        self._model = model
        self._profile = profile
        self._limiter = limiter
        self._overall = overall

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer `request` when a slot is free. Raises errors of the model."""
        tokens, ticket = estimate_total_tokens(request, self._profile), self._limiter.new_ticket()
        stream = make_restartable(on_text)
        refused = 0
        while True:
            try:
                async with self._limiter.slot(tokens, self._overall, ticket) as entry:
                    reply = await self._model.complete(request, stream)
                    entry.amount = reply.usage.input_tokens + reply.usage.output_tokens
                    return replace(reply, attempts=refused + reply.attempts)
            except CallError as error:
                began = stream is not None and stream.has_output
                if isinstance(error, RateLimitedError) and not (error.is_final or began):
                    refused += error.attempts
                    continue
                last = copy.copy(error)
                last.attempts += refused
                raise last from error
