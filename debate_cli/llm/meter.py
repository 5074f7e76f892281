"""Counts the requests of one task and the time that its models take.

Before a request is sent, the engine writes to the journal what the request may cost. The deadline of a call pauses
while the call waits in a queue of this program.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

from debate_cli.domain.model_call import ModelCall, add_model_calls

_ACTIVE_METER: ContextVar[CallMeter | None] = ContextVar("meter", default=None)
_ACTIVE_DEADLINE: ContextVar[asyncio.Timeout | None] = ContextVar("deadline", default=None)


class CallMeter:
    """Adds up the requests of one task.

    Before each request is sent, calls `record(call)` with the sum of all ended requests and the amount that the new
    request reserves.
    """

    def __init__(self, record: Callable[[ModelCall], None]) -> None:
        self._record = record
        self.ended: list[ModelCall] = []
        """The requests that have ended, each with its actual or estimated usage."""
        self.has_recorded = False
        """Whether a request was recorded."""
        self.is_waiting = False
        """Whether the next request waits in a queue."""

    def send(self, reserved: ModelCall) -> None:
        """Record a request before it is sent. `reserved` is charged if no answer arrives."""
        self.has_recorded = True
        self._record(add_model_calls(*self.ended, reserved))


def active_meter() -> CallMeter | None:
    """Return the meter of the current asyncio task; None if it has none."""
    return _ACTIVE_METER.get()


@contextmanager
def use_meter(meter: CallMeter) -> Generator[None]:
    """Make `meter` the active meter of the current asyncio task."""
    token = _ACTIVE_METER.set(meter)
    try:
        yield
    finally:
        _ACTIVE_METER.reset(token)


@contextmanager
def pausable_deadline(deadline: asyncio.Timeout) -> Generator[None]:
    """Let `waiting_for_turn` pause `deadline`. The deadline must already be running."""
    token = _ACTIVE_DEADLINE.set(deadline)
    try:
        yield
    finally:
        _ACTIVE_DEADLINE.reset(token)


@contextmanager
def waiting_for_turn() -> Generator[None]:
    """Mark the call of the current asyncio task as waiting in a queue, and pause its deadline.

    The marks may be nested, as when a call that waits for a batch also waits for the budget.
    """
    meter, deadline = active_meter(), _ACTIVE_DEADLINE.get()
    until = None if deadline is None else deadline.when()
    now = asyncio.get_running_loop().time
    left = None if until is None else until - now()
    if deadline is not None:
        deadline.reschedule(None)
    waited = meter is not None and meter.is_waiting
    if meter is not None:
        meter.is_waiting = True
    try:
        yield
    finally:
        if meter is not None:
            meter.is_waiting = waited
        if deadline is not None and left is not None:
            deadline.reschedule(now() + left)
