"""A model that sends nothing for a while is reported, at growing intervals."""

import asyncio
import selectors

import pytest
from llm_support import FakeModel, request

from debate_cli.errors import ServerError
from debate_cli.llm.model import OnText, Reply, Request
from debate_cli.llm.retry import SilenceReportingModel


class PausingModel:
    """Sends one piece of text, then nothing until `resumed`, then answers."""

    def __init__(self) -> None:
        self.resumed = asyncio.Event()

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer after the pause."""
        if on_text is not None:
            on_text("Well,")
        await self.resumed.wait()
        return await FakeModel("Well, yes.").complete(request)


@pytest.mark.parametrize("streamed", [False, True])
def test_a_silent_model_is_reported(streamed: bool) -> None:
    """A silent model is reported by its name, also after a first piece of text."""
    pieces: list[str] = []
    notes: list[str] = []

    async def run() -> None:
        model = PausingModel()

        def note(text: str) -> None:
            notes.append(text)
            model.resumed.set()

        reporting = SilenceReportingModel(model, note, name="lab/m", silence_s=0.01)
        await reporting.complete(request(), pieces.append if streamed else None)

    asyncio.run(run())
    assert notes == ["still waiting for lab/m (nothing for 0.01 s)"]
    assert pieces == (["Well,"] if streamed else [])


def test_an_answered_call_is_not_reported() -> None:
    """The clock stops with the answer, or with the error."""
    notes: list[str] = []

    async def run() -> None:
        model = FakeModel("Yes.", ServerError("down"))
        reporting = SilenceReportingModel(model, notes.append, name="lab/m", silence_s=0.01)
        await reporting.complete(request())
        with pytest.raises(ServerError):
            await reporting.complete(request())
        await asyncio.sleep(0.05)

    asyncio.run(run())
    assert notes == []


class SkippingSelector(selectors.DefaultSelector):
    """Returns at once and counts the time that it would have waited."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Skip `timeout`."""
        self.now += timeout or 0.0
        return super().select(0)


class SkippingLoop(asyncio.SelectorEventLoop):
    """An event loop whose time passes only while it waits, and then at once."""

    def __init__(self) -> None:
        self._skipping = SkippingSelector()
        super().__init__(self._skipping)

    def time(self) -> float:
        """Seconds that the loop has waited."""
        return self._skipping.now


class SlowModel:
    """Sends a piece of text every 20 s, eight times."""

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer after 160 s."""
        for _ in range(8):
            await asyncio.sleep(20)
            if on_text is not None:
                on_text("Well, ")
        return await FakeModel("Well.").complete(request)


def test_a_slow_model_is_reported_ever_more_rarely() -> None:
    """The time of silence doubles after each note, for all calls together."""
    notes: list[str] = []
    reporting = SilenceReportingModel(SlowModel(), notes.append, name="lab/m")

    async def run() -> None:
        for _ in range(20):
            await reporting.complete(request())

    with asyncio.Runner(loop_factory=SkippingLoop) as runner:
        runner.run(run())
    assert [note.partition("nothing for ")[2] for note in notes] == ["30 s)", "60 s)", "120 s)"]
