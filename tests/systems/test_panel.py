"""The panel's scorer; expected numbers are computed by hand."""

from typing import Any

import pytest
from scoring_support import CON, NOON, PRO, ballot, build_debate, opening_event, speech

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Failure, TaskFailed
from debate_cli.domain.tasks import Brief
from debate_cli.domain.verdict import Verdict, Victory
from debate_cli.llm.prompts import Prompts
from debate_cli.systems.base import WHOLE_DEBATE, JudgingContext
from debate_cli.systems.panel.score import PanelNotes, score_run
from debate_cli.systems.panel.settings import PanelJudge, PanelSettings
from debate_cli.systems.panel.tables import VOTE_BADGES, charts
from debate_cli.systems.panel.votes import (
    VoteOption,
    ballots_by_round,
    find_disagreements,
    should_deliberate,
)
from debate_cli.systems.registry import get_system

MEANING = "PASS: the motion is upheld, so the side for it wins. FAIL: it is not, so the side against it wins."


def panel_of(*weights: float, **settings: Any) -> PanelSettings:
    """A panel whose judges a, b, ... have these weights."""
    judges = tuple(
        PanelJudge(id=name, persona=name, weight=weight) for name, weight in zip("abcdef", weights, strict=False)
    )
    return PanelSettings(judges=judges, **settings)


def voted(settings: PanelSettings, *given: Assessment) -> Debate:
    """A debate of four turns with these ballots."""
    return build_debate(opening_event(settings), [speech(index, (PRO, CON)[index % 2]) for index in range(4)], given)


def votes(*options: VoteOption, revision: int = 0) -> list[Assessment]:
    """Ballots of judges a, b, ... without dimensions."""
    return [ballot(judge, option, revision=revision) for judge, option in zip("abcdef", options, strict=False)]


def dimensional(*rows: tuple[float, ...], options: str = "") -> list[Assessment]:
    """Ballots with dimension marks; `options` has P or F for each, P by default."""
    names: dict[str, VoteOption] = {"P": "PASS", "F": "FAIL"}
    chosen = options or "P" * len(rows)
    return [ballot(judge, names[option], *row) for judge, option, row in zip("abcde", chosen, rows, strict=False)]


@pytest.mark.parametrize(
    ("weights", "options", "winner", "victory", "margin"),
    [
        # PASS 0.8 of the weight: clear from there on
        ((4, 1), "PF", PRO, "clear", 0.6),
        # 0.79 is not
        ((79, 21), "PF", PRO, "narrow", 0.58),
        ((1, 1, 1), "PPF", PRO, "narrow", 0.333333333),
        ((1, 1, 1), "FFP", CON, "narrow", 0.333333333),
        ((1, 1), "FF", CON, "clear", 1.0),
        # A tie of any two is CONDITIONAL
        ((1, 1), "PF", None, "conditional", 0.0),
        ((1, 1), "PC", None, "conditional", 0.0),
        ((2, 1, 1), "PFF", None, "conditional", 0.0),
        ((1, 1, 1), "CCP", None, "conditional", 0.333333333),
        # Weight decides, not the number of judges: 0.6 against 0.4
        ((6, 2, 2), "FPP", CON, "narrow", 0.2),
        # Weights are normalised over those that voted: 0.5 and 0.3 of 0.8
        ((5, 3, 2), "PF", PRO, "narrow", 0.25),
        # 0.1 + 0.2 and 0.3 tie in spite of floats
        ((0.1, 0.2, 0.3), "PPF", None, "conditional", 0.0),
    ],
)
def test_the_largest_share_of_weight_wins(
    weights: tuple[float, ...], options: str, winner: str | None, victory: Victory, margin: float
) -> None:
    """The option with the most weight wins, clearly from 0.8 on. A tie is conditional.

    The margin is the rounded difference of the shares, not the difference of rounded shares.
    """
    names: dict[str, VoteOption] = {"P": "PASS", "F": "FAIL", "C": "CONDITIONAL"}
    settings = panel_of(*weights)
    chosen: list[VoteOption] = [names[option] for option in options]
    found = score_run(voted(settings, *votes(*chosen)), "r1", settings)
    assert (found.winner, found.victory) == (winner, victory)
    assert found.margin == margin


def test_a_side_of_two_debaters_has_no_winner() -> None:
    """A motion with two supporters passes, but no debater wins."""
    settings = panel_of(1, 1)
    sides = ({"name": "A", "side": "for"}, {"name": "B", "side": "for"}, {"name": "C", "side": "against"})
    debate = build_debate(opening_event(settings, debaters=sides), [speech(0, "A")], votes("PASS", "PASS"))
    found = score_run(debate, "r1", settings)
    assert (found.winner, found.victory, found.scores) == (None, "clear", {"C": 0.0})


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (votes("PASS", "PASS"), []),
        # 1 - 2/3
        (votes("PASS", "PASS", "FAIL"), [("vote", 1 / 3)]),
        # Range 1 is below 1.5
        (dimensional((3,), (2,)), []),
        (dimensional((3,), (1.5,)), [("logic", 0.75)]),
        # Dimensions of range 2 have severity 1 and come before a vote's 1/2
        (dimensional((3, 1), (1, 1), options="PF"), [("logic", 1.0), ("vote", 0.5)]),
        (dimensional((1, 3), (3, 1)), [("evidence", 1.0), ("logic", 1.0)]),
    ],
)
def test_disagreements_worst_first(given: list[Assessment], expected: list[tuple[str, float]]) -> None:
    """The severity of a vote is 1 minus its largest share; that of a dimension is half its range, from range 1.5 on."""
    settings = panel_of(1, 1, 1)
    ballots = ballots_by_round(voted(settings, *given), "r1", settings)[0]
    assert [(item.about, item.severity) for item in find_disagreements(ballots, settings)] == [
        (about, pytest.approx(severity)) for about, severity in expected
    ]


def test_a_disagreement_has_the_position_of_every_judge() -> None:
    """The position is the judge's option, or its mark of the disputed dimension."""
    settings = panel_of(1, 1, 1, dimension_disagreement_threshold=1)
    debate = voted(settings, *dimensional((3, 2), (1, 2), (2,), options="PFP"))
    found = find_disagreements(ballots_by_round(debate, "r1", settings)[0], settings)
    assert [(item.type, item.about, item.positions) for item in found] == [
        ("dimension", "logic", {"a": 3, "b": 1, "c": 2}),
        ("vote", "vote", {"a": "PASS", "b": "FAIL", "c": "PASS"}),
    ]


def test_a_panel_of_one_judge_decides() -> None:
    """A lone judge decides with agreement 1.0, and the verdict says that one judge decides."""
    settings = panel_of(1)
    found = score_run(voted(settings, *votes("FAIL")), "r1", settings)
    assert isinstance(found.notes, PanelNotes)
    assert (found.winner, found.notes.final_agreement, found.notes.judges) == (CON, 1.0, 1)
    assert get_system("panel").explain(found) == f"One judge decides alone: a voted FAIL. {MEANING}"
    assert not [problem for problem in settings.problems() if problem[0] == ("min_judges",)]


def test_pass_and_fail_are_explained_for_debates() -> None:
    """The reason of the verdict and the table of the options say who wins. A document has no sides."""
    settings = panel_of(1, 1)
    panel = get_system("panel")
    for debate, told in (
        (voted(settings, *votes("PASS", "FAIL")), True),
        (document(settings, *votes("PASS", "FAIL")), False),
    ):
        verdict = score_run(debate, "r1", settings)
        (options,) = [table for table in panel.tables(verdict) if table.title == "panel: scores"]
        assert (panel.explain(verdict).endswith(f". {MEANING}"), MEANING in options.remarks) == (told, told)


@pytest.mark.parametrize("matter", ["motion", "document"])
def test_critical_findings_are_faults(matter: str) -> None:
    """A document's list of what must change contains them, so a judge who votes PASS must not list merits there."""
    settings = panel_of(1, 1)
    debate = (voted if matter == "motion" else document)(settings, *votes("PASS", "FAIL"))
    for revision in (0, 1):
        brief = Brief(run="r1", system="panel", subject=WHOLE_DEBATE, assessor="a", revision=revision)
        question = get_system("panel").question(brief)
        values = question.prompt_values(JudgingContext(debate, brief, settings), Prompts())
        text = Prompts().render("debate_cli.systems.panel", question.prompt, **values)
        assert (
            f"critical findings: faults that count against the {matter}, no praise, each naming its dimension" in text
        )


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (("a", "b"), ["a", "b", "a-2", "b-2", "a-3"]),
        (("a", "a-2"), ["a", "a-2", "a-3", "a-2-2", "a-4"]),
        (("a", "A-2"), ["a", "A-2", "a-3", "A-2-2", "a-4"]),
    ],
)
def test_every_added_judge_has_a_new_id(ids: tuple[str, ...], expected: list[str]) -> None:
    """An id that a judge of the panel has, in any spelling, is skipped."""
    judges = tuple(PanelJudge(id=name, persona=f"{name}'s persona") for name in ids)
    several = PanelSettings(judges=judges).with_judge_count(5)
    assert [judge.id for judge in several.judges] == expected
    assert [judge.persona for judge in several.judges[2:4]] == [f"{name}'s persona" for name in ids]


def test_the_reason_of_a_vote_has_every_share() -> None:
    """The shares are exact to a tenth of a percent, so that the margin can be recomputed."""
    settings = panel_of(58, 22, convergence_threshold=0.1)
    found = score_run(voted(settings, *votes("FAIL", "CONDITIONAL")), "r1", settings)
    assert found.margin == pytest.approx(0.45)
    assert "FAIL has 72.5% of the voting weight, CONDITIONAL 27.5%" in get_system("panel").explain(found)


TEXT = "# Plan\n\nWe ship on Friday.\nThe backup is\ntested yearly.\n"
DEMANDS: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = [
    ("a", ("Risk: test the backup.",), ("Evidence: “we SHIP on friday” has no date.",)),
    ("b", ("risk - Test the backup!",), ("“Nowhere said” is vague.",)),
    ("c", ("Evidence: who tests? “The backup is … yearly”",), ("Risk: no rollback.",)),
]


def document(settings: PanelSettings, *given: Assessment) -> Debate:
    """TEXT with these ballots."""
    head = opening_event(settings, debaters=())
    head = head.model_copy(update={"config": head.config.model_copy(update={"background": TEXT})})
    return build_debate(head, given=given)


def judged_text(*options: VoteOption) -> PanelNotes:
    """The notes on TEXT, after votes with DEMANDS and weights 2, 1 and 2."""
    settings = panel_of(2, 1, 2)
    given = [
        ballot(judge, option, remediation_required=demands, critical_findings=findings)
        for option, (judge, demands, findings) in zip(options, DEMANDS, strict=True)
    ]
    notes = score_run(document(settings, *given), "r1", settings).notes
    assert isinstance(notes, PanelNotes)
    return notes


def test_what_must_change_in_a_text() -> None:
    """Demands that differ in case and punctuation are one. The heaviest dimension comes first, and quotes have a line."""
    assert [
        (item.dimension, item.text, item.judges, item.weight, item.line)
        for item in judged_text("FAIL", "FAIL", "PASS").required_changes
    ] == [
        ("risk", "Risk: test the backup.", ("a", "b"), 0.6, None),
        ("risk", "Risk: no rollback.", ("c",), 0.4, None),
        ("evidence", "Evidence: “we SHIP on friday” has no date.", ("a",), 0.4, 3),
        ("evidence", "Evidence: who tests? “The backup is … yearly”", ("c",), 0.4, 4),
        (None, "“Nowhere said” is vague.", ("b",), 0.2, None),
    ]
    assert judged_text("PASS", "FAIL", "PASS").required_changes == ()


@pytest.mark.parametrize(
    ("given", "settings", "expected"),
    [
        ([], panel_of(1, 1), False),
        # 0.7 < 0.8
        (votes("PASS", "FAIL"), panel_of(1, 1), True),
        # 0.6*2/3 + 0.4 = 0.8 reaches the threshold
        (votes("PASS", "PASS", "FAIL"), panel_of(1, 1, 1), False),
        (votes("PASS", "PASS", "FAIL"), panel_of(1, 1, 1, convergence_threshold=0.81), True),
        # One judge does not deliberate
        (votes("PASS"), panel_of(1, 1), False),
        (votes("PASS", "FAIL"), panel_of(1, 1, 1, min_judges=3), False),
        (votes("PASS", "FAIL"), panel_of(1, 1, max_rounds=0), False),
        (votes("PASS", "FAIL") + votes("PASS", "FAIL", revision=1), panel_of(1, 1, max_rounds=1), False),
        (votes("PASS", "FAIL") + votes("PASS", "FAIL", revision=1), panel_of(1, 1, max_rounds=2), True),
        # They agreed in the second round
        (votes("PASS", "FAIL") + votes("PASS", "PASS", revision=1), panel_of(1, 1), False),
        # All ranges 1: 0.6 + 0.4*0.5 = 0.8 < 0.9, but there is no disagreement
        (dimensional((3, 3, 3, 3), (2, 2, 2, 2)), panel_of(1, 1, convergence_threshold=0.9), False),
    ],
)
def test_when_the_panel_deliberates(given: list[Assessment], settings: PanelSettings, expected: bool) -> None:
    """A panel votes again below the threshold, with a disputed point, rounds left and enough votes."""
    assert should_deliberate(ballots_by_round(voted(settings, *given), "r1", settings), settings) is expected


def two_rounds(*second: Assessment) -> tuple[Verdict, PanelSettings]:
    """The verdict after a first vote of PASS and FAIL, and a second round."""
    settings = panel_of(1, 1)
    return score_run(voted(settings, *votes("PASS", "FAIL"), *second), "r1", settings), settings


@pytest.mark.parametrize("late", [False, True])
def test_a_judge_who_gives_no_further_vote_keeps_its_last(late: bool) -> None:
    """A late ballot does not count. A late judge is listed as late."""
    answer = (ballot("b", "PASS", revision=1, late=True),) if late else ()
    found, _ = two_rounds(ballot("a", "PASS", revision=1), *answer)
    assert (found.notes["late"], found.victory) == (["b"] if late else [], "conditional")
    why = " (late)" if late else ""
    assert f"b did not vote in deliberation round 1{why}; its last vote counts." in str(found.notes["missing"])


def test_a_chart_shows_the_agreement_after_each_vote() -> None:
    """Beside the votes, and with the threshold; a single vote has no course."""
    again, settings = two_rounds(*votes("PASS", "PASS", "PASS", revision=1))
    votes_chart, agreement = charts(again)
    assert [series.style for series in agreement.series] == ["agreement", "limit"]
    values = [[point and point.value for point in series.points] for series in agreement.series]
    rounds = PanelNotes.model_validate(again.notes).rounds
    assert values == [[row.agreement for row in rounds], [settings.convergence_threshold] * 2]
    assert agreement.labels == votes_chart.labels == ("vote 1", "vote 2")
    once = score_run(voted(settings, *votes("PASS", "PASS", "PASS")), "r1", settings)
    assert [chart.title for chart in charts(once)] == [votes_chart.title]


def test_a_judge_late_in_the_first_vote_has_no_vote() -> None:
    """The sentence on the first vote names the late judge. Later sentences name only judges with a vote."""
    settings = panel_of(1, 1, 1)
    debate = voted(settings, *votes("PASS", "FAIL"), *votes("PASS", "FAIL", revision=1))
    failure = Failure(task=ballot("c", "PASS").brief, who="c", cause="late", message="c was late", final=True)
    assert missing_votes(score_run(debate.apply(TaskFailed(at=NOON, failure=failure)), "r1", settings)) == [
        "c did not vote in the first vote (late).",
        "a did not vote in deliberation round 2; its last vote counts.",
        "b did not vote in deliberation round 2; its last vote counts.",
    ]


def missing_votes(found: Verdict) -> list[str]:
    """What the verdict says on missing votes, without missing dimension marks."""
    sentences = found.notes["missing"]
    assert isinstance(sentences, list)
    return [str(sentence) for sentence in sentences if "gave no mark" not in str(sentence)]


UNFINISHED = [f"{judge} did not vote in deliberation round 1; its last vote counts." for judge in ("a", "b")]


@pytest.mark.parametrize(
    ("options", "settings", "missing"),
    [
        (
            ("PASS",),
            panel_of(1, 1),
            ["b did not vote in the first vote.", "Only 1 of 2 judges voted; a verdict needs 2 votes."],
        ),
        (("PASS", "FAIL"), panel_of(1, 1), UNFINISHED),
        (("PASS", "FAIL"), panel_of(1, 1, convergence_threshold=0.1), []),
        (("PASS", "PASS"), panel_of(1, 1), []),
    ],
    ids=["too few votes", "no deliberation", "low threshold", "agreed"],
)
def test_missing_votes_are_named(options: tuple[VoteOption, ...], settings: PanelSettings, missing: list[str]) -> None:
    """The settings of the run say which votes are missing. Stricter settings at scoring require no more votes."""
    debate = voted(settings, *votes(*options))
    stricter = settings.model_copy(update={"convergence_threshold": 1.0})
    for given in (settings, stricter):
        found = score_run(debate, "r1", given)
        assert missing_votes(found) == missing
        assert (found.victory == "undetermined") is (len(options) == 1)
    marks = "a gave no mark for logic, evidence, rebuttal, risk."
    assert marks in str(found.notes["missing"])


def test_the_notes_hold_first_and_final_vote() -> None:
    """Agreement rises from 0.7 to 1.0, so the improvement is 0.3 and the panel converged after one round."""
    found, _ = two_rounds(ballot("a", "PASS", revision=1), ballot("b", "PASS", revision=1, changed_because="turn 2"))
    notes = found.notes
    assert notes["first_vote"] == {"option": "CONDITIONAL", "weights": {"PASS": 0.5, "FAIL": 0.5, "CONDITIONAL": 0.0}}
    assert (notes["option"], notes["weights"]) == ("PASS", {"PASS": 1.0, "FAIL": 0.0, "CONDITIONAL": 0.0})
    assert (notes["initial_agreement"], notes["final_agreement"], notes["improvement"]) == (0.7, 1.0, 0.3)
    assert (notes["converged"], notes["deliberation_rounds"]) == (True, 1)


@pytest.mark.parametrize(
    ("option", "because", "flagged"),
    [
        ("FAIL", "convinced", []),
        ("PASS", "convinced", ["b"]),
        ("PASS", "  ", ["b"]),
        ("PASS", "turn 9 answered it.", ["b"]),
        ("PASS", "turn 5 answered it.", ["b"]),
        ("PASS", "turn 4 answered it.", []),
        ("PASS", "turn 0 answered it.", []),
        ("PASS", f"turn {'9' * 5000}", ["b"]),
        ("PASS", "Turn 2 answered it.", []),
        ("PASS", "in turn #1", []),
    ],
)
def test_a_change_without_a_turn_is_flagged(option: VoteOption, because: str, flagged: list[str]) -> None:
    """A changed vote must name a turn of the debate, counted from 0 or from 1. An unchanged vote needs no reason."""
    second = ballot("b", option, revision=1, changed_because=because)
    found, _ = two_rounds(ballot("a", "PASS", revision=1), second)
    assert found.notes["unexplained_changes"] == flagged


def test_a_table_has_the_reasons_for_changed_votes() -> None:
    """The table is left out of a screen that shows the judges' reports, which have the same reasons."""
    found, _ = two_rounds(ballot("a", "PASS", revision=1), ballot("b", "PASS", revision=1, changed_because="turn 2"))
    tables = {table.title: table for table in get_system("panel").tables(found)}
    changed = tables["panel: reasons for changed votes"]
    assert (changed.repeats_reports, changed.rows) == (True, (("b", "vote 2", VOTE_BADGES["PASS"], "turn 2"),))


def test_the_notes_hold_dissent() -> None:
    """The notes have the outvoted judge's findings, corrections and reasons."""
    settings = panel_of(1, 1, 1)
    dissenter = ballot(
        "c", "FAIL", confidence=0.9, critical_findings=("No costs.",), remediation_required=("Add costs.",)
    )
    notes = score_run(voted(settings, *votes("PASS", "PASS"), dissenter), "r1", settings).notes
    assert isinstance(notes, PanelNotes)
    (dissent,) = notes.dissent
    assert (dissent.judge, dissent.option, dissent.confidence) == ("c", "FAIL", 0.9)
    assert (dissent.critical_findings, dissent.remediation_required) == (("No costs.",), ("Add costs.",))
    assert dissent.rationale == "c says FAIL"


def test_the_vote_of_an_unknown_judge_is_ignored() -> None:
    """The vote of a judge who is not a member has no share of the weight."""
    settings = panel_of(1, 1)
    found = score_run(voted(settings, *votes("PASS", "PASS"), ballot("z", "FAIL")), "r1", settings)
    assert found.scores == {PRO: 1.0, CON: 0.0}


def test_given_weights_replace_stored_ones() -> None:
    """With weights 3 and 1, FAIL has a quarter and loses."""
    stored, other = panel_of(1, 1), panel_of(3, 1)
    found = score_run(voted(stored, *votes("PASS", "FAIL")), "r1", other)
    assert (found.winner, found.scores) == (PRO, {PRO: 0.75, CON: 0.25})


def test_marks_are_clamped_to_their_scale() -> None:
    """Marks of 9 and 0 count as 3 and 1."""
    stored = [
        item.model_copy(
            update={"marks": tuple(mark.model_copy(update={"value": value, "out_of": 10}) for mark in item.marks)}
        )
        for item, value in zip(dimensional((3,), (1,)), (9, 0), strict=True)
    ]
    settings = panel_of(1, 1)
    (first, second) = ballots_by_round(voted(settings, *stored), "r1", settings)[0]
    assert (set(first.dimensions.values()), set(second.dimensions.values())) == ({3.0}, {1.0})
