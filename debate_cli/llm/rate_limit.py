"""Limits the calls to each provider, and holds calls back after the provider refused one (HTTP 429 or 529)."""

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
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple, Protocol

from debate_cli.domain.message_text import format_wait
from debate_cli.errors import CallError, RateLimitedError
from debate_cli.llm.meter import pause_deadline
from debate_cli.llm.model import Model, OnText, Profile, Reply, Request
from debate_cli.llm.retry import MAX_RETRY_AFTER_S, MIN_WAIT_S, draw_backoff, ignore_note, make_restartable
from debate_cli.llm.usage import UsageAccumulator, estimate_total_tokens

# The gate of a provider -------------------------------------------------------------------------------------------

MAX_CLOSED_S = 600.0
"""If the provider accepts no call for this many seconds, the waiting calls fail."""
FIRST_REMINDER_S = 30.0
"""After this many seconds without an accepted call, the user is reminded of the wait. The time until the next reminder
doubles with each reminder."""
PACE_MARGIN = 1.02
"""Factor by which the computed gap between calls is lengthened, because clocks and networks are not exact."""
MAX_GAP_FACTOR = 4
"""Factor for the maximum gap (time between two calls) after a `ProviderGate` opens. The maximum is MAX_GAP_FACTOR × the
total time that calls had to wait while the gate was closed. Without a maximum, a server that refuses calls at random
would make the gap ever longer."""
GAP_FACTOR_PER_SERIES = 0.85
"""Factor by which the gap between calls is multiplied after each series of accepted calls (see SERIES_LENGTH)."""
SERIES_LENGTH = 3
"""Factor for the length of a series of accepted calls. When a `ProviderGate` opens, it computes the gap between calls
from the accepted calls since its previous opening. N is the number of these calls. A series has SERIES_LENGTH × N
further accepted calls. After each series, the gap becomes shorter (see GAP_FACTOR_PER_SERIES)."""
MIN_PACED_CALLS = 3
"""Minimum number of accepted calls from which a `ProviderGate` computes a gap after the first refusal in a run. If the
provider accepted fewer calls before this refusal, the pace that it accepts is unknown. Then the calls after this
refusal are sent without a gap."""
MAX_REMEMBERED_CALLS = 1000
"""Maximum number of accepted calls that are remembered. The gap between calls is computed from their times."""


class SentCall(NamedTuple):
    """A call that was sent to a provider."""

    at: float
    """Time when the call was sent, in seconds on the gate's clock."""
    is_probe: bool
    """Whether the call is a probe, which tests whether the provider accepts calls again."""


class ProviderGate:
    """Holds back the calls to one provider after the provider refused a call (HTTP 429 or 529).

    A refusal closes the gate. After a wait, one call is sent as a probe. If the provider accepts the probe, the gate
    opens. The waiting calls are then sent at a pace that the provider accepted before the refusal. If too few calls
    were accepted to show a pace (MIN_PACED_CALLS), the waiting calls are sent without a gap.

    The gate gives up if Retry-After is above MAX_RETRY_AFTER_S, or after `patience_s` seconds without an accepted call.
    The waiting calls then fail.

    `name`: name of the provider. `random(low, high)`: returns a random wait in seconds.
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
        """Whether all calls wait because the provider refused a call."""
        self.is_probing = False
        """Whether a probe was sent and has not ended. No other call may be sent meanwhile."""
        self._refusals = 0
        """Number of refusals since the gate was last open. Late refusals (see `refuse`) are not counted."""
        self._next_at = 0.0
        self._probe_sent_at = 0.0
        self._waited_since_closed_s = 0.0
        self._refused_since: float | None = None
        self._next_note_s = 0.0
        """After this many seconds without an accepted call, the next refusal is reported to the user."""
        self._failure: RateLimitedError | None = None
        self._interval_s = 0.0
        self._has_opened_again = False
        """Whether the provider gate has been opened again after a refusal at least once."""
        self._accepted_at: deque[float] = deque(maxlen=MAX_REMEMBERED_CALLS)
        self._proven_interval_s = math.inf
        """The shortest gap between calls, in seconds, at which the provider answered a series of `_series_calls` calls.
        Infinite before the first series. Reset when the gate opens."""
        self._series_calls = 0
        self._calls_at_pace = 0

    def describe_wait(self) -> str:
        """Return a text: how long calls have waited, and when the next call is sent.

        The text is empty if this provider gate is open or has given up.
        """
        if not self.is_closed or self._failure is not None:
            return ""
        waited = 0.0 if self._refused_since is None else self._clock() - self._refused_since
        limit = f"waited {waited:.0f} of at most {self._patience_s:.0f} s"
        return f"{self._name} limits requests: {limit}, next try in {self.wait_s():.0f} s"

    def wait_s(self) -> float:
        """Return the seconds until the next call may be sent."""
        return max(0.0, self._next_at - self._clock())

    def raise_if_given_up(self) -> None:
        """Raise RateLimitedError if the gate has given up waiting for the provider and the next call may not be sent yet."""
        if self._failure is not None and self.wait_s() > 0:
            raise copy.copy(self._failure)

    def start_call(self) -> SentCall:
        """Register that a call is sent now."""
        now = self._clock()
        self.is_probing = self.is_closed
        self._next_at = now + self._interval_s
        return SentCall(now, self.is_probing)

    def accept(self, call: SentCall) -> None:
        """Register that the provider answered `call`."""
        self._refused_since = None
        self._next_note_s = 0.0
        if call.is_probe:
            self._open(call)
            return
        self._accepted_at.append(call.at)
        self._calls_at_pace += 1
        if self._interval_s and self._calls_at_pace >= self._series_calls:
            self._calls_at_pace = 0
            self._proven_interval_s = self._interval_s
            self._interval_s *= GAP_FACTOR_PER_SERIES

    def refuse(self, call: SentCall, error: RateLimitedError, waiting: int) -> bool:
        """Register that the provider refused `call` with `error`. Returns False for a late refusal, else True.

        A refusal is late if `call` was sent before an earlier refusal closed the gate. A late refusal does not
        close the gate, but the next call may have to wait longer. Any other refusal closes the gate or keeps it closed.

        `waiting`: number of waiting calls, for the message to the user.
        """
        now = self._clock()
        if self._refused_since is None:
            self._refused_since = now
        asked = error.retry_after or 0.0
        if not call.is_probe and (self.is_closed or call.at < self._probe_sent_at):
            self._next_at = max(self._next_at, now + min(asked, MAX_RETRY_AFTER_S))
            return False
        wait = max(asked, MIN_WAIT_S) if asked > 0 else draw_backoff(self._refusals + 1, self._random)
        self._refusals += 1
        self._waited_since_closed_s += wait
        self.is_closed = True
        self._next_at = max(self._next_at, now + wait)
        refused_s = now - self._refused_since
        self._failure = self._give_up(error, wait, refused_s)
        if self._failure is None and refused_s >= self._next_note_s:
            self._report_wait(wait, refused_s, waiting)
        return True

    def end(self, call: SentCall) -> None:
        """Register the end of `call`, whatever its result."""
        if call.is_probe:
            self.is_probing = False

    def _open(self, probe: SentCall) -> None:
        sent = sorted(self._accepted_at)
        if len(sent) >= MIN_PACED_CALLS or (sent and self._has_opened_again):
            measured = PACE_MARGIN * min((probe.at - at) / (len(sent) - number) for number, at in enumerate(sent))
            self._interval_s = min(measured, MAX_GAP_FACTOR * self._waited_since_closed_s, self._proven_interval_s)
        self._has_opened_again = True
        self._proven_interval_s = math.inf
        self._series_calls = SERIES_LENGTH * len(sent)
        self._calls_at_pace = 0
        self._accepted_at.clear()
        self._accepted_at.append(probe.at)
        self._waited_since_closed_s = 0.0
        self._refusals = 0
        self._failure = None
        self.is_closed = False
        self._probe_sent_at = probe.at
        self._next_at = probe.at + self._interval_s

    def _report_wait(self, wait: float, refused_s: float, waiting: int) -> None:
        waits = f"waited {format_wait(refused_s)}" if refused_s >= FIRST_REMINDER_S else f"waiting {wait:.2g} s"
        self._next_note_s = max(FIRST_REMINDER_S, 2 * self._next_note_s)
        calls = f"{waiting} call{' waits' if waiting == 1 else 's wait'}"
        self._note(f"{self._name} limits requests: {waits}, {calls} (gives up after {format_wait(self._patience_s)})")

    def _give_up(self, error: RateLimitedError, wait: float, refused_s: float) -> RateLimitedError | None:
        if wait > MAX_RETRY_AFTER_S:
            reason = f", because the wait is longer than {MAX_RETRY_AFTER_S:.0f} s"
        elif refused_s >= self._patience_s:
            reason = f" after {refused_s / 60:.0f} minutes without an accepted call"
        else:
            return None
        failure = copy.copy(error)
        failure.args = (f"{error} — gave up{reason}; resume later",)
        failure.attempts, failure.usage, failure.latency_s = 0, None, 0.0
        failure.is_final = True
        return failure


# Limits per minute ------------------------------------------------------------------------------------------------

WINDOW_S = 62.0
"""Seconds for which an admitted call counts toward the limits per minute. They are more than 60, because calls need
different times to reach the provider, e.g. if the first call has to connect."""


@dataclass(slots=True)
class WindowEntry:
    """One call of the last WINDOW_S seconds."""

    at: float
    amount: int
    """Tokens of the call, or 1 if the window counts requests. The tokens are an estimate until the call has ended."""


class RateWindow:
    """Limits the number of requests, or of tokens, in any WINDOW_S seconds to `limit`. A `limit` of None means no limit.

    A call with more tokens than `limit` waits until the window contains no call.
    """

    def __init__(self, limit: int | None, clock: Callable[[], float]) -> None:
        self._limit = limit
        self._clock = clock
        self._entries: deque[WindowEntry] = deque()

    def wait_s(self, amount: int) -> float:
        """Return the seconds until `amount` requests or tokens fit into the window; 0 if they fit now."""
        now = self._clock()
        while self._entries and self._entries[0].at + WINDOW_S <= now:
            self._entries.popleft()
        if self._limit is None:
            return 0.0
        excess = sum(entry.amount for entry in self._entries) + min(amount, self._limit) - self._limit
        wait = 0.0
        for entry in self._entries:
            if excess <= 0:
                break
            excess -= entry.amount
            wait = entry.at + WINDOW_S - now
        return wait

    def add(self, amount: int) -> WindowEntry:
        """Add a call of `amount` requests or tokens to the window."""
        entry = WindowEntry(self._clock(), amount)
        self._entries.append(entry)
        return entry


class Admission(NamedTuple):
    """Whether a `SharedWindow` admits a call; if not, how long the call has to wait."""

    wait_s: float
    """Seconds after which the call may be tried again; 0 if the call was admitted."""
    entry: int = 0
    """Number of the call in the window, for `SharedWindow.correct`; 0 if the call was not admitted."""


class SharedWindow(Protocol):
    """Counts the calls of several processes to one provider with one API key, over the last minute."""

    async def admit(self, tokens: int) -> Admission:
        """If the limits allow a call of up to `tokens` tokens now, add the call to the window.

        Returns whether the call was admitted and, if not, how long to wait.
        """
        ...

    async def correct(self, entry: int, tokens: int) -> None:
        """Set the tokens of an admitted call to the number that the call used. `entry`: the call's `Admission.entry`.

        Never raises, so that the call's answer is not lost.
        """
        ...


SharedRates = Callable[[str, int | None, int | None], SharedWindow]
"""Function that returns the shared window of an account. Arguments: the account (provider, address and a hash of the
API key), its maximum of requests per minute, and its maximum of tokens per minute. A maximum of None means no limit."""


# Admission of calls -----------------------------------------------------------------------------------------------


_WaitingCall = tuple[int, asyncio.Event]


class RateLimiter:
    """Admits calls to one provider in the order of their tickets (positions in a queue).

    At first, `max_concurrency` calls may run at once. A refused call halves this number. Answered calls raise it again,
    up to `max_concurrency`.

    `shared`: counts the calls of all processes; None if there is only one process.
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
        self._shared_closed_until = -math.inf
        self._successes = 0
        self._tickets = itertools.count()
        self._waiting: list[_WaitingCall] = []
        self.concurrency = max_concurrency
        """Number of calls that may be in flight at once."""
        self.in_flight = 0

    @property
    def is_closed(self) -> bool:
        """Whether all calls wait because the provider refused a call."""
        return self._gate.is_closed

    def new_ticket(self) -> int:
        """Return a ticket, which is a position in the queue. A call that is sent again keeps its ticket."""
        return next(self._tickets)

    @asynccontextmanager
    async def slot(
        self, tokens: int, overall: asyncio.Semaphore | None = None, ticket: int | None = None
    ) -> AsyncGenerator[WindowEntry, None]:
        """Wait until a call of up to `tokens` tokens may be sent. The caller sends the call in the `with` block.

        Yields a WindowEntry. After the call, the caller sets the entry's `amount` to the tokens used.

        `overall`: limits the concurrent calls of the whole run. `ticket`: the call's position in the queue; None means
        the last position.

        Raises RateLimitedError if the provider refuses calls for too long.
        """
        with pause_deadline():
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

    async def _admit(self, ticket: int, tokens: int, overall: asyncio.Semaphore | None) -> tuple[SentCall, int]:
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
                elif (started := await self._try_start(place, tokens, overall)) is not None:
                    return started
        finally:
            self._waiting.remove(place)
            self._wake_first()

    async def _try_start(
        self, place: _WaitingCall, tokens: int, overall: asyncio.Semaphore | None
    ) -> tuple[SentCall, int] | None:
        if overall is not None:
            await overall.acquire()
        may_start = False
        try:
            admission = Admission(0)
            if self._shared is not None and self._may_start(place, tokens):
                admission = await self._shared.admit(tokens)
                self._shared_closed_until = self._clock() + admission.wait_s
            may_start = self._may_start(place, tokens)
            if not may_start:
                if self._shared is not None and admission.entry:  # the gate closed during `admit`
                    await self._shared.correct(admission.entry, 0)
                return None
            self.in_flight += 1
            return self._gate.start_call(), admission.entry
        finally:
            if overall is not None and not may_start:
                overall.release()

    def _may_start(self, place: _WaitingCall, tokens: int) -> bool:
        return self._waiting[0] is place and not self._is_full and not self._wait_s(tokens)

    @property
    def _is_full(self) -> bool:
        return self.in_flight >= self.concurrency or self._gate.is_probing

    def _wait_s(self, tokens: int) -> float:
        shared = self._shared_closed_until - self._clock()
        return max(0.0, shared, self._gate.wait_s(), self._requests.wait_s(1), self._tokens.wait_s(tokens))

    def _wake_first(self) -> None:
        if self._waiting:
            self._waiting[0][1].set()


class RateLimitedModel:
    """Model wrapper. Sends a call when `limiter` admits it, and sends it again after a refusal (HTTP 429 or 529).

    Raises RateLimitedError if the refusal comes in the middle of an answer, or if the provider refuses calls for too
    long.

    `overall`: limits the concurrent calls of the whole run.
    """

    def __init__(
        self, model: Model, limiter: RateLimiter, profile: Profile, overall: asyncio.Semaphore | None = None
    ) -> None:
        self._model = model
        self._profile = profile
        self._limiter = limiter
        self._overall = overall

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer `request` as soon as the limits admit the call."""
        tokens, ticket = estimate_total_tokens(request, self._profile), self._limiter.new_ticket()
        stream = make_restartable(on_text)
        spent = UsageAccumulator()
        while True:
            try:
                async with self._limiter.slot(tokens, self._overall, ticket) as entry:
                    reply = await self._model.complete(request, stream)
                    entry.amount = reply.usage.input_tokens + reply.usage.output_tokens
                    spent.add_reply(reply)
                    return spent.to_reply(reply)
            except CallError as error:
                spent.add_failure(error)
                began = stream is not None and stream.has_output
                if isinstance(error, RateLimitedError) and not (error.is_final or began):
                    continue
                raise spent.to_error(error) from error
