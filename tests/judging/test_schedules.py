"""Which assessments are owed, and when."""

from typing import Any

import pytest
from formats_support import NOON, config, new_debate, play_debate, speech, with_failure, with_turns
from hypothesis import given
from hypothesis import strategies as st
from judging_support import close_debate, debate_with_speeches, judge_later, keys, play_and_judge, settle, settle_all

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import DebateClosed, DebateResumed
from debate_cli.formats.schedule import next_step
from debate_cli.judging.schedule import owed_briefs, planned_briefs

JUDGED_BY_MODEL: dict[str, Any] = {"kind": "persuasion", "effects": "judge"}
ALL: tuple[Any, ...] = ("structured", "moderator", "panel", {"kind": "live", "feedback": False}, JUDGED_BY_MODEL)


def spoken_debate(waves: int, *systems: Any) -> Debate:
    """A structured debate after `waves` waves."""
    return play_debate(new_debate(config(None, systems)), waves=waves)


@pytest.mark.parametrize("system", ["structured", "panel"])
def test_the_whole_debate_is_judged_after_the_last_speech(system: str) -> None:
    """Assessments of the whole debate are not owed after two of three rounds."""
    assert keys(spoken_debate(2, system)) == []
    assert keys(spoken_debate(3, system)) != []


@pytest.mark.parametrize(("waves", "rounds"), [(0, []), (1, [1]), (2, [1, 2])])
def test_a_round_is_judged_as_soon_as_it_is_complete(waves: int, rounds: list[int]) -> None:
    """The next round does not wait for it."""
    debate = spoken_debate(waves, "moderator")
    assert keys(debate) == [f"r1/moderator/judge/round/{number}/0" for number in rounds]
    assert next_step(debate).cues != ()


def test_guidance_is_owed_while_the_debate_waits_for_it() -> None:
    """The next round waits, the moderator is asked: no deadlock."""
    debate = spoken_debate(1, {"kind": "moderator", "guidance": True})
    assert next_step(debate).cues == ()
    assert keys(debate) == ["r1/moderator/judge/round/1/0"]


def test_turns_of_a_wave_are_judged_in_order() -> None:
    """A turn that arrives first is judged after the turn before it."""
    debate = new_debate(config(None, [{"kind": "live", "feedback": False}]))
    first, second = next_step(debate).cues
    debate = with_turns(debate, speech(second, debate))
    assert keys(debate) == []
    debate = with_turns(debate, speech(first, debate))
    assert len(keys(debate)) == 3


@pytest.mark.parametrize(("effects", "owing"), [("keywords", False), ("factors", False), ("judge", True)])
def test_persuasion_owes_assessments_with_effects_judge(effects: str, owing: bool) -> None:
    """`keywords` and `factors` need no model."""
    debate = new_debate(config(None, [{"kind": "persuasion", "effects": effects}]))
    assert bool(owed_briefs(play_debate(debate, waves=1))) == owing


def test_several_judges_each_owe_an_assessment() -> None:
    """With `judges: 3`, three numbered judges owe an assessment."""
    debate = debate_with_speeches({"kind": "structured", "judges": 3})
    assert [brief.assessor for brief in owed_briefs(debate)] == ["judge-1", "judge-2", "judge-3"]


def test_a_failure_is_asked_again_after_a_resume() -> None:
    """A failure that is not final is owed again after a resume."""
    debate = debate_with_speeches("structured")
    debate = with_failure(debate, owed_briefs(debate)[0])
    assert keys(debate) == []
    assert len(keys(debate.apply(DebateResumed(at=NOON)))) == 1


@pytest.mark.parametrize(
    ("decides", "order"),
    [
        ("structured", ["structured", "panel", "live", "moderator"]),
        ("panel", ["panel", "live", "structured", "moderator"]),
        ("moderator", ["moderator", "panel", "live", "structured"]),
    ],
)
def test_the_deciding_system_is_first(decides: str, order: list[str]) -> None:
    """Briefs of the deciding system come first, then those of systems with follow-up questions."""
    systems = ["structured", "moderator", "panel", {"kind": "live", "feedback": False}]
    base = config(None, systems)
    judging = base.judging.model_copy(update={"decides": decides})
    debate = play_debate(new_debate(base.model_copy(update={"judging": judging})), waves=3)
    assert list(dict.fromkeys(brief.system for brief in owed_briefs(debate))) == order


@pytest.mark.parametrize("reason", ["budget", "interrupted", "failed"])
def test_a_stopped_debate_is_judged_by_a_later_run_only(reason: Any) -> None:
    """Its own judges wait for it to be resumed."""
    debate = spoken_debate(1, "structured").apply(DebateClosed(at=NOON, reason=reason))
    assert keys(debate) == []
    assert keys(judge_later(debate, "structured", "moderator"))[0] == "r2/structured/judge/debate/all/0"


def test_a_later_run_owes_its_own_systems_only() -> None:
    """After a later run begins, its own systems owe assessments and the first run owes none."""
    debate = judge_later(close_debate(play_and_judge("structured")), "moderator")
    assert {brief.run for brief in owed_briefs(debate)} == {"r2"}
    assert {brief.system for brief in owed_briefs(debate)} == {"moderator"}


def test_a_document_is_judged_by_the_panel_only() -> None:
    """It has no debaters and no turns."""
    document = DebateConfig.model_validate(
        {"topic": "PLAN.md", "background": "We will do it.", "debaters": [], "judging": {"systems": list(ALL)}}
    )
    assert {brief.system for brief in owed_briefs(new_debate(document))} == {"panel"}


@pytest.mark.parametrize(
    "form", [None, {"kind": "free_flowing", "turns": 5}, {"kind": "structured", "order": "sequential"}]
)
def test_planned_briefs_equal_first_assessments(form: dict[str, Any] | None) -> None:
    """Without deliberation and resolutions, which are not planned. Live's register review, revision 2, is."""
    debate = play_and_judge(*ALL, form=form)
    extra = [item for item in debate.assessments if item.revision and (item.system, item.revision) != ("live", 2)]
    assert len(debate.assessments) - len(extra) == planned_briefs(debate.config)


@given(st.data())
def test_the_order_of_answers_does_not_change_the_briefs(data: st.DataObject) -> None:
    """The same briefs are answered in any order."""
    debate = debate_with_speeches("moderator", {"kind": "panel", "personas": ["qa_evaluator", "domain_expert"]})
    expected = settle_all(debate).answered_keys
    while briefs := owed_briefs(debate):
        chosen = data.draw(st.sampled_from(briefs))
        debate = settle_key(debate, chosen.key)
    assert debate.answered_keys == expected


def settle_key(debate: Debate, key: str) -> Debate:
    """The debate with the brief of that key answered."""
    return settle(debate, [brief for brief in owed_briefs(debate) if brief.key == key])
