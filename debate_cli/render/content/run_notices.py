"""Builds the short notices of a running debate: judges' reports and failures. The text is not sanitized."""

from typing import NamedTuple

from debate_cli.domain.assessment import Assessment, Manipulation
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Failure
from debate_cli.domain.reviewer import PROBABILITY
from debate_cli.domain.tasks import Cue
from debate_cli.render import theme
from debate_cli.render.content.agreement import label_judging_system
from debate_cli.systems.base import LiveReport, ReportedScore
from debate_cli.systems.registry import get_system


class JudgeReport(NamedTuple):
    """A judge's opinion in a few lines."""

    title: str
    scores: tuple[ReportedScore, ...] = ()
    words: tuple[str, ...] = ()
    """Sentences about the assessment, shown below the scores."""
    alerts: tuple[str, ...] = ()
    """Warnings about speeches that try to manipulate the judge."""


def build_judge_report(assessment: Assessment, debate: Debate) -> JudgeReport:
    """Return the report on one assessment, with the scores of this assessment only."""
    title = theme.format_brief(assessment.brief, label_judging_system(debate, assessment.system, assessment.run))
    marks = assessment.marks
    if marks and not assessment.findings and all(mark.criterion == PROBABILITY for mark in marks):
        report = LiveReport(tuple(ReportedScore(mark.participant or "", mark.value, mark.out_of) for mark in marks))
    else:
        report = get_system(assessment.system).live_report(assessment, debate)
    alerts = tuple(item.describe()[0] for item in assessment.findings if isinstance(item, Manipulation))
    return JudgeReport(title, report.scores, report.sentences, alerts)


def describe_failure(failure: Failure, shown: set[str]) -> str:
    """Return a sentence on a failure, e.g. `Pro could not speak: lab is down (unreachable)`.

    `shown`: messages that the user has already read. The message of `failure` is added to this set. A message that is
    already in the set is not repeated: `Con could not speak: unreachable, see above`.
    """
    if isinstance(failure.task, Cue):
        who, what = failure.who, "could not speak"
    else:
        who, _, about = theme.format_brief(failure.task).partition(", ")
        what = "could not judge" if get_system(failure.task.system).judges_texts else f"could not judge {about}"
    if failure.message in shown:
        return f"{who} {what}: {theme.refer_to_failure(failure.cause)}"
    shown.add(failure.message)
    return f"{who} {what}: {failure.message} ({theme.format_cause(failure.cause)})"
