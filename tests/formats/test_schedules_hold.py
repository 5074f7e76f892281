"""Properties of the schedulers: whatever order answers come in, every cue is given once and every debate ends."""

from __future__ import annotations

from formats_support import PAIR, TRIO, begun, config, said, speech
from hypothesis import given, settings
from hypothesis import strategies as st

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.tasks import Cue
from debate_cli.domain.turn import Turn
from debate_cli.formats import next_step, planned_turns


@st.composite
def configs(draw: st.DrawFn) -> DebateConfig:
    """Any format, with two or three debaters, who may surrender."""
    rebuttals = draw(st.integers(0, 2))
    form = {
        "kind": draw(st.sampled_from(["structured", "semi_structured", "free_flowing"])),
        "order": draw(st.sampled_from(["simultaneous", "sequential"])),
        "exchanges": draw(st.integers(1, 3)),
        "turns": draw(st.integers(1, 4)),
        "phases": ["opening", "cross_examination", *["rebuttal"] * rebuttals, "closing"],
    }
    persuasion = {"kind": "persuasion", "victory_conditions": {"consecutive_persuasion": draw(st.integers(1, 2))}}
    systems = draw(st.sampled_from([("structured",), ("moderator", persuasion)]))
    return config(form, systems, draw(st.sampled_from([PAIR, TRIO])))


def say(cue: Cue, debate: Debate) -> Turn:
    """Speeches some of which persuade."""
    moving = cue.index % 3 == 1
    return speech(cue, debate).model_copy(update={"text": "However, but: consider it." if moving else "No."})


def held(debate: Debate, data: st.DataObject) -> tuple[Debate, list[Cue]]:
    """Hold a debate in which one cue of those open is answered at a time; all cues ever given, without repetition."""
    given_cues: dict[str, Cue] = {}
    while (step := next_step(debate)).cues:
        for cue in step.cues:
            assert given_cues.setdefault(cue.key, cue) == cue
        debate = said(debate, say(data.draw(st.sampled_from(step.cues)), debate))
    assert step.close is not None
    return debate, [given_cues[key] for key in sorted(given_cues, key=lambda key: given_cues[key].index)]


@given(configs(), st.data())
@settings(max_examples=60, deadline=None)
def test_every_debate_ends_with_each_cue_answered_once(settings_: DebateConfig, data: st.DataObject) -> None:
    """A cue never changes while it is open, indices have no gaps, and no more is asked than planned."""
    debate, given_cues = held(begun(settings_), data)
    assert [turn.index for turn in debate.turns] == [cue.index for cue in given_cues] == list(range(len(given_cues)))
    assert len(given_cues) <= planned_turns(settings_)


@given(configs(), st.data())
@settings(max_examples=40, deadline=None)
def test_a_resumed_debate_goes_on_as_it_would_have(settings_: DebateConfig, data: st.DataObject) -> None:
    """From any prefix of the turns the same cues follow, whatever the order in which answers had come."""
    debate, given_cues = held(begun(settings_), data)
    kept = debate.turns[: data.draw(st.integers(0, len(debate.turns)))]
    resumed, _ = held(said(begun(settings_), *kept), data)
    assert resumed.turns == debate.turns
    assert [cue.key for cue in given_cues] == [f"turn/{turn.index}" for turn in resumed.turns]


@given(configs(), st.data())
@settings(max_examples=40, deadline=None)
def test_nobody_sees_what_is_not_said_yet(settings_: DebateConfig, data: st.DataObject) -> None:
    """Every cue sees turns before its own only, and those are there when the cue is given."""
    debate = begun(settings_)
    while (step := next_step(debate)).cues:
        assert all(set(cue.sees) <= set(debate.turns_by_index) for cue in step.cues)
        assert all(max(cue.sees, default=-1) < cue.index for cue in step.cues)
        debate = said(debate, say(data.draw(st.sampled_from(step.cues)), debate))
