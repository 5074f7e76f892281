"""Output of a debate with several judging runs: the verdicts are told apart, and each fact is shown once."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from render_support import (
    START,
    debate,
    exchange,
    render_tables,
    render_text,
    structured_assessment,
    with_second_judging,
)

from debate_cli.app.score import CheckedFile, ScoredFile
from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate, restrict_to_runs, usage_of_briefs
from debate_cli.domain.events import AssessmentCompleted, Failure, JudgingOpened, TaskFailed
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.tasks import Subject
from debate_cli.domain.verdict import Verdict
from debate_cli.render.content.participants import judge_rows
from debate_cli.render.content.report import build_debate_report
from debate_cli.render.content.run_notices import build_judge_report
from debate_cli.render.content.summary import usage_rows
from debate_cli.render.html.index import render_index
from debate_cli.render.html.page import render_html
from debate_cli.render.score_rows import build_score_tables, score_lines
from debate_cli.render.terminal.report import details
from debate_cli.render.text.ci import format_step_summary, format_workflow_commands
from debate_cli.render.text.markdown import format_markdown
from debate_cli.render.text.plain import details_lines, judge_report_lines
from debate_cli.systems.panel.votes import Vote
from debate_cli.systems.scoring import score

INSIGHT = "Both sides want early boundaries;"
AGAIN = structured_assessment()


def vote(assessor: str) -> Assessment:
    """A vote of a panel's judge."""
    return Assessment(
        run="r2", system="panel", assessor=assessor, subject=Subject(moment="debate"),
        findings=(Vote(option="PASS", confidence=0.8),), rationale="Because of upkeep.", exchange=exchange(100),
    )  # fmt: skip


PANEL = with_second_judging("panel", vote("technical_architect"), vote("compliance_auditor"))
STRUCTURED = with_second_judging("structured", AGAIN.model_copy(update={"rationale": ""}))
"""The second assessment has no rationale, so its insight is the reason."""


def plain(shown: Debate) -> list[str]:
    """The plain closing part of run r2."""
    return details_lines(shown, score(shown, runs="r2"), judged={"r2"})


def drawn(shown: Debate) -> str:
    """The closing part of run r2 on a terminal, on one line."""
    parts = details(shown, score(shown, runs="r2"), judged={"r2"})
    return " ".join("".join(map(render_text, parts)).split())


def three_runs() -> Debate:
    """The debate after two further runs of the structured judge."""
    judging = JudgingConfig.model_validate({"systems": ["structured"]})
    again = STRUCTURED.apply(JudgingOpened(at=START, run="r3", judging=judging))
    return again.apply(AssessmentCompleted(at=START, assessment=AGAIN.model_copy(update={"run": "r3"})))


def scored(verdicts: tuple[Verdict, ...]) -> ScoredFile:
    """A file with these verdicts."""
    return ScoredFile("a.json", "a", "A motion", "complete", verdicts)


LISTS: dict[str, Callable[[tuple[Verdict, ...]], str]] = {
    "lines": lambda found: "\n".join(score_lines([scored(found)])),
    "table": lambda found: render_tables(build_score_tables([scored(found)])),
    "workflow commands": lambda found: "\n".join(format_workflow_commands([CheckedFile(scored(found))])),
    "step summary": lambda found: format_step_summary([CheckedFile(scored(found))]),
    "index": lambda found: render_index([CheckedFile(scored(found))]),
}


@pytest.mark.parametrize("form", [*LISTS, "page"])
def test_verdicts_of_one_system_are_labelled_with_system_and_run(form: str) -> None:
    """A system with one run is labelled without it; a list also labels a later run that is alone."""
    rationale_kept = with_second_judging("structured", AGAIN)
    verdicts = score(STRUCTURED, runs="all")
    text = LISTS[form](verdicts) if form in LISTS else render_html(STRUCTURED, verdicts)
    assert [label in text for label in ("structured r2", "structured r1", "moderator r1", "(r2)", ", run r2")] == [
        True, True, False, False, False,
    ]  # fmt: skip
    if form == "page":
        assert "Verdict · structured r2 decides" in render_html(rationale_kept, score(rationale_kept, runs="all"))
    else:
        assert "structured r2" in LISTS[form](score(STRUCTURED, runs="r2"))


def test_the_usage_of_a_judging_precedes_that_of_the_debate() -> None:
    """Both are shown; failed calls count, because they may have been billed."""
    assert (usage_of_briefs(PANEL, lambda brief: brief.run == "r2").calls, PANEL.usage.calls) == (2, 13)
    own, whole = plain(PANEL)[-3:-1]
    assert own.startswith("Cost of this judging: 2 calls · ")
    assert whole.startswith("Cost of the debate with all its judgements: 13 calls · ")
    assert drawn(PANEL).count("calls ·") == 2
    failure = Failure(
        task=vote("security_analyst").brief, who="s", cause="abstained", message="m", final=True, exchange=exchange(7)
    )
    assert (
        usage_of_briefs(PANEL.apply(TaskFailed(at=START, failure=failure)), lambda brief: brief.run == "r2").calls == 3
    )


def test_a_judging_that_is_all_of_the_usage_has_one_row() -> None:
    """A judged document has neither turns nor other judgings."""
    alone = restrict_to_runs(PANEL, {"r2"}).model_copy(update={"turns": ()})
    assert len(usage_rows(alone, {"r2"})) == 1


def test_findings_of_earlier_runs_are_not_shown_again() -> None:
    """A panel assesses no single claims."""
    for text in ("Briefing", "Trace", "Lowest score", INSIGHT, "appeal to authority"):
        assert not any(text in line for line in plain(PANEL))
        assert text.casefold() not in drawn(PANEL).casefold()


def test_findings_of_the_run_are_shown_once() -> None:
    """The insight heads the briefing, and is the reason only where there is no briefing."""
    text = "\n".join(plain(STRUCTURED))
    assert all(part in text for part in ("== Trace ==", "== Briefing ==", "Lowest score: PRO-1  "))
    alone = restrict_to_runs(STRUCTURED, {"r2"})
    assert (alone.turns, [run.id for run in alone.runs]) == (debate().turns, ["r2"])
    verdict = details_lines(STRUCTURED, score(STRUCTURED, runs="r2"), only="verdict", judged={"r2"})
    for output in (text, drawn(STRUCTURED), format_markdown(alone, score(alone)), "\n".join(verdict)):
        assert output.count(INSIGHT) == 1


@pytest.mark.parametrize("form", [details_lines, format_markdown], ids=["lines", "Markdown"])
def test_verdicts_and_tables_of_one_system_name_their_run(
    form: Callable[[Debate, tuple[Verdict, ...]], list[str] | str],
) -> None:
    """The newest run is first."""
    found = form(three_runs(), score(three_runs(), runs="all"))
    lines = found if isinstance(found, list) else found.splitlines()
    heads = [line.strip("#= ") for line in lines if line.startswith(("==", "##"))]
    labels = ["structured r3", "structured r1", "moderator", "structured r2"]
    titles = [f"{label[:1].upper()}{label[1:]}: scores" for label in labels]
    assert [title for head in heads if (title := head.partition(" (")[0]).endswith(": scores")] == titles
    names = [re.match(r"Verdict, (\w+ ?r?\d?)", head) for head in heads if head.startswith("Verdict")]
    assert [name[1] for name in names if name] == labels


def test_each_run_decides_and_the_newest_decides_for_the_debate() -> None:
    """Lines and boxes mark one verdict as deciding."""
    shown = three_runs()
    added = tuple(verdict for run in ("r3", "r2") for verdict in score(shown, runs=run))
    assert [verdict.decides for verdict in added] == [True, True]
    heads = [line for line in details_lines(shown, added) if line.startswith("== Verdict")]
    assert heads == ["== Verdict, structured r3, decides ==", "== Verdict, structured r2 =="]
    boxes = "".join(map(render_text, details(shown, score(shown, runs="all"), only="verdict")))
    for title in ("structured r3, decides", "structured r2", "moderator"):
        assert f"verdict, {title} " in boxes
    assert "verdict, moderator r1" not in boxes


def test_a_report_names_its_run_where_the_system_judged_twice() -> None:
    """Runs of different systems need no label."""
    ours = next(item for item in three_runs().assessments if item.run == "r2")
    assert build_judge_report(ours, three_runs()).title == "structured r2, the debate"
    assert build_judge_report(vote("technical_architect"), PANEL).title == "panel/technical_architect, vote 1"


def test_a_vote_is_in_the_first_plain_line() -> None:
    """It has no sign there; the judge's remarks are below it."""
    finding = Vote(option="FAIL", confidence=0.8, critical_findings=("No owner.",), late=True)
    given = vote("qa_evaluator").model_copy(update={"findings": (finding,)})
    lines = judge_report_lines(build_judge_report(given, PANEL))
    assert lines == ["Judge panel/qa_evaluator, vote 1: FAIL, confidence 0.8, late", "  - Critical: No owner."]


def test_the_participants_of_a_report_include_later_judges() -> None:
    """A judge who judged again is named once. The judges of the deciding verdict are marked, also if others judged later."""
    cast = build_debate_report(PANEL, score(PANEL)).cast
    assert [row.name for row in cast if row.sign.word == "judge"][:3] == [
        "structured",
        "moderator",
        "technical_architect",
    ]
    assert [row.name for row in cast if "decides" in row.part] == ["structured"]
    assert [row.name for row in build_debate_report(STRUCTURED, score(STRUCTURED)).cast].count("structured") == 1


def test_judges_are_not_marked_as_deciding_if_no_others_judge() -> None:
    """A panel alone needs no mark. After a second run of one of two systems, the marked judge is still named once."""
    shown = three_runs()
    cast = build_debate_report(shown, score(shown, runs="all")).cast
    assert [(row.name, row.part) for row in cast if row.sign.word == "judge"] == [
        ("structured", "judge, decides"),
        ("moderator", "judge"),
    ]
    assert not any("decides" in row.part for row in judge_rows(PANEL, PANEL.run("r2")))
