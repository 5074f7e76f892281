"""What a judge found, in a sentence: the words that stand under its reasons. Untrusted, not cleaned."""

from __future__ import annotations

from debate_cli.domain.assessment import (
    CausalChain,
    Clash,
    Contradiction,
    Convergence,
    DroppedPremise,
    Fallacy,
    Finding,
    Insight,
    LogicGap,
    Manipulation,
    Narrative,
    PairComparison,
    Pressure,
    Resolution,
    SourceCheck,
    Summary,
    SuspectClaim,
    Trace,
    Vote,
)
from debate_cli.domain.personality import PRESSURE_KINDS
from debate_cli.render import theme
from debate_cli.systems.findings_table import format_manipulation


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
