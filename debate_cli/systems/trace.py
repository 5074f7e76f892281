"""The trace table: every claim with its speaker, the answers to it, and its standing (e.g. UPHELD).

Only systems that review claims, such as `structured`, give standings. Text in the table is not sanitized.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.turn import ResponseType
from debate_cli.domain.verdict import Verdict
from debate_cli.evidence.source_checks import SourceOutcome
from debate_cli.systems.aggregation import group_by_key, newest_assessments, newest_run
from debate_cli.systems.base import SOURCES_KIND, ArgumentMark, ClaimReview, JudgingSystem, Standing
from debate_cli.systems.registry import get_system, systems_of_debate
from debate_cli.systems.source_support import Support, join_checks
from debate_cli.systems.tables import STANDING_BADGES, format_number

_RESPONSE_FIELDS = {"type", "reasoning", "follow_up"}
_WORST_FIRST: tuple[Standing | None, ...] = ("REFUTED", "UNCERTAIN", "PARTIALLY_UPHELD", None, "UPHELD")


class TraceResponse(FrozenModel):
    """One opponent's response to a claim."""

    by: str
    turn: int
    type: ResponseType
    reasoning: str
    follow_up: str = ""
    """The question at the end of the response; empty without a question."""


class TraceReply(FrozenModel):
    """A debater's reply to a question about the debater's own claim."""

    by: str
    turn: int
    reply: str
    evaded: bool | None = None


class TraceSource(FrozenModel):
    """A source that a debater cites for a claim."""

    source: str
    """Id of the passage, as the debater wrote it."""
    outcome: SourceOutcome
    """Result of the quote check, e.g. `verified`."""
    supports: Support | None = None
    """Whether the source supports the claim, according to the newest run of the system `sources`; None if unknown."""


class TraceRow(FrozenModel):
    """One claim, with the answers to it and its standing."""

    id: str
    """Id of the argument."""
    participant: str
    """Name of the debater who made the claim."""
    claim: str
    responses: tuple[TraceResponse, ...] = ()
    replies: tuple[TraceReply, ...] = ()
    sources: tuple[TraceSource, ...] = ()
    standing: Standing | None = None
    """What the judges conclude about the claim; None if no judge gave a standing."""
    reason: str | None = None
    fallacies: tuple[str, ...] = ()
    """Names of the fallacies that judges found in the argument."""


def build_trace_table(debate: Debate, run: str | None = None) -> tuple[TraceRow, ...]:
    """Return a row for each argument, in the order of the debate. The standings are those that the judges of `run` gave.

    `run`: None means the newest run that reviews claims.
    """
    responses = group_by_key(
        (item.target, TraceResponse(by=turn.speaker, turn=turn.index, **item.model_dump(include=_RESPONSE_FIELDS)))
        for turn in debate.turns
        for item in turn.responses or ()
    )
    replies = group_by_key(
        (item.question_target, TraceReply(by=turn.speaker, turn=turn.index, reply=item.reply, evaded=item.evaded))
        for turn in debate.turns
        for item in turn.answers or ()
    )
    sources, review = _sources_of_claims(debate), review_claims(debate, run)
    rows: list[TraceRow] = []
    for item, (speaker, argument) in debate.arguments.items():
        found = review.standings.get(item) if review is not None else None
        rows.append(
            TraceRow(
                id=item,
                participant=speaker,
                claim=argument.claim,
                responses=tuple(each for each in responses[item] if each.by != speaker),
                replies=tuple(each for each in replies[item] if each.by == speaker),
                sources=tuple(sources.get((speaker, item), ())),
                standing=found.standing if found is not None else None,
                reason=found.reason if found is not None else None,
                fallacies=review.fallacies.get(item, ()) if review is not None else (),
            )
        )
    return tuple(rows)


def review_claims(debate: Debate, run: str | None = None) -> ClaimReview | None:
    """Return what the judges of `run` conclude about the claims; None if no judge of `run` reviewed claims.

    `run`: None means the newest run that reviews claims.
    """
    system = find_claim_reviewer(debate)
    if system is None:
        return None
    newest = newest_run(debate, system.kind) if run is None else None
    chosen = run if newest is None else newest.id
    return None if chosen is None else system.review_claims(debate, chosen)


def find_claim_reviewer(debate: Debate) -> JudgingSystem[Any] | None:
    """Return the first system in the debate's judging runs that reviews claims; None without such a system."""
    return next((system for system in systems_of_debate(debate) if system.reviews_claims), None)


def _sources_of_claims(debate: Debate) -> Mapping[tuple[str, str], list[TraceSource]]:
    return group_by_key(
        (
            (answer.debater, check.item),
            TraceSource(
                source=check.source,
                outcome=check.outcome,
                supports=None if answer.supports == "unknown" else answer.supports,
            ),
        )
        for check, answer in join_checks(debate, newest_assessments(debate, SOURCES_KIND))
    )


@dataclass(frozen=True, slots=True)
class ArgumentScores:
    """The scores of arguments in one verdict."""

    by_argument: Mapping[str, float]
    """Maps argument ids to scores. Arguments without a score are left out."""
    max_score: float | None
    """Highest possible score; None if it is unknown."""
    marks: tuple[ArgumentMark, ...] = ()
    """The marks of all arguments in all criteria."""


@dataclass(frozen=True, slots=True)
class LowestScore:
    """The argument with the lowest score of a debate."""

    row: TraceRow
    score: float
    max_score: float | None
    costliest_mark: ArgumentMark | None
    """The mark that lowers the score most; None if every mark is the highest possible one."""

    @property
    def score_text(self) -> str:
        """The score in words, e.g. `5.7 of 10`."""
        return f"{format_number(self.score)}{'' if self.max_score is None else f' of {self.max_score:g}'}"

    @property
    def standing_and_score(self) -> str:
        """Standing and score in words, e.g. `refuted, 5.7 of 10`. A missing standing is left out."""
        standing = STANDING_BADGES[self.row.standing].word if self.row.standing is not None else ""
        return ", ".join(filter(None, (standing, self.score_text)))

    @property
    def reasons(self) -> tuple[str, ...]:
        """Sentences on why the score is low: the costliest mark, the fallacies, and why the claim was not upheld.

        The judge's reason for upholding a claim is praise. It is replaced by a sentence that the claim was upheld.
        """
        mark, reason = self.costliest_mark, (self.row.reason or "").strip()
        value = format_number(mark.value, 1) if mark is not None and mark.value is not None else ""
        fallacy = "Fallacy" if len(self.row.fallacies) == 1 else "Fallacies"
        sentences = (
            f"Costliest mark: {mark.criterion} {value} of {mark.out_of:g}, {mark.weight:.0%} of the score."
            if mark is not None
            else "",
            f"{fallacy}: {', '.join(self.row.fallacies)}." if self.row.fallacies else "",
        )
        found = tuple(filter(None, sentences))
        upheld = "The claim was nevertheless upheld." if found else ""
        last = {"UPHELD": upheld, None: ""}.get(self.row.standing, reason)
        return (*found, last) if last else found


def find_lowest_score(debate: Debate, verdicts: Sequence[Verdict]) -> LowestScore | None:
    """Return the argument with the lowest score. If scores are equal, the argument with the worst standing is chosen.

    Return None in two cases:

    - No argument has a score.
    - Several arguments have scores, all with the same score and the same standing.
    """
    scores = score_arguments(debate, verdicts)
    rows = [row for row in build_trace_table(debate) if row.id in scores.by_argument]
    ranks = [(scores.by_argument[row.id], _WORST_FIRST.index(row.standing)) for row in rows]
    if not rows or (len(rows) > 1 and len(set(ranks)) == 1):
        return None
    lowest = rows[ranks.index(min(ranks))]
    return LowestScore(
        row=lowest,
        score=scores.by_argument[lowest.id],
        max_score=scores.max_score,
        costliest_mark=_find_costliest_mark(mark for mark in scores.marks if mark.argument == lowest.id),
    )


def _find_costliest_mark(marks: Iterable[ArgumentMark]) -> ArgumentMark | None:
    costs: dict[tuple[float, float], ArgumentMark] = {}
    for mark in marks:
        if mark.value is not None:
            share = mark.value / mark.out_of
            costs.setdefault((round(mark.weight * (1 - share), 6), -share), mark)
    most = max(costs, default=(0.0, 0.0))
    return costs[most] if most[0] > 0 else None


def score_arguments(debate: Debate, verdicts: Sequence[Verdict]) -> ArgumentScores:
    """Return the arguments' scores in one of `verdicts`; empty if no verdict scores arguments.

    If several verdicts score arguments, a verdict of the newest run is preferred.
    """
    system = find_claim_reviewer(debate)
    newest = newest_run(debate, system.kind) if system is not None else None
    reviewing = [verdict for verdict in verdicts if get_system(verdict.system).reviews_claims]
    for verdict in sorted(reviewing, key=lambda verdict: newest is None or verdict.run != newest.id):
        scorer = get_system(verdict.system)
        marks = tuple(scorer.argument_marks(verdict))
        scores = {mark.argument: mark.argument_score for mark in marks if mark.argument_score is not None}
        if scores:
            return ArgumentScores(scores, scorer.max_score(verdict), marks)
    return ArgumentScores({}, None)
