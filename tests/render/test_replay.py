"""A replay emits the events of a saved debate as the run did."""

from dataclasses import dataclass, field

import pytest
from judging_support import debate_with_speeches
from render_support import debate

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import AssessmentCompleted, DebateClosed, Event, TurnCompleted
from debate_cli.domain.tasks import Cue, Task
from debate_cli.render.content.speech_parts import parse_partial_speech, split_turn
from debate_cli.render.replay import ReplayPlan, group_waves


@dataclass
class RecordingObserver:
    """Records every call."""

    events: list[Event] = field(default_factory=list[Event])
    last: Debate | None = None
    asked: list[str] = field(default_factory=list[str])
    typed: dict[int, str] = field(default_factory=dict[int, str])
    notes: list[str] = field(default_factory=list[str])

    def event(self, event: Event, debate: Debate) -> None:
        """Record it."""
        self.events.append(event)
        self.last = debate

    def asking(self, task: Task) -> None:
        """Record it."""
        self.asked.append(task.key)

    def text(self, cue: Cue, piece: str) -> None:
        """Record it."""
        self.typed[cue.index] = self.typed.get(cue.index, "") + piece

    def note(self, note: str) -> None:
        """Record it."""
        self.notes.append(note)


def replay(plan: ReplayPlan) -> RecordingObserver:
    """The recorded calls of a whole replay."""
    observer = RecordingObserver()
    list(plan.play(observer))
    return observer


def test_the_events_of_a_replay_fold_to_the_saved_debate() -> None:
    """No event is lost or added."""
    assert replay(ReplayPlan(debate())).last == debate()


def test_a_round_is_judged_before_the_next_begins() -> None:
    """The assessment of round 1 follows its turns and precedes those of round 2."""
    kinds = [event.type for event in replay(ReplayPlan(debate())).events]
    assert kinds[:5] == ["opened", "turned", "turned", "assessed", "turned"]


def test_an_assessment_of_a_round_without_turns_is_last() -> None:
    """A file whose turns were removed keeps its assessments."""
    cut = debate().model_copy(update={"turns": debate().select_turns(round_number=1)})
    replayed = replay(ReplayPlan(cut)).last
    assert replayed is not None
    assert replayed.assessments == cut.assessments


def test_a_live_judge_with_feedback_makes_every_turn_a_wave() -> None:
    """Without feedback both turns of a round are one wave."""
    live = debate_with_speeches({"kind": "live", "feedback": True})
    assert [len(wave) for wave in group_waves(live)] == [1] * len(live.turns)
    aside = debate_with_speeches({"kind": "live", "feedback": False})
    assert [len(wave) for wave in group_waves(aside)] == [2, 2, 2]


def test_one_round_is_replayed_alone() -> None:
    """Its turns and its assessment, without a close."""
    replayed = replay(ReplayPlan(debate(), round_number=2)).events
    assert [event.turn.index for event in replayed if isinstance(event, TurnCompleted)] == [2, 3]
    assert [event.assessment.subject.round for event in replayed if isinstance(event, AssessmentCompleted)] == [2]
    assert not [event for event in replayed if isinstance(event, DebateClosed)]


def test_typed_text_is_parsed_like_the_finished_turn() -> None:
    """Typing simulates a stream."""
    typed = replay(ReplayPlan(debate(), is_typed=True)).typed
    assert [parse_partial_speech(typed[turn.index]) for turn in debate().turns] == [
        split_turn(turn) for turn in debate().turns
    ]


@pytest.mark.parametrize(("one_by_one", "typed"), [(False, {0, 1}), (True, {0})])
def test_turns_of_a_wave_are_typed_together_or_one_by_one(*, one_by_one: bool, typed: set[int]) -> None:
    """The final state is the same."""
    observer = RecordingObserver()
    next(ReplayPlan(debate(), is_typed=True, one_by_one=one_by_one).play(observer))
    assert set(observer.typed) == typed
    assert replay(ReplayPlan(debate(), one_by_one=one_by_one)).last == debate()


def test_assessments_can_be_left_out() -> None:
    """`judged=False` emits turns only."""
    assert not [
        event for event in replay(ReplayPlan(debate(), judged=False)).events if isinstance(event, AssessmentCompleted)
    ]


def test_a_debate_without_turns_is_opened_and_closed() -> None:
    """It failed before its first turn."""
    first = debate().model_copy(update={"turns": (), "assessments": ()})
    assert [event.type for event in replay(ReplayPlan(first)).events] == ["opened", "closed"]
