"""Builds the short notices of a running debate: judges' reports and failures. The text is not sanitized."""

from collections.abc import Collection, Iterable
from math import inf
from typing import NamedTuple

from debate_cli.domain.assessment import Assessment, Manipulation
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Failure
from debate_cli.domain.reviewer import PROBABILITY
from debate_cli.domain.tasks import MOMENTS, Brief, Cue
from debate_cli.render import theme
from debate_cli.render.content.agreement import label_judging_system
from debate_cli.systems.base import LiveReport, ReportedScore
from debate_cli.systems.registry import get_system
from debate_cli.systems.tables import Badge

MAX_WAITING_ROUNDS = 2
"""Maximum number of rounds whose finished speeches are withheld until the judges have reported on earlier rounds."""


class JudgeReport(NamedTuple):
    """A judge's opinion in a few lines."""

    title: str
    scores: tuple[ReportedScore, ...] = ()
    words: tuple[str, ...] = ()
    """Sentences about the assessment, shown below the scores."""
    alerts: tuple[str, ...] = ()
    """Warnings about speeches that try to manipulate the judge."""
    vote: Badge | None = None


def report_position(brief: Brief) -> tuple[bool, int, int, int, int]:
    """Return a key that sorts the reports of one system by round and turn. Reports on the whole debate are last.

    A report on a pair of turns comes after the reports on each of the two turns.
    """
    subject = brief.subject
    place = max(subject.turns, default=-1), MOMENTS.index(subject.moment)
    return subject.moment == "debate", subject.round or 0, *place, brief.revision


def must_report_wait(brief: Brief, in_flight: Iterable[Brief]) -> bool:
    """Return whether to withhold a judge's report until an earlier report of the same judging system is shown.

    `brief`: the judge's task. `in_flight`: the judges' tasks in progress.
    """
    return any(
        (other.run, other.system) == (brief.run, brief.system) and report_position(other) < report_position(brief)
        for other in in_flight
    )


def report_round(brief: Brief, debate: Debate) -> float:
    """Return the number of the round after which a judge's report is shown; infinity for a report on the whole debate.

    `brief`: the judge's task.
    """
    subject = brief.subject
    if subject.moment == "debate":
        return inf
    rounds = (turn.round for turn in debate.turns if turn.index in subject.turns)
    return max(rounds, default=0) if subject.round is None else subject.round


def must_speech_wait(round_number: int, finished: Collection[int], in_flight: Iterable[Brief], debate: Debate) -> bool:
    """Return whether to withhold the finished speeches of a round, because judges still assess an earlier round.

    The result is False if the speeches of more than `MAX_WAITING_ROUNDS` rounds are withheld already.

    - `finished`: numbers of the rounds with finished speeches that are not shown yet.
    - `in_flight`: the judges' tasks in progress.
    """
    return len(finished) <= MAX_WAITING_ROUNDS and any(report_round(of, debate) < round_number for of in in_flight)


def build_judge_report(assessment: Assessment, debate: Debate) -> JudgeReport:
    """Return the report on one assessment, with the scores of this assessment only."""
    title = theme.format_brief(assessment.brief, label_judging_system(debate, assessment.system, assessment.run))
    marks = assessment.marks
    if marks and not assessment.findings and all(mark.criterion == PROBABILITY for mark in marks):
        report = LiveReport(tuple(ReportedScore(mark.participant or "", mark.value, mark.out_of) for mark in marks))
    else:
        report = get_system(assessment.system).live_report(assessment, debate)
    alerts = tuple(item.describe()[0] for item in assessment.findings if isinstance(item, Manipulation))
    return JudgeReport(title, report.scores, report.sentences, alerts, report.vote)


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
