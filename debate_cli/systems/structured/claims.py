"""One result from several structured judges: the standing of each claim, the insight, why an argument lost points.

The prompt `judge_structured.md` tells the judges what each standing means.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import fsum

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.systems.aggregation import newest_run, ordered_assessments, strip_float_noise
from debate_cli.systems.claim_review import ClaimReview, ClaimStanding, Standing
from debate_cli.systems.structured.findings import Fallacy, Insight, Trace
from debate_cli.systems.structured.score import MAX_ARGUMENT_MARK, ArgumentRow, StructuredNotes, judge_weights
from debate_cli.systems.tables import format_number, parse_notes


def review_claims(debate: Debate, run: str) -> ClaimReview | None:
    """The standing of each claim, and the insight; None if no judge of `run` assessed the whole debate.

    Key insight and recommendation are those of the first judge who gave one; open questions are those of all judges.
    """
    given = _whole_debate_assessments(debate, run)
    if not given:
        return None
    weights = judge_weights(debate, given[0].run)
    insights = [finding for item in given for finding in item.findings if isinstance(finding, Insight)]
    return ClaimReview(
        standings={item: _weightiest_standing(found, weights) for item, found in _standings(given).items()},
        key_insight=next((insight.key_insight for insight in insights if insight.key_insight), ""),
        unresolved_questions=tuple(
            dict.fromkeys(question for insight in insights for question in insight.unresolved_questions)
        ),
        recommendation=next((insight.recommendation for insight in insights if insight.recommendation), ""),
    )


def describe_deductions(debate: Debate, verdict: Verdict | None, argument: str) -> tuple[str, ...]:
    """Two sentences: what cost the argument most in `verdict` (if it scores the argument), and the fallacies in it."""
    notes = parse_notes(StructuredNotes, verdict) if verdict is not None else None
    rows = notes.arguments if notes is not None else ()
    scored = next((row for row in rows if row.id == argument and row.score is not None), None)
    main = _describe_main_deduction(scored, notes.weights) if scored is not None and notes is not None else ""
    names = _fallacy_names(debate, argument)
    word = "Fallacy" if len(names) == 1 else "Fallacies"
    return tuple(filter(None, (main, f"{word} found in it: {', '.join(names)}." if names else "")))


def _whole_debate_assessments(debate: Debate, run: str) -> list[Assessment]:
    return [item for item in ordered_assessments(debate, "structured", run) if item.subject.moment == "debate"]


def _standings(given: Sequence[Assessment]) -> dict[str, list[tuple[str, Trace]]]:
    """Argument id -> (judge, first finding of this judge on the argument), sorted by judge."""
    found: dict[str, dict[str, Trace]] = defaultdict(dict)
    for assessment in given:
        for finding in assessment.findings:
            if isinstance(finding, Trace):
                found[finding.item].setdefault(assessment.assessor, finding)
    return {item: sorted(of.items(), key=lambda pair: pair[0]) for item, of in found.items()}


def _weightiest_standing(findings: Sequence[tuple[str, Trace]], weights: Mapping[str, float]) -> ClaimStanding:
    """The standing whose judges have the most weight, with the reason of the first of them; a tie is UNCERTAIN."""
    of: dict[Standing, list[float]] = defaultdict(list)
    for judge, finding in findings:
        of[finding.standing].append(weights[judge])
    totals: dict[Standing, float] = {standing: strip_float_noise(fsum(each)) for standing, each in of.items()}
    highest: list[Standing] = [standing for standing in totals if totals[standing] == max(totals.values())]
    if len(highest) > 1:
        opinions = ", ".join(f"{judge} says {finding.standing}" for judge, finding in findings)
        return ClaimStanding("UNCERTAIN", f"The judges are divided: {opinions}.")
    return ClaimStanding(highest[0], next(found.reason for _, found in findings if found.standing == highest[0]))


def _fallacy_names(debate: Debate, item: str) -> tuple[str, ...]:
    """Names of the fallacies that the judges of the newest run found in an argument."""
    newest = newest_run(debate, "structured")
    given = _whole_debate_assessments(debate, newest.id) if newest is not None else []
    findings = [finding for item in given for finding in item.findings]
    found = [finding.name for finding in findings if isinstance(finding, Fallacy) and finding.item == item]
    return tuple(dict.fromkeys(name for name in found if name.strip()))


def _describe_main_deduction(row: ArgumentRow, weights: Mapping[str, float]) -> str:
    """What cost the argument most: one criterion (of equal ones, that with the lower mark), or the fallacies."""
    highest = MAX_ARGUMENT_MARK
    marks = row.marks
    taken = {name: weights.get(name, 0.0) * (highest - mark) for name, mark in marks.items() if mark is not None}
    name = max(taken, key=lambda name: (round(taken[name], 6), -(marks[name] or 0.0)), default="")
    most = taken.get(name, 0.0)
    if row.penalty > most:
        return f"Fallacies take {format_number(row.penalty, 1)} off its score."
    if most <= 0:
        return ""
    mark = format_number(marks[name] or 0.0, 1)
    return f"Costliest mark: {name} {mark} of {highest:g}, {weights[name]:.0%} of the score."
