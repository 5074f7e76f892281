"""Finds the weakest argument and why its claim was not upheld. Names and words are untrusted and not sanitized."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.systems.aggregation import newest_run
from debate_cli.systems.base import Standing
from debate_cli.systems.registry import get_system
from debate_cli.systems.tables import STANDING_BADGES, format_number
from debate_cli.systems.trace import TraceRow, build_trace_table, find_claim_reviewer

_WORST_FIRST: tuple[Standing | None, ...] = ("REFUTED", "UNCERTAIN", "PARTIALLY_UPHELD", None, "UPHELD")


@dataclass(frozen=True, slots=True)
class ArgumentScores:
    """The scores that one verdict gives to arguments."""

    by_argument: Mapping[str, float]
    """Maps ids of scored arguments to scores."""
    max_score: float


@dataclass(frozen=True, slots=True)
class WeakestArgument:
    """The weakest argument of a debate, with its score."""

    row: TraceRow
    score: float | None
    max_score: float

    @property
    def title(self) -> str:
        """A heading for the argument. An upheld claim is not called weak."""
        return "Lowest score" if self.row.standing == "UPHELD" else "Weakest argument"

    @property
    def marked(self) -> str:
        """The score in words, e.g. `5.7 of 10`; empty without a score."""
        return "" if self.score is None else f"{format_number(self.score)} of {self.max_score:g}"

    @property
    def standing_and_score(self) -> str:
        """Standing and score, if known: `refuted, 5.7 of 10`."""
        standing = STANDING_BADGES[self.row.standing].word if self.row.standing is not None else ""
        return ", ".join(filter(None, (standing, self.marked)))

    @property
    def because(self) -> tuple[str, ...]:
        """The judge's reason why the claim was not upheld; empty for an upheld claim or without a reason."""
        reason = (self.row.reason or "").strip()
        return (reason,) if reason and self.row.standing not in {None, "UPHELD"} else ()


def find_weakest_argument(debate: Debate, verdicts: Sequence[Verdict]) -> WeakestArgument | None:
    """Return the argument with the lowest score; of arguments with equal scores, the one with the worst standing.

    If no argument has a score, return the one with the worst standing. None if the arguments cannot be ranked.
    """
    scores = score_arguments(debate, verdicts)
    rows = [
        row for row in build_trace_table(debate) if row.id in scores.by_argument or row.standing not in {None, "UPHELD"}
    ]
    ranks = [(scores.by_argument.get(row.id, scores.max_score), _WORST_FIRST.index(row.standing)) for row in rows]
    if not rows or (len(rows) > 1 and len(set(ranks)) == 1):
        return None
    worst = rows[ranks.index(min(ranks))]
    return WeakestArgument(worst, scores.by_argument.get(worst.id), scores.max_score)


def score_arguments(debate: Debate, verdicts: Sequence[Verdict]) -> ArgumentScores:
    """Return the scores of arguments in the newest run that reviews claims, else in the first verdict with some."""
    system = find_claim_reviewer(debate)
    newest = newest_run(debate, system.kind) if system is not None else None
    reviewing = [verdict for verdict in verdicts if get_system(verdict.system).reviews_claims]
    for verdict in sorted(reviewing, key=lambda verdict: newest is None or verdict.run != newest.id):
        scorer = get_system(verdict.system)
        marks = scorer.argument_marks(verdict)
        scores = {mark.argument: mark.argument_score for mark in marks if mark.argument_score is not None}
        if scores:
            return ArgumentScores(scores, scorer.max_score(verdict))
    return ArgumentScores({}, 0.0)
