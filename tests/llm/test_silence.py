"""A model that sends nothing for a while is reported."""

import asyncio

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
    """Each request to a silent model is reported once, also after a first piece of text."""
    pieces: list[str] = []
    notes: list[str] = []

    async def run() -> None:
        model = PausingModel()

        def note(text: str) -> None:
            notes.append(text)
            model.resumed.set()

        reporting = SilenceReportingModel(model, note, name="lab/m", silence_s=0.01)
        for _ in range(2):
            model.resumed.clear()
            await reporting.complete(request(), pieces.append if streamed else None)

    asyncio.run(run())
    assert notes == 2 * ["still waiting for lab/m (nothing for 0.01 s)"]
    assert pieces == (["Well,", "Well,"] if streamed else [])


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
