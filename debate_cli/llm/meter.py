"""Counts the usage of one task, request by request, including requests whose answer never arrives.

The engine writes the count to the journal before each request is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

from debate_cli.domain.model_call import ModelCall, add_model_calls

_ACTIVE_METER: ContextVar[CallMeter | None] = ContextVar("meter", default=None)


class CallMeter:
    """Adds up the requests of one task. Calls `record(call)` with the sum before each request is sent."""

    def __init__(self, record: Callable[[ModelCall], None]) -> None:
        self._record = record
        self.ended: list[ModelCall] = []
        """The requests that have ended, each with its actual or estimated usage."""
        self.has_recorded = False
        """Whether a request was recorded."""
        self.is_waiting = False
        """Whether the next request waits in a queue, so that no request of the task is in flight."""

    def send(self, reserved: ModelCall) -> None:
        """Record a request that is about to be sent, with the usage to charge if its answer never arrives."""
        self.has_recorded = True
        self._record(add_model_calls(*self.ended, reserved))

    def end(self, call: ModelCall) -> None:
        """Add the usage of a request that has ended."""
        self.ended.append(call)


@contextmanager
def use_meter(meter: CallMeter) -> Generator[None]:
    """Make `meter` the active one of the current asyncio task."""
    token = _ACTIVE_METER.set(meter)
    try:
        yield
    finally:
        _ACTIVE_METER.reset(token)


@contextmanager
def waiting_for_turn() -> Generator[None]:
    """Mark the call of the current asyncio task as waiting in a queue."""
    meter = active_meter()
    if meter is None:
        yield
        return
    meter.is_waiting = True
    try:
        yield
    finally:
        meter.is_waiting = False


def active_meter() -> CallMeter | None:
    """The active meter, or None."""
    return _ACTIVE_METER.get()
