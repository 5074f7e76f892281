"""What is told after a saved debate was judged again: what that judging brought and used, and each thing once."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from render_support import START, debate, exchange, shown, structured_assessment

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate, judging_usage, restrict_to_runs
from debate_cli.domain.events import AssessmentCompleted, Failure, JudgingOpened, TaskFailed
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.tasks import Subject
from debate_cli.domain.verdict import Verdict
from debate_cli.render.html.page import render_html
from debate_cli.render.judge_report import build_judge_report
from debate_cli.render.markdown import format_markdown
from debate_cli.render.plain import details_lines
from debate_cli.render.summary import usage_rows
from debate_cli.render.terminal_summary import details
from debate_cli.systems.panel.findings import Vote
from debate_cli.systems.scoring import score

INSIGHT = "Both sides want early boundaries;"


def vote(assessor: str) -> Assessment:
    """A judge of the panel votes."""
    return Assessment(
        run="r2", system="panel", assessor=assessor, subject=Subject(moment="debate"),
        findings=(Vote(option="PASS", confidence=0.8),), rationale="Because of upkeep.", exchange=exchange(100),
    )  # fmt: skip


def again(kind: str, *given: Assessment) -> Debate:
    """The debate after a further judging by one system, as run r2."""
    told = debate().apply(JudgingOpened(at=START, run="r2", judging=JudgingConfig.model_validate({"systems": [kind]})))
    for item in given:
        told = told.apply(AssessmentCompleted(at=START, assessment=item))
    return told


def by_panel() -> Debate:
    """A panel has judged after structured and moderator."""
    return again("panel", vote("technical_architect"), vote("compliance_auditor"))


def by_structured() -> Debate:
    """The structured judge has judged twice, the second time without a rationale."""
    return again("structured", structured_assessment().model_copy(update={"run": "r2", "rationale": ""}))


def plain(told: Debate) -> list[str]:
    """The closing part after that judging."""
    return details_lines(told, score(told, runs="r2"), judged={"r2"})


def drawn(told: Debate) -> str:
    """The same on a terminal."""
    return "".join(shown(part) for part in details(told, score(told, runs="r2"), judged={"r2"}))


def test_the_usage_is_that_of_the_judging() -> None:
    """The whole debate's follows, as such."""
    told = by_panel()
    assert (judging_usage(told, {"r2"}).calls, told.usage.calls) == (2, 13)
    own, whole = plain(told)[-3:-1]
    assert own.startswith("Cost of this judging: 2 calls · ")
    assert whole.startswith("Cost of the debate with all its judgings: 13 calls · ")


def test_a_failed_call_of_the_judging_counts() -> None:
    """What was sent may have been billed."""
    task = vote("security_analyst").brief
    failure = Failure(task=task, who="s", cause="abstained", message="m", final=True, exchange=exchange(7))
    assert judging_usage(by_panel().apply(TaskFailed(at=START, failure=failure)), {"r2"}).calls == 3


def test_a_usage_that_is_the_whole_is_told_once() -> None:
    """Nobody spoke and nobody else judged, as where a panel reads a text."""
    told = by_panel()
    alone = restrict_to_runs(told, {"r2"}).model_copy(update={"turns": ()})
    assert len(usage_rows(alone, {"r2"})) == 1
    assert usage_rows(told)[0][0] == ""


def test_the_terminal_tells_both_usages() -> None:
    """In two lines."""
    assert " ".join(drawn(by_panel()).split()).count("calls ·") == 2


@pytest.mark.parametrize("words", ["Briefing", "Trace", "Weakest argument", INSIGHT, "appeal to authority"])
def test_what_others_found_before_is_not_told_again(words: str) -> None:
    """A panel says nothing on single claims; what the structured judge said of them was told when it judged."""
    assert not any(words in line for line in plain(by_panel()))
    assert words.casefold() not in drawn(by_panel()).casefold()


def test_what_the_judging_found_is_told() -> None:
    """Trace and briefing, where it was the structured judge's."""
    told = "\n".join(plain(by_structured()))
    assert all(words in told for words in ("== Trace ==", "== Briefing ==", "Weakest argument: [PRO-1]"))


def test_the_insight_is_told_once() -> None:
    """It heads the briefing, so it is no reason of the verdict as well: in lines, on the terminal, in Markdown."""
    told = by_structured()
    assert sum(INSIGHT in line for line in plain(told)) == 1
    assert " ".join(drawn(told).split()).count(INSIGHT) == 1
    alone = restrict_to_runs(told, {"r2"})
    assert format_markdown(alone, score(alone)).count(INSIGHT) == 1


def test_without_a_briefing_beside_it_the_insight_is_the_reason() -> None:
    """As where only the verdicts are shown."""
    told = by_structured()
    lines = details_lines(told, score(told, runs="r2"), only="verdict", judged={"r2"})
    assert sum(INSIGHT in line for line in lines) == 1


def test_the_others_are_as_if_they_had_not_judged() -> None:
    """Their runs, assessments and failures are left out; the speeches stay."""
    alone = restrict_to_runs(by_panel(), {"r2"})
    assert ([run.id for run in alone.runs], {item.run for item in alone.assessments}) == (["r2"], {"r2"})
    assert alone.turns == debate().turns


def twice() -> tuple[Debate, list[str]]:
    """Two further runs of the structured judge, as `judge --repeat 2` adds them; their ids, newest first."""
    told = by_structured().apply(
        JudgingOpened(at=START, run="r3", judging=JudgingConfig.model_validate({"systems": ["structured"]}))
    )
    return told.apply(
        AssessmentCompleted(at=START, assessment=structured_assessment().model_copy(update={"run": "r3"}))
    ), [
        "r3",
        "r2",
    ]


@pytest.mark.parametrize("form", [details_lines, format_markdown], ids=["lines", "Markdown"])
def test_verdicts_of_one_system_are_told_apart(form: Callable[[Debate, tuple[Verdict, ...]], list[str] | str]) -> None:
    """By their judging run: each verdict, and the tables it rests on; what stands alone of its kind has none."""
    told, _ = twice()
    found = form(told, score(told, runs="all"))
    lines = found if isinstance(found, list) else found.splitlines()
    heads = [line.strip("#= ") for line in lines if line.startswith(("==", "##", "Verdict ("))]
    assert [head.partition(" (")[0] for head in heads if head.startswith("Scores")] == [
        "Scores, structured r3", "Scores, structured r1", "Scores, moderator", "Scores, structured r2",
    ]  # fmt: skip
    names = [re.match(r"Verdict(?:, | \()(\w+ ?r?\d?)", head) for head in heads if head.startswith("Verdict")]
    assert [name[1] for name in names if name] == ["structured r3", "structured r1", "moderator", "structured r2"]


def test_the_terminal_tells_them_apart() -> None:
    """In the title of each box, and side by side."""
    told, _ = twice()
    shown_ = "".join(shown(part) for part in details(told, score(told, runs="all"), only="verdict"))
    assert [f"verdict, {name} " in shown_ for name in ("structured r3, decides", "structured r2", "moderator")] == [
        True
    ] * 3
    assert ("verdict, moderator r1" in shown_, "structured r3, decides   " in shown_) == (False, True)


def test_one_of_them_decides() -> None:
    """Each run has a verdict that decides it; of all that were added, the newest run's stands for the debate."""
    told, runs = twice()
    added = tuple(verdict for run in runs for verdict in score(told, runs=run))
    assert [verdict.decides for verdict in added] == [True, True]
    lines = [line.partition(":")[0] for line in details_lines(told, added) if line.startswith("Verdict (")]
    assert lines == ["Verdict (structured r3, decides)", "Verdict (structured r2)"]
    drawn_ = "".join(shown(part) for part in details(told, added))
    assert drawn_.count("verdict, ") == 2
    assert drawn_.count(", decides") == 2, "in the title of its box, and side by side"


def test_what_judges_say_at_once_names_their_run() -> None:
    """Where two runs ask the same system; not where each asks another."""
    told, _ = twice()
    ours = next(item for item in told.assessments if item.run == "r2")
    assert build_judge_report(ours, told).title == "structured r2, the debate"
    assert build_judge_report(vote("technical_architect"), by_panel()).title == "panel/technical_architect, vote 1"


def test_the_time_that_calls_took_is_told_rather_than_a_pause() -> None:
    """What stands between the first event and the last may hold the time between two sittings."""
    later = debate().model_copy(update={"finished_at": START + timedelta(days=3)})
    assert usage_rows(later) == usage_rows(debate())
    assert usage_rows(later)[0][1].endswith(" · calls took 22.4 s added up")
    assert "22.4 s" in " ".join("".join(shown(part) for part in details(later, score(later))).split())


def test_where_nothing_was_waited_for_no_time_is_told() -> None:
    """As where the mock answers at once."""
    assert "took" not in usage_rows(debate().without_turns())[0][1]


def test_the_page_says_which_run_decides() -> None:
    """Of two verdicts of one system the deciding one is told with its run; the moderator, which judged once, without."""
    told = again("structured", structured_assessment().model_copy(update={"run": "r2"}))
    page = render_html(told, score(told, runs="all"))
    assert "Verdict · structured r2 judging decides" in page
    assert "moderator r1" not in page
