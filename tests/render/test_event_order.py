"""Plain lines report events in reading order: an event that arrives early waits."""

import pytest
from live_support import assessment_event, cue, failure_event, turn_event
from render_support import START, debate, final_assessment, opening_event, round_assessment, turns

from debate_cli.domain.debate import Debate, initial_debate
from debate_cli.domain.events import AssessmentCompleted, DebateClosed, Event, TurnCompleted
from debate_cli.domain.tasks import Subject
from debate_cli.domain.turn import Turn
from debate_cli.render.content.event_order import EventOrder

FIRST, SECOND, *LATER = turns()
ROUND_1, ROUND_3, WHOLE = round_assessment(1), round_assessment(3), final_assessment()
INTERRUPTED = DebateClosed(at=START, reason="interrupted")


class Recorder:
    """Records the order in which events are passed on."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.order = EventOrder(self._record)
        self.debate: Debate = initial_debate(opening_event())

    def apply(self, *events: Event) -> None:
        """Apply events and pass them in."""
        for event in events:
            self.debate = self.debate.apply(event)
            self.order.event(event, self.debate)

    def request(self, *requested: Turn) -> None:
        """Announce turns."""
        for turn in requested:
            self.order.asking(cue(turn))

    def _record(self, event: Event, debate: Debate) -> None:
        match event:
            case TurnCompleted():
                self.seen.append(f"turn {event.turn.index}")
            case AssessmentCompleted():
                subject = event.assessment.subject
                self.seen.append("whole" if subject.moment == "debate" else f"{subject.moment} {subject.round}")
            case _:
                self.seen.append(event.type)


def waiting_for_round_1() -> Recorder:
    """Round 2 is complete, and the judge of round 1 has not answered."""
    recorder = Recorder()
    recorder.request(FIRST, SECOND)
    recorder.apply(turn_event(FIRST), turn_event(SECOND))
    recorder.order.asking(ROUND_1.brief)
    recorder.request(*LATER[:2])
    recorder.apply(*map(turn_event, LATER[:2]))
    assert recorder.seen == ["turn 0", "turn 1"]
    return recorder


@pytest.mark.parametrize(
    ("answer", "seen"),
    [
        (assessment_event(ROUND_1), ["round 1", "turn 2", "turn 3"]),
        (failure_event(ROUND_1.brief), ["turn 2", "turn 3", "failed"]),
        (INTERRUPTED, ["turn 2", "turn 3", "closed"]),
    ],
    ids=["report", "failure", "close"],
)
def test_turns_of_the_next_round_wait_for_the_judge(answer: Event, seen: list[str]) -> None:
    """A report, a failure or the close of the debate releases them."""
    recorder = waiting_for_round_1()
    recorder.apply(answer)
    assert recorder.seen[2:] == seen


def test_a_flush_releases_everything() -> None:
    """A run that ends without a close loses no event."""
    recorder = waiting_for_round_1()
    recorder.order.flush()
    assert recorder.seen[2:] == ["turn 2", "turn 3"]


@pytest.mark.parametrize(
    ("answer", "seen"),
    [(turn_event(FIRST), ["turn 0", "turn 1"]), (failure_event(cue(FIRST)), ["turn 1", "failed"])],
    ids=["turn", "failure"],
)
def test_the_second_turn_of_a_wave_waits_for_the_first(answer: Event, seen: list[str]) -> None:
    """A failure of the first turn releases the second."""
    recorder = Recorder()
    recorder.request(FIRST, SECOND)
    recorder.apply(turn_event(SECOND))
    assert recorder.seen == []
    recorder.apply(answer)
    assert recorder.seen == seen


def test_in_a_sequential_debate_a_report_on_a_turn_precedes_the_next_turn() -> None:
    """Each turn is a wave of its own."""
    recorder = Recorder()
    recorder.debate = initial_debate(opening_event(format={"order": "sequential"}))
    report = ROUND_1.model_copy(update={"system": "live", "subject": Subject(moment="turn", turns=(0,))})
    recorder.request(FIRST)
    recorder.apply(turn_event(FIRST))
    recorder.order.asking(report.brief)
    recorder.request(SECOND)
    recorder.apply(turn_event(SECOND))
    assert recorder.seen == ["turn 0"]
    recorder.apply(assessment_event(report))
    assert recorder.seen == ["turn 0", "turn None", "turn 1"]


def test_replayed_events_keep_their_order() -> None:
    """Nothing was requested, so nothing waits."""
    recorder = Recorder()
    recorder.apply(*map(turn_event, debate().turns))
    assert recorder.seen == [f"turn {turn.index}" for turn in debate().turns]


@pytest.mark.parametrize(
    ("answer", "seen"),
    [(assessment_event(ROUND_3), ["round 3", "whole"]), (failure_event(ROUND_3.brief), ["whole", "failed"])],
    ids=["report", "failure"],
)
def test_the_report_on_the_debate_waits_for_the_last_round(answer: Event, seen: list[str]) -> None:
    """A failure of the round's report releases it."""
    recorder = Recorder()
    recorder.apply(*map(turn_event, turns()))
    for assessment in (ROUND_3, WHOLE):
        recorder.order.asking(assessment.brief)
    recorder.seen.clear()
    recorder.apply(assessment_event(WHOLE))
    assert recorder.seen == []
    recorder.apply(answer)
    assert recorder.seen == seen


def test_reports_that_wait_for_one_turn_are_released_parts_first() -> None:
    """The report on the whole debate is last."""
    recorder = Recorder()
    recorder.request(FIRST, SECOND)
    recorder.apply(turn_event(SECOND), assessment_event(WHOLE), assessment_event(ROUND_1))
    assert recorder.seen == []
    recorder.apply(turn_event(FIRST))
    assert recorder.seen == ["turn 0", "turn 1", "round 1", "whole"]
