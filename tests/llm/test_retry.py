"""Retry policy: which errors are retried, the waits, and the notes."""

import asyncio

import pytest
from llm_support import USAGE, Act, FakeModel, reply, request

from debate_cli.domain.model_call import Usage
from debate_cli.errors import (
    BrokenBodyError,
    BudgetError,
    ContextOverflowError,
    ModelTimeoutError,
    QuotaExhaustedError,
    RateLimitedError,
    RejectedError,
    ServerError,
    TransientError,
    TruncatedError,
    UnauthorizedError,
    UnknownModelError,
    UnreachableError,
    UnsupportedError,
)
from debate_cli.llm.model import RESTART, OnText, Reply, Request
from debate_cli.llm.retry import RetryingModel


class Run:
    """Calls through the policy; records waits, notes and streamed pieces."""

    def __init__(self, *acts: Act, max_attempts: int = 5, luck: float = 1.0) -> None:
        self.model = FakeModel(*acts)
        self.naps: list[float] = []
        self.notes: list[str] = []
        self.pieces: list[str] = []
        self.retrying = RetryingModel(
            self.model,
            max_attempts=max_attempts,
            on_retry=self.notes.append,
            sleep=self._sleep,
            random=lambda low, high: low + luck * (high - low),
        )

    async def _sleep(self, seconds: float) -> None:
        self.naps.append(seconds)

    def reply(self) -> Reply:
        """The reply, or the error raised."""
        return asyncio.run(self.retrying.complete(request(), self.pieces.append))


@pytest.mark.parametrize(
    "error", [UnreachableError, ModelTimeoutError, RateLimitedError, ServerError, TruncatedError, BrokenBodyError]
)
def test_transient_errors_are_retried(error: type[TransientError]) -> None:
    """After a transient error the second attempt can succeed."""
    run = Run(error("gone"), "well")
    assert (run.reply().text, run.reply().attempts, len(run.model.requests)) == ("well", 1, 3)


@pytest.mark.parametrize(
    "error",
    [
        RejectedError("no"),
        UnsupportedError("no"),
        UnauthorizedError("no"),
        UnknownModelError("no"),
        ContextOverflowError("no"),
        QuotaExhaustedError("no"),
        BudgetError("no"),
        ZeroDivisionError("no"),
    ],
)
def test_permanent_errors_are_not_retried(error: Exception) -> None:
    """A permanent error is raised at once, unchanged."""
    run = Run(error)
    with pytest.raises(type(error), match=r"^no$"):
        run.reply()
    assert (len(run.model.requests), run.naps) == (1, [])


def test_attempts_and_tokens_of_failures_are_added() -> None:
    """A reply includes the attempts and usage of earlier failures."""
    failed = TruncatedError("cut")
    failed.usage = Usage(input_tokens=7, cached_tokens=3, output_tokens=2)
    answer = Run(failed, ServerError("503"), "well").reply()
    assert answer.attempts == 3
    assert answer.usage == USAGE + Usage(input_tokens=7, cached_tokens=3, output_tokens=2)


def test_the_last_error_has_the_totals() -> None:
    """The error has the number of attempts and the known usage."""
    failed = ServerError("lab answered 503")
    failed.usage = Usage(output_tokens=4)
    run = Run(failed, max_attempts=3)
    with pytest.raises(ServerError, match=r"^lab answered 503 — gave up after 3 attempts$") as caught:
        run.reply()
    assert (caught.value.attempts, caught.value.usage) == (3, Usage(output_tokens=12))
    assert (failed.attempts, failed.usage) == (1, Usage(output_tokens=4))


def test_the_seconds_of_failed_attempts_are_added() -> None:
    """A reply and the last error have the seconds of all attempts, without the waits between them."""

    def timed_out() -> ModelTimeoutError:
        error = ModelTimeoutError("silent")
        error.latency_s = 120.0
        return error

    assert Run(timed_out(), "well").reply().latency_s == 120.5
    with pytest.raises(ModelTimeoutError) as caught:
        Run(timed_out(), max_attempts=3).reply()
    assert caught.value.latency_s == 360.0


@pytest.mark.parametrize(("luck", "naps"), [(1.0, [1, 2, 4, 8, 16, 30, 30]), (0.0, [0.5] * 7)])
def test_backoff_grows_to_thirty_seconds(luck: float, naps: list[float]) -> None:
    """Full jitter between half a second and a limit that doubles."""
    run = Run(ServerError("503"), max_attempts=8, luck=luck)
    with pytest.raises(ServerError):
        run.reply()
    assert run.naps == naps


@pytest.mark.parametrize(
    ("asked", "waited"), [(12.0, 12.0), (60.0, 60.0), (0.1, 0.5), (0.0, 1.0), (-3.0, 1.0), (None, 1.0)]
)
def test_retry_after_sets_the_wait(asked: float | None, waited: float) -> None:
    """Retry-After sets the wait, up to a minute; zero is ignored."""
    run = Run(RateLimitedError("429", retry_after=asked), "well")
    run.reply()
    assert run.naps == [waited]


def test_a_longer_retry_after_is_not_waited_for() -> None:
    """A Retry-After over a minute ends the retries, and the message says why."""
    run = Run(ServerError("lab answered 503", retry_after=300))
    with pytest.raises(
        ServerError,
        match=r"answered 503 — gave up after 1 attempt, because the wait is longer than 60 s; resume later$",
    ):
        run.reply()
    assert (len(run.model.requests), run.naps) == (1, [])


def test_each_retry_has_a_note() -> None:
    """Each retry has one line with its reason, wait and attempt, without advice for a call that failed."""
    run = Run(ServerError("lab answered\n503."), ServerError("lab answered 500: a; b; try again later"), "well")
    run.reply()
    assert run.notes == [
        "lab answered 503: retrying in 1.0 s (attempt 2 of 5)",
        "lab answered 500: a; b: retrying in 2.0 s (attempt 3 of 5)",
    ]


class BreaksOnce:
    """Streams half an answer, breaks once, then answers."""

    def __init__(self, half: str) -> None:
        self._half = half
        self._calls = 0

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Break off on the first call."""
        assert on_text is not None
        assert request.messages
        self._calls += 1
        if self._calls == 1:
            if self._half:
                on_text(self._half)
            raise TruncatedError("cut")
        on_text("whole")
        return reply("whole")


@pytest.mark.parametrize(("half", "pieces"), [("ha", ["ha", RESTART, "whole"]), ("", ["whole"])])
def test_a_retry_voids_what_was_streamed(half: str, pieces: list[str]) -> None:
    """RESTART is sent before a retry if text was streamed."""
    received: list[str] = []

    async def no_wait(_seconds: float) -> None:
        """Return at once."""

    asyncio.run(RetryingModel(BreaksOnce(half), max_attempts=2, sleep=no_wait).complete(request(), received.append))
    assert received == pieces


def test_a_cancelled_call_is_not_retried() -> None:
    """The cancellation of a call is raised without a retry."""
    run = Run(asyncio.CancelledError())
    with pytest.raises(asyncio.CancelledError):
        run.reply()
    assert len(run.model.requests) == 1
