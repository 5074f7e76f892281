"""Properties of the formats: for any order of answers every cue is given once and every debate ends."""

from formats_support import PAIR, TRIO, config, new_debate, speech, with_turns
from hypothesis import given
from hypothesis import strategies as st

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.tasks import Cue
from debate_cli.domain.turn import Turn
from debate_cli.formats.schedule import next_step, planned_turns


@st.composite
def configs(draw: st.DrawFn) -> DebateConfig:
    """Any format with two or three debaters, who may surrender."""
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
    """Turns some of which persuade."""
    moving = cue.index % 3 == 1
    return speech(cue, debate).model_copy(update={"text": "However, but: consider it." if moving else "No."})


def run_debate(debate: Debate, data: st.DataObject) -> tuple[Debate, list[Cue]]:
    """Run a debate that answers one open cue at a time; return it with all its cues by index."""
    given_cues: dict[str, Cue] = {}
    while (step := next_step(debate)).cues:
        for cue in step.cues:
            assert given_cues.setdefault(cue.key, cue) == cue
        debate = with_turns(debate, say(data.draw(st.sampled_from(step.cues)), debate))
    assert step.close is not None
    return debate, [given_cues[key] for key in sorted(given_cues, key=lambda key: given_cues[key].index)]


@given(configs(), st.data())
def test_every_debate_ends_with_each_cue_answered_once(settings_: DebateConfig, data: st.DataObject) -> None:
    """An open cue does not change, indices have no gaps, and there are no more cues than planned."""
    debate, given_cues = run_debate(new_debate(settings_), data)
    assert [turn.index for turn in debate.turns] == [cue.index for cue in given_cues] == list(range(len(given_cues)))
    assert len(given_cues) <= planned_turns(settings_)


@given(configs(), st.data())
def test_a_resumed_debate_has_the_same_cues(settings_: DebateConfig, data: st.DataObject) -> None:
    """A debate resumed after any of its turns has the same cues."""
    debate, given_cues = run_debate(new_debate(settings_), data)
    kept = debate.turns[: data.draw(st.integers(0, len(debate.turns)))]
    resumed, _ = run_debate(with_turns(new_debate(settings_), *kept), data)
    assert resumed.turns == debate.turns
    assert [cue.key for cue in given_cues] == [f"turn/{turn.index}" for turn in resumed.turns]
