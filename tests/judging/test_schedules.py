"""What judges owe, and when."""

from __future__ import annotations

from typing import Any

import pytest
from formats_support import NOON, begun, config, failed, said, speech, spoken
from hypothesis import given, settings
from hypothesis import strategies as st
from judging_support import closed, debated, judged_later, keys, played, settle, settle_all

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import DebateClosed, DebateResumed
from debate_cli.domain.judges import judge_ids, judge_model_role
from debate_cli.formats import next_step
from debate_cli.judging.schedule import owed_briefs, planned_briefs

JUDGED_BY_MODEL: dict[str, Any] = {"kind": "persuasion", "effects": "judge"}
ALL: tuple[Any, ...] = ("structured", "moderator", "panel", {"kind": "live", "feedback": False}, JUDGED_BY_MODEL)


def after(waves: int, *systems: Any) -> Debate:
    """A structured debate after so many waves."""
    return spoken(begun(config(None, systems)), waves=waves)


@pytest.mark.parametrize("system", ["structured", "panel"])
def test_nothing_is_owed_on_the_whole_before_the_last_speech(system: str) -> None:
    """Two rounds of three are not the whole."""
    assert keys(after(2, system)) == []
    assert keys(after(3, system)) != []


@pytest.mark.parametrize(("waves", "rounds"), [(0, []), (1, [1]), (2, [1, 2])])
def test_a_round_is_judged_as_soon_as_it_is_complete(waves: int, rounds: list[int]) -> None:
    """Beside the next round, without holding it up."""
    debate = after(waves, "moderator")
    assert keys(debate) == [f"r1/moderator/judge/round/{number}/0" for number in rounds]
    assert next_step(debate).cues != ()


def test_the_last_round_and_the_final_evaluation_are_owed_at_the_same_time() -> None:
    """Neither waits for the other."""
    assert keys(after(3, "moderator"))[-2:] == ["r1/moderator/judge/round/3/0", "r1/moderator/judge/debate/all/0"]


def test_guidance_is_owed_while_the_debate_waits_for_it() -> None:
    """With guidance the next round waits, and the chair is asked: no deadlock."""
    debate = after(1, {"kind": "moderator", "guidance": True})
    assert next_step(debate).cues == ()
    assert keys(debate) == ["r1/moderator/judge/round/1/0"]


def test_a_turn_that_came_before_its_elder_waits_for_it() -> None:
    """What a judge sees of a simultaneous wave does not depend on who answered first."""
    debate = begun(config(None, [{"kind": "live", "feedback": False}]))
    first, second = next_step(debate).cues
    debate = said(debate, speech(second, debate))
    assert keys(debate) == []
    debate = said(debate, speech(first, debate))
    assert len(keys(debate)) == 3


@pytest.mark.parametrize(("effects", "owing"), [("keywords", False), ("factors", False), ("judge", True)])
def test_persuasion_asks_a_model_only_where_it_is_to_judge(effects: str, owing: bool) -> None:
    """Keywords and factors need none."""
    debate = begun(config(None, [{"kind": "persuasion", "effects": effects}]))
    assert bool(owed_briefs(spoken(debate, waves=1))) == owing


def test_several_judges_each_owe_an_assessment() -> None:
    """`judges: 3` numbers them."""
    debate = debated({"kind": "structured", "judges": 3})
    assert [brief.assessor for brief in owed_briefs(debate)] == ["judge-1", "judge-2", "judge-3"]


def test_what_failed_is_not_asked_again_before_the_debate_is_resumed() -> None:
    """A failure that is not final is forgiven by resuming."""
    debate = debated("structured")
    debate = failed(debate, owed_briefs(debate)[0])
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
def test_the_deciding_system_is_asked_first_then_the_longest_chain(decides: str, order: list[str]) -> None:
    """A budget that does not do for all does for the verdict; and what takes longest is begun early."""
    systems = ["structured", "moderator", "panel", {"kind": "live", "feedback": False}]
    told = config(None, systems)
    judging = told.judging.model_copy(update={"decides": decides})
    debate = spoken(begun(told.model_copy(update={"judging": judging})), waves=3)
    assert list(dict.fromkeys(brief.system for brief in owed_briefs(debate))) == order


@pytest.mark.parametrize("reason", ["budget", "interrupted", "failed"])
def test_a_debate_that_was_broken_off_owes_nothing_by_itself_but_a_later_run_takes_it_as_it_is(reason: Any) -> None:
    """Its own judges wait for it to be resumed; `debate judge` judges what is there."""
    debate = after(1, "structured").apply(DebateClosed(at=NOON, reason=reason))
    assert keys(debate) == []
    assert keys(judged_later(debate, "structured", "moderator"))[0] == "r2/structured/judge/debate/all/0"


def test_a_later_run_owes_its_own_systems_only() -> None:
    """The first run is settled and stays so."""
    debate = judged_later(closed(played("structured")), "moderator")
    assert {brief.run for brief in owed_briefs(debate)} == {"r2"}
    assert {brief.system for brief in owed_briefs(debate)} == {"moderator"}


def test_of_a_document_only_the_panel_judges() -> None:
    """An artifact has no debaters and no turns."""
    document = DebateConfig.model_validate(
        {"topic": "PLAN.md", "background": "We will do it.", "debaters": [], "judging": {"systems": list(ALL)}}
    )
    assert {brief.system for brief in owed_briefs(begun(document))} == {"panel"}


@pytest.mark.parametrize(
    "form", [None, {"kind": "free_flowing", "turns": 5}, {"kind": "structured", "order": "sequential"}]
)
def test_what_was_planned_is_what_is_done_at_least(form: dict[str, Any] | None) -> None:
    """When all goes as planned the number of assessments is the one announced (a panel may deliberate, live reconcile)."""
    debate = played(*ALL, form=form)
    extra = [item for item in debate.assessments if item.revision]
    assert len(debate.assessments) - len(extra) == planned_briefs(debate.config)


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_the_order_of_answers_does_not_change_what_is_answered(data: st.DataObject) -> None:
    """Whichever brief is settled first, the same ones are settled in the end."""
    debate = debated("moderator", {"kind": "panel", "personas": ["qa_evaluator", "domain_expert"]})
    expected = settle_all(debate).answered_keys
    while briefs := owed_briefs(debate):
        chosen = data.draw(st.sampled_from(briefs))
        debate = settle_all_of(debate, chosen.key)
    assert debate.answered_keys == expected


def settle_all_of(debate: Debate, key: str) -> Debate:
    """The debate with the one brief of that key answered."""
    return settle(debate, [brief for brief in owed_briefs(debate) if brief.key == key])


def test_a_role_is_looked_up_on_the_bench() -> None:
    """A panel judge may have a model of its own; a stranger is an error."""
    configured = config(
        None,
        [
            {
                "kind": "panel",
                "judge": "quick",
                "judges": [{"id": "a", "persona": "x", "model": "strong"}, {"id": "b", "persona": "y"}],
            }
        ],
    )
    (panel,) = configured.judging.systems
    assert [judge_model_role(panel, judge) for judge in judge_ids(panel)] == ["strong", "quick"]
    with pytest.raises(KeyError):
        judge_model_role(panel, "c")
