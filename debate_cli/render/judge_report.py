"""What a judge's answer means to somebody who watches: one short report, as data. No styling; no Rich."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from debate_cli.domain.assessment import (
    Assessment,
    Contradiction,
    DroppedPremise,
    Finding,
    Manipulation,
    Mark,
    SourceCheck,
)
from debate_cli.domain.debate import Debate
from debate_cli.domain.personality import PRESSURE_KINDS
from debate_cli.render import theme
from debate_cli.render.agreement import label_judging_system
from debate_cli.systems.findings_table import format_manipulation
from debate_cli.systems.live.calibration import DIMENSION_MAXIMA
from debate_cli.systems.live.findings import (
    CausalChain,
    Convergence,
    LogicGap,
    Narrative,
    PairComparison,
    Pressure,
    Resolution,
    SuspectClaim,
)
from debate_cli.systems.moderator.findings import Clash, Summary
from debate_cli.systems.moderator.score import FINAL_CATEGORIES, ROUND_CRITERIA
from debate_cli.systems.panel.findings import Vote
from debate_cli.systems.structured.findings import Fallacy, Insight, Trace


class Gauge(NamedTuple):
    """A number of one debater on a scale."""

    name: str
    value: float
    out_of: float


class JudgeReport(NamedTuple):
    """A short report."""

    title: str
    scores: tuple[Gauge, ...] = ()
    words: tuple[str, ...] = ()
    """Sentences; may hold untrusted text."""
    alerts: tuple[str, ...] = ()
    """Sentences that must not be overlooked: words addressed to the judge."""


def build_judge_report(assessment: Assessment, debate: Debate) -> JudgeReport:
    """The report on one assessment. Marks are as the judge gave them: what they come to, the verdict says."""
    alarms = tuple(format_manipulation(item) for item in assessment.findings if isinstance(item, Manipulation))
    return _build_report(assessment, debate)._replace(alerts=alarms)


def _build_report(assessment: Assessment, debate: Debate) -> JudgeReport:
    who = theme.format_brief(assessment.brief, label_judging_system(debate, assessment.system, assessment.run))
    match (assessment.system, assessment.subject.moment):
        case ("moderator", "round"):
            return JudgeReport(who, _sum_marks(assessment.marks, ROUND_CRITERIA), tuple(_round_sentences(assessment)))
        case ("moderator", _):
            return JudgeReport(who, _sum_marks(assessment.marks, FINAL_CATEGORIES))
        case ("live", "turn"):
            return JudgeReport(who, _sum_marks(assessment.marks, DIMENSION_MAXIMA))
        case ("live", _):
            return JudgeReport(who, (), tuple(_live_sentences(assessment)))
        case ("panel", _):
            return JudgeReport(who, (), tuple(_vote_sentences(assessment)))
        case ("persuasion", _):
            return JudgeReport(who, (), tuple(_effect_sentences(assessment.marks)))
        case _:
            items = {mark.item for mark in assessment.marks if mark.item}
            return JudgeReport(who, (), (f"marked {len(items)} of {len(debate.arguments)} arguments",))


def _sum_marks(marks: Iterable[Mark], criteria: Mapping[str, float]) -> tuple[Gauge, ...]:
    """Sum per participant over those marks that are of `criteria` (criterion -> out of)."""
    sums: dict[str, float] = {}
    for mark in marks:
        if mark.participant is not None and mark.criterion in criteria:
            sums[mark.participant] = sums.get(mark.participant, 0.0) + mark.value
    return tuple(Gauge(name, value, sum(criteria.values())) for name, value in sums.items())


def _round_sentences(assessment: Assessment) -> Iterable[str]:
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
            yield from finding_text(finding)


def _vote_sentences(assessment: Assessment) -> Iterable[str]:
    for finding in assessment.findings:
        if isinstance(finding, Vote):
            sign = theme.VOTE_BADGES[finding.option]
            late = ", late: keeps its last vote" if finding.late else ""
            why = f", changed: {finding.changed_because}" if finding.changed_because else ""
            yield f"{sign.symbol} {sign.word}, confidence {finding.confidence:.2f}{late}{why}"


def _live_sentences(assessment: Assessment) -> Iterable[str]:
    for finding in assessment.findings:
        match finding:
            case PairComparison():
                yield f"logic {finding.logic} · rhetoric {finding.rhetoric} · tactics {finding.tactics}"
            case Narrative():
                yield f"the story's winner: {finding.winner or 'nobody'}"
            case Convergence():
                yield finding.outcome.replace("_", " ")
            case Resolution():
                yield f"why story and scorecard differ: {finding.explanation}"
            case _:
                pass


def _effect_sentences(marks: Iterable[Mark]) -> Iterable[str]:
    found: dict[str, list[str]] = {}
    for mark in marks:
        if mark.participant is not None:
            found.setdefault(mark.participant, []).append(f"{mark.criterion} {mark.value:.2f}")
    for name, effects in found.items():
        yield f"on {name}: {', '.join(effects)}"


def finding_text(finding: Finding) -> list[str]:
    """One sentence for most findings, several for those that tell of several things."""
    match finding:
        case Fallacy() | Trace() | Insight() | Manipulation() | SourceCheck():
            return _claim_text(finding)
        case Summary() | Clash():
            return _round_text(finding)
        case PairComparison() | SuspectClaim() | LogicGap() | CausalChain() | Contradiction() | DroppedPremise():
            return _turn_text(finding)
        case Narrative() | Resolution() | Convergence() | Pressure():
            return _debate_text(finding)
        case Vote():
            return _vote_text(finding)


def _claim_text(finding: Fallacy | Trace | Insight | Manipulation | SourceCheck) -> list[str]:
    match finding:
        case Fallacy():
            where = f" in {finding.item}" if finding.item else ""
            return [f"{finding.participant}{where}: {finding.name}, “{finding.quote}”"]
        case Trace():
            return [f"{finding.item} {theme.STANDING_BADGES[finding.standing].word}: {finding.reason}"]
        case Insight():
            questions = [f"Open: {question}" for question in finding.unresolved_questions]
            return [finding.key_insight, *questions, f"Recommendation: {finding.recommendation}"]
        case Manipulation():
            return [format_manipulation(finding)]
        case SourceCheck():
            return [f"{finding.participant}, turn {finding.turn}: {finding.source}: {finding.verdict}"]


def _round_text(finding: Summary | Clash) -> list[str]:
    if isinstance(finding, Clash):
        met = "meet on" if finding.engaged else "talk past each other on"
        return [f"{' and '.join(finding.participants)} {met} {finding.about}"]
    found = [f"{point.heading}: {'; '.join(said.rstrip('.') for said in point.points)}" for point in finding.points]
    found += [f"Agreed: {point}" for point in finding.consensus]
    if finding.momentum is not None:
        found.append(f"Momentum towards {finding.momentum.toward or 'nobody'}: {finding.momentum.why}")
    return [*found, f"Guidance: {finding.guidance}"] if finding.guidance else found


def _turn_text(
    finding: PairComparison | SuspectClaim | LogicGap | CausalChain | Contradiction | DroppedPremise,
) -> list[str]:
    match finding:
        case PairComparison():
            return [f"Exchange won: logic {finding.logic}, rhetoric {finding.rhetoric}, tactics {finding.tactics}"]
        case SuspectClaim():
            return [f"Turn {finding.turn}, {finding.fault} claim: “{finding.quote}”"]
        case LogicGap():
            return [f"Turn {finding.turn}, gap in the logic (−{finding.points}): {finding.reason}"]
        case CausalChain():
            missing = f" Missing: {', '.join(finding.missing)}." if finding.missing else ""
            return [f"Chain: {finding.cause} → {finding.process} → {finding.consequence}.{missing}"]
        case Contradiction():
            return [f"Turn {finding.later} contradicts turn {finding.earlier}: {finding.explanation}"]
        case DroppedPremise():
            return [f"Turn {finding.later} drops a premise of turn {finding.earlier}: {finding.premise}"]


def _debate_text(finding: Narrative | Resolution | Convergence | Pressure) -> list[str]:
    match finding:
        case Narrative():
            arcs = [f"{arc.participant}: {arc.arc}" for arc in finding.arcs]
            return [f"Sees {finding.winner or 'nobody'} ahead: {finding.reasoning}", *arcs]
        case Resolution():
            return [f"Why narrative and scorecard differ: {finding.explanation}"]
        case Convergence():
            return [f"{finding.outcome.replace('_', ' ')}. Early: {finding.early} Late: {finding.late}"]
        case Pressure():
            pressed = [
                f"{kind} {theme.format_number(getattr(finding, kind))}"
                for kind in PRESSURE_KINDS
                if getattr(finding, kind)
            ]
            return [f"Pressure on {finding.participant}: {', '.join(pressed)}"] if pressed else []


def _vote_text(finding: Vote) -> list[str]:
    late = ", late" if finding.late else ""
    found = [f"Votes {finding.option}, confidence {theme.format_number(finding.confidence)}{late}"]
    found += [f"Critical: {point}" for point in finding.critical_findings]
    found += [f"Would mend it: {point}" for point in finding.remediation_required]
    return [*found, f"Changed because {finding.changed_because}"] if finding.changed_because else found
