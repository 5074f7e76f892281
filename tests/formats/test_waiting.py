"""Which judges' words hold the next turn up, and what becomes of them."""

from __future__ import annotations

from formats_support import assessed, begun, config, failed, said, speech, spoken, turn

from debate_cli.domain.assessment import Mark
from debate_cli.domain.debate import Debate
from debate_cli.domain.tasks import Brief, Cue, Subject
from debate_cli.formats import Step, finished_rounds, next_step
from debate_cli.systems.moderator.findings import Summary


def brief(system: str, subject: Subject, assessor: str = "judge") -> Brief:
    """A brief of the debate's own judging run."""
    return Brief(run="r1", system=system, assessor=assessor, subject=subject)


def on_turns(*indices: int) -> Subject:
    """A turn, or a pair of them."""
    return Subject(moment="turn" if len(indices) == 1 else "pair", turns=indices)


LIVE = begun(config(systems=["live"]))
CHAIR = begun(config(systems=[{"kind": "moderator", "guidance": True}]))
ROUND_1 = brief("moderator", Subject(moment="round", round=1))


def test_feedback_makes_a_debate_sequential() -> None:
    """A simultaneous debate with a live judge's feedback asks for one turn at a time."""
    assert [cue.speaker for cue in next_step(LIVE).cues] == ["Pro"]


def test_a_turn_waits_for_the_feedback_on_the_one_before() -> None:
    """The second turn is asked for when the first is judged."""
    debate = said(LIVE, speech(next_step(LIVE).cues[0], LIVE))
    assert next_step(debate) == Step()
    assert [cue.index for cue in next_step(assessed(debate, brief("live", on_turns(0)))).cues] == [1]


def test_a_turn_waits_for_the_pair_as_well() -> None:
    """From the third turn on, the exchange before it must be judged too; a judge that failed counts as heard."""
    debate = said(
        LIVE, *(turn(Cue(index=i, round=1, phase="opening", speaker=s)) for i, s in enumerate(("Pro", "Con")))
    )
    for index in (0, 1):
        debate = assessed(debate, brief("live", on_turns(index)))
    assert next_step(debate) == Step()
    assert next_step(failed(debate, brief("live", on_turns(0, 1)))).cues


def test_without_feedback_nobody_waits_for_the_live_judge() -> None:
    """Judging then runs beside the debate."""
    debate = begun(config(systems=[{"kind": "live", "feedback": False}]))
    assert len(spoken(debate).turns) == 6


def test_a_round_waits_for_the_guidance_on_the_one_before_it() -> None:
    """The chair's word is awaited, and its guidance is in every cue of the next round."""
    debate = spoken(CHAIR)
    assert (len(debate.turns), next_step(debate)) == (2, Step())
    guided = assessed(debate, ROUND_1, Summary(guidance=" Define your terms. "))
    assert [cue.guidance for cue in next_step(guided).cues] == ["Define your terms."] * 2


def test_every_chair_is_waited_for() -> None:
    """With two chairs both words are awaited and handed on."""
    debate = spoken(begun(config(systems=[{"kind": "moderator", "guidance": True, "judges": 2}])))
    for number in (1, 2):
        assert next_step(debate) == Step()
        chair = brief("moderator", Subject(moment="round", round=1), f"judge-{number}")
        debate = assessed(debate, chair, Summary(guidance=f"Word {number}."))
    assert next_step(debate).cues[0].guidance == "Word 1.\nWord 2."


def test_a_chair_that_failed_holds_nobody_up() -> None:
    """Without its word the next round has no guidance."""
    assert [cue.guidance for cue in next_step(failed(spoken(CHAIR), ROUND_1)).cues] == [None, None]


def test_a_silent_chair_is_not_waited_for() -> None:
    """Without guidance, judging a round runs beside the next one."""
    debate = begun(config(systems=["moderator"]))
    assert len(spoken(debate).turns) == 6


def rated(debate: Debate, index: int, target: str, persuasion: float) -> Debate:
    """The debate with a judge's word on what a turn did to one debater."""
    marks = [
        Mark(participant=target, criterion=criterion, value=value, out_of=1)
        for criterion, value in (("persuasion", persuasion), ("attack", 0.0), ("evidence", 0.0))
    ]
    return assessed(debate, brief("persuasion", on_turns(index)), marks=marks)


JUDGED = begun(
    config(
        {"order": "sequential"},
        systems=[{"kind": "persuasion", "effects": "judge", "victory_conditions": {"consecutive_persuasion": 1}}],
    )
)


def test_a_turn_waits_for_the_effects_of_the_one_before() -> None:
    """Who still stands must be known before anybody is asked."""
    debate = said(JUDGED, speech(next_step(JUDGED).cues[0], JUDGED))
    assert next_step(debate) == Step()
    assert [cue.speaker for cue in next_step(rated(debate, 0, "Con", 0.1)).cues] == ["Con"]


def test_a_debate_with_one_left_standing_ends_by_surrender() -> None:
    """The debater that was persuaded is asked for nothing more, and its round counts as finished."""
    debate = rated(said(JUDGED, speech(next_step(JUDGED).cues[0], JUDGED)), 0, "Con", 0.9)
    assert next_step(debate) == Step(close="surrender")
    assert finished_rounds(debate) == (1,)


def test_the_effects_of_the_last_turn_are_awaited_before_the_close() -> None:
    """Otherwise a surrender to the last word would be overlooked."""
    debate = JUDGED
    for index in range(6):
        debate = said(debate, speech(next_step(debate).cues[0], debate))
        if index < 5:
            debate = rated(debate, index, "Con" if index % 2 == 0 else "Pro", 0.1)
    assert next_step(debate) == Step()
    assert next_step(rated(debate, 5, "Pro", 0.9)).close == "surrender"


def test_who_surrendered_is_skipped() -> None:
    """With three debaters the two that still stand go on, and indices stay without gaps."""
    trio = (
        {"name": "Pro", "side": "for"},
        {"name": "Con", "side": "against"},
        {"name": "Firm", "side": "other", "conviction": 1.0},
    )
    persuasion = {
        "kind": "persuasion",
        "victory_conditions": {"surrender_threshold": 0.7, "consecutive_persuasion": 10},
    }
    debate = begun(config({"kind": "free_flowing", "turns": 2}, systems=[persuasion], debaters=trio))
    heard = spoken(
        debate, lambda cue, _: turn(cue, text="However, but, consider, understand." if cue.index == 0 else "No.")
    )
    assert [(item.index, item.speaker) for item in heard.turns] == [(0, "Pro"), (1, "Firm"), (2, "Pro"), (3, "Firm")]
    assert next_step(heard).close == "complete"
