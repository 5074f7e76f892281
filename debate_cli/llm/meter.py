"""The usage of one question, request by request, including requests whose answer never arrives.

The engine meters each question and writes what its meter shows to the journal before a request leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

from debate_cli.domain.model_call import ModelCall, add_model_calls

_ACTIVE_METER: ContextVar[CallMeter | None] = ContextVar("meter", default=None)


class CallMeter:
    """Adds up the requests of one question. `record(call)` gets the sum before each request leaves."""

    def __init__(self, record: Callable[[ModelCall], None]) -> None:
        self._record = record
        self.ended: list[ModelCall] = []
        """The requests that have ended, each with its actual or estimated usage."""
        self.has_recorded = False
        """Whether a request was recorded."""
        self.is_waiting = False
        """Whether the next request waits for its turn, so that nothing of the question is in flight."""

    def send(self, reserved: ModelCall) -> None:
        """Record a request that is about to leave, with the usage that is charged if its answer never arrives."""
        self.has_recorded = True
        self._record(add_model_calls(*self.ended, reserved))

    def end(self, call: ModelCall) -> None:
        """Note the usage of a request that has ended."""
        self.ended.append(call)


@contextmanager
def use_meter(meter: CallMeter) -> Generator[None]:
    """Make `meter` the active one of the current task."""
    token = _ACTIVE_METER.set(meter)
    try:
        yield
    finally:
        _ACTIVE_METER.reset(token)


@contextmanager
def waiting_for_turn() -> Generator[None]:
    """Mark the question of the current task as waiting."""
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
    """The meter of the current question, if there is one."""
    return _ACTIVE_METER.get()
