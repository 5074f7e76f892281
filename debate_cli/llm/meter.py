"""Adds up the usage of each task of a debate, and pauses deadlines while a call waits in a queue of this program."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar

from debate_cli.domain.model_call import ModelCall, add_model_calls

_ACTIVE_METER: ContextVar[CallMeter | None] = ContextVar("meter", default=None)
_ACTIVE_DEADLINE: ContextVar[asyncio.Timeout | None] = ContextVar("deadline", default=None)


class CallMeter:
    """Adds up the usage of all requests for one task of a debater (a cue) or of a judge (a brief).

    Before each request, `record` is called with the usage so far plus the maximum usage of the new request. After a
    request, the task may have to wait before it sends the next request (see `is_waiting`). When this wait begins,
    `record` is called with the usage so far.

    `clock`: returns a monotonic time in seconds.
    """

    def __init__(self, record: Callable[[ModelCall], None], *, clock: Callable[[], float] = time.monotonic) -> None:
        self._record = record
        self._clock = clock
        self._waited_s = 0.0
        self.ended: list[ModelCall] = []
        """The requests that have ended, each with its actual or estimated usage."""
        self.has_recorded = False
        self._recorded_count = 0
        """Number of ended requests whose actual usage was passed to `record`."""
        self.is_waiting = False
        """Whether the task waits before its next request: in a queue of this program, or after a failed request."""

    def record_request(self, reserved: ModelCall) -> None:
        """Call `record` with the usage so far plus `reserved`. `reserved`: maximum usage of the next request."""
        self.has_recorded, self._recorded_count = True, len(self.ended)
        self._record(add_model_calls(*self.ended, reserved))

    def _record_ended(self) -> None:
        if self.has_recorded and self._recorded_count < len(self.ended):
            self._recorded_count = len(self.ended)
            self._record(add_model_calls(*self.ended))

    def active_s(self) -> float:
        """Return the time of `clock` in seconds, minus all time that the task has waited (see `is_waiting`).

        The difference of two results is the time between them without the waits.
        """
        return self._clock() - self._waited_s

    @contextmanager
    def mark_waiting(self) -> Generator[None]:
        """During the `with` block, `is_waiting` is True. Can be nested."""
        if self.is_waiting:
            yield
            return
        self._record_ended()
        self.is_waiting, began = True, self._clock()
        try:
            yield
        finally:
            self.is_waiting = False
            self._waited_s += self._clock() - began


def active_meter() -> CallMeter | None:
    """Return the `CallMeter` of the current asyncio task; None if the task has none."""
    return _ACTIVE_METER.get()


@contextmanager
def use_meter(meter: CallMeter) -> Generator[None]:
    """During the `with` block, `meter` is the `CallMeter` of the current asyncio task."""
    token = _ACTIVE_METER.set(meter)
    try:
        yield
    finally:
        _ACTIVE_METER.reset(token)


@contextmanager
def mark_waiting() -> Generator[None]:
    """During the `with` block, `is_waiting` of the current asyncio task's `CallMeter` is True. Can be nested."""
    meter = active_meter()
    with nullcontext() if meter is None else meter.mark_waiting():
        yield


@contextmanager
def pausable_deadline(deadline: asyncio.Timeout) -> Generator[None]:
    """During the `with` block, each call of `pause_deadline` pauses `deadline`. `deadline` must already be running."""
    token = _ACTIVE_DEADLINE.set(deadline)
    try:
        yield
    finally:
        _ACTIVE_DEADLINE.reset(token)


@contextmanager
def pause_deadline() -> Generator[None]:
    """Pause the deadline of the current asyncio task during the `with` block. Can be nested.

    Meanwhile, `is_waiting` of the task's `CallMeter` is True. Use this while the task waits in a queue of this program.
    """
    deadline = _ACTIVE_DEADLINE.get()
    until = None if deadline is None else deadline.when()
    now = asyncio.get_running_loop().time
    left = None if until is None else until - now()
    if deadline is not None:
        deadline.reschedule(None)
    try:
        with mark_waiting():
            yield
    finally:
        if deadline is not None and left is not None:
            deadline.reschedule(now() + left)
