"""A saved debate performed again shows what the run showed."""

from __future__ import annotations

from dataclasses import dataclass, field

from judging_support import debated
from render_support import debate, events

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import AssessmentCompleted, DebateClosed, Event, TurnCompleted
from debate_cli.domain.tasks import Cue, Task
from debate_cli.render.replay import ReplayPlan, group_waves
from debate_cli.render.speech_parts import parse_partial_speech, split_turn


@dataclass
class Witness:
    """Notes what a watcher is told."""

    events: list[Event] = field(default_factory=list[Event])
    last: Debate | None = None
    asked: list[str] = field(default_factory=list[str])
    typed: dict[int, str] = field(default_factory=dict[int, str])
    notes: list[str] = field(default_factory=list[str])

    def event(self, event: Event, debate: Debate) -> None:
        """Note it."""
        self.events.append(event)
        self.last = debate

    def asking(self, task: Task) -> None:
        """Note it."""
        self.asked.append(task.key)

    def text(self, cue: Cue, piece: str) -> None:
        """Note it."""
        self.typed[cue.index] = self.typed.get(cue.index, "") + piece

    def note(self, note: str) -> None:
        """Note it."""
        self.notes.append(note)


def witnessed(performance: ReplayPlan) -> Witness:
    """Perform without waiting."""
    witness = Witness()
    for _ in performance.play(witness):
        pass
    return witness


def test_the_replayed_state_is_the_saved_one() -> None:
    """The events of a replay fold to the debate that was replayed."""
    assert witnessed(ReplayPlan(debate())).last == debate()


def test_a_round_is_judged_before_the_next_begins() -> None:
    """The moderator's word on round 1 comes after its speeches and before those of round 2."""
    kinds = [event.type for event in witnessed(ReplayPlan(debate())).events]
    assert kinds[:5] == ["opened", "turned", "turned", "assessed", "turned"]


def test_a_judgement_on_a_round_without_speeches_is_performed() -> None:
    """Somebody cut them out of the file; what was judged comes at the end."""
    cut = debate().model_copy(update={"turns": debate().select_turns(round_number=1)})
    told = witnessed(ReplayPlan(cut)).last
    assert told is not None
    assert told.assessments == cut.assessments


def test_turns_are_judged_one_by_one_where_the_judge_s_word_reached_the_next_speaker() -> None:
    """As in the run: a live judge with feedback is waited for after every speech."""
    live = debated({"kind": "live", "feedback": True})
    assert [len(wave) for wave in group_waves(live)] == [1] * len(live.turns)
    aside = debated({"kind": "live", "feedback": False})
    assert [len(wave) for wave in group_waves(aside)] == [2, 2, 2]


def test_one_round_alone() -> None:
    """Only that round's speeches and its judgement, no close."""
    told = witnessed(ReplayPlan(debate(), round_number=2)).events
    assert [event.turn.index for event in told if isinstance(event, TurnCompleted)] == [2, 3]
    assert [event.assessment.subject.round for event in told if isinstance(event, AssessmentCompleted)] == [2]
    assert not [event for event in told if isinstance(event, DebateClosed)]


def test_typing_gives_the_speech_in_the_end() -> None:
    """What is typed is read as the pieces of the finished turn."""
    typed = witnessed(ReplayPlan(debate(), is_typed=True)).typed
    assert [parse_partial_speech(typed[turn.index]) for turn in debate().turns] == [
        split_turn(turn) for turn in debate().turns
    ]


def test_sides_of_a_wave_are_typed_together() -> None:
    """Simultaneous speakers are both asked before either has spoken."""
    performance = ReplayPlan(debate(), is_typed=True)
    witness = Witness()
    next(performance.play(witness))
    assert set(witness.typed) == {0, 1}


def test_nothing_is_judged_where_only_speeches_are_wanted() -> None:
    """Without judges no assessment is performed."""
    assert not [
        event
        for event in witnessed(ReplayPlan(debate(), judged=False)).events
        if isinstance(event, AssessmentCompleted)
    ]


def test_a_debate_without_a_speech_is_performed() -> None:
    """A debate that failed before its first speech has a header and nothing else."""
    first = debate().model_copy(update={"turns": (), "assessments": ()})
    assert [event.type for event in witnessed(ReplayPlan(first)).events] == ["opened", "closed"]
    assert events()[0].type == "opened"


def test_speeches_of_a_wave_can_be_performed_apart() -> None:
    """Then the second speaker is asked when the first one has spoken, and what was said is the same."""
    witness = Witness()
    told = witnessed(ReplayPlan(debate(), one_by_one=True))
    next(ReplayPlan(debate(), is_typed=True, one_by_one=True).play(witness))
    assert set(witness.typed) == {0}
    assert told.last == debate()


def test_models_that_stood_in_are_noted() -> None:
    """A debate in which another model answered than was configured says so below its header; others say nothing."""
    first = debate().turns[0]
    other = first.model_copy(update={"exchange": first.exchange.model_copy(update={"model": "lab/else"})})
    stood_in = debate().model_copy(update={"turns": (other, *debate().turns[1:])})
    notes = witnessed(ReplayPlan(stood_in)).notes
    assert (len(notes), "lab/else" in notes[0], first.speaker in notes[0]) == (1, True, True)
    assert witnessed(ReplayPlan(debate())).notes == []
