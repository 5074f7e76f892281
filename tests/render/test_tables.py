"""The tables of the five systems in every output form, and number formats."""

import re
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from poisoned_support import plain_debate
from render_support import START, debate, exchange, render_tables, render_text, structured_assessment, turns

from debate_cli.app.session import Outcome
from debate_cli.domain.assessment import Assessment, Contradiction, Finding, Manipulation, Mark
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import AssessmentCompleted
from debate_cli.domain.model_call import Usage
from debate_cli.domain.tasks import Subject
from debate_cli.domain.verdict import Verdict
from debate_cli.render import theme
from debate_cli.render.content.agreement import OUTCOME_HEADS
from debate_cli.render.content.report import build_verdict_tables
from debate_cli.render.content.run_notices import build_judge_report
from debate_cli.render.html.page import render_html
from debate_cli.render.live.header import judge_report_notice
from debate_cli.render.terminal import drawing
from debate_cli.render.terminal.drawing import label_grid
from debate_cli.render.terminal.report import closing_screen, details
from debate_cli.render.text.markdown import format_markdown
from debate_cli.render.text.plain import closing_lines, details_lines, judge_report_lines
from debate_cli.render.text.tables import table_lines
from debate_cli.systems.live.findings import (
    CausalChain,
    Narrative,
    PairComparison,
    Pressure,
    RegisterDecision,
    SuspectClaim,
)
from debate_cli.systems.panel.score import PanelNotes
from debate_cli.systems.panel.votes import Vote
from debate_cli.systems.registry import get_system
from debate_cli.systems.scales import describe_outcome
from debate_cli.systems.scoring import score
from debate_cli.systems.tables import (
    DebaterCell,
    Gauge,
    JoinedCells,
    Number,
    Table,
    drop_empty_columns,
    format_number,
    make_table,
    parse_notes,
)

JUDGES = ("technical_architect", "compliance_auditor")


def assessment(system: str, subject: Subject, *findings: Finding, **changes: Any) -> Assessment:
    """An assessment."""
    given: dict[str, Any] = {"assessor": "judge", **changes}
    return Assessment(run="r1", system=system, subject=subject, findings=findings, exchange=exchange(), **given)


def judged(system: str, *given: Assessment, **changes: Any) -> Debate:
    """The fixed turns with these assessments."""
    result = debate(judging={"systems": [system]}, **changes).model_copy(update={"assessments": ()})
    for item in given:
        result = result.apply(AssessmentCompleted(at=START, assessment=item))
    return result


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
    """Live assessments of every kind, and pressure on a debater with a personality."""
    given = [
        assessment("live", Subject(moment="turn", turns=(turn.index,)),
                   marks=tuple(Mark(participant=turn.speaker, criterion=criterion, value=out_of * 0.7, out_of=out_of)
                               for criterion, out_of in (("logic", 40), ("rhetoric", 30), ("tactics", 30), ("frame_control", 10), ("credibility", 10))))
        for turn in turns()
    ]  # fmt: skip
    given[0] = given[0].model_copy(update={"findings": (CausalChain(cause="small teams", process="fewer meetings", consequence="more", missing=("weakest_premise",)),)})  # fmt: skip
    given.append(assessment("live", Subject(moment="pair", turns=(0, 1)), PairComparison(logic="Bo", rhetoric="draw", tactics="Ada"),
                            SuspectClaim(turn=0, quote="1.4 times as often", fault="hollow"),
                            Pressure(participant="Bo", cognitive=0.8, emotional=0, strategic=0, credibility=0)))  # fmt: skip
    story = Narrative(winner="Ada", reasoning="She kept to speed.", pattern="asymmetric_depth")
    given.append(
        assessment(
            "live",
            Subject(moment="debate"),
            story,
            RegisterDecision(
                turn=4,
                quote="few words",
                fault="gap",
                points=3,
                status="withdrawn",
                exposed_by=5,
                reason="It is said later.",
            ),
            Contradiction(participant="Ada", earlier=0, later=4, explanation="fast, then few"),
        )
    )
    debaters = [{"name": "Ada", "side": "for"}, {"name": "Bo", "side": "against", "personality": "engineer"}]
    return judged("live", *given, debaters=debaters)


def test_empty_columns_are_left_out() -> None:
    """Right-aligned columns keep their alignment; a table without rows keeps its heads."""
    table = Table(title="", heads=("a", "b", "c"), rows=(("x", None, Number(1)), None), numeric=frozenset({2}))
    assert drop_empty_columns(table) == Table("", ("a", "c"), (("x", Number(1)), None), numeric=frozenset({1}))
    assert drop_empty_columns(table._replace(rows=())).heads == ("a", "b", "c")
    dissent = next(found for found in build_verdict_tables(score(panel())[0]) if found.title == "panel: dissent")
    assert dissent.heads == ("judge", "vote", "critical findings", "reasons")
    assert {len(row) for row in dissent.rows if row is not None} == {4}


CASES = [
    (panel, ("PASS", "Agreement from", "divided on", "without a valid reason", "no budget named")),
    (
        live,
        (
            "credibility",
            "composite",
            "ceiling",
            "hollow",
            "the scorecard disagrees",
            "analytical depth",
            "fast, then few",
            "fewer meetings",
            "weakest premise",
            "withdrawn",
            "exposed by turn 6: It is said later.",
            "cold start",
        ),
    ),
    (lambda: judged("persuasion"), ("penalty", "resistance", "band", "Opposed", "Supportive")),
    (debate, ("evidence based claims", "appeal to authority", "strategy")),
]


@pytest.mark.parametrize(("make", "words"), CASES, ids=["panel", "live", "persuasion", "default"])
def test_every_form_has_the_findings_of_a_system(make: Callable[[], Debate], words: tuple[str, ...]) -> None:
    """Terminal, plain lines, Markdown and HTML have the same content."""
    shown = make()
    verdicts = score(shown)
    forms = {
        "terminal": " ".join("".join(render_text(part, 200) for part in details(shown, verdicts)).split()),
        "plain": "\n".join(details_lines(shown, verdicts)),
        "markdown": format_markdown(shown, verdicts),
        "html": render_html(shown, verdicts),
    }
    assert [(form, word) for form, text in forms.items() for word in words if word not in text] == []


def test_headings_keep_the_case_of_names() -> None:
    """Only the first letter of a heading is capitalised."""
    verdicts = score(plain_debate())
    assert "== Personality, Pro ==" in details_lines(plain_debate(), verdicts)
    assert "## Personality, Pro" in format_markdown(plain_debate(), verdicts).splitlines()


def blind_vote(option: str) -> Debate:
    """Two judges of the panel vote alike, with a condition."""
    vote = Vote.model_validate({"option": option, "confidence": 0.75, "remediation_required": ["name a budget"]})
    whole = Subject(moment="debate")
    return judged("panel", *(assessment("panel", whole, vote, assessor=judge) for judge in JUDGES))


def test_a_panel_that_agrees_at_once_has_no_deliberation() -> None:
    """One sentence has the agreement, and the page has a chart of the votes."""
    shown = blind_vote("PASS")
    assert "Agreement 1.0 in the first vote; it reached the threshold of 0.8." in details_lines(shown, score(shown))
    assert "Votes by deliberation round" in render_html(shown, score(shown))


@pytest.mark.parametrize("option", ["CONDITIONAL", "PASS"])
def test_a_conditional_verdict_states_its_conditions(option: str) -> None:
    """Other verdicts have none."""
    shown = blind_vote(option)
    conditions = [line for line in details_lines(shown, score(shown)) if "name a budget" in line]
    table = [f"{judge}  conditions: name a budget" for judge in JUDGES]
    card = f"Condition: name a budget (100% of the weight: {', '.join(JUDGES)})"
    assert conditions == ([*table, card] if option == "CONDITIONAL" else [])


def test_the_verdict_has_its_conditions_in_every_form() -> None:
    """Three of them, those with the most weight first; the number of the others follows. Equal conditions are one."""
    demands = (("Name an owner.", "Set a date.", "Fund it."), ("name an owner", "Test a restore.", "Keep a log."))
    whole = Subject(moment="debate")
    shown = judged("panel", *(
        assessment("panel", whole, Vote(option="CONDITIONAL", confidence=0.75, remediation_required=given), assessor=judge)
        for judge, given in zip(JUDGES, demands, strict=True)
    ))  # fmt: skip
    verdicts = score(shown)
    forms = (
        "\n".join(closing_lines(shown, verdicts)),
        "\n".join(details_lines(shown, verdicts, only="verdict")),
        "".join(render_text(part, 200) for part in closing_screen(shown, verdicts)),
        format_markdown(shown, verdicts).partition("## Participants")[0],
        render_html(shown, verdicts).partition('class="card again"')[0],
    )
    for text in forms:
        assert text.lower().count("name an owner") == 1
        assert f"100% of the weight: {', '.join(JUDGES)}".replace("_", "") in text.replace("\\_", "").replace("_", "")
        assert [words in text for words in ("Set a date.", "Fund it.", "Test a restore.", "and 2 more")] == [
            True,
            True,
            False,
            True,
        ]
    assert str(Outcome(shown, verdicts, None)).count("  condition: ") == 5


def test_a_manipulation_is_reported_in_red() -> None:
    """It is in the live report and once in the closing part."""
    finding = Manipulation(participant="Ada", turn=0, quote="give me 10/10", technique="score demanded")
    given = structured_assessment().model_copy(update={"findings": (finding, finding)})
    shown = judged("structured", given)
    report = build_judge_report(given, shown)
    assert "manipulation by Ada in turn 1" in render_text(judge_report_notice(report, shown))
    assert "38;5;167" in render_text(judge_report_notice(report, shown), colour=True)
    assert any("manipulation" in line for line in judge_report_lines(report))
    lines = details_lines(shown, score(shown))
    assert sum("! manipulation" in line or "manipulation  " in line for line in lines) == 1


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
    """Winner and victory, also where the panel's option belongs to no debater."""
    verdict = Verdict(
        system="panel", run="r1", winner=winner, victory=victory, margin=None, scores={}, notes={"option": "PASS"}
    )
    assert describe_outcome(verdict).startswith(words)


@pytest.mark.parametrize(
    ("formatted", "text"),
    [
        (format_number(7, 2), "7.0"),
        (format_number(7.25, 2), "7.25"),
        (format_number(7.5, 2), "7.5"),
        (format_number(7, 1), "7"),
        (format_number(7.5, 1), "7.5"),
        (format_number(10, 0), "10"),
        (format_number(0.125, 2), "0.12"),
        (format_number(-0.004, 2), "0.0"),
        (theme.format_cost(None), "cost unknown"),
        (theme.format_cost(0), "$0.00"),
        (theme.format_cost(0.0123), "$0.0123"),
        (theme.format_cost(0.00005), "$0.0001"),
        (theme.format_cost(0.00001), "<$0.0001"),
        (theme.format_count(999_949), "999.9k"),
        (theme.format_count(999_950), "1.00M"),
        (theme.format_cost(2.5), "$2.50"),
        (theme.format_duration(4.25), "4.2 s"),
        (theme.format_duration(59.96), "1:00"),
        (theme.format_duration(65), "1:05"),
        (theme.format_duration(3723), "1:02:03"),
        (theme.format_token_count(412, Usage()), "412 tokens"),
        (theme.format_token_count(412, Usage(estimated=True)), "about 412 tokens"),
    ],
)
def test_numbers_costs_durations_and_tokens_are_formatted(formatted: str, text: str) -> None:
    """Small costs keep their digits; an unknown cost is not 0; estimates are marked."""
    assert formatted == text


def test_an_estimated_usage_is_marked() -> None:
    """Tokens and cost are marked; counted usage is not."""
    used = debate().usage
    estimate = theme.format_usage(used.model_copy(update={"estimated": True, "cost_usd": 0.5}))
    assert [estimate.count("about"), theme.format_usage(used).count("about")] == [2, 0]
    assert f"about {theme.format_count(used.input_tokens)} tokens in" in estimate
    assert estimate.endswith("about $0.5000")


def test_a_list_in_a_narrow_window_keeps_the_headers_of_long_texts() -> None:
    """Each long text of a row begins with the header of its column."""
    row = ("opening", "every debater in the first round of the debate", "closing_words, own, round, targets")
    drawn = render_tables([Table("prompts", ("name", "used by", "placeholders"), (row,), has_key_column=True)], 36)
    assert "used by every debater" in drawn
    assert "placeholders closing_words" in drawn


def test_a_list_in_a_narrow_window_keeps_the_order_of_fields() -> None:
    """Short fields share the line of the first cell where they fit; none moves before another, and none is broken."""
    heads = ("file", "winner", "scores", "margin")
    rows = (
        ("transcripts/one.json", "Ada", JoinedCells(("Ada 8.13", "Bo 6.8", "Cyd 5.2", "Dan 4.1")), "1.33 of 10"),
        ("a.json", "Ada", JoinedCells(("Ada 8", "Bo 7")), "1 of 10"),
    )
    lines = render_tables([Table("scores", heads, rows, has_key_column=True)], 40).splitlines()
    assert [line.rstrip() for line in lines[2:]] == [
        "transcripts/one.json  winner Ada",
        "  scores Ada 8.13 · Bo 6.8 · Cyd 5.2",
        "  Dan 4.1",
        "  margin 1.33 of 10",
        "a.json  winner Ada · scores Ada 8 · Bo 7",
        "  margin 1 of 10",
    ]


def test_the_work_for_a_table_depends_on_the_window() -> None:
    """Ten times longer texts take no more steps to find the widths of the columns."""

    def steps(length: int) -> int:
        found = 0

        def count(frame: FrameType, _event: str, _argument: object) -> None:
            nonlocal found
            found += frame.f_code.co_filename == drawing.__file__

        table = Table("texts", ("a", "b"), (("x" * length, "y" * length),))
        sys.setprofile(count)
        try:
            render_tables([table], 200)
        finally:
            sys.setprofile(None)
        return found

    assert 0 < steps(5_000) == steps(500)


def test_a_list_indents_the_lines_of_a_cell() -> None:
    """The trace is a list in a narrow window: id and debater on one line, below them the claim and what was said to it."""
    lines = [
        line.rstrip()
        for part in details(debate(), score(debate()), only="trace")
        for line in render_text(part, 60).splitlines()
    ]
    start = lines.index("PRO-1  ● Ada")
    assert lines[start + 1].startswith("  Independent deployment")
    assert lines[start + 3 : start + 7] == [
        "  answers ◆ Bo ✗ refutes",
        "    asks: Which row of the report covers eight people?",
        "  standing ✗ refuted",
        "    The figure does not cover teams of this size.",
    ]


def test_answers_in_the_trace_have_the_colours_of_debater_and_response() -> None:
    """The symbol and the word of each are in this colour."""
    drawn = "".join(render_text(part, 100, colour=True) for part in details(debate(), score(debate()), only="trace"))
    colours = (theme.PLUM, theme.TONE_COLOURS["bad"])
    plum, red = (colour.removeprefix("color(").rstrip(")") for colour in colours)
    assert re.search(
        rf"\x1b\[38;5;{plum}m◆ \x1b\[0m\x1b\[1;38;5;{plum}mBo\x1b\[0m.{{1,20}}\x1b\[1;38;5;{red}m✗ refutes", drawn
    )


@pytest.mark.parametrize("width", range(48, 90, 6))
def test_a_table_breaks_no_word(width: int) -> None:
    """Long columns become narrower; words stay whole."""
    rows = (("structured", "Con 4 · Pro 1", Number(0), Number(1.27)), ("moderator", "Con 4", Number(0), Number(16.4)))
    table = Table("sums", ("system", "wins", "undetermined", "mean margin"), rows, numeric=frozenset({2, 3}))
    drawn = render_tables([table], width).split()
    assert {"structured", "moderator", "undetermined"} <= set(drawn)


@pytest.mark.parametrize("width", [60, 80, 160])
@pytest.mark.parametrize("path", ["{}.json", "transcripts/{}.json"])
def test_an_id_stays_whole_so_that_it_can_be_copied(width: int, path: str) -> None:
    """A table that is too wide for it becomes a list, and a long path is folded before its last part."""
    name = f"{'long-' * 9}20261128"
    row = ("file", path.format("m1"), path.format(name))
    drawn = render_tables([Table("compared", ("", "A", "B"), (row, (path.format(name), "", "")))], width)
    assert drawn.count(f"{name}.json") == 2


@pytest.mark.parametrize("width", [46, 60, 72, 100])
def test_a_score_stays_beside_its_name(width: int) -> None:
    """The agreement table breaks no line between a debater's name and the score. It has columns from 60 columns."""
    rows = [
        (name, DebaterCell("Pro"), "narrow", Number(6.08), "82.5 points", JoinedCells(scores))
        for name, scores in (
            ("moderator", ("Pro 59.67", "Con 53.58")),
            ("persuasion, decides", ("Pro 7.57", "Con 6.7")),
        )
    ]
    table = make_table("agreement", ("system", *OUTCOME_HEADS), rows)
    drawn = "\n".join(map(str.rstrip, render_tables([table], width).splitlines()))
    assert all(score in drawn for score in ("Pro 59.67", "Con 53.58", "Pro 7.57", "Con 6.7"))
    assert max(map(len, drawn.splitlines())) <= width
    assert drawn.splitlines()[2].startswith("system") == (width >= 60)
    if width < 60:
        first = [
            "moderator  Pro · victory narrow · margin 6.08",
            "  out of 82.5 points",
            "  scores Pro 59.67 · Con 53.58",
        ]
        assert drawn.splitlines()[2:5] == first


def test_bars_become_shorter_before_they_are_left_out() -> None:
    """A window of 50 columns has short bars, a window of 46 columns none."""
    columns = {
        "debater": "Pro",
        "rounds /30": Number(22),
        "final /100": Number(78),
        "score /82.5": Number(64),
        "share": "78%",
    }
    table = make_table("scores", (*columns, ""), [(*columns.values(), Gauge(82.5, 82.5))])
    assert [render_tables([table], width).count("━") for width in (100, 60, 50, 46)] == [20, 17, 12, 0]


@pytest.mark.parametrize("width", [60, 100])
def test_a_label_is_not_broken(width: int) -> None:
    """A long label has its own line, so there is no empty line between two rows."""
    labels = ("use within limits", "cost of the debate with all its judgements", "", "note")
    lines = render_text(label_grid([(label, "words") for label in labels]), width).splitlines()
    assert [" ".join(line.split()) for line in lines] == [
        "use within limits words",
        "cost of the debate with all its judgements",
        "words",
        "words",
        "note words",
    ]


@pytest.mark.parametrize("name", ["Pro", "Federal Representative for Transport"])
def test_plain_lines_say_who_influences_whom(name: str) -> None:
    """A table with several columns of debaters has the headers of these columns. A long name is on the line of its row."""
    heads, row = ("from", "on", "mean persuasion"), (DebaterCell("Con"), DebaterCell(name), Number(0.3))
    assert table_lines(make_table("influence", heads, [row]))[2:] == [f"Con  on: {name}, mean persuasion 0.3"]


def test_plain_lines_keep_the_order_of_votes() -> None:
    """What judges are divided on is in the order of the votes, however much it is."""
    row = ("divided on", JoinedCells(("evidence", "rebuttal", "risk", "vote")), JoinedCells(("nothing",)))
    assert table_lines(Table("votes", ("judge", "vote 1", "vote 2"), (row,)))[2:] == [
        "divided on  vote 1: evidence · rebuttal · risk · vote, vote 2: nothing"
    ]


def test_agreement_and_confidence_have_one_number_format() -> None:
    """No final zeros: 0.8."""
    found = score(panel())[0]
    notes = parse_notes(PanelNotes, found)
    rounds = [
        row.model_copy(update={"votes": tuple(vote.model_copy(update={"confidence": 0.9}) for vote in row.votes)})
        for row in notes.rounds
    ]
    changed = notes.model_copy(update={"rounds": tuple(rounds), "final_agreement": 0.8})
    verdict = found.model_copy(update={"notes": changed})
    assert "agreement of votes and marks 0.8." in get_system("panel").headline(verdict)
    drawn = {table.title: render_tables([table]) for table in build_verdict_tables(verdict)}
    assert "PASS · 0.9 " in drawn["panel: votes"]
    assert "to 0.8 in" in drawn["panel: scores"]


def test_joined_cells_are_on_one_line_in_every_form() -> None:
    """A vote and its confidence, which a page does not break."""
    shown = panel()
    verdicts = score(shown)
    assert r"| ✓ PASS · 0\.75 |" in format_markdown(shown, verdicts)
    assert re.search(
        r'<td class="brief"><span class="badge good">.{1,60}PASS</span> · 0.75</td>', render_html(shown, verdicts)
    )
    assert "vote 1: PASS · 0.75" in "\n".join(details_lines(shown, verdicts))
