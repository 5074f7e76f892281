"""A model object that is not part of this program: its faults become errors of a model, and its time is limited."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, cast

import pytest
from llm_support import reply, request

from debate_cli.errors import BudgetError, CallerModelError, CallError, ModelTimeoutError, ServerError
from debate_cli.llm.model import OnText, Reply, Request
from debate_cli.llm.retry import ExternalModel

DEADLINE_S = 0.05


class Answering:
    """Answers with what `act` returns."""

    def __init__(self, act: Callable[[], Awaitable[Any]]) -> None:
        self._act = act

    async def complete(self, request: Request, on_text: OnText | None = None) -> Any:
        """See `Model`."""
        return await self._act()


async def ask(act: Callable[[], Awaitable[Any]], deadline_s: float = DEADLINE_S) -> Reply:
    """The reply to one request."""
    return await ExternalModel(Answering(act), "acme/x", deadline_s=deadline_s, advice="correct it").complete(request())


async def test_an_answer_and_an_error_of_a_call_are_unchanged() -> None:
    """The object may raise errors of a model or of the budget."""
    good = reply("fine")

    async def answer() -> Reply:
        return good

    assert await ask(answer) is good
    for error in (ServerError("503"), BudgetError("too much")):

        async def fail(error: CallError = error) -> None:
            raise error

        with pytest.raises(CallError) as caught:
            await ask(fail)
        assert caught.value is error


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (ValueError("boom"), "raised ValueError (boom)"),
        (TimeoutError(), "raised TimeoutError ()"),
        (None, "returned NoneType instead of a `Reply`"),
        (replace(reply("x"), text=None), "returned a `Reply` whose `text` is NoneType"),
        (replace(reply("x"), usage=None), "returned a `Reply` whose `usage` is NoneType"),
        (replace(reply("x"), finish_reason=5), "returned a `Reply` whose `finish_reason` is int"),
        (
            replace(reply("x"), latency_s=float("nan")),
            "returned a `Reply` whose `latency_s` or `attempts` is out of range",
        ),
        (replace(reply("x"), attempts=0), "returned a `Reply` whose `latency_s` or `attempts` is out of range"),
        (asyncio.CancelledError(), "raised CancelledError, although nothing was cancelled"),
    ],
    ids=str,
)
async def test_a_fault_of_the_object_is_an_error_of_the_model(result: Any, words: str) -> None:
    """The message names the model, the fault and the advice."""

    async def act() -> Any:
        if isinstance(result, BaseException):
            raise result
        return result

    with pytest.raises(CallerModelError) as caught:
        await ask(act)
    assert str(caught.value) == f"the model object for acme/x {words}; correct it"


async def sleep_for_ever() -> None:
    """Never answer."""
    await asyncio.Event().wait()


async def fail_when_cancelled() -> None:
    """Never answer, and raise another exception when cancelled."""
    try:
        await sleep_for_ever()
    except asyncio.CancelledError:
        raise ValueError("closed") from None


@pytest.mark.parametrize("act", [sleep_for_ever, fail_when_cancelled])
async def test_an_answer_has_a_deadline(act: Callable[[], Awaitable[None]]) -> None:
    """The error may be billed, has the seconds of the call and names the setting."""
    with pytest.raises(ModelTimeoutError) as caught:
        await ask(act)
    assert str(caught.value) == (
        "acme/x did not complete its answer in 0.05 s; try again, or raise limits.answer_timeout_s"
    )
    assert caught.value.may_be_billed
    assert caught.value.latency_s >= DEADLINE_S


async def test_a_deadline_of_the_caller_is_not_the_deadline_of_the_answer() -> None:
    """The caller of the model may stop waiting before the deadline."""
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(DEADLINE_S):
            await ask(sleep_for_ever, deadline_s=60)


async def test_only_texts_are_passed_on() -> None:
    """A piece of another type is a fault of the object, before it reaches the journal or the screen."""

    class Streaming:
        """Passes bytes to the callback."""

        async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
            """See `Model`."""
            assert on_text is not None
            on_text(cast("str", b"x"))
            return reply("x")

    pieces: list[str] = []
    model = ExternalModel(Streaming(), "acme/x", deadline_s=DEADLINE_S, advice="correct it")
    with pytest.raises(CallerModelError, match=r"raised TypeError .on_text must be called with a str, not bytes."):
        await model.complete(request(), pieces.append)
    assert pieces == []
