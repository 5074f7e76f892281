"""What is told after a saved debate was judged again: what that judging brought and used, and each thing once."""

from __future__ import annotations

import pytest
from render_support import START, debate, exchange, shown, structured_assessment

from debate_cli.domain.assessment import Assessment, SystemKind, Vote
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Assessed, Failed, Failure, JudgingOpened
from debate_cli.domain.judged import judged_by, judging_usage
from debate_cli.domain.systems import JudgingConfig
from debate_cli.domain.tasks import Subject
from debate_cli.render.markdown import markdown
from debate_cli.render.summary import summary
from debate_cli.render.summary_lines import summary_lines
from debate_cli.render.used import usage_rows
from debate_cli.scoring import score

INSIGHT = "Both sides want early boundaries;"


def vote(assessor: str) -> Assessment:
    """A judge of the panel votes."""
    return Assessment(
        run="r2", system="panel", assessor=assessor, subject=Subject(moment="debate"),
        findings=(Vote(option="PASS", confidence=0.8),), rationale="Because of upkeep.", exchange=exchange(100),
    )  # fmt: skip


def again(kind: SystemKind, *given: Assessment) -> Debate:
    """The debate after a further judging by one system, as run r2."""
    told = debate().apply(JudgingOpened(at=START, run="r2", judging=JudgingConfig.model_validate({"systems": [kind]})))
    for item in given:
        told = told.apply(Assessed(at=START, assessment=item))
    return told


def by_panel() -> Debate:
    """A panel has judged after structured and moderator."""
    return again("panel", vote("technical_architect"), vote("compliance_auditor"))


def by_structured() -> Debate:
    """The structured judge has judged twice, the second time without a rationale."""
    return again("structured", structured_assessment().model_copy(update={"run": "r2", "rationale": ""}))


def plain(told: Debate) -> list[str]:
    """The closing part after that judging."""
    return summary_lines(told, score(told, runs="r2"), judged={"r2"})


def drawn(told: Debate) -> str:
    """The same on a terminal."""
    return "".join(shown(part) for part in summary(told, score(told, runs="r2"), judged={"r2"}))


def test_the_usage_is_that_of_the_judging() -> None:
    """The whole debate's follows, as such."""
    told = by_panel()
    assert (judging_usage(told, {"r2"}).calls, told.usage.calls) == (2, 13)
    own, whole = plain(told)[-2:]
    assert own.startswith("Usage of this judging: 2 calls · ")
    assert whole.startswith("Usage of the debate with all its judgings: 13 calls · ")


def test_a_failed_call_of_the_judging_counts() -> None:
    """What was sent may have been billed."""
    task = vote("security_analyst").brief
    failure = Failure(task=task, who="s", cause="abstained", message="m", final=True, exchange=exchange(7))
    assert judging_usage(by_panel().apply(Failed(at=START, failure=failure)), {"r2"}).calls == 3


def test_a_usage_that_is_the_whole_is_told_once() -> None:
    """Nobody spoke and nobody else judged, as where a panel reads a text."""
    told = by_panel()
    alone = judged_by(told, {"r2"}).model_copy(update={"turns": ()})
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
    alone = judged_by(told, {"r2"})
    assert markdown(alone, score(alone)).count(INSIGHT) == 1


def test_without_a_briefing_beside_it_the_insight_is_the_reason() -> None:
    """As where only the verdicts are shown."""
    told = by_structured()
    lines = summary_lines(told, score(told, runs="r2"), only="verdict", judged={"r2"})
    assert sum(INSIGHT in line for line in lines) == 1


def test_the_others_are_as_if_they_had_not_judged() -> None:
    """Their runs, assessments and failures are left out; the speeches stay."""
    alone = judged_by(by_panel(), {"r2"})
    assert ([run.id for run in alone.runs], {item.run for item in alone.assessments}) == (["r2"], {"r2"})
    assert alone.turns == debate().turns
