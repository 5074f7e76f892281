"""The one policy for trying again. The SDKs' own are switched off; waits are outside any concurrency limit."""

from __future__ import annotations

import asyncio
import copy
import random as randomness
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar, cast

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type

from debate_cli.errors import BudgetError, ModelError, TransientError
from debate_cli.llm.model import RESTART, Model, OnText, Reply, Request
from debate_cli.llm.usage import UsageAccumulator


class RestartableStream:
    """An `OnText` that knows whether what it passed on is still standing."""

    def __init__(self, on_text: OnText) -> None:
        self._on_text = on_text
        self._has_output = False

    def __call__(self, piece: str) -> None:
        """Pass `piece` on."""
        self._has_output = piece != RESTART
        self._on_text(piece)

    def restart(self) -> None:
        """Say that what was streamed is void, if anything was."""
        if self._has_output:
            self(RESTART)


def make_restartable(on_text: OnText | None) -> RestartableStream | None:
    """A `Restartable` where somebody listens."""
    return None if on_text is None else RestartableStream(on_text)


MIN_WAIT_S = 0.5
MAX_WAIT_S = 30.0
"""Of the backoff: full jitter between the shortest wait and min(longest, shortest · 2ⁿ) after the n-th failure."""
MAX_RETRY_AFTER_S = 60.0
"""A server that asks for more is not waited for."""

ErrorT = TypeVar("ErrorT", ModelError, BudgetError)


def _ignore_note(_note: str) -> None:
    """Tell nobody."""


class RetryingModel:
    """Asks `model` again after a TransientError, at most `max_attempts` times in all.

    A Retry-After is waited for as it stands. `on_retry` is given one line before each wait. Attempts and tokens of
    failures are added to the reply, or to the error that is raised in the end: a copy of the last one whose message
    says how often it was tried. `random(low, high)` draws a wait; `sleep(seconds)` waits.
    """

    def __init__(
        self,
        model: Model,
        *,
        max_attempts: int,
        on_retry: Callable[[str], None] = _ignore_note,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        random: Callable[[float, float], float] = randomness.uniform,
    ) -> None:
        self._model = model
        self._max_attempts = max_attempts
        self._on_retry = on_retry
        self._sleep = sleep
        self._random = random

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer `request`; see the class. Raises ModelError or BudgetError."""
        spent = UsageAccumulator()
        stream = make_restartable(on_text)

        async def attempt() -> Reply:
            if stream is not None:
                stream.restart()
            try:
                return await self._model.complete(request, stream)
            except (ModelError, BudgetError) as error:
                spent.add_failure(error)
                raise

        try:
            reply = cast("Reply", await self._policy()(attempt))
        except ModelError as error:
            raise _copy_error(error, f"{error}{self._format_attempts(error, spent.attempts)}", spent) from error
        except BudgetError as error:
            raise _copy_error(error, str(error), spent) from error
        spent.add_reply(reply)
        return replace(reply, attempts=spent.attempts, usage=spent.usage)

    def _policy(self) -> AsyncRetrying:
        return AsyncRetrying(
            retry=retry_if_exception_type(TransientError),
            stop=self._should_stop,
            wait=self._wait,
            sleep=self._sleep,
            before_sleep=self._report_retry,
            reraise=True,
        )

    def _should_stop(self, state: RetryCallState) -> bool:
        return state.attempt_number >= self._max_attempts or _exceeds_max_retry_after(_last_error(state))

    def _wait(self, state: RetryCallState) -> float:
        asked = getattr(_last_error(state), "retry_after", None)
        if asked is not None and asked > 0:
            return max(float(asked), MIN_WAIT_S)
        longest = min(MAX_WAIT_S, MIN_WAIT_S * 2**state.attempt_number)
        return self._random(MIN_WAIT_S, longest)

    def _report_retry(self, state: RetryCallState) -> None:
        reason = " ".join(str(_last_error(state)).split()).rstrip(".")
        self._on_retry(
            f"{reason}: trying again in {state.upcoming_sleep:.1f} s "
            f"(attempt {state.attempt_number + 1} of {self._max_attempts})"
        )

    def _format_attempts(self, error: ModelError, attempts: int) -> str:
        """What the last error's message says of the attempts."""
        times = f"{attempts} attempt{'' if attempts == 1 else 's'}"
        if isinstance(error, TransientError) and _exceeds_max_retry_after(error):
            return (
                f" — gave up after {times}, as the server asks to wait {error.retry_after:.0f} s "
                f"and no more than {MAX_RETRY_AFTER_S:.0f} s are waited; resume later"
            )
        return f" — gave up after {times}" if isinstance(error, TransientError) or attempts > 1 else ""


def _last_error(state: RetryCallState) -> BaseException | None:
    return None if state.outcome is None else state.outcome.exception()


def _exceeds_max_retry_after(error: BaseException | None) -> bool:
    asked = getattr(error, "retry_after", None)
    return asked is not None and asked > MAX_RETRY_AFTER_S


def _copy_error(error: ErrorT, message: str, spent: UsageAccumulator) -> ErrorT:
    """A copy of `error` with that message, which carries all that was spent."""
    last = copy.copy(error)
    last.args = (message,)
    spent.copy_to_error(last)
    return last
