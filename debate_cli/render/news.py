"""What a judge's answer means to somebody who watches: one short report, as data. No styling; no Rich."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from debate_cli.domain.assessment import (
    Assessment,
    Clash,
    Comparison,
    Convergence,
    Manipulation,
    Mark,
    Narrative,
    Resolution,
    Summary,
    Vote,
)
from debate_cli.domain.debate import Debate
from debate_cli.render import look
from debate_cli.render.called import called_in
from debate_cli.render.finding_words import words as finding_words
from debate_cli.render.sheets.findings import manipulation_words
from debate_cli.scoring.moderator import CATEGORIES, ROUND_CRITERIA
from debate_cli.scoring.scorecard import MAXIMA


class Gauge(NamedTuple):
    """A number of one debater on a scale."""

    name: str
    value: float
    out_of: float


class News(NamedTuple):
    """A short report."""

    title: str
    gauges: tuple[Gauge, ...] = ()
    words: tuple[str, ...] = ()
    """Sentences; may hold untrusted text."""
    alarms: tuple[str, ...] = ()
    """Sentences that must not be overlooked: words addressed to the judge."""


def of_assessment(assessment: Assessment, debate: Debate) -> News:
    """The report on one assessment. Marks are as the judge gave them: what they come to, the verdict says."""
    alarms = tuple(manipulation_words(item) for item in assessment.findings if isinstance(item, Manipulation))
    return _report(assessment, debate)._replace(alarms=alarms)


def _report(assessment: Assessment, debate: Debate) -> News:
    who = look.brief_words(assessment.brief, called_in(debate, assessment.system, assessment.run))
    match (assessment.system, assessment.subject.moment):
        case ("moderator", "round"):
            return News(who, _sums(assessment.marks, ROUND_CRITERIA), tuple(_of_round(assessment)))
        case ("moderator", _):
            return News(who, _sums(assessment.marks, CATEGORIES))
        case ("live", "turn"):
            return News(who, _sums(assessment.marks, MAXIMA))
        case ("live", _):
            return News(who, (), tuple(_live_words(assessment)))
        case ("panel", _):
            return News(who, (), tuple(_votes(assessment)))
        case ("persuasion", _):
            return News(who, (), tuple(_effects(assessment.marks)))
        case _:
            items = {mark.item for mark in assessment.marks if mark.item}
            return News(who, (), (f"marked {len(items)} of {len(debate.arguments)} arguments",))


def _sums(marks: Iterable[Mark], criteria: Mapping[str, float]) -> tuple[Gauge, ...]:
    """Sum per participant over those marks that are of `criteria` (criterion -> out of)."""
    sums: dict[str, float] = {}
    for mark in marks:
        if mark.participant is not None and mark.criterion in criteria:
            sums[mark.participant] = sums.get(mark.participant, 0.0) + mark.value
    return tuple(Gauge(name, value, sum(criteria.values())) for name, value in sums.items())


def _of_round(assessment: Assessment) -> Iterable[str]:
    """Why each got its marks; then what was said, agreed and fought over, who gained, and what should come next."""
    reasons: dict[str, list[str]] = {}
    for mark in assessment.marks:
        if mark.participant is not None and mark.criterion in ROUND_CRITERIA and mark.reason:
            told = f"{mark.criterion.replace('_', ' ')} {mark.value:g}, {mark.reason.rstrip('.')}"
            reasons.setdefault(mark.participant, []).append(told)
    for name, told in reasons.items():
        yield f"{name}'s marks: {'; '.join(told)}"
    for finding in assessment.findings:
        if isinstance(finding, Summary | Clash):
            yield from finding_words(finding)


def _votes(assessment: Assessment) -> Iterable[str]:
    for finding in assessment.findings:
        if isinstance(finding, Vote):
            sign = look.VOTES[finding.option]
            late = ", late: keeps its last vote" if finding.late else ""
            why = f", changed: {finding.changed_because}" if finding.changed_because else ""
            yield f"{sign.symbol} {sign.word}, confidence {finding.confidence:.2f}{late}{why}"


def _live_words(assessment: Assessment) -> Iterable[str]:
    for finding in assessment.findings:
        match finding:
            case Comparison():
                yield f"logic {finding.logic} · rhetoric {finding.rhetoric} · tactics {finding.tactics}"
            case Narrative():
                yield f"the story's winner: {finding.winner or 'nobody'}"
            case Convergence():
                yield finding.outcome.replace("_", " ")
            case Resolution():
                yield f"why story and scorecard differ: {finding.explanation}"
            case _:
                pass


def _effects(marks: Iterable[Mark]) -> Iterable[str]:
    found: dict[str, list[str]] = {}
    for mark in marks:
        if mark.participant is not None:
            found.setdefault(mark.participant, []).append(f"{mark.criterion} {mark.value:.2f}")
    for name, effects in found.items():
        yield f"on {name}: {', '.join(effects)}"
