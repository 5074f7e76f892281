"""What was in flight when a run ended: in words, and at what cost."""

import asyncio

import pytest
from formats_support import NOON, config, new_debate
from llm_support import FakeModel, request
from storage_support import AT, assessment, opening_event, turn

from debate_cli.app.resume import describe_in_flight_calls
from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.events import (
    INTERRUPTED,
    AssessmentCompleted,
    CloseReason,
    DebateClosed,
    Failure,
    JudgingOpened,
    TurnCompleted,
)
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.model_call import ModelCall, Usage
from debate_cli.domain.tasks import Brief, Cue
from debate_cli.domain.turn import Turn
from debate_cli.engine import GRACE_S, Actors, DebateRun, NullEventLog, StopSignal
from debate_cli.errors import ServerError
from debate_cli.llm.meter import active_meter, mark_waiting, pause_deadline
from debate_cli.llm.model import OnText
from debate_cli.llm.retry import RetryingModel
from debate_cli.observer import NullObserver

HELD = fold(
    [
        opening_event(),
        *(TurnCompleted(at=AT, turn=turn(index)) for index in range(6)),
        DebateClosed(at=AT, reason="complete"),
    ]
)
BEGUN = fold([opening_event()])
AGAIN = HELD.apply(JudgingOpened(at=AT, run="r2", judging=JudgingConfig.model_validate({"systems": ["moderator"]})))


@pytest.mark.parametrize(
    ("debate", "key", "words"),
    [
        (BEGUN, "turn/1", "Con (opening, round 1)"),
        (HELD, "r1/moderator/judge/round/2/0", "moderator (round 2)"),
        (HELD, "r1/moderator/judge/debate/all/0", "moderator (the debate)"),
        (HELD, "r1/panel/qa_evaluator/debate/all/0", "panel/qa_evaluator (vote 1)"),
        (AGAIN, "r2/moderator/judge/round/1/0", "moderator r2 (round 1)"),
    ],
    ids=["a speech", "a round", "the debate", "a vote", "of a later judging run"],
)
def test_who_was_asked_for_what(debate: Debate, key: str, words: str) -> None:
    """By names and moments, not by keys; of several judging runs, with the run."""
    assert describe_in_flight_calls(debate, [key]) == (
        f"these calls had no answer when the run ended; they may have been billed, and are made again: {words}"
    )


def test_several_are_named_in_one_sentence() -> None:
    """In the order in which they were asked."""
    keys = [f"r1/panel/{judge}/debate/all/0" for judge in ("technical_architect", "compliance_auditor")]
    sentence = describe_in_flight_calls(HELD, keys)
    assert sentence is not None
    assert sentence.endswith(": panel/technical_architect (vote 1), panel/compliance_auditor (vote 1)")


def test_what_is_not_asked_again_is_not_named() -> None:
    """What was answered since, and what is no key of anything due."""
    answered = HELD.apply(AssessmentCompleted(at=AT, assessment=assessment(system="moderator", round_number=1)))
    assert describe_in_flight_calls(answered, ["r1/moderator/judge/round/1/0", "turn/0", "odd"]) is None


class RefusedSpeaker:
    """Sends one request, which is refused, and waits for ever to send it again."""

    def __init__(self, stop: StopSignal) -> None:
        self._stop = stop

    async def speak(self, cue: Cue, debate: Debate, on_text: OnText | None = None) -> Turn | Failure:
        """Ask for an immediate stop while waiting."""
        refused = ModelCall(model="lab/m", rung="text", attempts=1, usage=Usage())
        meter = active_meter()
        assert meter is not None
        meter.record_request(refused.model_copy(update={"usage": Usage(output_tokens=900, estimated=True)}))
        meter.ended.append(refused)
        self._stop.request()
        await asyncio.Event().wait()
        raise AssertionError


class NoJudge:
    """A judge that is not asked."""

    async def assess(self, brief: Brief, debate: Debate) -> Assessment | Failure:
        """Fail the test."""
        raise AssertionError((brief, debate))


def test_a_stop_charges_a_waiting_call_only_for_the_requests_that_ended() -> None:
    """A refused request used nothing, although an answer was reserved for it."""
    stop, debate = StopSignal(), new_debate(config())
    speakers = {person.name: RefusedSpeaker(stop) for person in debate.participants}
    run = DebateRun(debate, Actors(speakers, NoJudge()), NullEventLog(), NullObserver(), clock=lambda: NOON, stop=stop)
    ended = asyncio.run(run.run())
    assert [(failure.cause, failure.final) for failure in ended.failures] == [(INTERRUPTED, False)] * 2
    assert (ended.usage.calls, ended.usage.output_tokens) == (2, 0)


class QueuedSpeaker(RefusedSpeaker):
    """Asks for a stop, and waits for ever for its turn to send a request."""

    async def speak(self, cue: Cue, debate: Debate, on_text: OnText | None = None) -> Turn | Failure:
        """Ask for a graceful stop while waiting."""
        if cue.index == 0:
            self._stop.request()
        with pause_deadline():
            with pause_deadline():  # as a question that waits for a batch, and before that for the budget
                pass
            await asyncio.Event().wait()
        raise AssertionError


def test_a_stop_waits_for_no_call_that_has_not_left() -> None:
    """As after a 429: the run ends before the time for calls in flight is over."""
    stop, debate = StopSignal(), new_debate(config())
    speakers = {person.name: QueuedSpeaker(stop) for person in debate.participants}
    run = DebateRun(debate, Actors(speakers, NoJudge()), NullEventLog(), NullObserver(), clock=lambda: NOON, stop=stop)
    ended = asyncio.run(asyncio.wait_for(run.run(), GRACE_S * 0.9))
    assert ended.closed == "interrupted"


@pytest.mark.parametrize("turns_of_the_loop", range(5))
async def test_a_second_stop_does_not_swallow_a_cancellation(turns_of_the_loop: int) -> None:
    """`asyncio.wait_for` of Python 3.11 does, if its result arrives at the same time."""
    stop = StopSignal()
    task = asyncio.ensure_future(stop.wait(lambda: False))
    stop.request()
    await asyncio.sleep(0.01)
    stop.request()
    for _ in range(turns_of_the_loop):
        await asyncio.sleep(0)
    is_cancelled = task.cancel()
    await asyncio.wait([task])
    assert task.cancelled() == is_cancelled


class StoppingSpeaker:
    """Asks for a stop, and speaks."""

    def __init__(self, stop: StopSignal) -> None:
        self._stop = stop

    async def speak(self, cue: Cue, debate: Debate, on_text: OnText | None = None) -> Turn | Failure:
        """Ask for a graceful stop before the answer."""
        if not self._stop.requested:
            self._stop.request()
        return turn(cue.index)


@pytest.mark.parametrize(
    ("phases", "end"), [(("opening",), (None, "complete")), (("opening", "closing"), ("interrupted", "interrupted"))]
)
def test_a_stop_interrupts_a_debate_only_if_something_is_left(
    phases: tuple[str, ...], end: tuple[CloseReason | None, CloseReason]
) -> None:
    """If the calls in flight give the last speeches, the debate is complete."""
    stop, debate = StopSignal(), new_debate(config({"phases": phases}, systems=()))
    speakers = {person.name: StoppingSpeaker(stop) for person in debate.participants}
    run = DebateRun(debate, Actors(speakers, NoJudge()), NullEventLog(), NullObserver(), clock=lambda: NOON, stop=stop)
    ended = asyncio.run(run.run())
    assert (run.halted, ended.closed) == end


class FailedSpeaker:
    """Its model fails, so `RetryingModel` waits before the next request. Con's model answers after the stop."""

    def __init__(self, stop: StopSignal) -> None:
        self._stop = stop
        self.model = FakeModel(ServerError("503"))

    async def speak(self, cue: Cue, debate: Debate, on_text: OnText | None = None) -> Turn | Failure:
        """Ask for a stop when Pro's model has failed. Con answers 0.3 s after the stop."""
        if cue.index == 1:
            await asyncio.sleep(0.3)
            return turn(1)
        retrying = RetryingModel(self.model, max_attempts=5, sleep=self._sleep)
        await retrying.complete(request())
        raise AssertionError

    async def _sleep(self, _seconds: float) -> None:
        self._stop.request()
        await asyncio.sleep(0.2)


def test_a_stop_ends_retries_and_keeps_the_answers_of_calls_in_flight() -> None:
    """The failed request is not sent again, although another call is still in flight."""
    stop, debate = StopSignal(), new_debate(config())
    speaker = FailedSpeaker(stop)
    speakers = {person.name: speaker for person in debate.participants}
    run = DebateRun(debate, Actors(speakers, NoJudge()), NullEventLog(), NullObserver(), clock=lambda: NOON, stop=stop)
    ended = asyncio.run(run.run())
    assert run.halted == "interrupted"
    assert [item.index for item in ended.turns] == [1]
    assert len(speaker.model.requests) == 1


class TidyingSpeaker:
    """Con's call is in flight until 0.4 s after the stop. Pro waits to retry, and needs 0.25 s to clean up."""

    def __init__(self, stop: StopSignal) -> None:
        self._stop = stop
        self.has_cleaned_up = False

    async def speak(self, cue: Cue, debate: Debate, on_text: OnText | None = None) -> Turn | Failure:
        """Ask for a stop while waiting, and clean up when cancelled."""
        if cue.index == 1:
            await asyncio.sleep(0.4)
            return turn(1)
        self._stop.request()
        try:
            with mark_waiting():
                await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.25)
            self.has_cleaned_up = True
        raise AssertionError


def test_a_stop_cancels_a_waiting_task_only_once() -> None:
    """A second cancellation would interrupt the clean-up of the task, e.g. of a terminal."""
    stop, debate = StopSignal(), new_debate(config())
    speaker = TidyingSpeaker(stop)
    speakers = {person.name: speaker for person in debate.participants}
    run = DebateRun(debate, Actors(speakers, NoJudge()), NullEventLog(), NullObserver(), clock=lambda: NOON, stop=stop)
    asyncio.run(run.run())
    assert speaker.has_cleaned_up


class CancelledSpeaker:
    """Its answer is cancelled from inside, without a stop."""

    def __init__(self) -> None:
        self.calls = 0

    async def speak(self, cue: Cue, debate: Debate, on_text: OnText | None = None) -> Turn | Failure:
        """Wait for a future that is cancelled. Fail the test when asked again."""
        self.calls += 1
        assert self.calls <= 2
        raise asyncio.CancelledError


def test_a_cancellation_without_a_stop_ends_the_run() -> None:
    """The task is not asked, and paid for, again."""
    debate = new_debate(config())
    speaker = CancelledSpeaker()
    speakers = {person.name: speaker for person in debate.participants}
    run = DebateRun(
        debate, Actors(speakers, NoJudge()), NullEventLog(), NullObserver(), clock=lambda: NOON, stop=StopSignal()
    )
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run.run())
