"""How long an asker waits for an answer: the clock stands still while the question waits for its turn with us.

A limit on the model's time would else be used up by our own queue, where one model serves many askers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

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
