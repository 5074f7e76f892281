"""The live judge's opinion of a turn, an exchange or the debate, in short sentences for people who watch a run."""

from collections import Counter
from collections.abc import Iterable, Iterator

from debate_cli.domain.assessment import Assessment, Finding, Manipulation
from debate_cli.domain.debate import Debate
from debate_cli.domain.tasks import MOMENTS
from debate_cli.systems.aggregation import iter_findings, ordered_assessments
from debate_cli.systems.base import LiveReport, sum_marks
from debate_cli.systems.live.calibration import DIMENSION_MAXIMA, build_scorecard
from debate_cli.systems.live.findings import CausalChain, LogicGap, Narrative, Pressure, RegisterDecision, SuspectClaim
from debate_cli.systems.live.score import is_review
from debate_cli.systems.live.settings import LiveSettings
from debate_cli.systems.live.tables import list_changes
from debate_cli.systems.tables import format_number


def build_report(assessment: Assessment, debate: Debate, settings: LiveSettings) -> LiveReport:
    """Report marks or results of the assessment, then the faults that it quotes, then the scores that it changed."""
    is_turn = assessment.subject.moment == "turn"
    marks = {mark.criterion: mark for mark in assessment.marks}
    shown = [marks[name] for name in DIMENSION_MAXIMA if name in marks]
    sentences = [", ".join(f"{mark.criterion} {format_number(mark.value, 1)}/{mark.out_of:g}" for mark in shown)]
    sentences += [sentence for finding in assessment.findings for sentence in _describe(finding)]
    if is_review(assessment):
        counts = Counter(decision.status for _, decision in iter_findings([assessment], RegisterDecision))
        sentences.append(", ".join(f"{counts[status]} {status}" for status in sorted(counts)) or "no entries")
    sentences += _describe_changes(assessment, debate, settings)
    return LiveReport(sum_marks(assessment.marks, DIMENSION_MAXIMA) if is_turn else (), tuple(filter(None, sentences)))


def _describe(finding: Finding) -> Iterable[str]:
    match finding:
        case CausalChain():
            return [f"the chain lacks: {', '.join(finding.missing).replace('_', ' ')}"] if finding.missing else []
        case Narrative():
            return [f"{finding.winner or 'no debater'} ahead"]
        case Manipulation() | Pressure() | RegisterDecision():
            return []
        case _:
            return finding.describe()


def _describe_changes(assessment: Assessment, debate: Debate, settings: LiveSettings) -> Iterator[str]:
    """Describe each score that the assessment changed: `turn 1 logic 36 → 35, hollow (−1)`. Turns count from 1."""
    own = _reading_position(assessment)
    near = {turn + step for turn in _touched_turns(assessment) for step in (-1, 0, 1)}
    earlier = [
        item
        for item in ordered_assessments(debate, "live", assessment.run)
        if _reading_position(item) < own
        and (assessment.subject.moment == "debate" or not near.isdisjoint(_touched_turns(item)))
    ]
    before, after = (
        list_changes(
            (*card.chain_limits, *card.calibrations),
            card.penalties,
            {turn: of.get("logic", 0.0) for turn, of in card.calibrated.items()},
        )
        for card in (build_scorecard(debate, given, settings) for given in (earlier, [*earlier, assessment]))
    )
    known = set(before)
    for item in sorted((item for item in after if item not in known), key=lambda item: item.turn):
        change = f"{format_number(item.before, 1)} → {format_number(item.after, 1)}"
        yield f"turn {item.turn + 1} {item.dimension} {change}, {item.why}"


def _reading_position(assessment: Assessment) -> tuple[float, int, int]:
    """Return a sort key: the last turn of the assessment. A turn is sorted before the exchange that ends with it."""
    subject = assessment.subject
    last = max(subject.turns, default=0) if subject.moment != "debate" else float("inf")
    return last, MOMENTS.index(subject.moment), assessment.revision


def _touched_turns(assessment: Assessment) -> set[int]:
    charged = (finding.turn for finding in assessment.findings if isinstance(finding, SuspectClaim | LogicGap))
    return {*assessment.subject.turns, *charged}
