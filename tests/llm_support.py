"""Fakes for the tests of `debate_cli.llm`: a scripted model, and a clock that sleeping advances."""

import asyncio
import heapq
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from debate_cli.domain.model_call import Usage
from debate_cli.llm.form import Form, FormModel
from debate_cli.llm.model import Message, OnText, Reply, Request

Act = Reply | BaseException | str
"""What a fake model does on one call: return the reply, raise the error, or return a reply with the text."""
USAGE = Usage(input_tokens=100, cached_tokens=40, output_tokens=10)


class Opinion(FormModel):
    """A small form."""

    reason: str
    score: int


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "score": {"type": "integer", "minimum": 1, "maximum": 10}},
    "required": ["reason", "score"],
    "additionalProperties": False,
}
OPINION = Form("opinion", Opinion, SCHEMA)
LENIENT = Form("opinion", Opinion, SCHEMA, lenient=True)
GOOD = '{"reason": "sound", "score": 7}'
TOO_HIGH = '{"reason": "sound", "score": 70}'


def request(text: str = "Judge this.", *, max_output_tokens: int = 100, stable_chars: int = 0) -> Request:
    """A plain request."""
    return Request(
        system="Rules.",
        messages=(Message("user", text),),
        purpose="judge.structured",
        max_output_tokens=max_output_tokens,
        stable_chars=stable_chars,
    )


def reply(text: str, *, usage: Usage = USAGE, **fields: Any) -> Reply:
    """An ordinary reply that took half a second."""
    return replace(Reply(text=text, usage=usage, finish_reason="stop", latency_s=0.5), **fields)


class FakeModel:
    """Does its acts in order and repeats the last one; records `requests`."""

    def __init__(self, *acts: Act, before: Callable[[], Awaitable[None]] | None = None) -> None:
        self._acts = list(acts)
        self._before = before
        self.requests: list[Request] = []

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Do the next act; a text is streamed in one piece."""
        act = self._acts[min(len(self.requests), len(self._acts) - 1)]
        self.requests.append(request)
        if self._before is not None:
            await self._before()
        if isinstance(act, BaseException):
            raise act
        answer = reply(act) if isinstance(act, str) else act
        if on_text is not None and answer.text:
            on_text(answer.text)
        return answer


class Clock:
    """A fake clock that advances when all tasks sleep."""

    def __init__(self) -> None:
        self.now = 0.0
        self.naps: list[float] = []
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    def __call__(self) -> float:
        """Seconds since the start."""
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Wait until the clock has advanced by `seconds`."""
        self.naps.append(seconds)
        future = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self.now + seconds, len(self.naps), future))
        await future

    async def run(self, *work: Awaitable[Any]) -> list[Any]:
        """Run `work` concurrently, advancing the clock whenever all tasks sleep. Returns results and errors in order."""
        tasks = [asyncio.ensure_future(each) for each in work]
        while not all(task.done() for task in tasks):
            await settle()
            if self._sleepers:
                self.now, _, future = heapq.heappop(self._sleepers)
                if not future.done():
                    future.set_result(None)
            elif not all(task.done() for task in tasks):
                raise AssertionError("all tasks wait, and none sleeps")
        return await asyncio.gather(*tasks, return_exceptions=True)


async def settle() -> None:
    """Let everything happen that can happen without time passing."""
    for _ in range(50):
        await asyncio.sleep(0)
