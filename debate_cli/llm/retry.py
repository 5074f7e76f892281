"""Wrappers that deal with the faults of a model.

- `RetryingModel` sends a request again after a temporary error. (After HTTP 429 or 529, `llm.rate_limit` does this.)
- `SilenceReportingModel` tells the user that no text arrives.
- `ParameterFallbackModel` leaves out a parameter that the server rejects.
- `ExternalModel` raises errors of this program for the faults of a model object that is not part of this program.
"""

import asyncio
import math
import random as randomness
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, cast

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from debate_cli.domain.message_text import format_wait, one_line
from debate_cli.domain.model_call import Usage
from debate_cli.errors import (
    BudgetError,
    CallerModelError,
    CallError,
    ModelTimeoutError,
    ParameterError,
    TransientError,
)
from debate_cli.llm.meter import mark_waiting
from debate_cli.llm.model import RESTART, Model, OnText, Reply, Request
from debate_cli.llm.usage import UsageAccumulator


class RestartableStream:
    """Passes text on to `on_text`. `restart` sends RESTART, which tells `on_text` to discard the text so far."""

    def __init__(self, on_text: OnText) -> None:
        self._on_text = on_text
        self.has_output = False
        """Whether text was passed to `on_text` since the last RESTART."""

    def __call__(self, piece: str) -> None:
        """Pass `piece` to `on_text`."""
        self.has_output = piece != RESTART
        self._on_text(piece)

    def restart(self) -> None:
        """If `on_text` has got text since the last RESTART, tell it to discard this text."""
        if self.has_output:
            self(RESTART)


def make_restartable(on_text: OnText | None) -> RestartableStream | None:
    """Return `on_text` as a `RestartableStream`; None if `on_text` is None."""
    return None if on_text is None else RestartableStream(on_text)


MIN_WAIT_S = 0.5
MAX_WAIT_S = 30.0
"""Maximum random wait after a failure, in seconds."""
MAX_RETRY_AFTER_S = 60.0
"""Maximum `Retry-After` in seconds. A call fails if the server asks for a longer wait."""


def ignore_note(_note: str) -> None:
    """Discard a message to the user."""


def draw_backoff(failures: int, random: Callable[[float, float], float]) -> float:
    """Return a random wait in seconds after `failures` failures in a row. The maximum wait doubles with each failure.

    `random(low, high)` returns the random number.
    """
    return random(MIN_WAIT_S, min(MAX_WAIT_S, MIN_WAIT_S * 2.0 ** min(failures, 9)))


class RetryingModel:
    """Model wrapper. Repeats a request after a TransientError, until `max_attempts` requests were sent.

    Waits as long as `Retry-After` says. Without `Retry-After`, `random(low, high)` returns the wait in seconds. Before
    each wait, `on_retry` is called with a message of one line.

    The reply, or the last error, contains the attempts, usage and seconds of all requests.
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
        """Answer `request`, with retries. Raises ModelError or BudgetError."""
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
            sleep=self._sleep_before_retry,
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
        return spent.to_reply(reply)

    def _wait(self, state: RetryCallState) -> float:
        asked = getattr(state.outcome and state.outcome.exception(), "retry_after", None)
        if asked is not None and asked > 0:
            return max(float(asked), MIN_WAIT_S)
        return draw_backoff(state.attempt_number, self._random)

    async def _sleep_before_retry(self, seconds: float) -> None:
        with mark_waiting():
            await self._sleep(seconds)

    def _report_retry(self, state: RetryCallState) -> None:
        message = one_line(str(state.outcome and state.outcome.exception())).rstrip(".")
        fault = message.rpartition("; ")[0] or message  # the advice after the last `; ` is for a call that failed
        self._on_retry(
            f"{fault}: retrying in {state.upcoming_sleep:.1f} s "
            f"(attempt {state.attempt_number + 1} of {self._max_attempts})"
        )


def _is_retryable(error: BaseException) -> bool:
    return isinstance(error, TransientError) and not error.is_final and (error.retry_after or 0) <= MAX_RETRY_AFTER_S


def _format_attempts(error: CallError, attempts: int) -> str:
    is_transient = isinstance(error, TransientError)
    if isinstance(error, BudgetError) or (is_transient and error.is_final) or (attempts == 1 and not is_transient):
        return ""
    gave_up = f" — gave up after {attempts} attempt{'' if attempts == 1 else 's'}"
    if is_transient and (error.retry_after or 0) > MAX_RETRY_AFTER_S:
        return f"{gave_up}, because the wait is longer than {MAX_RETRY_AFTER_S:.0f} s; resume later"
    return gave_up


SILENCE_S = 30.0
"""Seconds without text after which the program reports to the user that a model is silent."""


class SilenceReportingModel:
    """Model wrapper. Calls `note` if no text arrives for `silence_s` seconds, and again each time the silence doubles.

    - `note`: function that gets a message of one line.
    - `subject`: start of the message, e.g. `still waiting for lab/m`.
    - `reported`: maps a subject to its longest reported silence in seconds. All wrappers share this mapping, so that
      simultaneous requests with the same subject do not repeat a message.
    - `only_longer`: True: later requests with the same subject report only silences that are longer than all reported
      ones. False: each request reports all its silences; when a request ends, `subject` is removed from `reported`.
    """

    def __init__(
        self,
        model: Model,
        note: Callable[[str], None],
        *,
        subject: str,
        reported: dict[str, float],
        only_longer: bool = False,
        silence_s: float = SILENCE_S,
    ) -> None:
        self._model = model
        self._note = note
        self._subject = subject
        self._reported = reported
        self._only_longer = only_longer
        self._silence_s = silence_s

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer `request`. Tell the user through `note` how long the model has sent no text."""
        loop = asyncio.get_running_loop()
        last_text, due = loop.time(), self._silence_s

        def check() -> None:
            nonlocal timer, due
            if last_text + due <= loop.time():
                if due > self._reported.get(self._subject, 0):
                    self._reported[self._subject] = due
                    self._note(f"{self._subject}: {format_wait(due)} so far")
                due *= 2
            timer = loop.call_at(last_text + due, check)

        def forward(piece: str) -> None:
            nonlocal last_text, due
            last_text, due = loop.time(), self._silence_s
            if on_text is not None:
                on_text(piece)

        timer = loop.call_later(self._silence_s, check)
        try:
            return await self._model.complete(request, None if on_text is None else forward)
        finally:
            timer.cancel()
            if not self._only_longer:
                self._reported.pop(self._subject, None)


REPLACED_FIELDS = MappingProxyType({"max_tokens": "max_completion_tokens"})
"""Maps a field of a request's body to the newer field with the same meaning."""


class ParameterFallbackModel:
    """Model wrapper. If the server rejects a parameter, sends the request again without it.

    The parameters are the temperature, the seed, `stream_options` and `max_tokens`. The last one is not left out, but
    replaced (see REPLACED_FIELDS).

    `refused`: parameters that the server has rejected. All wrappers of one model share this set.

    `note` gets one line about each rejected parameter. `name`: the model as `provider/model`.
    """

    def __init__(self, model: Model, refused: set[str], *, name: str, note: Callable[[str], None]) -> None:
        self._model = model
        self._refused = refused
        self._name = name
        self._note = note

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer `request`, without parameters that the server rejects. Raises ModelError or BudgetError."""
        spent = UsageAccumulator()
        rejected = set[str]()
        while True:
            left_out = self._refused | rejected
            sent = replace(
                request,
                temperature=None if "temperature" in left_out else request.temperature,
                seed=None if "seed" in left_out else request.seed,
                omitted_fields=frozenset(left_out - {"temperature", "seed"}),
            )
            try:
                reply = await self._model.complete(sent, on_text)
            except CallError as error:
                spent.add_failure(error)
                if not isinstance(error, ParameterError) or error.parameter in left_out:
                    raise spent.to_error(error) from error
                rejected.add(error.parameter)
                continue
            for parameter in sorted(rejected - self._refused):
                self._note(_format_rejected(self._name, parameter))
            self._refused |= rejected
            spent.add_reply(reply)
            return spent.to_reply(reply)


def _format_rejected(name: str, parameter: str) -> str:
    replacement = REPLACED_FIELDS.get(parameter)
    later = f"omit {parameter}" if replacement is None else f"send {replacement} instead"
    return f"{name} does not accept {parameter}; later requests {later}"


_REPLY_TYPES: Mapping[str, Any] = {
    "text": str,
    "usage": Usage,
    "finish_reason": str | None,
    "truncated": bool,
    "refusal": str | None,
    "latency_s": int | float,
    "attempts": int,
    "is_final": bool,
}


def _checked_callback(on_text: OnText | None) -> OnText | None:
    def check(piece: object) -> None:
        if not isinstance(piece, str):
            msg = f"on_text must be called with a str, not {type(piece).__name__}"
            raise TypeError(msg)
        if on_text is not None:
            on_text(piece)

    return None if on_text is None else check


class ExternalModel:
    """Wrapper for a model object of a Python caller or of a plug-in. Limits the time for an answer.

    Raises CallerModelError if the object violates the protocol `Model`, and ModelTimeoutError after `deadline_s` seconds.

    `name`: the model as `provider/model`, for messages. `advice`: what the user can do about a faulty object.
    """

    def __init__(self, model: Model, name: str, *, deadline_s: float, advice: str) -> None:
        self._model = model
        self._name = name
        self._deadline_s = deadline_s
        self._advice = advice

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Ask the caller's model object.

        A ModelError or BudgetError of the object is raised unchanged. Any other exception, or a result that is not a
        `Reply` with text and usage, becomes a CallerModelError.
        """
        deadline = asyncio.timeout(self._deadline_s)
        started = time.perf_counter()
        try:
            async with deadline:
                reply = cast("object", await self._model.complete(request, _checked_callback(on_text)))
        except CallError:
            raise
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            raise self._make_error("raised CancelledError, although nothing was cancelled") from error
        except Exception as error:
            if not deadline.expired():
                raise self._make_error(f"raised {type(error).__name__} ({error})") from error
            late = ModelTimeoutError(
                f"{self._name} did not complete its answer in {self._deadline_s:g} s; try again, or raise "
                "limits.answer_timeout_s"
            )
            late.latency_s = time.perf_counter() - started
            raise late from None
        if not isinstance(reply, Reply):
            raise self._make_error(f"returned {type(reply).__name__} instead of a `Reply`")
        for field, kind in _REPLY_TYPES.items():
            value = getattr(reply, field)
            if not isinstance(value, kind):
                raise self._make_error(f"returned a `Reply` whose `{field}` is {type(value).__name__}")
        if not 0 <= reply.latency_s < math.inf or reply.attempts < 1:
            raise self._make_error("returned a `Reply` whose `latency_s` or `attempts` is out of range")
        return reply

    def _make_error(self, what: str) -> CallerModelError:
        return CallerModelError(f"the model object for {self._name} {what}; {self._advice}")
