"""The live scorer, worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from scoring_support import CON, PRO, THREE, assessment, begun, judged, marks, speech

from debate_cli.domain.assessment import Assessment, Finding
from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict, Victory
from debate_cli.systems.live.calibration import (
    DIMENSION_MAXIMA,
    SUPPLEMENTARY_MAXIMA,
    Calibration,
    Scorecard,
    build_scorecard,
)
from debate_cli.systems.live.findings import (
    ClaimFault,
    Convergence,
    LogicGap,
    Narrative,
    PairComparison,
    Resolution,
    SuspectClaim,
)
from debate_cli.systems.live.score import has_narrative_conflict, score_run
from debate_cli.systems.live.settings import LiveSettings

SPEAKERS = (PRO, CON)
Row = tuple[float, float, float]
"""Logic, rhetoric, tactics."""


def turn_mark(index: int, row: Row, *findings: Finding, speaker: str | None = None) -> Assessment:
    """The judge's marks of one turn, with 5 and 6 for frame control and credibility."""
    name = speaker or SPEAKERS[index % 2]
    given = [*marks(name, DIMENSION_MAXIMA, row), *marks(name, SUPPLEMENTARY_MAXIMA, (5, 6))]
    return assessment("live", given, *findings, moment="turn", turns=(index,))


def compared(later: int, logic: str = "draw", rhetoric: str = "draw", tactics: str = "draw") -> Assessment:
    """The judge's word on the exchange that ends with turn `later`."""
    finding = PairComparison(logic=logic, rhetoric=rhetoric, tactics=tactics)
    return assessment("live", (), finding, moment="pair", turns=(later - 1, later))


def told(winner: str | None) -> Assessment:
    """The narrative."""
    return assessment("live", (), Narrative(winner=winner, reasoning="So it went.", pattern="none"))


def heard(rows: Sequence[Row], *others: Assessment) -> Debate:
    """A debate of alternating turns with these marks."""
    turns = [speech(index, SPEAKERS[index % 2]) for index in range(len(rows))]
    given = [turn_mark(index, row) for index, row in enumerate(rows)]
    return judged(begun(LiveSettings()), turns, [*given, *others])


def card(debate: Debate) -> Scorecard:
    """The scorecard of the debate's own run."""
    return build_scorecard(debate, debate.assessments_of_system("live", "r1"))


@pytest.mark.parametrize(
    ("before", "own", "winner", "expected", "rule"),
    [
        # Won: at least max(0.55*40 = 22, before + 1)
        (20, 10, CON, 22, "floor"),
        (30, 10, CON, 31, "floor"),
        (21, 22, CON, 22, None),
        (30, 31, CON, 31, None),
        (30, 35, CON, 35, None),
        # ... but at most 40
        (40, 10, CON, 40, "floor"),
        (39.5, 10, CON, 40, "floor"),
        # Lost: at most before - 1, at least 0
        (20, 25, PRO, 19, "ceiling"),
        (20, 20, PRO, 19, "ceiling"),
        (20, 19, PRO, 19, None),
        (0.5, 10, PRO, 0, "ceiling"),
        # Drawn: within 0.1*40 = 4
        (20, 30, "draw", 24, "draw"),
        (20, 24, "draw", 24, None),
        (20, 16, "draw", 16, None),
        (20, 10, "draw", 16, "draw"),
        (2, 0, "draw", 0, None),
        (39, 30, "draw", 35, "draw"),
        # Somebody who was not part of it decides nothing
        (20, 30, "Nobody", 30, None),
    ],
)
def test_calibration_of_logic_worked_by_hand(
    before: float, own: float, winner: str, expected: float, rule: str | None
) -> None:
    """The later turn of a pair is held to a floor, a ceiling or near the turn before; only changes are listed."""
    found = card(heard([(before, 0, 0), (own, 0, 0)], compared(1, logic=winner)))
    assert found.calibrated[1]["logic"] == pytest.approx(expected)
    assert [(item.dimension, item.rule) for item in found.calibrations] == ([("logic", rule)] if rule else [])


@pytest.mark.parametrize(("dimension", "floor"), [("rhetoric", 16.5), ("tactics", 16.5)])
def test_each_dimension_has_its_own_maximum(dimension: str, floor: float) -> None:
    """0.55 of 30 is 16.5."""
    found = card(heard([(0, 0, 0), (0, 0, 0)], compared(1, **{dimension: CON})))
    assert found.calibrated[1][dimension] == pytest.approx(floor)


def test_calibration_is_against_the_calibrated_turn_before() -> None:
    """Turn 1 won and rises from 10 to 31; turn 2 lost to it and falls only to 30, not to 9."""
    found = card(heard([(30, 0, 0), (10, 0, 0), (35, 0, 0)], compared(1, logic=CON), compared(2, logic=CON)))
    assert [found.calibrated[index]["logic"] for index in range(3)] == [30, 31, 30]
    assert found.calibrations[1] == Calibration(turn=2, dimension="logic", before=35, after=30, rule="ceiling")


@pytest.mark.parametrize(
    ("faults", "expected"),
    [
        (("hollow",), 19),
        (("fabricated",), 18),
        (("inverted",), 18),
        (("backwards",), 18),
        (("hollow", "fabricated"), 17),
        (("fabricated",) * 11, 0),
    ],
)
def test_suspect_claims_cost_logic(faults: tuple[ClaimFault, ...], expected: float) -> None:
    """Hollow 1, the others 2, each quote of its own; logic of 20 does not fall below 0."""
    claims = [SuspectClaim(turn=0, quote=f"claim {n}", fault=fault) for n, fault in enumerate(faults)]
    debate = heard([(20, 10, 10), (20, 10, 10)], assessment("live", (), *claims))
    assert card(debate).penalised[0] == {"logic": pytest.approx(expected), "rhetoric": 10, "tactics": 10}


def test_the_same_quote_costs_once() -> None:
    """Exposed twice, in other letters and with another fault, it costs its worst fault: 20 - 2."""
    claims = (
        SuspectClaim(turn=0, quote="It is  So", fault="hollow"),
        SuspectClaim(turn=0, quote="it is so", fault="inverted"),
    )
    found = card(heard([(20, 0, 0), (20, 0, 0)], assessment("live", (), *claims)))
    assert (found.penalised[0]["logic"], len(found.penalties)) == (18, 1)


@pytest.mark.parametrize("again", ["Costs fall by “80%”", 'COSTS fall by "80%"!', '  costs fall  by "80%"'])
def test_a_quote_is_the_same_however_it_is_set(again: str) -> None:
    """Quotation marks, a full stop and spaces make no other words of it: 20 - 2."""
    quotes = ('Costs fall by "80%".', again)
    claims = [SuspectClaim(turn=0, quote=quote, fault="fabricated") for quote in quotes]
    assert card(heard([(20, 0, 0), (20, 0, 0)], assessment("live", (), *claims))).penalised[0]["logic"] == 18


def test_who_quotes_a_claim_to_answer_it_does_not_pay_for_it() -> None:
    """Listed on both turns, it costs the first 2 of 20 and the second nothing."""
    claims = [SuspectClaim(turn=turn, quote="costs fall by 80%", fault="fabricated") for turn in (1, 0)]
    found = card(heard([(20, 0, 0), (20, 0, 0)], assessment("live", (), *claims)))
    assert [found.penalised[turn]["logic"] for turn in (0, 1)] == [18, 20]


def test_a_logic_gap_costs_its_points() -> None:
    """20 - 4 - 3."""
    gaps = (LogicGap(turn=0, points=4, reason="a"), LogicGap(turn=0, points=3, reason="b"))
    assert card(heard([(20, 0, 0), (20, 0, 0)], assessment("live", (), *gaps))).penalised[0]["logic"] == 13


def test_penalties_are_not_calibrated_away() -> None:
    """Turn 1 won and stands at its floor of 22; the penalty of 5 then takes it to 17."""
    gap = LogicGap(turn=1, points=5, reason="a")
    found = card(heard([(20, 0, 0), (10, 0, 0)], compared(1, logic=CON), assessment("live", (), gap)))
    assert (found.calibrated[1]["logic"], found.penalised[1]["logic"]) == (22, 17)


def test_a_penalty_does_not_move_the_turn_after() -> None:
    """Turn 1 lost to a turn 0 of 20, later penalised to 10: its ceiling stays 19."""
    gap = LogicGap(turn=0, points=10, reason="a")
    found = card(heard([(20, 0, 0), (25, 0, 0)], compared(1, logic=PRO), assessment("live", (), gap)))
    assert found.penalised[1]["logic"] == 19


@pytest.mark.parametrize(
    ("pro", "con", "margin", "victory"),
    [
        ((20, 20, 20), (20, 20, 20), 0, "draw"),
        ((20, 20, 21.9), (20, 20, 20), 1.9, "draw"),
        ((20, 20, 22), (20, 20, 20), 2, "narrow"),
        ((20, 20, 29.9), (20, 20, 20), 9.9, "narrow"),
        ((20, 20, 30), (20, 20, 20), 10, "clear"),
        ((40, 30, 30), (0, 0, 0), 100, "clear"),
    ],
)
def test_victories_worked_by_hand(pro: Row, con: Row, margin: float, victory: Victory) -> None:
    """Below 2 a draw, below 10 narrow, from 10 on clear."""
    found = score_run(heard([pro, con]), "r1", LiveSettings())
    assert found.margin == pytest.approx(margin)
    assert found.victory == victory


def test_a_score_is_the_mean_of_the_turns() -> None:
    """Ada: (60 + 40)/2 = 50, Ben: (30 + 90)/2 = 60."""
    found = score_run(heard([(20, 20, 20), (10, 10, 10), (20, 10, 10), (30, 30, 30)]), "r1", LiveSettings())
    assert (found.scores, found.winner, found.victory) == ({PRO: 50.0, CON: 60.0}, CON, "clear")


def test_marks_are_held_to_their_scale() -> None:
    """A model's 45 of 40 counts as 40."""
    given = marks(PRO, {"logic": 50, "rhetoric": 30, "tactics": 30}, (45, 0, 0))
    debate = judged(begun(LiveSettings()), [speech(0, PRO)], [assessment("live", given, moment="turn", turns=(0,))])
    assert card(debate).raw[0]["logic"] == 40


def test_dimension_wins_are_counted() -> None:
    """Ben won logic twice and tactics once, Ada nothing; draws and strangers count for nobody."""
    debate = heard([(0, 0, 0)] * 3, compared(1, logic=CON, tactics=CON, rhetoric="x"), compared(2, logic=CON))
    wins = score_run(debate, "r1", LiveSettings()).notes["dimension_wins"]
    assert wins == {PRO: {"logic": 0, "rhetoric": 0, "tactics": 0}, CON: {"logic": 2, "rhetoric": 0, "tactics": 1}}


@pytest.mark.parametrize(("winner", "agrees"), [(PRO, True), (CON, False), (None, False)])
def test_the_narrative_stands_beside_the_scorecard(winner: str | None, agrees: bool) -> None:
    """The scorecard's winner is the verdict's whatever is told; a difference is a conflict to be resolved."""
    debate = heard([(40, 30, 30), (0, 0, 0)], told(winner))
    found = score_run(debate, "r1", LiveSettings())
    assert (found.winner, _narrative(found)["agrees"]) == (PRO, agrees)
    assert has_narrative_conflict(debate, "r1", LiveSettings()) is not agrees


def test_nobody_agrees_with_a_draw() -> None:
    """A narrative without a winner and a drawn scorecard are of one mind."""
    found = score_run(heard([(20, 20, 20), (20, 20, 20)], told(None)), "r1", LiveSettings())
    assert _narrative(found)["agrees"] is True


def test_a_resolution_is_shown_with_the_narrative() -> None:
    """What explains the conflict stands beside it, and is missed where it is not there."""
    told_otherwise = told(CON)
    why = assessment("live", (), Resolution(explanation="Because."), revision=1)
    resolved = score_run(heard([(40, 30, 30), (0, 0, 0)], told_otherwise, why), "r1", LiveSettings())
    unresolved = score_run(heard([(40, 30, 30), (0, 0, 0)], told_otherwise), "r1", LiveSettings())
    assert _narrative(resolved)["resolution"] == "Because."
    assert "The conflict of narrative and scorecard was not explained." in str(unresolved.notes["missing"])


def _narrative(found: Verdict) -> dict[str, Any]:
    narrative = found.notes["narrative"]
    assert isinstance(narrative, dict)
    return narrative


def test_convergence_is_missed_from_ten_turns_on() -> None:
    """With nine turns it is not owed."""
    sentence = "The first and the last turns were not compared."
    nine, ten = heard([(20, 20, 20)] * 9), heard([(20, 20, 20)] * 10)
    judged_ten = heard(
        [(20, 20, 20)] * 10, assessment("live", (), Convergence(outcome="genuine_agreement", early="a", late="b"))
    )
    missed = [
        sentence in str(score_run(debate, "r1", LiveSettings()).notes["missing"]) for debate in (nine, ten, judged_ten)
    ]
    assert missed == [False, True, False]


def test_a_debater_without_a_scored_turn_leaves_it_undetermined() -> None:
    """Three spoke, two were scored: no winner yet, and the turn is named."""
    turns = [speech(0, PRO), speech(1, CON), speech(2, "Cem")]
    given = [turn_mark(0, (40, 30, 30)), turn_mark(1, (0, 0, 0))]
    found = score_run(judged(begun(LiveSettings(), debaters=THREE), turns, given), "r1", LiveSettings())
    assert (found.victory, found.scores) == ("undetermined", {PRO: 100.0, CON: 0.0})
    assert "Turn 2 was not assessed." in str(found.notes["missing"])


def test_turns_of_one_speaker_are_no_exchange() -> None:
    """A comparison of two turns of the same speaker changes nothing and is not missed."""
    turns = [speech(0, PRO), speech(1, PRO), speech(2, CON)]
    given = [turn_mark(n, (20, 20, 20), speaker=name) for n, name in enumerate((PRO, PRO, CON))]
    debate = judged(begun(LiveSettings()), turns, [*given, compared(1, logic=PRO)])
    found = score_run(debate, "r1", LiveSettings())
    assert found.notes["calibrations"] == []
    assert "Turns 0 and 1" not in str(found.notes["missing"])


def test_frame_control_and_credibility_stay_outside_the_composite() -> None:
    """They are averaged on their own: 5 and 6 each, composite 60."""
    found = score_run(heard([(20, 20, 20), (20, 20, 20)]), "r1", LiveSettings())
    assert (found.notes["frame_control"], found.notes["credibility"]) == ({PRO: 5.0, CON: 5.0}, {PRO: 6.0, CON: 6.0})
    assert found.scores[PRO] == 60.0
