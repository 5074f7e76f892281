"""Which turns wait for assessments, and how the assessments change the next cues."""

from formats_support import config, new_debate, play_debate, speech, turn, with_assessment, with_failure, with_turns

from debate_cli.domain.assessment import Mark
from debate_cli.domain.debate import Debate
from debate_cli.domain.tasks import Brief, Cue, Subject
from debate_cli.formats.schedule import Step, finished_rounds, next_step
from debate_cli.systems.moderator.findings import Summary


def brief(system: str, subject: Subject, assessor: str = "judge") -> Brief:
    """A brief of the debate's own judging run."""
    return Brief(run="r1", system=system, assessor=assessor, subject=subject)


def on_turns(*indices: int) -> Subject:
    """The subject of a turn, or of a pair of turns."""
    return Subject(moment="turn" if len(indices) == 1 else "pair", turns=indices)


LIVE = new_debate(config(systems=["live"]))
MODERATED = new_debate(config(systems=[{"kind": "moderator", "guidance": True}]))
ROUND_1 = brief("moderator", Subject(moment="round", round=1))


def test_a_turn_waits_for_feedback_on_the_turn_before() -> None:
    """With feedback, the second cue comes after the first assessment."""
    debate = with_turns(LIVE, speech(next_step(LIVE).cues[0], LIVE))
    assert next_step(debate) == Step()
    assert [cue.index for cue in next_step(with_assessment(debate, brief("live", on_turns(0)))).cues] == [1]


def test_a_turn_waits_for_the_pair_before_it() -> None:
    """From the third turn on, a cue comes after the assessment of the pair before it."""
    debate = with_turns(
        LIVE, *(turn(Cue(index=i, round=1, phase="opening", speaker=s)) for i, s in enumerate(("Pro", "Con")))
    )
    for index in (0, 1):
        debate = with_assessment(debate, brief("live", on_turns(index)))
    assert next_step(debate) == Step()
    assert next_step(with_failure(debate, brief("live", on_turns(0, 1)))).cues


def test_a_round_waits_for_guidance() -> None:
    """Every cue of the next round has the moderator's guidance."""
    debate = play_debate(MODERATED)
    assert (len(debate.turns), next_step(debate)) == (2, Step())
    guided = with_assessment(debate, ROUND_1, Summary(guidance=" Define your terms. "))
    assert [cue.guidance for cue in next_step(guided).cues] == ["Define your terms."] * 2


def test_a_round_waits_for_every_moderator() -> None:
    """The guidance of two moderators is joined."""
    debate = play_debate(new_debate(config(systems=[{"kind": "moderator", "guidance": True, "judges": 2}])))
    for number in (1, 2):
        assert next_step(debate) == Step()
        moderator = brief("moderator", Subject(moment="round", round=1), f"judge-{number}")
        debate = with_assessment(debate, moderator, Summary(guidance=f"Word {number}."))
    assert next_step(debate).cues[0].guidance == "Word 1.\nWord 2."


def rate(debate: Debate, index: int, target: str, persuasion: float) -> Debate:
    """The debate with a judge's rating of one turn's effect on one debater."""
    marks = [
        Mark(participant=target, criterion=criterion, value=value, out_of=1)
        for criterion, value in (("persuasion", persuasion), ("attack", 0.0), ("evidence", 0.0))
    ]
    return with_assessment(debate, brief("persuasion", on_turns(index)), marks=marks)


JUDGED = new_debate(
    config(
        {"order": "sequential"},
        systems=[{"kind": "persuasion", "effects": "judge", "victory_conditions": {"consecutive_persuasion": 1}}],
    )
)


def test_a_turn_waits_for_the_effects_of_the_turn_before() -> None:
    """With `effects: judge`, a cue comes after the effects of the turn before are rated."""
    debate = with_turns(JUDGED, speech(next_step(JUDGED).cues[0], JUDGED))
    assert next_step(debate) == Step()
    assert [cue.speaker for cue in next_step(rate(debate, 0, "Con", 0.1)).cues] == ["Con"]


def test_a_debate_with_one_debater_left_ends_by_surrender() -> None:
    """The debater who was persuaded still speaks in its round; then it has no more cues."""
    debate = rate(with_turns(JUDGED, speech(next_step(JUDGED).cues[0], JUDGED)), 0, "Con", 0.9)
    assert [cue.speaker for cue in next_step(debate).cues] == ["Con"]
    debate = rate(with_turns(debate, speech(next_step(debate).cues[0], debate)), 1, "Pro", 0.1)
    assert next_step(debate) == Step(close="surrender")
    assert finished_rounds(debate) == (1,)


def test_the_close_waits_for_the_effects_of_the_last_turn() -> None:
    """The last turn can cause a surrender."""
    debate = JUDGED
    for index in range(6):
        debate = with_turns(debate, speech(next_step(debate).cues[0], debate))
        if index < 5:
            debate = rate(debate, index, "Con" if index % 2 == 0 else "Pro", 0.1)
    assert next_step(debate) == Step()
    assert next_step(rate(debate, 5, "Pro", 0.9)).close == "surrender"


def test_a_surrendered_debater_is_skipped() -> None:
    """After a surrender the two other debaters continue, and indices have no gap."""
    trio = (
        {"name": "Pro", "side": "for"},
        {"name": "Con", "side": "against"},
        {"name": "Firm", "side": "other", "conviction": 1.0},
    )
    persuasion = {
        "kind": "persuasion",
        "victory_conditions": {"surrender_threshold": 0.7, "consecutive_persuasion": 10},
    }
    debate = new_debate(config({"kind": "free_flowing", "turns": 2}, systems=[persuasion], debaters=trio))
    heard = play_debate(
        debate, lambda cue, _: turn(cue, text="However, but, consider, understand." if cue.index == 0 else "No.")
    )
    assert [(item.index, item.speaker) for item in heard.turns] == [
        (0, "Pro"), (1, "Con"), (2, "Firm"), (3, "Pro"), (4, "Firm")
    ]  # fmt: skip
    assert next_step(heard).close == "complete"


def test_a_failed_moderator_is_not_waited_for() -> None:
    """After a failed moderator, the next round has no guidance."""
    assert [cue.guidance for cue in next_step(with_failure(play_debate(MODERATED), ROUND_1)).cues] == [None, None]
