"""The live judge: turns, pairs of turns, and the narrative of the debate."""

from __future__ import annotations

from typing import Any

import pytest
from judging_support import (
    FillingModel,
    assess,
    assess_filled,
    close_debate,
    debate_with_speeches,
    judge_later,
    keys,
    play_and_judge,
    settle,
    settle_all,
)
from scoring_support import CON, PRO, THIRD, THREE, build_debate, opening_event, speech

from debate_cli.domain.assessment import Contradiction, Finding
from debate_cli.domain.debate import Debate
from debate_cli.domain.tasks import Brief, Subject
from debate_cli.judging.schedule import owed_briefs
from debate_cli.systems.live.findings import LogicGap, Narrative, PairComparison, Pressure, Resolution, SuspectClaim
from debate_cli.systems.live.settings import LiveSettings

LIVE: dict[str, Any] = {"kind": "live", "feedback": False}
FREE = {"kind": "free_flowing", "turns": 2}
PAIR = Brief(run="r1", system="live", assessor="judge", subject=Subject(moment="pair", turns=(0, 1)))


def brief_of(debate: Debate, where: str) -> Brief:
    """The owed brief whose key ends with `where`."""
    return next(brief for brief in owed_briefs(debate) if brief.key.endswith(where))


def of_kind(findings: tuple[Finding, ...], kind: type[Finding]) -> list[Finding]:
    """The findings of one kind."""
    return [finding for finding in findings if isinstance(finding, kind)]


def test_a_turn_has_five_marks() -> None:
    """Logic 40, rhetoric 30, tactics 30; frame control and credibility 10 each."""
    debate = debate_with_speeches(LIVE)
    marks = {mark.criterion: mark for mark in assess_filled(brief_of(debate, "turn/0/0"), debate).marks}
    assert {name: marks[name].out_of for name in ("logic", "rhetoric", "tactics")} == {
        "logic": 40,
        "rhetoric": 30,
        "tactics": 30,
    }
    assert {marks[name].out_of for name in ("frame_control", "credibility")} == {10}
    assert {mark.participant for mark in marks.values()} == {"Pro"}


@pytest.mark.parametrize(("framing", "delivery", "rhetoric"), [(5, 3, 15), (5, 5, 17), (2, 7, 11), (0, 7, 7)])
def test_rhetoric_is_the_sum_of_its_parts(framing: int, delivery: int, rhetoric: int) -> None:
    """Clarity 3, evidence use 4, framing, and delivery, which is capped by framing with a warning."""
    change = {"framing": framing, "delivery": delivery}
    debate = debate_with_speeches(LIVE)
    assessment = assess_filled(brief_of(debate, "turn/0/0"), debate, lambda form: form.update(change))
    value = next(mark.value for mark in assessment.marks if mark.criterion == "rhetoric")
    assert value == rhetoric
    assert any(warning.startswith("capped") for warning in assessment.warnings) == (delivery > framing)


def test_a_contradiction_names_an_earlier_turn_of_the_speaker() -> None:
    """Turn 2 may contradict turn 0, not turn 1 of the other speaker, which is dropped with a warning."""

    def change(form: dict[str, Any]) -> None:
        form["contradictions"] = [{"earlier": index, "explanation": "says the opposite"} for index in (0, 1)]

    debate = debate_with_speeches(LIVE, form=FREE)
    assessment = assess_filled(brief_of(debate, "turn/2/0"), debate, change)
    (found,) = of_kind(assessment.findings, Contradiction)
    assert isinstance(found, Contradiction)
    assert (found.participant, found.earlier, found.later) == ("Pro", 0, 2)
    assert len(assessment.warnings) == 1


@pytest.mark.parametrize(
    ("quote", "turns"),
    [("Claim of round 1", [0]), ("claim of   Round 1.", [0]), ("Claim of round 2", [2]), ("never said", [])],
)
def test_a_suspect_claim_belongs_to_the_turn_that_made_it(quote: str, turns: list[int]) -> None:
    """A quote that is in no turn is dropped with a warning."""

    def change(form: dict[str, Any]) -> None:
        form["suspect_claims"] = [{"quote": quote, "fault": "fabricated"}]

    debate = debate_with_speeches(LIVE, form=FREE)
    assessment = assess_filled(brief_of(debate, "turn/2/0"), debate, change)
    found = of_kind(assessment.findings, SuspectClaim)
    assert [item.turn for item in found if isinstance(item, SuspectClaim)] == turns
    assert len(assessment.warnings) == (not turns)


def test_a_logic_gap_belongs_to_the_earlier_turn() -> None:
    """Its points are clamped to 1-10."""

    def change(form: dict[str, Any]) -> None:
        form["logic_gap"] = [{"reason": "no process", "points": 40}]

    debate = debate_with_speeches(LIVE)
    (gap,) = of_kind(assess_filled(brief_of(debate, "pair/0-1/0"), debate, change).findings, LogicGap)
    assert isinstance(gap, LogicGap)
    assert (gap.turn, gap.points) == (0, 10)


def test_a_comparison_names_a_speaker_or_draw() -> None:
    """Another name counts as a draw, with a warning."""
    debate = debate_with_speeches(LIVE)
    change = {"logic": "Con", "rhetoric": "Nemo", "tactics": "draw"}
    assessment = assess_filled(brief_of(debate, "pair/0-1/0"), debate, lambda form: form.update(change))
    assert assessment.findings == (PairComparison(logic="Con", rhetoric="draw", tactics="draw"),)
    assert len(assessment.warnings) == 1


@pytest.mark.parametrize(
    ("won", "loser"),
    [(("Con", "Con", "Pro"), "Pro"), (("Pro", "draw", "draw"), "Con"), (("Pro", "Con", "draw"), None)],
)
def test_pressure_is_on_the_loser_of_the_pair(won: tuple[str, str, str], loser: str | None) -> None:
    """The speaker who won fewer dimensions; none if they are even."""
    debate = play_and_judge("live")
    change = dict(zip(("logic", "rhetoric", "tactics"), won, strict=True))
    assessment = assess_filled(PAIR, debate, lambda form: form.update(**change))
    assert [item.participant for item in assessment.findings if isinstance(item, Pressure)] == [loser] * (
        loser is not None
    )


@pytest.mark.parametrize(("feedback", "run", "asked"), [(True, "r1", True), (False, "r1", False), (True, "r2", False)])
def test_pressure_is_requested_with_feedback_only(feedback: bool, run: str, asked: bool) -> None:
    """In the debate's own run; a later run cannot influence debaters."""
    settings = {"kind": "live", "feedback": feedback}
    debate = judge_later(play_and_judge(settings), settings)
    model = FillingModel()
    assess(PAIR.model_copy(update={"run": run}), debate, model)
    schema: Any = model.requests[0].schema
    assert ("pressure" in schema.json["properties"]) == asked


def test_turns_pairs_and_the_narrative_are_owed() -> None:
    """Four turns are three pairs."""
    debate = debate_with_speeches(LIVE, form=FREE)
    assert keys(debate) == [
        *(f"r1/live/judge/turn/{index}/0" for index in range(4)),
        *(f"r1/live/judge/pair/{index}-{index + 1}/0" for index in range(3)),
        "r1/live/judge/debate/all/0",
    ]


@pytest.mark.parametrize(("winner", "resolved"), [("Pro", True), ("nobody", False)])
def test_a_conflicting_narrative_needs_a_resolution(winner: str, resolved: bool) -> None:
    """Equal marks are a draw; a narrative with a winner conflicts with it."""
    debate = debate_with_speeches(LIVE, form=FREE)
    narrative = brief_of(debate, "debate/all/0")
    debate = settle(debate, [narrative], FillingModel(lambda form: form.update(winner=winner)))
    exchanges = owed_briefs(debate)
    assert "r1/live/judge/debate/all/1" not in keys(debate)
    debate = settle(debate, exchanges, FillingModel(even))
    assert keys(debate) == ["r1/live/judge/debate/all/1"] * resolved
    done = settle_all(debate)
    assert len([item for one in done.assessments for item in one.findings if isinstance(item, Resolution)]) == resolved


def even(form: dict[str, Any]) -> None:
    """Change a comparison to a draw."""
    if "reasoning" in form and "logic_gap" in form:
        form.update(logic="draw", rhetoric="draw", tactics="draw")


@pytest.mark.parametrize(("turns", "expected"), [(4, []), (5, ["r1/live/judge/debate/0-1-8-9/0"])])
def test_convergence_is_judged_from_ten_turns_on(turns: int, expected: list[str]) -> None:
    """Eight turns are too few."""
    debate = debate_with_speeches(LIVE, form={"kind": "free_flowing", "turns": turns})
    assert [key for key in keys(debate) if "debate/0" in key] == expected


@pytest.mark.parametrize("winner", ["Zoe", THIRD])
def test_the_winner_of_a_narrative_has_spoken(winner: str) -> None:
    """An unknown name, or a debater without a turn, is no winner; a debater without a turn has no arc."""
    debate = build_debate(opening_event(LiveSettings(), debaters=THREE), [speech(0, PRO), speech(1, CON)])
    whole = Brief(run="r1", system="live", assessor="judge", subject=Subject(moment="debate"))
    assessment = assess_filled(whole, debate, lambda form: form.update(winner=winner))
    (narrative,) = of_kind(assessment.findings, Narrative)
    assert isinstance(narrative, Narrative)
    assert ([arc.participant for arc in narrative.arcs], narrative.winner) == ([PRO, CON], None)
    assert len(assessment.warnings) == 1


def test_live_judging_ends() -> None:
    """With every brief answered nothing is owed."""
    assert keys(close_debate(settle_all(debate_with_speeches(LIVE, form={"kind": "free_flowing", "turns": 5})))) == []
