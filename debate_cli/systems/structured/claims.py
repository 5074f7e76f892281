"""One result from several structured judges: the standing of each claim, and the insight.

The prompt `judge_structured.md` tells the judges what each standing means.
"""

from collections import defaultdict
from collections.abc import Mapping
from math import fsum

from debate_cli.domain.debate import Debate
from debate_cli.systems.aggregation import iter_findings, ordered_assessments, strip_float_noise
from debate_cli.systems.base import ClaimReview, ClaimStanding
from debate_cli.systems.structured.findings import Insight, Standing, Trace
from debate_cli.systems.structured.score import judge_weights


def review_claims(debate: Debate, run: str) -> ClaimReview | None:
    """The standing of each claim, and the insight; None if no judge of `run` assessed the whole debate.

    Key insight and recommendation are those of the first judge who gave one; open questions are those of all judges.
    """
    given = [item for item in ordered_assessments(debate, "structured", run) if item.subject.moment == "debate"]
    if not given:
        return None
    traces: dict[str, dict[str, Trace]] = defaultdict(dict)
    for by, trace in iter_findings(given, Trace):
        traces[trace.item].setdefault(by.assessor, trace)
    weights = judge_weights(debate, run)
    insights = [insight for _, insight in iter_findings(given, Insight)]
    questions = (question for insight in insights for question in insight.unresolved_questions)
    return ClaimReview(
        standings={item: _weightiest_standing(of, weights) for item, of in traces.items()},
        key_insight=next((insight.key_insight for insight in insights if insight.key_insight), ""),
        unresolved_questions=tuple(dict.fromkeys(questions)),
        recommendation=next((insight.recommendation for insight in insights if insight.recommendation), ""),
    )


def _weightiest_standing(traces: Mapping[str, Trace], weights: Mapping[str, float]) -> ClaimStanding:
    """The standing whose judges have the most weight, with the reason of the first of them; a tie is UNCERTAIN."""
    judges = sorted(traces)
    weight_of: dict[Standing, list[float]] = defaultdict(list)
    for judge in judges:
        weight_of[traces[judge].standing].append(weights[judge])
    totals: dict[Standing, float] = {standing: strip_float_noise(fsum(each)) for standing, each in weight_of.items()}
    heaviest: list[Standing] = [item for item in weight_of if totals[item] == max(totals.values())]
    first, *others = heaviest
    if others:
        opinions = ", ".join(f"{judge} says {traces[judge].standing}" for judge in judges)
        return ClaimStanding("UNCERTAIN", f"The judges are divided: {opinions}.")
    return ClaimStanding(first, next(traces[judge].reason for judge in judges if traces[judge].standing == first))
