"""Wrappers of a model: retry after faults, drop a parameter that the server rejects, report a silent model.

The retries of the SDKs are turned off. A call that waits for its retry holds no slot of the concurrency limits.
`rate_limit.RateLimitedModel` repeats refused calls (429 and 529), which do not count as attempts here.
"""

import asyncio
import random as randomness
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import cast

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from debate_cli.errors import BudgetError, CallError, SamplingError, TransientError
from debate_cli.llm.model import RESTART, Model, OnText, Reply, Request
from debate_cli.llm.usage import UsageAccumulator


class RestartableStream:
    """An `OnText` that remembers whether it has sent text since the last RESTART."""

    def __init__(self, on_text: OnText) -> None:
        self._on_text = on_text
        self.has_output = False
        """Whether text was sent since the last RESTART."""

    def __call__(self, piece: str) -> None:
        """Forward `piece`."""
        self.has_output = piece != RESTART
        self._on_text(piece)

    def restart(self) -> None:
        """Send RESTART if text was streamed."""
        if self.has_output:
            self(RESTART)


def make_restartable(on_text: OnText | None) -> RestartableStream | None:
    """Wrap `on_text`. Return None if `on_text` is None."""
    return None if on_text is None else RestartableStream(on_text)


MIN_WAIT_S = 0.5
MAX_WAIT_S = 30.0
"""Longest wait in seconds. The wait after the n-th failure is random, from MIN_WAIT_S to min(MAX_WAIT_S, MIN_WAIT_S ·
2ⁿ)."""
MAX_RETRY_AFTER_S = 60.0
"""Longest Retry-After in seconds. A longer one ends the retries."""


def ignore_note(_note: str) -> None:
    """Ignore a note."""


def draw_backoff(failures: int, random: Callable[[float, float], float]) -> float:
    """Return a random number of seconds to wait after this many failures in a row.

    `random(low, high)` draws the number.
    """
    return random(MIN_WAIT_S, min(MAX_WAIT_S, MIN_WAIT_S * 2.0 ** min(failures, 9)))


class RetryingModel:
    """Asks `model` again after a TransientError, up to `max_attempts` attempts.

    Waits for Retry-After if the server gives it, otherwise for a random backoff. Calls `on_retry` with one line before
    each wait. Adds the attempts and tokens of failures to the reply or to a copy of the last error. That copy's message
    also says how many attempts were made.

    `random(low, high)` draws a wait in seconds, `sleep(seconds)` waits.
    """

    def __init__(
        self,
        model: Model,
        *,
        max_attempts: int,
        on_retry: Callable[[str], None] = ignore_note,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        random: Callable[[float, float], float] = randomness.uniform,
    ) -> None:
        self._model = model
        self._max_attempts = max_attempts
        self._on_retry = on_retry
        self._sleep = sleep
        self._random = random

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer `request`. Raises ModelError or BudgetError."""
        spent = UsageAccumulator()
        stream = make_restartable(on_text)

        async def attempt() -> Reply:
            if stream is not None:
                stream.restart()
            try:
                return await self._model.complete(request, stream)
            except CallError as error:
                spent.add_failure(error)
                raise

        policy = AsyncRetrying(
            retry=retry_if_exception(_is_retryable),
            stop=stop_after_attempt(self._max_attempts),
            wait=self._wait,
            sleep=self._sleep,
            before_sleep=self._report_retry,
            reraise=True,
        )
        try:
            reply = cast("Reply", await policy(attempt))
        except CallError as error:
            last = spent.to_error(error)
            last.args = (f"{error}{_format_attempts(error, spent.attempts)}",)
            raise last from error
        spent.add_reply(reply)
        return replace(reply, attempts=spent.attempts, usage=spent.usage)

    def _wait(self, state: RetryCallState) -> float:
        asked = getattr(state.outcome and state.outcome.exception(), "retry_after", None)
        if asked is not None and asked > 0:
            return max(float(asked), MIN_WAIT_S)
        return draw_backoff(state.attempt_number, self._random)

    def _report_retry(self, state: RetryCallState) -> None:
        reason = " ".join(str(state.outcome and state.outcome.exception()).split()).rstrip(".")
        self._on_retry(
            f"{reason}: retrying in {state.upcoming_sleep:.1f} s "
            f"(attempt {state.attempt_number + 1} of {self._max_attempts})"
        )


def _is_retryable(error: BaseException) -> bool:
    return isinstance(error, TransientError) and not error.is_final and (error.retry_after or 0) <= MAX_RETRY_AFTER_S


def _format_attempts(error: CallError, attempts: int) -> str:
    """Return the end of the last error's message: the number of attempts, and why no further one was made."""
    is_transient = isinstance(error, TransientError)
    if isinstance(error, BudgetError) or (is_transient and error.is_final) or (attempts == 1 and not is_transient):
        return ""
    gave_up = f" — gave up after {attempts} attempt{'' if attempts == 1 else 's'}"
    if is_transient and (error.retry_after or 0) > MAX_RETRY_AFTER_S:
        return f"{gave_up}, because the wait is longer than {MAX_RETRY_AFTER_S:.0f} s; resume later"
    return gave_up


SILENCE_S = 30.0
"""Seconds without text after which a silent model is first reported."""


class SilenceReportingModel:
    """Asks `model`. Calls `note` if no text arrives for `silence_s` seconds.

    After each note `silence_s` doubles for all later notes, so that a slow model does not fill the screen with notes.
    """

    def __init__(self, model: Model, note: Callable[[str], None], *, name: str, silence_s: float = SILENCE_S) -> None:
        """`name`: `provider/model`, for the note."""
        self._model = model
        self._note = note
        self._name = name
        self._silence_s = silence_s

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer `request` as the model does."""
        loop = asyncio.get_running_loop()
        last_text = loop.time()

        def check() -> None:
            nonlocal timer
            left = last_text + self._silence_s - loop.time()
            if left > 0:
                timer = loop.call_later(left, check)
            else:
                self._note(f"still waiting for {self._name} (nothing for {self._silence_s:g} s)")
                self._silence_s *= 2

        def forward(piece: str) -> None:
            nonlocal last_text
            last_text = loop.time()
            if on_text is not None:
                on_text(piece)

        timer = loop.call_later(self._silence_s, check)
        try:
            return await self._model.complete(request, None if on_text is None else forward)
        finally:
            timer.cancel()


class ParameterFallbackModel:
    """Asks `model` again without the temperature or the seed if its server rejects that parameter.

    When the repeated request gets an answer, the parameter is added to `refused` and not sent again. All wrappers of
    one model share this set. `note` gets one line about the parameter, with `name` for the model. The reply, or the
    final error, includes the attempts and usage of rejected requests.
    """

    def __init__(self, model: Model, refused: set[str], *, name: str, note: Callable[[str], None]) -> None:
        self._model = model
        self._refused = refused
        self._name = name
        self._note = note

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer `request`. Raises ModelError or BudgetError."""
        spent = UsageAccumulator()
        rejected = set[str]()
        while True:
            left_out = self._refused | rejected
            sent = replace(
                request,
                temperature=None if "temperature" in left_out else request.temperature,
                seed=None if "seed" in left_out else request.seed,
            )
            try:
                reply = await self._model.complete(sent, on_text)
            except CallError as error:
                spent.add_failure(error)
                if not isinstance(error, SamplingError) or getattr(sent, error.parameter) is None:
                    raise spent.to_error(error) from error
                rejected.add(error.parameter)
                continue
            for parameter in sorted(rejected - self._refused):
                self._note(f"{self._name} does not accept {parameter}; it is left out from now on")
            self._refused |= rejected
            spent.add_reply(reply)
            return replace(reply, attempts=spent.attempts, usage=spent.usage)
