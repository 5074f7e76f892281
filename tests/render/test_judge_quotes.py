"""Quotes of judges support the verdict, and a debate that stopped has no empty verdicts."""

import re

import pytest
from poisoned_support import plain_debate
from render_support import (
    ROUND_MARKS,
    START,
    debate,
    events,
    final_assessment,
    render_text,
    round_assessment,
    structured_assessment,
    unjudged,
    verdict_of,
    with_assessment,
)

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.events import CloseReason, DebateClosed
from debate_cli.render.content.report import build_debate_report
from debate_cli.render.content.summary import JudgeQuote, omitted_verdicts_notes, quote_judge, reportable_verdicts
from debate_cli.render.html.page import render_html
from debate_cli.render.terminal.report import details
from debate_cli.render.text.markdown import escape_markdown, format_markdown
from debate_cli.render.text.plain import details_lines
from debate_cli.systems.live.findings import Narrative
from debate_cli.systems.scoring import score


def boxes(shown: Debate) -> str:
    """The verdicts on a terminal, on one line, without frames."""
    drawn = "\n".join(render_text(part) for part in details(shown, score(shown), only="verdict"))
    return " ".join(drawn.replace("┃", " ").replace("│", " ").split())


def quote(shown: Debate, system: str) -> JudgeQuote | None:
    """The quote beside the verdict of one system."""
    return quote_judge(shown, verdict_of(shown, system))


def marked(assessment: Assessment, judge: str, ada: float, bo: float) -> Assessment:
    """An assessment by `judge` that gives the debaters these shares of all points."""
    shares = {"Ada": ada, "Bo": bo}
    marks = tuple(
        mark.model_copy(update={"value": mark.out_of * shares[mark.participant or ""]}) for mark in assessment.marks
    )
    return assessment.model_copy(update={"assessor": judge, "rationale": f"Says {judge}.", "marks": marks})


def divided(system: str) -> Debate:
    """The debate under two judges: the first sees Ada ahead, the second Bo further ahead."""
    given = (
        [structured_assessment()]
        if system == "structured"
        else [*map(round_assessment, ROUND_MARKS), final_assessment()]
    )
    judged = [marked(item, "judge-1", 0.8, 0.6) for item in given] + [
        marked(item, "judge-2", 0.2, 0.9) for item in given
    ]
    return debate(judging={"systems": [{"kind": system, "judges": 2}]}).with_assessments(judged)


def with_narrative(winner: str | None) -> Debate:
    """A mock debate whose live narrative is won by `winner`."""

    def change(given: Assessment) -> Assessment:
        findings = tuple(
            item.model_copy(update={"winner": winner}) if isinstance(item, Narrative) else item
            for item in given.findings
        )
        return given.model_copy(update={"findings": findings})

    return plain_debate().with_assessments(change(item) for item in plain_debate().assessments)


@pytest.mark.parametrize(
    ("shown", "system", "words"),
    [
        (debate(), "structured", "Fixed."),
        (debate(), "moderator", "Bo kept to what was asked."),
        (divided("structured"), "structured", "Says judge-2."),
        (divided("moderator"), "moderator", "Says judge-2."),
    ],
    ids=["structured", "moderator", "two structured judges", "two moderators"],
)
def test_the_quoted_judge_sees_the_winner_of_the_verdict(shown: Debate, system: str, words: str) -> None:
    """A judge whose own marks put another debater ahead is not quoted."""
    assert verdict_of(shown, system).winner == "Bo"
    assert quote(shown, system) == JudgeQuote(words)


def test_a_narrative_is_quoted_only_where_it_has_the_winner_of_the_scorecard() -> None:
    """A narrative with another winner or none contradicts the verdict."""
    winner = verdict_of(plain_debate(), "live").winner
    other = next(person.name for person in plain_debate().participants if person.name != winner)
    assert quote(with_narrative(winner), "live") is not None
    assert [quote(with_narrative(name), "live") for name in (other, None)] == [None, None]


def test_a_quoted_judge_of_a_panel_is_named_before_the_quotation() -> None:
    """Every form names the judge outside of the quotation marks."""
    said = quote(plain_debate(), "panel")
    assert said is not None
    assert said.judge
    assert said.judge not in said.words
    panel = (verdict_of(plain_debate(), "panel"),)
    lines = details_lines(plain_debate(), panel, only="verdict")
    assert f"Judge says: {said.judge}: “{said.words}”" in lines
    drawn = " ".join("".join(render_text(part, 600) for part in details(plain_debate(), panel, only="verdict")).split())
    assert f"{said.judge}: “{said.words[:20]}" in drawn
    document = format_markdown(plain_debate(), panel)
    assert f"{escape_markdown(said.judge)}: “{escape_markdown(said.words)[:20]}" in document
    page = re.sub(r"<[^>]+>", "|", render_html(plain_debate(), panel))
    assert re.search(rf"{said.judge}:\|+\s*\|*{re.escape(said.words[:20])}", page)


def test_the_insight_replaces_an_empty_rationale() -> None:
    """An undetermined verdict has no quote."""
    shown = with_assessment(debate(), structured_assessment().model_copy(update={"rationale": " "}))
    said = quote(shown, "structured")
    assert said is not None
    assert said.words.startswith("Both sides want early boundaries;")
    assert quote(unjudged(), "structured") is None


@pytest.mark.parametrize("reason", ["budget", "interrupted", "failed"])
def test_a_debate_that_stopped_before_judging_has_one_sentence(reason: CloseReason) -> None:
    """It has neither undetermined verdicts nor an empty trace, unless the trace is requested."""
    shown = fold([*events()[:4], DebateClosed(at=START, reason=reason)])
    lines = details_lines(shown, score(shown))
    assert [line for line in lines if line.startswith(("Verdict", "Missing"))] == []
    assert "Note: No `structured` or `moderator` verdict yet: the debate is unfinished." in lines
    drawn = "".join(render_text(part) for part in details(shown, score(shown)))
    assert "verdict yet" in drawn
    assert not any(text in drawn for text in ("Undetermined", "trace", "not judged"))
    assert not build_debate_report(shown, score(shown)).blocks_by_part["trace"]
    assert all("verdict yet: the debate is unfinished" in text for text in documents(shown))
    assert "PRO-1" in "".join(render_text(part) for part in details(shown, score(shown), only="trace"))


def test_a_report_on_judging_runs_without_a_verdict_is_not_a_fault() -> None:
    """No run was added, so there is neither a verdict nor a judge to show."""
    report = build_debate_report(debate(), (), judged=())
    assert (report.verdicts, len(report.cast)) == ((), len(debate().participants))


def documents(shown: Debate) -> tuple[str, str]:
    """The debate as Markdown and as an HTML page."""
    return format_markdown(shown, score(shown)), render_html(shown, score(shown))


def test_a_verdict_from_before_the_stop_is_shown() -> None:
    """The other systems are named."""
    shown = debate().apply(DebateClosed(at=START, reason="interrupted"))
    verdicts = (verdict_of(shown, "structured"), verdict_of(unjudged(), "moderator"))
    assert reportable_verdicts(shown, verdicts) == verdicts[:1]
    assert omitted_verdicts_notes(shown, verdicts)[0].startswith("No `moderator` verdict yet:")
