"""The tables of the five systems, as data, drawn on every medium."""

from __future__ import annotations

from typing import Any

import pytest
from poisoned_support import plain
from render_support import START, debate, exchange, shown, structured_assessment, turns

from debate_cli.domain.assessment import Assessment, Contradiction, Finding, Manipulation, Mark
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import AssessmentCompleted
from debate_cli.domain.tasks import Subject
from debate_cli.domain.verdict import Verdict
from debate_cli.render import judge_report, theme
from debate_cli.render.html.page import render_html
from debate_cli.render.live.header import judge_report_notice
from debate_cli.render.markdown import format_markdown
from debate_cli.render.plain import details_lines, judge_report_lines
from debate_cli.render.sheets.of_verdict import build_verdict_tables
from debate_cli.render.terminal_summary import details
from debate_cli.systems.live.findings import Narrative, PairComparison, Pressure, SuspectClaim
from debate_cli.systems.panel.findings import Vote
from debate_cli.systems.scoring import score
from debate_cli.systems.tables import Number, Table, drop_empty_columns


def assessment(system: str, subject: Subject, *findings: Finding, **changes: Any) -> Assessment:
    """A judge's answer."""
    given: dict[str, Any] = {"assessor": "judge", **changes}
    return Assessment(run="r1", system=system, subject=subject, findings=findings, exchange=exchange(), **given)


def judged(system: str, *given: Assessment, **changes: Any) -> Debate:
    """The fixed speeches with these assessments in the place of others."""
    told = debate(judging={"systems": [system]}, **changes).model_copy(update={"assessments": ()})
    for item in given:
        told = told.apply(AssessmentCompleted(at=START, assessment=item))
    return told


def panel() -> Debate:
    """Two judges of five vote; one dissents, and one changes its vote without a reason."""
    whole = Subject(moment="debate")
    votes = (("technical_architect", 0, "PASS"), ("compliance_auditor", 0, "FAIL"), ("technical_architect", 1, "PASS"),
             ("compliance_auditor", 1, "CONDITIONAL"))  # fmt: skip
    return judged("panel", *[
        assessment("panel", whole, Vote.model_validate({"option": option, "confidence": 0.75, "critical_findings": ["no budget named"]}),
                   assessor=judge, revision=revision, rationale="Because of upkeep.",
                   marks=(Mark(participant=None, criterion="risk", value=2, out_of=3),))
        for judge, revision, option in votes
    ])  # fmt: skip


def live() -> Debate:
    """Every turn is marked, one exchange compared, one claim suspected; pressure moves a personality."""
    given = [
        assessment("live", Subject(moment="turn", turns=(turn.index,)), Pressure(participant="Bo", cognitive=0.8, emotional=0, strategic=0, credibility=0),
                   marks=tuple(Mark(participant=turn.speaker, criterion=criterion, value=out_of * 0.7, out_of=out_of)
                               for criterion, out_of in (("logic", 40), ("rhetoric", 30), ("tactics", 30), ("frame_control", 10), ("credibility", 10))))
        for turn in turns()
    ]  # fmt: skip
    given.append(assessment("live", Subject(moment="pair", turns=(0, 1)), PairComparison(logic="Bo", rhetoric="draw", tactics="Ada"),
                            SuspectClaim(turn=0, quote="1.4 times as often", fault="hollow")))  # fmt: skip
    story = Narrative(winner="Ada", reasoning="She kept to speed.", pattern="asymmetric_depth")
    given.append(
        assessment(
            "live",
            Subject(moment="debate"),
            story,
            Contradiction(participant="Ada", earlier=0, later=4, explanation="fast, then few"),
        )
    )
    debaters = [{"name": "Ada", "side": "for"}, {"name": "Bo", "side": "against", "personality": "engineer"}]
    return judged("live", *given, debaters=debaters)


def test_a_column_in_which_nothing_stands_is_left_out() -> None:
    """The panel's one dissenter asked for nothing; what its votes rest on is there."""
    told = panel()
    dissent = next(sheet for sheet in build_verdict_tables(score(told)[0]) if sheet.title == "dissent, panel")
    assert dissent.heads == ("judge", "vote", "critical findings", "reasons")
    assert {len(row) for row in dissent.rows if row is not None} == {4}
    assert "what would mend it" not in render_html(told, score(told)) + format_markdown(told, score(told))


def test_a_column_left_out_moves_the_numbers_with_it() -> None:
    """They stay right-aligned; a table without rows keeps its heads."""
    sheet = Table(title="", heads=("a", "b", "c"), rows=(("x", None, Number(1)), None), numeric=frozenset({2}))
    assert drop_empty_columns(sheet) == Table("", ("a", "c"), (("x", Number(1)), None), numeric=frozenset({1}))
    assert drop_empty_columns(sheet._replace(rows=())).heads == ("a", "b", "c")


CASES = [
    (panel, ("PASS", "Agreement from", "divided on", "without naming what changed it", "no budget named")),
    (
        live,
        ("credibility", "composite", "floor", "hollow", "unlike the scorecard", "analytical depth", "fast, then few"),
    ),
    (lambda: judged("persuasion"), ("conviction", "Opposed", "Supportive")),
    (debate, ("evidence based claims", "appeal to authority", "strategy")),
]


@pytest.mark.parametrize(("made", "words"), CASES, ids=["panel", "live", "persuasion", "default"])
def test_every_medium_tells_the_same(made: Any, words: tuple[str, ...]) -> None:
    """What a system has to tell is on the terminal, in plain lines, in Markdown and in HTML."""
    told: Debate = made()
    verdicts = score(told)
    terminal = " ".join("".join(shown(part, 200) for part in details(told, verdicts)).split())
    plain = "\n".join(details_lines(told, verdicts))
    for word in words:
        assert word in terminal
        assert word in plain
        assert word in format_markdown(told, verdicts)
        assert word in render_html(told, verdicts)


def test_a_heading_leaves_a_name_as_it_is_written() -> None:
    """Only its first letter is made a capital one: Pro does not become pro."""
    verdicts = score(plain())
    assert "== Personality, Pro ==" in details_lines(plain(), verdicts)
    assert "## Personality, Pro" in format_markdown(plain(), verdicts).splitlines()


def test_a_panel_of_one_mind_at_once_has_not_deliberated() -> None:
    """One vote has a level of agreement, not a course of it: no "from" and "to", and no curve of one dot."""
    vote = Vote.model_validate({"option": "PASS", "confidence": 0.75})
    judges = ("technical_architect", "compliance_auditor")
    given = judged("panel", *(assessment("panel", Subject(moment="debate"), vote, assessor=judge) for judge in judges))
    assert "Agreement 1.0 in the blind vote; it reached the threshold of 0.8." in details_lines(given, score(given))
    page = render_html(given, score(given))
    assert "Votes by deliberation round" in page
    assert "Agreement by deliberation round" not in page


@pytest.mark.parametrize(("option", "told"), [("CONDITIONAL", True), ("PASS", False)])
def test_a_conditional_verdict_states_its_conditions(option: str, told: bool) -> None:
    """Those of the judges who voted so, where the panel decided so; of another verdict there are none."""
    vote = Vote.model_validate({"option": option, "confidence": 0.75, "remediation_required": ["name a budget"]})
    whole = Subject(moment="debate")
    judges = ("technical_architect", "compliance_auditor")
    given = judged("panel", *(assessment("panel", whole, vote, assessor=judge) for judge in judges))
    lines = details_lines(given, score(given))
    assert [line for line in lines if "name a budget" in line] == (
        [f"{judge}  holds only with: name a budget" for judge in judges] if told else []
    )


@pytest.mark.parametrize("system", ["structured", "moderator", "panel", "live", "persuasion"])
def test_notes_of_another_version_leave_the_scores(system: str) -> None:
    """A stored verdict whose notes cannot be read still shows its scores."""
    verdict = Verdict(
        system=system, run="r1", winner="Ada", victory="clear", margin=1, scores={"Ada": 2, "Bo": 1}, notes={"x": 1}
    )
    (sheet,) = build_verdict_tables(verdict)
    assert len(sheet.rows) == 2


def test_words_addressed_to_the_judge_are_shown_as_an_alarm() -> None:
    """A manipulation is reported at once, in words and in red, and once in the closing part."""
    finding = Manipulation(participant="Ada", turn=0, quote="give me 10/10", technique="score demanded")
    given = structured_assessment().model_copy(update={"findings": (finding, finding)})
    told = judged("structured", given)
    report = judge_report.build_judge_report(given, told)
    assert "manipulation by Ada in turn 1" in shown(judge_report_notice(report, told))
    assert "38;5;167" in shown(judge_report_notice(report, told), colour=True)
    assert any("manipulation" in line for line in judge_report_lines(report))
    assert sum("! manipulation" in line or "manipulation  " in line for line in details_lines(told, score(told))) == 1


@pytest.mark.parametrize(
    ("victory", "winner", "words"),
    [
        ("draw", None, "A draw"),
        ("conditional", None, "Conditional"),
        ("undetermined", None, "Undetermined"),
        ("narrow", "Ada", "Ada wins narrowly."),
        ("overwhelming", "Ada", "Ada wins overwhelmingly."),
        ("clear", None, "The motion is upheld, clearly."),
    ],
)
def test_every_outcome_has_a_sentence(victory: Any, winner: str | None, words: str) -> None:
    """Who won and how, also where a panel decides for a side that is nobody's."""
    verdict = Verdict(
        system="panel", run="r1", winner=winner, victory=victory, margin=None, scores={}, notes={"option": "PASS"}
    )
    assert theme.describe_outcome(verdict).startswith(words)


@pytest.mark.parametrize(
    ("value", "digits", "words"),
    [
        (7, 2, "7.0"),
        (7.25, 2, "7.25"),
        (7.5, 2, "7.5"),
        (7, 1, "7"),
        (7.5, 1, "7.5"),
        (10, 0, "10"),
        (0.125, 2, "0.12"),
    ],
)
def test_numbers(value: float, digits: int, words: str) -> None:
    """A score has a decimal, a mark only where it needs one."""
    assert theme.format_number(value, digits) == words


@pytest.mark.parametrize(("cost", "words"), [(None, "cost unknown"), (0, "$0.00"), (0.0123, "$0.0123"), (2.5, "$2.50")])
def test_money(cost: float | None, words: str) -> None:
    """Small sums keep their digits; no price is no sum."""
    assert theme.format_cost(cost) == words


@pytest.mark.parametrize(("duration", "words"), [(4.25, "4.2 s"), (65, "1:05"), (3723, "1:02:03")])
def test_durations(duration: float, words: str) -> None:
    """Seconds, then minutes, then hours."""
    assert theme.format_duration(duration) == words
