"""Plain lines are read in one direction: what comes too early waits."""

from __future__ import annotations

from render_support import START, debate, final_assessment, opened, round_assessment, turns

from debate_cli.domain.debate import Debate
from debate_cli.domain.debate import initial_debate as opened_debate
from debate_cli.domain.events import AssessmentCompleted, DebateClosed, Event, Failure, TaskFailed, TurnCompleted
from debate_cli.domain.tasks import Cue
from debate_cli.domain.turn import Turn
from debate_cli.render.event_order import EventOrder


class Reader:
    """Notes the order in which events are handed on."""

    def __init__(self) -> None:
        self.read: list[str] = []
        self.order = EventOrder(self._note)
        self.debate: Debate = opened_debate(opened())

    def happens(self, event: Event) -> None:
        """Apply and hand in an event."""
        self.debate = self.debate.apply(event)
        self.order.event(event, self.debate)

    def speaks(self, turn: Turn) -> None:
        """A speech came in."""
        self.happens(TurnCompleted(at=START, turn=turn))

    def is_asked(self, *asked: Turn) -> None:
        """Cues are sent."""
        for turn in asked:
            self.order.asking(cue(turn))

    def _note(self, event: Event, debate: Debate) -> None:
        del debate
        match event:
            case TurnCompleted():
                self.read.append(f"turn {event.turn.index}")
            case AssessmentCompleted():
                subject = event.assessment.subject
                self.read.append("whole" if subject.moment == "debate" else f"round {subject.round}")
            case _:
                self.read.append(event.type)


def cue(turn: Turn) -> Cue:
    """The cue that asked for a turn."""
    return Cue(index=turn.index, round=turn.round, phase=turn.phase, speaker=turn.speaker)


def judged() -> Reader:
    """Round 1 is spoken, its judge is asked, round 2 came in before the judge answered."""
    reader = Reader()
    reader.is_asked(*turns()[:2])
    for turn in turns()[:2]:
        reader.speaks(turn)
    reader.order.asking(round_assessment(1).brief)
    reader.is_asked(*turns()[2:4])
    for turn in turns()[2:4]:
        reader.speaks(turn)
    return reader


def test_a_wave_is_read_in_its_order() -> None:
    """The second speaker who was faster waits for the first."""
    reader = Reader()
    first, second = turns()[:2]
    reader.is_asked(first, second)
    reader.speaks(second)
    assert reader.read == []
    reader.speaks(first)
    assert reader.read == ["turn 0", "turn 1"]


def test_a_rounds_report_comes_with_its_round() -> None:
    """Speeches of the next round wait for the judge."""
    reader = judged()
    assert reader.read == ["turn 0", "turn 1"]
    reader.happens(AssessmentCompleted(at=START, assessment=round_assessment(1)))
    assert reader.read == ["turn 0", "turn 1", "round 1", "turn 2", "turn 3"]


def test_a_judge_that_fails_is_not_waited_for() -> None:
    """What waited for it is read before its failure."""
    reader = judged()
    failure = Failure(task=round_assessment(1).brief, who="judge", cause="ServerError", message="500", final=False)
    reader.happens(TaskFailed(at=START, failure=failure))
    assert reader.read == ["turn 0", "turn 1", "turn 2", "turn 3", "failed"]


def test_a_speaker_that_fails_is_not_waited_for() -> None:
    """The other side's speech is read."""
    reader = Reader()
    first, second = turns()[:2]
    reader.is_asked(first, second)
    reader.speaks(second)
    failure = Failure(task=cue(first), who="Ada", cause="ServerError", message="500", final=False)
    reader.happens(TaskFailed(at=START, failure=failure))
    assert reader.read == ["turn 1", "failed"]


def test_at_the_close_nothing_is_held_back() -> None:
    """Whatever was still out."""
    reader = judged()
    reader.happens(DebateClosed(at=START, reason="interrupted"))
    assert reader.read == ["turn 0", "turn 1", "turn 2", "turn 3", "closed"]


def test_without_a_close_nothing_is_lost() -> None:
    """Flushed, all of it is read."""
    reader = judged()
    reader.order.flush()
    assert reader.read == ["turn 0", "turn 1", "turn 2", "turn 3"]


def test_one_after_the_other_a_report_comes_before_the_next_speech() -> None:
    """In a sequential debate each speech is a wave of its own."""
    reader = Reader()
    reader.debate = opened_debate(opened(format={"order": "sequential"}))
    first, second = turns()[:2]
    report = round_assessment(1).model_copy(
        update={
            "system": "live",
            "subject": round_assessment(1).subject.model_copy(update={"moment": "turn", "round": None, "turns": (0,)}),
        }
    )
    reader.is_asked(first)
    reader.speaks(first)
    reader.order.asking(report.brief)
    reader.is_asked(second)
    reader.speaks(second)
    assert reader.read == ["turn 0"]
    reader.happens(AssessmentCompleted(at=START, assessment=report))
    assert reader.read == ["turn 0", "round None", "turn 1"]


def test_what_is_replayed_is_read_as_it_comes() -> None:
    """Where nothing was asked nothing is waited for."""
    reader = Reader()
    for turn in debate().turns:
        reader.speaks(turn)
    assert reader.read == [f"turn {turn.index}" for turn in debate().turns]


LAST, WHOLE = round_assessment(3), final_assessment()
"""What the moderator says of the last round and of the whole debate: both are owed at the same time."""


def at_the_end() -> Reader:
    """All is spoken, both are asked."""
    reader = Reader()
    for turn in turns():
        reader.speaks(turn)
    for assessment in (LAST, WHOLE):
        reader.order.asking(assessment.brief)
    reader.read.clear()
    return reader


def test_the_last_round_is_reported_on_before_the_whole_debate() -> None:
    """The faster answer waits."""
    reader = at_the_end()
    reader.happens(AssessmentCompleted(at=START, assessment=WHOLE))
    assert reader.read == []
    reader.happens(AssessmentCompleted(at=START, assessment=LAST))
    assert reader.read == ["round 3", "whole"]


def test_a_report_on_a_part_that_will_not_come_is_not_waited_for() -> None:
    """The one on the whole debate is read before the failure."""
    reader = at_the_end()
    reader.happens(AssessmentCompleted(at=START, assessment=WHOLE))
    failure = Failure(task=LAST.brief, who="judge", cause="ServerError", message="500", final=False)
    reader.happens(TaskFailed(at=START, failure=failure))
    assert reader.read == ["whole", "failed"]


def test_reports_that_waited_for_the_same_speech_are_read_parts_first() -> None:
    """The last speech is read late, as the one before it is."""
    reader = Reader()
    reader.is_asked(*turns()[:2])
    reader.speaks(turns()[1])
    for assessment in (WHOLE, round_assessment(1)):
        reader.happens(AssessmentCompleted(at=START, assessment=assessment))
    assert reader.read == []
    reader.speaks(turns()[0])
    assert reader.read == ["turn 0", "turn 1", "round 1", "whole"]
