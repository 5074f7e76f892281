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
from debate_cli.llm.port import Model, OnText, Reply, Request
from debate_cli.llm.spending import Spending
from debate_cli.llm.streaming import restartable

SHORTEST_WAIT_S = 0.5
LONGEST_WAIT_S = 30.0
"""Of the backoff: full jitter between the shortest wait and min(longest, shortest · 2ⁿ) after the n-th failure."""
LONGEST_RETRY_AFTER_S = 60.0
"""A server that asks for more is not waited for."""

E = TypeVar("E", ModelError, BudgetError)


def _silent(_note: str) -> None:
    """Tell nobody."""


class Retrying:
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
        on_retry: Callable[[str], None] = _silent,
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
        spent = Spending()
        stream = restartable(on_text)

        async def attempt() -> Reply:
            if stream is not None:
                stream.restart()
            try:
                return await self._model.complete(request, stream)
            except (ModelError, BudgetError) as error:
                spent.failed(error)
                raise

        try:
            reply = cast("Reply", await self._policy()(attempt))
        except ModelError as error:
            raise _last(error, f"{error}{self._ending(error, spent.attempts)}", spent) from error
        except BudgetError as error:
            raise _last(error, str(error), spent) from error
        spent.replied(reply)
        return replace(reply, attempts=spent.attempts, usage=spent.usage)

    def _policy(self) -> AsyncRetrying:
        return AsyncRetrying(
            retry=retry_if_exception_type(TransientError),
            stop=self._is_over,
            wait=self._wait,
            sleep=self._sleep,
            before_sleep=self._tell,
            reraise=True,
        )

    def _is_over(self, state: RetryCallState) -> bool:
        return state.attempt_number >= self._max_attempts or _asks_too_much(_failure(state))

    def _wait(self, state: RetryCallState) -> float:
        asked = getattr(_failure(state), "retry_after", None)
        if asked is not None and asked > 0:
            return max(float(asked), SHORTEST_WAIT_S)
        longest = min(LONGEST_WAIT_S, SHORTEST_WAIT_S * 2**state.attempt_number)
        return self._random(SHORTEST_WAIT_S, longest)

    def _tell(self, state: RetryCallState) -> None:
        reason = " ".join(str(_failure(state)).split()).rstrip(".")
        self._on_retry(
            f"{reason}: trying again in {state.upcoming_sleep:.1f} s "
            f"(attempt {state.attempt_number + 1} of {self._max_attempts})"
        )

    def _ending(self, error: ModelError, attempts: int) -> str:
        """What the last error's message says of the attempts."""
        times = f"{attempts} attempt{'' if attempts == 1 else 's'}"
        if isinstance(error, TransientError) and _asks_too_much(error):
            return (
                f" — gave up after {times}, as the server asks to wait {error.retry_after:.0f} s "
                f"and no more than {LONGEST_RETRY_AFTER_S:.0f} s are waited; resume later"
            )
        return f" — gave up after {times}" if isinstance(error, TransientError) or attempts > 1 else ""


def _failure(state: RetryCallState) -> BaseException | None:
    return None if state.outcome is None else state.outcome.exception()


def _asks_too_much(error: BaseException | None) -> bool:
    asked = getattr(error, "retry_after", None)
    return asked is not None and asked > LONGEST_RETRY_AFTER_S


def _last(error: E, message: str, spent: Spending) -> E:
    """A copy of `error` with that message, which carries all that was spent."""
    last = copy.copy(error)
    last.args = (message,)
    spent.charge(last)
    return last
