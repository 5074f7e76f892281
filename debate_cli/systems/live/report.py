"""The live judge's opinion of one turn, exchange or debate, in short sentences for people who watch a run."""

from collections import Counter
from collections.abc import Iterable, Iterator

from debate_cli.domain.assessment import Assessment, Contradiction, DroppedPremise, Finding
from debate_cli.domain.debate import Debate
from debate_cli.domain.tasks import MOMENTS
from debate_cli.systems.aggregation import ordered_assessments
from debate_cli.systems.base import LiveReport, sum_marks
from debate_cli.systems.live.calibration import DIMENSION_MAXIMA, Calibration, Scorecard, build_scorecard
from debate_cli.systems.live.findings import (
    CausalChain,
    Convergence,
    LogicGap,
    Narrative,
    PairComparison,
    RegisterDecision,
    Resolution,
    SuspectClaim,
)
from debate_cli.systems.live.score import is_review
from debate_cli.systems.live.settings import LiveSettings
from debate_cli.systems.live.tables import CHANGE_REASONS, format_points
from debate_cli.systems.tables import format_number


def build_report(assessment: Assessment, debate: Debate, settings: LiveSettings) -> LiveReport:
    """The report: marks of a turn or result of an exchange or debate, then quoted faults, then scores that changed."""
    scores = sum_marks(assessment.marks, DIMENSION_MAXIMA) if assessment.subject.moment == "turn" else ()
    sentences = (
        *_mark_sentences(assessment),
        *(sentence for finding in assessment.findings for sentence in _describe(finding)),
        *_count_decisions(assessment),
        *_describe_changes(assessment, debate, settings),
    )
    return LiveReport(scores, sentences)


def _mark_sentences(assessment: Assessment) -> Iterator[str]:
    """Marks of a turn: `logic 32/40, rhetoric 24/30, tactics 28/30`."""
    marks = {mark.criterion: mark for mark in assessment.marks}
    shown = [marks[name] for name in DIMENSION_MAXIMA if name in marks]
    if shown:
        yield ", ".join(f"{mark.criterion} {format_number(mark.value, 1)}/{mark.out_of:g}" for mark in shown)


def _describe(finding: Finding) -> Iterable[str]:
    match finding:
        case CausalChain():
            links = ", ".join(finding.missing).replace("_", " ")
            return [f"the chain lacks: {links}"] if links else []
        case SuspectClaim() | LogicGap() | Contradiction() | DroppedPremise():
            return finding.describe()
        case PairComparison():
            return [f"logic {finding.logic} · rhetoric {finding.rhetoric} · tactics {finding.tactics}"]
        case Narrative():
            return [f"{finding.winner or 'no debater'} ahead"]
        case Convergence():
            return [finding.outcome.replace("_", " ")]
        case Resolution():
            pattern = f" Pattern: {finding.pattern.replace('_', ' ')}." if finding.pattern else ""
            return [f"{finding.explanation}{pattern}"]
        case _:
            return []


def _count_decisions(assessment: Assessment) -> Iterator[str]:
    """Decisions of the register review: `2 confirmed, 1 withdrawn`."""
    if is_review(assessment):
        counts = Counter(finding.status for finding in assessment.findings if isinstance(finding, RegisterDecision))
        yield ", ".join(f"{counts[status]} {status}" for status in sorted(counts)) or "no entries"


def _describe_changes(assessment: Assessment, debate: Debate, settings: LiveSettings) -> Iterator[str]:
    """A phrase for each score that the assessment changed: `turn 1 logic 36 → 35, hollow`."""
    own = _reading_position(assessment)
    earlier = [
        item
        for item in ordered_assessments(debate, "live", assessment.run)
        if _reading_position(item) < own and _may_matter(item, assessment)
    ]
    before = build_scorecard(debate, earlier, settings)
    after = build_scorecard(debate, [*earlier, assessment], settings)
    for turn, scores in sorted(after.penalised.items()):
        for dimension, score in scores.items():
            old = before.penalised.get(turn, after.raw[turn]).get(dimension, score)
            if old != score:
                why = ", ".join(_reasons(before, after, turn, dimension))
                change = f"{format_number(old, 1)} → {format_number(score, 1)}"
                yield f"turn {turn + 1} {dimension} {change}{f', {why}' if why else ''}"


def _reading_position(assessment: Assessment) -> tuple[float, int, int]:
    """Sort key: the last turn that an assessment is about; a turn is sorted before the exchange that ends with it."""
    subject = assessment.subject
    last = max(subject.turns, default=0) if subject.moment != "debate" else float("inf")
    return last, MOMENTS.index(subject.moment), assessment.revision


def _may_matter(item: Assessment, assessment: Assessment) -> bool:
    """Whether `item` may affect a score that `assessment` changes: both are about the same or neighbouring turns.

    Only such assessments are scored again, so that the time for a report does not grow with the debate.
    """
    if assessment.subject.moment == "debate":
        return True
    charged = _charged_turns(assessment) | set(assessment.subject.turns)
    near = {turn + step for turn in charged for step in (-1, 0, 1)}
    return not near.isdisjoint(item.subject.turns) or not charged.isdisjoint(_charged_turns(item))


def _charged_turns(assessment: Assessment) -> set[int]:
    return {finding.turn for finding in assessment.findings if isinstance(finding, SuspectClaim | LogicGap)}


def _reasons(before: Scorecard, after: Scorecard, turn: int, dimension: str) -> Iterator[str]:
    """Why a score changed: rules that apply now, and penalties that were added or removed."""
    known = {_identity(item) for item in (*before.chain_limits, *before.calibrations)}
    for item in (*after.chain_limits, *after.calibrations):
        if (item.turn, item.dimension) == (turn, dimension) and _identity(item) not in known:
            yield CHANGE_REASONS[item.rule]
    if dimension != "logic":
        return
    for found, others, word in ((after, before, ""), (before, after, "no longer ")):
        for penalty in found.penalties:
            if penalty.turn == turn and penalty not in others.penalties:
                yield f"{word}{penalty.kind.replace('_', ' ')} (−{format_points(penalty.points)})"


def _identity(change: Calibration) -> tuple[int, str, str]:
    return change.turn, change.dimension, change.rule
