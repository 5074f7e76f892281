"""A model that sends nothing for a while is reported."""

import asyncio

import pytest
from llm_support import FakeModel, request

from debate_cli.errors import ServerError
from debate_cli.llm.model import Model, OnText, Reply, Request
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


def test_a_silence_that_lasts_is_reported_each_time_it_has_doubled() -> None:
    """The notes of one request grow, so that no two are equal."""
    notes: list[str] = []

    async def run() -> None:
        model = PausingModel()

        def note(text: str) -> None:
            notes.append(text)
            if len(notes) == 3:
                model.resumed.set()

        await SilenceReportingModel(model, note, subject="m", reported={}, silence_s=0.01).complete(request())

    asyncio.run(run())
    assert notes == ["m: 0.01 s so far", "m: 0.02 s so far", "m: 0.04 s so far"]


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(("only_longer", "second"), [(False, "0.01"), (True, "0.02")])
def test_a_silent_model_is_reported(streamed: bool, only_longer: bool, second: str) -> None:
    """Each silent request is reported, also after a first piece of text; if so asked, only if longer than all before."""
    pieces: list[str] = []
    notes: list[str] = []

    async def run() -> None:
        model = PausingModel()

        def note(text: str) -> None:
            notes.append(text)
            model.resumed.set()

        reported = dict[str, float]()
        for _ in range(2):
            model.resumed.clear()
            reporting = SilenceReportingModel(
                model, note, subject="waiting for m", reported=reported, only_longer=only_longer, silence_s=0.01
            )
            await reporting.complete(request(), pieces.append if streamed else None)

    asyncio.run(run())
    assert notes == ["waiting for m: 0.01 s so far", f"waiting for m: {second} s so far"]
    assert pieces == (["Well,", "Well,"] if streamed else [])


def test_an_answered_call_is_not_reported() -> None:
    """The clock stops with the answer, or with the error."""
    notes: list[str] = []

    async def run() -> None:
        model = FakeModel("Yes.", ServerError("down"))
        reporting = SilenceReportingModel(model, notes.append, subject="m", reported={}, silence_s=0.01)
        await reporting.complete(request())
        with pytest.raises(ServerError):
            await reporting.complete(request())
        await asyncio.sleep(0.05)

    asyncio.run(run())
    assert notes == []


def test_other_answers_do_not_repeat_a_report() -> None:
    """While one request is silent and others are answered, each report of the silence is longer than the last."""
    notes: list[str] = []

    async def run() -> None:
        silent, quick, reported = PausingModel(), FakeModel("Yes."), dict[str, float]()

        def note(text: str) -> None:
            notes.append(text)
            if len(notes) == 3:
                silent.resumed.set()

        def report(model: Model) -> SilenceReportingModel:
            return SilenceReportingModel(model, note, subject="m", reported=reported, silence_s=0.02)

        waiting = asyncio.ensure_future(report(silent).complete(request()))
        while not waiting.done():
            await report(quick).complete(request())
            await asyncio.sleep(0.001)

    asyncio.run(run())
    assert notes == ["m: 0.02 s so far", "m: 0.04 s so far", "m: 0.08 s so far"]
