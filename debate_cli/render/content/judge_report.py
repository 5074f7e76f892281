"""A short report on one assessment, for the display of a run."""

from typing import NamedTuple

from debate_cli.domain.assessment import Assessment, Manipulation
from debate_cli.domain.debate import Debate
from debate_cli.domain.reviewer import PROBABILITY
from debate_cli.render import theme
from debate_cli.render.content.agreement import label_judging_system
from debate_cli.systems.base import LiveReport, ReportedScore
from debate_cli.systems.registry import get_system


class JudgeReport(NamedTuple):
    """A short report."""

    title: str
    scores: tuple[ReportedScore, ...] = ()
    words: tuple[str, ...] = ()
    """Sentences; may contain untrusted text."""
    alerts: tuple[str, ...] = ()
    """Warnings: words in the debate that are addressed to the judge."""


def build_judge_report(assessment: Assessment, debate: Debate) -> JudgeReport:
    """Report on one assessment, with the marks as the judge gave them."""
    title = theme.format_brief(assessment.brief, label_judging_system(debate, assessment.system, assessment.run))
    report = _probability_report(assessment) or get_system(assessment.system).live_report(assessment, debate)
    alerts = tuple(item.describe()[0] for item in assessment.findings if isinstance(item, Manipulation))
    return JudgeReport(title, report.scores, report.sentences, alerts)


def _probability_report(assessment: Assessment) -> LiveReport | None:
    """The probabilities that a reviewer gave; None if the assessment contains anything else."""
    marks = assessment.marks
    if not marks or assessment.findings or any(mark.criterion != PROBABILITY for mark in marks):
        return None
    return LiveReport(tuple(ReportedScore(mark.participant or "", mark.value, mark.out_of) for mark in marks))
