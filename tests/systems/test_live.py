"""The live scorer: calibration, penalties, victories; expected numbers are computed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from scoring_support import CON, PRO, THREE, assessment, build_debate, marks, opening_event, speech

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


def turn_marks(index: int, row: Row, *findings: Finding, speaker: str | None = None) -> Assessment:
    """Marks of one turn, with 5 for frame control and 6 for credibility."""
    name = speaker or SPEAKERS[index % 2]
    given = [*marks(name, DIMENSION_MAXIMA, row), *marks(name, SUPPLEMENTARY_MAXIMA, (5, 6))]
    return assessment("live", given, *findings, moment="turn", turns=(index,))


def pair(later: int, logic: str = "draw", rhetoric: str = "draw", tactics: str = "draw") -> Assessment:
    """The comparison of turn `later` with the turn before it."""
    finding = PairComparison(logic=logic, rhetoric=rhetoric, tactics=tactics)
    return assessment("live", (), finding, moment="pair", turns=(later - 1, later))


def narrative(winner: str | None) -> Assessment:
    """The narrative."""
    return assessment("live", (), Narrative(winner=winner, reasoning="So it went.", pattern="none"))


def live_debate(rows: Sequence[Row], *others: Assessment) -> Debate:
    """A debate of alternating turns with these marks."""
    turns = [speech(index, SPEAKERS[index % 2]) for index in range(len(rows))]
    given = [turn_marks(index, row) for index, row in enumerate(rows)]
    return build_debate(opening_event(LiveSettings()), turns, [*given, *others])


def card(debate: Debate) -> Scorecard:
    """The scorecard of run r1."""
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
        # An unknown winner changes nothing
        (20, 30, "Zoe", 30, None),
    ],
)
def test_calibration_of_logic(before: float, own: float, winner: str, expected: float, rule: str | None) -> None:
    """The later turn of a pair is raised to a floor, lowered to a ceiling or kept near the turn before."""
    found = card(live_debate([(before, 0, 0), (own, 0, 0)], pair(1, logic=winner)))
    assert found.calibrated[1]["logic"] == pytest.approx(expected)
    assert [(item.dimension, item.rule) for item in found.calibrations] == ([("logic", rule)] if rule else [])


@pytest.mark.parametrize(("dimension", "floor"), [("rhetoric", 16.5), ("tactics", 16.5)])
def test_the_floor_follows_the_maximum_of_the_dimension(dimension: str, floor: float) -> None:
    """0.55 of 30 is 16.5."""
    found = card(live_debate([(0, 0, 0), (0, 0, 0)], pair(1, **{dimension: CON})))
    assert found.calibrated[1][dimension] == pytest.approx(floor)


def test_a_turn_is_calibrated_against_the_calibrated_turn_before() -> None:
    """Turn 1 won and rises from 10 to 31; turn 2 lost to it and falls to 30, not to 9."""
    found = card(live_debate([(30, 0, 0), (10, 0, 0), (35, 0, 0)], pair(1, logic=CON), pair(2, logic=CON)))
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
    """A hollow claim costs 1, other faults 2; logic does not fall below 0."""
    claims = [SuspectClaim(turn=0, quote=f"claim {n}", fault=fault) for n, fault in enumerate(faults)]
    debate = live_debate([(20, 10, 10), (20, 10, 10)], assessment("live", (), *claims))
    assert card(debate).penalised[0] == {"logic": pytest.approx(expected), "rhetoric": 10, "tactics": 10}


@pytest.mark.parametrize(
    ("again", "turns", "logic"),
    [
        ("Costs fall by “80%”", (0, 0), (18, 20)),
        ('COSTS fall by "80%"!', (0, 0), (18, 20)),
        ('  costs fall  by "80%"', (1, 0), (18, 20)),
    ],
)
def test_a_repeated_quote_costs_once(again: str, turns: tuple[int, int], logic: tuple[float, float]) -> None:
    """On its first turn, with its worst fault (2); case, spaces and punctuation are ignored."""
    claims = (
        SuspectClaim(turn=turns[0], quote=again, fault="hollow"),
        SuspectClaim(turn=turns[1], quote='Costs fall by "80%".', fault="fabricated"),
    )
    found = card(live_debate([(20, 0, 0), (20, 0, 0)], assessment("live", (), *claims)))
    assert tuple(found.penalised[turn]["logic"] for turn in (0, 1)) == logic
    assert len(found.penalties) == 1


def test_penalties_follow_calibration() -> None:
    """Turn 1 won and is raised to 22; two gaps of 4 and 1 then lower it to 17."""
    gaps = (LogicGap(turn=1, points=4, reason="a"), LogicGap(turn=1, points=1, reason="b"))
    found = card(live_debate([(20, 0, 0), (10, 0, 0)], pair(1, logic=CON), assessment("live", (), *gaps)))
    assert (found.calibrated[1]["logic"], found.penalised[1]["logic"]) == (22, 17)


def test_a_penalty_does_not_change_later_calibration() -> None:
    """Turn 1 lost to a turn 0 of 20, later penalised to 10; its ceiling stays 19."""
    gap = LogicGap(turn=0, points=10, reason="a")
    found = card(live_debate([(20, 0, 0), (25, 0, 0)], pair(1, logic=PRO), assessment("live", (), gap)))
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
def test_victory_follows_the_margin(pro: Row, con: Row, margin: float, victory: Victory) -> None:
    """Below 2 a draw, below 10 narrow, from 10 on clear."""
    found = score_run(live_debate([pro, con]), "r1", LiveSettings())
    assert found.margin == pytest.approx(margin)
    assert found.victory == victory


def test_a_score_is_the_mean_of_the_turns() -> None:
    """Ada: (60 + 40)/2 = 50, Ben: (30 + 90)/2 = 60."""
    found = score_run(live_debate([(20, 20, 20), (10, 10, 10), (20, 10, 10), (30, 30, 30)]), "r1", LiveSettings())
    assert (found.scores, found.winner, found.victory) == ({PRO: 50.0, CON: 60.0}, CON, "clear")


def test_marks_are_clamped_to_their_scale() -> None:
    """45 of 40 counts as 40."""
    given = marks(PRO, {"logic": 50, "rhetoric": 30, "tactics": 30}, (45, 0, 0))
    debate = build_debate(
        opening_event(LiveSettings()), [speech(0, PRO)], [assessment("live", given, moment="turn", turns=(0,))]
    )
    assert card(debate).raw[0]["logic"] == 40


def test_dimension_wins_are_counted() -> None:
    """Ben won logic twice and tactics once; draws and unknown names do not count."""
    debate = live_debate([(0, 0, 0)] * 3, pair(1, logic=CON, tactics=CON, rhetoric="x"), pair(2, logic=CON))
    wins = score_run(debate, "r1", LiveSettings()).notes["dimension_wins"]
    assert wins == {PRO: {"logic": 0, "rhetoric": 0, "tactics": 0}, CON: {"logic": 2, "rhetoric": 0, "tactics": 1}}


@pytest.mark.parametrize(
    ("rows", "winner", "agrees"),
    [
        ([(40, 30, 30), (0, 0, 0)], PRO, True),
        ([(40, 30, 30), (0, 0, 0)], CON, False),
        ([(40, 30, 30), (0, 0, 0)], None, False),
        ([(20, 20, 20), (20, 20, 20)], None, True),
    ],
)
def test_a_narrative_never_changes_the_winner(rows: list[Row], winner: str | None, agrees: bool) -> None:
    """A narrative with another winner than the scorecard is a conflict that needs a resolution."""
    debate = live_debate(rows, narrative(winner))
    found = score_run(debate, "r1", LiveSettings())
    assert (found.winner, narrative_note(found)["agrees"]) == (PRO if rows[0] != rows[1] else None, agrees)
    assert has_narrative_conflict(debate, "r1", LiveSettings()) is not agrees


def test_a_resolution_is_noted_with_the_narrative() -> None:
    """A conflict without a resolution is listed as missing."""
    why = assessment("live", (), Resolution(explanation="Because."), revision=1)
    rows: list[Row] = [(40, 30, 30), (0, 0, 0)]
    resolved = score_run(live_debate(rows, narrative(CON), why), "r1", LiveSettings())
    unresolved = score_run(live_debate(rows, narrative(CON)), "r1", LiveSettings())
    assert narrative_note(resolved)["resolution"] == "Because."
    assert "The conflict of narrative and scorecard was not explained." in str(unresolved.notes["missing"])


def narrative_note(found: Verdict) -> dict[str, Any]:
    """The verdict's note on the narrative."""
    note = found.notes["narrative"]
    assert isinstance(note, dict)
    return note


def test_convergence_is_required_from_ten_turns_on() -> None:
    """It is not missing with nine turns."""
    sentence = "The first and the last turns were not compared."
    nine, ten = live_debate([(20, 20, 20)] * 9), live_debate([(20, 20, 20)] * 10)
    judged_ten = live_debate(
        [(20, 20, 20)] * 10, assessment("live", (), Convergence(outcome="genuine_agreement", early="a", late="b"))
    )
    missed = [
        sentence in str(score_run(debate, "r1", LiveSettings()).notes["missing"]) for debate in (nine, ten, judged_ten)
    ]
    assert missed == [False, True, False]


def test_without_a_scored_turn_of_every_speaker_there_is_no_winner() -> None:
    """Three spoke, two were scored; the missing turn is named."""
    turns = [speech(0, PRO), speech(1, CON), speech(2, "Cem")]
    given = [turn_marks(0, (40, 30, 30)), turn_marks(1, (0, 0, 0))]
    found = score_run(build_debate(opening_event(LiveSettings(), debaters=THREE), turns, given), "r1", LiveSettings())
    assert (found.victory, found.scores) == ("undetermined", {PRO: 100.0, CON: 0.0})
    assert "Turn 3 was not assessed." in str(found.notes["missing"])


def test_two_turns_of_one_speaker_are_not_a_pair() -> None:
    """Their comparison changes nothing and is not required."""
    turns = [speech(0, PRO), speech(1, PRO), speech(2, CON)]
    given = [turn_marks(n, (20, 20, 20), speaker=name) for n, name in enumerate((PRO, PRO, CON))]
    debate = build_debate(opening_event(LiveSettings()), turns, [*given, pair(1, logic=PRO)])
    found = score_run(debate, "r1", LiveSettings())
    assert found.notes["calibrations"] == []
    assert "Turns 1 and 2" not in str(found.notes["missing"])


def test_frame_control_and_credibility_are_not_part_of_the_score() -> None:
    """They are averaged separately: 5 and 6, score 60."""
    found = score_run(live_debate([(20, 20, 20), (20, 20, 20)]), "r1", LiveSettings())
    assert (found.notes["frame_control"], found.notes["credibility"]) == ({PRO: 5.0, CON: 5.0}, {PRO: 6.0, CON: 6.0})
    assert found.scores[PRO] == 60.0
