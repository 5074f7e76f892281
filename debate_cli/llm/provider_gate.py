"""Holds back the calls of a provider after it refused one (429 or 529), and finds the pace that it accepts.

Only decides when calls may be sent; `rate_limit.RateLimiter` waits and sends them.
"""

import copy
import math
import random as randomness
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from debate_cli.errors import RateLimitedError
from debate_cli.llm.retry import MAX_RETRY_AFTER_S, MIN_WAIT_S, draw_backoff, ignore_note


@dataclass(frozen=True, slots=True)
class Departure:
    """A call that was sent to the provider."""

    at: float
    """Time of sending, in seconds of the gate's clock."""
    is_probe: bool
    """Whether it is the first call after the gate closed."""


MAX_CLOSED_S = 600.0
"""Seconds without an accepted call after which waiting calls fail."""
PACE_MARGIN = 1.02
"""Factor by which the pace is slower than the measured one, because clocks and networks are not exact."""
MAX_WAITS_PER_INTERVAL = 4
"""The interval between calls is at most this many times the wait after which the gate last opened."""
QUICKENING = 0.85
"""Factor by which the interval between calls is multiplied after a series of accepted calls."""
SERIES = 3
"""Sets how many accepted calls make the pace grow: this many times the number from which the pace was measured."""
MAX_REMEMBERED_CALLS = 1000
"""Maximum number of accepted calls from which a pace is measured."""


class ProviderGate:
    """Holds back the calls of one provider after it refused one (429 or 529).

    The refusal closes the gate for Retry-After, or for a random backoff. Then one call is sent as a probe. If the
    provider accepts it, the others follow at the fastest pace at which calls were accepted since the gate last opened.
    After a series of accepted calls the pace grows; the next refusal restores the pace of that series. If Retry-After
    is longer than MAX_RETRY_AFTER_S, or no call was accepted for `patience_s`, the waiting calls fail.

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
        self._is_closed = False
        self._is_probing = False
        self._refusals = 0
        """Refused calls that closed the gate since the last accepted probe."""
        self._next_at = 0.0
        """When the next call may leave."""
        self._opened_at = 0.0
        """When the last accepted probe left."""
        self._waited_s = 0.0
        """Sum of the waits since the gate closed."""
        self._sufficient_wait_s = 0.0
        """Total wait after which the gate last opened; or half of the value before, if that is longer."""
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
        """Number of calls from which the pace was last measured. The pace grows after SERIES times as many."""
        self._calls_at_pace = 0

    @property
    def is_closed(self) -> bool:
        """Whether all calls wait because of a refusal."""
        return self._is_closed

    @property
    def awaits_probe(self) -> bool:
        """Whether no call may be sent until the probe in flight ends."""
        return self._is_probing

    def wait_s(self) -> float:
        """Seconds until the next call may be sent."""
        return max(0.0, self._next_at - self._clock())

    def raise_if_given_up(self) -> None:
        """Raise RateLimitedError if the gate has given up, unless its wait is over."""
        if self._failure is not None and self.wait_s() > 0:
            raise copy.copy(self._failure)

    def depart(self) -> Departure:
        """Register a call that is being sent."""
        now = self._clock()
        self._is_probing = self._is_closed
        self._next_at = now + self._interval
        return Departure(now, self._is_probing)

    def accept(self, call: Departure) -> None:
        """Register that the provider answered `call`."""
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
        """Close the gate because of `error`. Returns whether it was open.

        `waiting`: number of waiting calls, for the note. A call that was sent before the gate closed, or before the
        accepted probe, only prolongs the wait.
        """
        now = self._clock()
        is_late = not call.is_probe and (self._is_closed or call.at < self._opened_at)
        if self._refused_since is None:
            self._refused_since = now
        asked = error.retry_after or 0.0
        if is_late:
            self._next_at = max(self._next_at, now + min(asked, MAX_RETRY_AFTER_S))
            return False
        wait = max(asked, MIN_WAIT_S) if asked > 0 else draw_backoff(self._refusals + 1, self._random)
        self._refusals += 1
        self._waited_s += wait
        self._is_closed = True
        self._next_at = now + wait
        self._failure = self._give_up(error, wait, now - self._refused_since)
        if self._failure is None:
            calls = f"{waiting} call{' waits' if waiting == 1 else 's wait'}"
            self._note(f"{self._name} limits requests: waiting {wait:.2g} s, {calls}")
        return True

    def end(self, call: Departure) -> None:
        """Register that `call` has ended. If a probe was neither accepted nor refused, the next call is a probe."""
        if call.is_probe:
            self._is_probing = False

    def _open(self, probe: Departure) -> None:
        """Open the gate. Calls are then sent at the fastest pace at which calls were accepted before.

        The interval is bounded by the waits after which calls were accepted. Without this bound the pace would become
        ever slower if a server refuses calls at random.
        """
        self._sufficient_wait_s, self._waited_s = max(self._waited_s, self._sufficient_wait_s / 2), 0.0
        left = sorted(self._accepted)
        if left:
            paces = ((probe.at - at) / (len(left) - number) for number, at in enumerate(left))
            fastest = min(*paces, MAX_WAITS_PER_INTERVAL * self._sufficient_wait_s)
            self._interval = min(PACE_MARGIN * fastest, self._proven_interval or math.inf)
        self._proven_interval = None
        self._measured_calls = len(left)
        self._calls_at_pace = 0
        self._accepted.clear()
        self._accepted.append(probe.at)
        self._is_closed = False
        self._failure = None
        self._refusals = 0
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
