"""Verdicts of a panel without a winner are shown as votes, for documents and debates."""

from typing import get_args

import pytest
from pydantic import JsonValue
from rehearsal_support import config_of, run_debate
from render_support import HOSTILE, debate, is_printable, render_tables, render_text
from rich.console import Group

from debate_cli.app.score import CheckedFile, ScoredFile
from debate_cli.domain.assessment import Mark
from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict, Victory
from debate_cli.render import theme
from debate_cli.render.content.agreement import build_agreement_table
from debate_cli.render.content.report import build_verdict_tables
from debate_cli.render.html.index import render_index
from debate_cli.render.html.page import render_html
from debate_cli.render.score_rows import build_score_tables, drop_notes, score_lines
from debate_cli.render.terminal.drawing import score_bars
from debate_cli.render.terminal.report import closing_screen
from debate_cli.render.text.ci import format_junit, format_workflow_commands
from debate_cli.render.text.markdown import format_markdown
from debate_cli.render.text.plain import closing_lines
from debate_cli.systems.panel.tables import VOTE_BADGES
from debate_cli.systems.panel.votes import Vote, VoteOption
from debate_cli.systems.scales import describe_outcome
from debate_cli.systems.scoring import score

SENTENCES = {
    "PASS": "PLAN.md passes, clearly",
    "FAIL": "PLAN.md does not pass, clearly",
    "CONDITIONAL": "Conditional: PLAN.md passes under stated conditions.",
}


def vote(option: str, weights: dict[str, float] | None = None, run: str = "r1") -> Verdict:
    """A panel's verdict without a winner."""
    victory: Victory = "conditional" if option == "CONDITIONAL" else "clear"
    notes: dict[str, JsonValue] = {"option": option, "weights": {**(weights or {option: 1.0})}, "missing": []}
    return Verdict(
        system="panel", run=run, winner=None, victory=victory, margin=0.5, scores={}, decides=True, notes=notes
    )


def documents(*options: str) -> list[ScoredFile]:
    """A judged document per option."""
    return [
        drop_notes(ScoredFile(f"{place}.json", f"plan-{place}", "PLAN.md", "complete", (vote(option),), "PLAN.md"))
        for place, option in enumerate(options)
    ]


@pytest.mark.parametrize("option", get_args(VoteOption))
def test_every_form_names_the_option(option: str) -> None:
    """Lines, GitHub and JUnit have a sentence about the document; tables have the option in the winner's column."""
    files = documents(option)
    checked = [CheckedFile(file) for file in files]
    for text in (
        "\n".join(score_lines(files)).replace(", by 50% of the weight", ""),
        "\n".join(format_workflow_commands(checked)).replace("%0A", ""),
        format_junit(checked),
    ):
        assert SENTENCES[option] in text
        assert "motion" not in text
    badge = f"{VOTE_BADGES[option].symbol} {option}"
    agreement = build_agreement_table([vote(option), vote(option, run="r2")])
    assert agreement is not None
    assert badge in render_tables(build_score_tables(files))
    assert f"<strong>{badge}</strong>" in render_index(checked)
    assert [row[1] for row in agreement.rows if row is not None] == [VOTE_BADGES[option]] * 2


def test_different_options_do_not_agree() -> None:
    """The remark names both."""
    agreement = build_agreement_table([vote("PASS"), vote("FAIL", run="r2")])
    assert agreement is not None
    assert agreement.remarks[1:] == (
        "They differ on the outcome: panel r1 says the vote is PASS; panel r2 says the vote is FAIL.",
    )


def test_votes_are_counted_by_option() -> None:
    """They are not draws; the most frequent option is first."""
    files = documents("FAIL", "PASS", "PASS", "CONDITIONAL")
    assert "  wins: PASS 2 · CONDITIONAL 1 · FAIL 1" in "\n".join(score_lines(files))
    for text in (render_tables(build_score_tables(files)), render_index([CheckedFile(file) for file in files])):
        assert "PASS 2 · CONDITIONAL 1 · FAIL 1" in text


def test_a_split_panel_shows_the_weight_of_each_option() -> None:
    """The weights replace the debaters' scores in bars and lines."""
    split = vote("CONDITIONAL", {"PASS": 0.25, "FAIL": 0.3, "CONDITIONAL": 0.45})
    verdict = split.model_copy(update={"scores": {"Ada": 0.25, "Bo": 0.3}})
    bars = render_text(score_bars(verdict, theme.participant_styles(debate().participants)))
    assert all(text in bars for text in ("PASS", "0.25", "FAIL", "0.3", "CONDITIONAL", "0.45"))
    assert "Ada" not in bars
    (line,) = score_lines([ScoredFile("a.json", "a", "Motion", "complete", (verdict,))])
    assert line.endswith("(CONDITIONAL 0.45, FAIL 0.3, PASS 0.25 of the weight)")


def test_a_winner_keeps_the_scores_of_the_debaters() -> None:
    """A vote for a debater's side has no option."""
    verdict = vote("PASS").model_copy(update={"winner": "Ada", "scores": {"Ada": 1.0, "Bo": 0.0}})
    assert (verdict.option, verdict.option_shares, verdict.displayed_scores) == (None, {}, {"Ada": 1.0, "Bo": 0.0})


@pytest.mark.parametrize(
    ("verdict", "sentence"),
    [
        (vote("PASS").model_copy(update={"victory": "undetermined"}), "Undetermined"),
        (vote("PASS").model_copy(update={"notes": {}}), "Decided clearly, but the vote itself is not recorded."),
        (vote("CONDITIONAL", {"PASS": 0.5, "FAIL": 0.5, "CONDITIONAL": 0.0}), "Conditional: the vote is tied."),
        (
            vote("CONDITIONAL", {"PASS": 0.4, "FAIL": 0.2, "CONDITIONAL": 0.4}),
            "Conditional: the vote is tied.",
        ),
        (
            vote("CONDITIONAL", {"PASS": 0.3, "FAIL": 0.2, "CONDITIONAL": 0.5}),
            "Conditional: the motion holds under stated conditions.",
        ),
    ],
    ids=["undetermined", "without notes", "tie", "tie with conditional votes", "most votes are conditional"],
)
def test_a_vote_without_a_clear_option_is_described(verdict: Verdict, sentence: str) -> None:
    """No option is invented."""
    assert describe_outcome(verdict).startswith(sentence)


def test_a_page_on_a_document_does_not_mention_a_debate() -> None:
    """It has the text, its judges and the table of votes, and no transcript."""
    shown = run_debate(config_of(topic="PLAN.md", background="We move.", debaters=[], judging={"systems": ["panel"]}))
    page = render_html(shown, score(shown))
    assert "The text, and who judged it" in page
    assert "Text report" in page
    for text in ("Who debated", "Transcript", "transcript", "Debate report", "no speeches", "On the debate"):
        assert text not in page
    document = format_markdown(shown, score(shown))
    assert document.index("We move.") < document.index("## Verdict") < document.index("## Participants")
    assert build_verdict_tables(score(shown)[0])


@pytest.fixture(scope="module")
def rejected() -> Debate:
    """A text whose weakest dimension divides two judges, one of whom passes it."""
    panel = {"kind": "panel", "max_rounds": 0, "judges": [{"id": name, "persona": "qa_evaluator"} for name in "ab"]}
    shown = run_debate(config_of(topic="PLAN.md", background="We move.\n", debaters=[], judging={"systems": [panel]}))
    votes = (
        Vote(option="FAIL", confidence=0.9, remediation_required=(f"Risk: “We move” has no date. {HOSTILE}",)),
        Vote(option="PASS", confidence=0.5),
    )
    marks = (
        tuple(Mark(participant=None, criterion="risk", value=value, out_of=3) for value in given)
        for given in ((1,), (3,))
    )
    return shown.with_assessments(
        item.model_copy(update={"findings": (own,), "marks": given})
        for item, own, given in zip(shown.assessments, votes, marks, strict=True)
    )


def test_every_form_says_what_must_change_and_who_disagrees(rejected: Debate) -> None:
    """With line and judges; tables have the marks, and the position of each judge on what divides them."""
    verdicts = score(rejected)
    tables = {table.title: table for table in build_verdict_tables(verdicts[0])}
    assert list(tables)[:3] == ["panel: what must change", "panel: marks", "panel: scores"]
    assert render_tables([tables["panel: disagreements"]]).count("a 1 · b 3") == 1
    for text in (
        "\n".join(closing_lines(rejected, verdicts)),
        render_text(Group(*closing_screen(rejected, verdicts)), width=200),
        format_markdown(rejected, verdicts),
        render_html(rejected, verdicts),
    ):
        assert is_printable(text)
        found = text.lower().index("must change")
        assert text.index("“We move” has no date.") > found
        assert "line 1, 50% of the weight: a" in text
