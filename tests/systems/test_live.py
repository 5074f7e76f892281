"""The live scorer: calibration, penalties, victories; expected numbers are computed by hand."""

from typing import Any

import pytest
from live_scoring_support import SPEAKERS, Row, claim, decision, gap, live_debate, narrative, pair, turn_marks
from scoring_support import CON, PRO, THREE, assessment, build_debate, opening_event, speech

from debate_cli.domain.assessment import Contradiction, DroppedPremise, Finding
from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict, Victory
from debate_cli.systems.live.calibration import Scorecard, build_scorecard
from debate_cli.systems.live.findings import (
    CausalChain,
    Convergence,
    DebatePattern,
    Narrative,
    Resolution,
)
from debate_cli.systems.live.score import has_narrative_conflict, score_run
from debate_cli.systems.live.settings import LiveSettings, PenaltyPoints
from debate_cli.systems.registry import get_system


def card(debate: Debate, settings: LiveSettings = LiveSettings()) -> Scorecard:  # noqa: B008 - frozen
    """Return the scorecard of run r1."""
    return build_scorecard(debate, debate.assessments_of_system("live", "r1"), settings)


@pytest.mark.parametrize(
    ("marks_of_turn_1", "winners", "expected", "rule"),
    [
        # Won: at least 0.55 * 40 = 22.
        (10, (CON, "-"), 22, "floor"),
        (22, (CON, "-"), 22, None),
        # Lost: at most 21.
        (30, (PRO, "-"), 21, "ceiling"),
        (21.5, (PRO, "-"), 21, "ceiling"),
        # One win is enough, in either pair.
        (10, (PRO, CON), 22, "floor"),
        (30, (PRO, PRO), 21, "ceiling"),
        # Draws, unknown winners and pairs without a comparison change nothing.
        (30, ("draw", "-"), 30, None),
        (30, ("Zoe", "-"), 30, None),
    ],
)
def test_both_exchanges_of_a_turn_calibrate_it(
    marks_of_turn_1: float, winners: tuple[str, str], expected: float, rule: str | None
) -> None:
    """The logic of a turn that won an exchange is held in 22-40, of a turn that only lost in 0-21."""
    pairs = [pair(later, logic=winner) for later, winner in enumerate(winners, 1) if winner != "-"]
    found = card(live_debate([(22, 0, 0), (marks_of_turn_1, 0, 0), (22, 0, 0)], *pairs))
    assert found.calibrated[1]["logic"] == expected
    assert [item.rule for item in found.calibrations if item.turn == 1] == ([rule] if rule else [])


@pytest.mark.parametrize(
    ("earlier", "later", "winner", "is_listed"),
    [
        (20, 24.5, "draw", True),
        (20, 24, "draw", False),
        (24.5, 20, "draw", True),
        (40, 10, PRO, True),
        (22, 10, PRO, False),
        (10, 40, CON, True),
        (10, 22, CON, False),
    ],
)
def test_an_exchange_that_calibration_does_not_settle_is_listed(
    earlier: float, later: float, winner: str, is_listed: bool
) -> None:
    """An exchange is listed if its winner has the lower score, or if the scores of a draw are more than 4 points apart."""
    others = {PRO: pair(1, logic=CON), CON: pair(3, logic=PRO), "draw": pair(1)}[winner]
    rows: list[Row] = [(30, 0, 0), (earlier, 0, 0), (later, 0, 0), (30, 0, 0)]
    found = [item for item in card(live_debate(rows, others, pair(2, logic=winner))).unresolved if item.turns == (1, 2)]
    assert [(item.dimension, item.winner) for item in found] == [("logic", winner)] * is_listed


@pytest.mark.parametrize(
    ("missing", "logic", "expected"),
    [
        (("process",), 40, 34),
        (("weakest_premise",), 35, 34),
        (("cause", "consequence"), 34, 34),
        ((), 40, 40),
    ],
)
def test_an_incomplete_chain_limits_logic(missing: tuple[str, ...], logic: float, expected: float) -> None:
    """Logic is limited to 34 if the causal chain lacks a link, and the change is listed apart from the calibrations."""
    chain = CausalChain(cause="a", process="b", consequence="c", missing=missing)
    debate = build_debate(opening_event(LiveSettings()), [speech(0, PRO)], [turn_marks(0, (logic, 0, 0), chain)])
    found = card(debate)
    assert (found.raw[0]["logic"], found.calibrated[0]["logic"]) == (logic, expected)
    assert [(item.before, item.after, item.rule) for item in found.chain_limits] == (
        [(logic, expected, "chain")] if logic != expected else []
    )
    assert found.calibrations == ()


@pytest.mark.parametrize(
    ("opened", "reviewed", "charged"),
    [
        pytest.param([claim(0, "hollow")], [], {0: 1}, id="an entry without a review counts"),
        pytest.param([claim(0, "hollow")], [decision(0, "hollow", "withdrawn")], {}, id="withdrawn"),
        pytest.param(
            [claim(0, "hollow")], [decision(1, "hollow", "withdrawn")], {0: 1}, id="another turn is another entry"
        ),
        pytest.param(
            [claim(0, "hollow"), claim(0, "inverted")],
            [decision(0, "inverted", "withdrawn")],
            {0: 1},
            id="the worst remaining entry counts",
        ),
        pytest.param(
            [claim(0, "hollow"), claim(2, "inverted")], [], {0: 2}, id="the same words cost once, on the earliest turn"
        ),
        pytest.param(
            [claim(0, "inverted"), claim(2, "hollow")],
            [decision(0, "inverted", "withdrawn")],
            {2: 1},
            id="a withdrawn entry does not place the charge",
        ),
        pytest.param([], [decision(1, "backwards", "confirmed")], {1: 2}, id="the review may open an entry"),
        pytest.param([gap(1, 3), gap(1, 5)], [], {1: 5}, id="the largest opened points of a gap"),
        pytest.param([gap(1, 5)], [decision(1, "gap", "confirmed", 2)], {1: 2}, id="the review's points"),
        pytest.param([gap(1, 5)], [decision(1, "gap", "confirmed")], {1: 5}, id="the opened points without others"),
        pytest.param([gap(1, 5), claim(1, "hollow")], [], {1: 5}, id="a gap and a claim with the same words"),
        pytest.param([gap(1, 3, ""), gap(1, 3, "")], [], {1: 6}, id="old gaps without a quote count each"),
    ],
)
def test_the_register_charges_entries_that_remain(
    opened: list[Finding], reviewed: list[Finding], charged: dict[int, float]
) -> None:
    """Each register entry that the review does not withdraw costs points on the earliest turn with its words."""
    review = [assessment("live", (), *reviewed, revision=2)] if reviewed else []
    debate = live_debate([(20, 0, 0)] * 3, *(pair(1, *opened), *review))
    lost = {turn: 20 - of["logic"] for turn, of in card(debate).penalised.items()}
    assert {turn: points for turn, points in lost.items() if points} == charged


def test_withdrawals_can_be_charged() -> None:
    """With `withdrawals: false` a withdrawn entry is shown as doubted and still costs its point."""
    review = assessment("live", (), decision(0, "hollow", "withdrawn"), revision=2)
    debate = live_debate([(20, 0, 0)] * 2, pair(1, claim(0, "hollow")), review)
    found = card(debate, LiveSettings(withdrawals=False))
    assert (found.register[0].status, found.penalised[0]["logic"]) == ("doubted", 19)


@pytest.mark.parametrize(("points", "expected"), [((0, 0), 20), ((3, 0), 17), ((0, 1.5), 18.5), ((3, 1.5), 15.5)])
def test_inconsistencies_cost_what_the_settings_say(points: tuple[float, float], expected: float) -> None:
    """Contradictions and dropped premises cost the configured points on the later turn, by default none."""
    found = [
        Contradiction(participant=PRO, earlier=0, later=2, explanation="x"),
        DroppedPremise(participant=PRO, earlier=0, later=2, premise="y"),
    ]
    turns = [speech(index, SPEAKERS[index % 2]) for index in range(3)]
    given = [turn_marks(index, (20, 0, 0), *(found if index == 2 else ())) for index in range(3)]
    settings = LiveSettings(penalties=PenaltyPoints(contradiction=points[0], dropped_premise=points[1]))
    penalised = card(build_debate(opening_event(settings), turns, given), settings).penalised
    assert [penalised[index]["logic"] for index in range(3)] == [20, 20, expected]


@pytest.mark.parametrize(
    ("pro", "con", "margin", "victory"),
    [
        ((20, 20, 21.9), (20, 20, 20), 1.9, "draw"),
        ((20, 20, 22), (20, 20, 20), 2, "narrow"),
        ((20, 20, 29.9), (20, 20, 20), 9.9, "narrow"),
        ((20, 20, 30), (20, 20, 20), 10, "clear"),
    ],
)
def test_victory_follows_the_margin(pro: Row, con: Row, margin: float, victory: Victory) -> None:
    """A margin below 2 is a draw, below 10 narrow, and from 10 on clear."""
    found = score_run(live_debate([pro, con]), "r1", LiveSettings())
    assert found.margin == pytest.approx(margin)
    assert found.victory == victory


def test_dimension_wins_are_counted() -> None:
    """Wins are counted by dimension and by exchange; draws and unknown names do not count."""
    debate = live_debate([(0, 0, 0)] * 3, pair(1, logic=CON, tactics=CON, rhetoric="x"), pair(2, logic=CON))
    notes = score_run(debate, "r1", LiveSettings()).notes
    assert notes["exchanges_won"] == {PRO: 0, CON: 2}
    assert notes["dimension_wins"] == {
        PRO: {"logic": 0, "rhetoric": 0, "tactics": 0},
        CON: {"logic": 2, "rhetoric": 0, "tactics": 1},
    }


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
    """The scorecard decides the winner, and a narrative with another winner is a conflict."""
    debate = live_debate(rows, narrative(winner))
    found = score_run(debate, "r1", LiveSettings())
    assert (found.winner, narrative_note(found)["agrees"]) == (PRO if rows[0] != rows[1] else None, agrees)
    assert has_narrative_conflict(debate, "r1", LiveSettings()) is not agrees


def test_a_resolution_is_noted_with_the_narrative() -> None:
    """The verdict quotes the explanation of a conflict, or names the missing explanation."""
    why = assessment("live", (), Resolution(explanation="Because."), revision=1)
    rows: list[Row] = [(40, 30, 30), (0, 0, 0)]
    resolved = score_run(live_debate(rows, narrative(CON), why), "r1", LiveSettings())
    unresolved = score_run(live_debate(rows, narrative(CON)), "r1", LiveSettings())
    assert narrative_note(resolved)["resolution"] == "Because."
    assert "The judge did not explain why its narrative and the scores name different winners." in str(
        unresolved.notes["missing"]
    )


def test_a_table_has_the_reports_on_the_debate() -> None:
    """The table is left out of a screen that shows the judges' reports, which have the same words."""
    why = assessment("live", (), Resolution(explanation="Because."), revision=1)
    convergence = assessment(
        "live", (), Convergence(outcome="genuine_agreement", early="a", late="b"), turns=(0, 1, 8, 9)
    )
    debate = live_debate([(40, 30, 30), (0, 0, 0)] * 5, narrative(CON), why, convergence)
    tables = {table.title: table for table in get_system("live").tables(score_run(debate, "r1", LiveSettings()))}
    reports = tables["live: reports on the debate"]
    assert (reports.repeats_reports, reports.rows) == (
        True,
        (
            ("why narrative and scorecard differ", "Because."),
            ("from the first to the last turns", "genuine agreement. Early: a Late: b"),
        ),
    )


@pytest.mark.parametrize(
    ("of_narrative", "of_resolution", "expected"),
    [
        (None, "asymmetric_depth", "asymmetric_depth"),
        ("coherence_collapse", None, "coherence_collapse"),
        ("coherence_collapse", "none", "none"),
        (None, None, "none"),
    ],
)
def test_the_resolution_chooses_the_pattern(
    of_narrative: DebatePattern | None, of_resolution: DebatePattern | None, expected: str
) -> None:
    """The pattern is that of the resolution, else that of an old narrative, else `none`."""
    narrative = assessment("live", (), Narrative(winner=CON, reasoning="r", pattern=of_narrative))
    why = assessment("live", (), Resolution(explanation="e", pattern=of_resolution), revision=1)
    found = score_run(live_debate([(40, 30, 30), (0, 0, 0)], narrative, why), "r1", LiveSettings())
    assert narrative_note(found)["pattern"] == expected


@pytest.mark.parametrize(("revision", "is_missing"), [(2, False), (1, True)])
def test_a_missing_register_review_is_named(revision: int, is_missing: bool) -> None:
    """The verdict says that every register entry counts if no judge reviewed the register."""
    found = score_run(live_debate([(20, 0, 0)] * 2, assessment("live", (), revision=revision)), "r1", LiveSettings())
    assert ("logic gaps was not reviewed" in str(found.notes["missing"])) is is_missing


def test_the_first_two_turns_are_marked_cold_start() -> None:
    """The first two turns are marked `cold_start`, and later turns are not."""
    turns = score_run(live_debate([(20, 0, 0)] * 3), "r1", LiveSettings()).notes["turns"]
    assert isinstance(turns, list)
    assert [turn["cold_start"] for turn in turns if isinstance(turn, dict)] == [True, True, False]


def narrative_note(found: Verdict) -> dict[str, Any]:
    """Return the note of a verdict on the narrative."""
    note = found.notes["narrative"]
    assert isinstance(note, dict)
    return note


def test_convergence_is_required_from_ten_turns_on() -> None:
    """A missing answer on convergence is named in a debate of ten turns, but not of nine."""
    sentence = "The first and the last turns were not compared."
    nine, ten = live_debate([(20, 20, 20)] * 9), live_debate([(20, 20, 20)] * 10)
    convergence = Convergence(outcome="genuine_agreement", early="a", late="b")
    judged_ten = live_debate([(20, 20, 20)] * 10, assessment("live", (), convergence, turns=(0, 1, 8, 9)))
    missed = [
        sentence in str(score_run(debate, "r1", LiveSettings()).notes["missing"]) for debate in (nine, ten, judged_ten)
    ]
    assert missed == [False, True, False]


def test_without_a_scored_turn_of_every_speaker_there_is_no_winner() -> None:
    """The verdict is undetermined and names the turn without marks if one of three speakers has no marked turn."""
    turns = [speech(0, PRO), speech(1, CON), speech(2, "Cem")]
    given = [turn_marks(0, (40, 30, 30)), turn_marks(1, (0, 0, 0))]
    found = score_run(build_debate(opening_event(LiveSettings(), debaters=THREE), turns, given), "r1", LiveSettings())
    assert (found.victory, found.scores) == ("undetermined", {PRO: 100.0, CON: 0.0})
    assert "Turn 3 was not assessed." in str(found.notes["missing"])


def test_two_turns_of_one_speaker_are_not_a_pair() -> None:
    """A comparison of two adjacent turns of one speaker changes no score and is not required."""
    turns = [speech(0, PRO), speech(1, PRO), speech(2, CON)]
    given = [turn_marks(n, (20, 20, 20), speaker=name) for n, name in enumerate((PRO, PRO, CON))]
    debate = build_debate(opening_event(LiveSettings()), turns, [*given, pair(1, logic=PRO)])
    found = score_run(debate, "r1", LiveSettings())
    assert found.notes["calibrations"] == []
    assert "Turns 1 and 2" not in str(found.notes["missing"])


def test_frame_control_and_credibility_are_not_part_of_the_score() -> None:
    """Frame control and credibility are averaged apart from the score."""
    found = score_run(live_debate([(20, 20, 20), (20, 20, 20)]), "r1", LiveSettings())
    assert (found.notes["frame_control"], found.notes["credibility"]) == ({PRO: 5.0, CON: 5.0}, {PRO: 6.0, CON: 6.0})
    assert found.scores[PRO] == 60.0


def test_penalties_follow_calibration() -> None:
    """Penalties are subtracted after a won exchange has raised the score to 22."""
    gaps = assessment("live", (), gap(1, 4, "costs fall"), gap(1, 1, "pace rises"))
    found = card(live_debate([(20, 0, 0), (10, 0, 0)], pair(1, logic=CON), gaps))
    assert (found.calibrated[1]["logic"], found.penalised[1]["logic"]) == (22, 17)
