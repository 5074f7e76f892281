"""Scorer of the moderator.

Score of a debater: 0.25 x mean points per round + 0.75 x points in the final evaluation. The points of a round, or of
the final evaluation, are the sum of its marks. The program adds up the marks: totals that judges wrote do not count.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pydantic import AliasChoices, Field

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.verdict import Notes, Verdict
from debate_cli.systems.aggregation import (
    clamp_mark,
    describe_silent_debaters,
    describe_unanswered,
    first_finding,
    get_run_id,
    group_by_key,
    iter_findings,
    mean,
    mean_by_key,
    ordered_assessments,
    speaker_names,
    stored_settings,
    strip_float_noise,
)
from debate_cli.systems.base import WHOLE_DEBATE, briefs_for, describe_subject, round_briefs
from debate_cli.systems.moderator.criteria import (
    FINAL,
    FINAL_SHARE,
    MAX_SCORE,
    ROUND,
    ROUND_SHARE,
    RULES,
    CriterionSet,
)
from debate_cli.systems.moderator.findings import Clash, DebateSummary, Momentum, NonEngagement, Summary, SummaryPoint
from debate_cli.systems.moderator.settings import ModeratorSettings
from debate_cli.systems.outcome import build_verdict, clear_from_threshold, decide_outcome

CLAIMED_TOTAL_CRITERION = "claimed_total"
"""Name of the criterion for the total that a judge wrote."""
CLAIMED_TOTAL_TOLERANCE = 0.5
"""Maximum difference, in points, that is tolerated between a judge's total and the sum of the judge's marks."""

Marks = Mapping[tuple[str, str], float]
"""Maps pairs (debater, criterion) to marks."""
MarkedAssessment = tuple[Assessment, Marks]
"""An assessment of a round or of the debate, and its marks."""
Reasons = Mapping[tuple[str, str], Sequence[str]]
"""Maps pairs (debater, criterion) to the reasons of the judges."""


class ModeratorRoundRow(FrozenModel):
    """One debater's marks for one round."""

    round: int
    """Number of the round, from 1."""
    participant: str
    """Name of the debater."""
    marks: dict[str, float]
    """Maps criteria to mean marks of the judges, 0-10."""
    reasons: dict[str, tuple[str, ...]]
    """Maps criteria to the judges' reasons for the marks."""
    sum: float | None
    """Sum of the round's marks, 0-30; None if a criterion has no mark."""


class GroupRow(FrozenModel):
    """One debater's marks for one group of categories in the final evaluation."""

    group: str
    """Name of the group, e.g. `argument_quality`."""
    sum: float | None
    """Sum of the group's marks; None if a category of the group has no mark."""
    out_of: float
    """Highest possible sum of the group."""
    reasons: tuple[str, ...]
    """The judges' reasons for the marks of this group."""


class FinalRow(FrozenModel):
    """One debater's marks in the final evaluation, and the debater's final score."""

    participant: str
    """Name of the debater."""
    categories: dict[str, float]
    """Maps categories to mean marks of the judges."""
    total: float | None
    """Sum of the categories' marks, 0-100; None if a category has no mark."""
    round_mean: float | None
    """The debater's mean points per fully marked round, 0-30; None if there is no such round."""
    score: float | None
    """Final score, at most `ModeratorNotes.highest`. None if `total` or `round_mean` is None, or if another debater spoke
    but this debater did not."""
    share: float | None
    """`score` divided by `ModeratorNotes.highest`; None without a score."""
    reasons: tuple[str, ...]
    """All judges' reasons for the debater's marks, without repetitions."""
    groups: tuple[GroupRow, ...] = ()
    """The debater's marks by group of categories."""


class ClaimedTotal(FrozenModel):
    """A judge's wrong total: it differs by more than 0.5 from the sum of the judge's own marks."""

    assessor: str
    """Id of the judge."""
    participant: str
    """Name of the debater."""
    round: int | None
    """Number of the round; None for the final evaluation."""
    claimed: float
    """The total that the judge wrote."""
    computed: float = Field(validation_alias=AliasChoices("ours", "computed"), serialization_alias="ours")
    """The sum of the judge's marks."""


class Reasoning(FrozenModel):
    """A judge's reasoning about the whole debate."""

    assessor: str
    """Id of the judge."""
    text: str
    """The reasoning, in the judge's words."""


class RoundReport(FrozenModel):
    """A judge's report on one round."""

    round: int
    """Number of the round, from 1."""
    assessor: str
    """Id of the judge."""
    points: tuple[SummaryPoint, ...]
    """The main points of the debaters' speeches in the round."""
    clashes: tuple[Clash, ...]
    """Points on which debaters disagreed in the round."""
    non_engagement: tuple[NonEngagement, ...]
    """Points that debaters left unanswered in the round."""
    consensus: tuple[str, ...]
    """Points on which the debaters agreed, in the judge's words."""
    momentum: Momentum | None
    """Which debater gained ground; None if the judge did not say."""
    guidance: str
    """Advice to all debaters for the next round; may be empty."""


class Overview(FrozenModel):
    """A judge's summary of the whole debate."""

    assessor: str
    """Id of the judge."""
    text: str
    """The summary, in the judge's words."""
    consistently_outperformed: tuple[str, ...]
    """Names of the debaters who did worse than their opponents throughout the debate."""


class ModeratorNotes(Notes):
    """Notes of a verdict of the judging system `moderator`."""

    highest: float
    """Highest score that a debater can reach: 0.25 x the highest possible sum of a round + 0.75 x the highest possible
    total of the final evaluation."""
    rounds: tuple[ModeratorRoundRow, ...]
    """One row per debater and round, ordered by round."""
    final: tuple[FinalRow, ...]
    """The final evaluation, one row per debater."""
    claimed: tuple[ClaimedTotal, ...]
    """Wrong totals of judges: each differs by more than 0.5 from the sum of the judge's own marks."""
    reasoning: tuple[Reasoning, ...]
    """Each judge's reasoning about the whole debate."""
    reports: tuple[RoundReport, ...] = ()
    """One report per judge and round, ordered by round."""
    overviews: tuple[Overview, ...] = ()
    """Each judge's summary of the whole debate."""


def score_run(debate: Debate, run: JudgingRun | str, settings: ModeratorSettings) -> Verdict:
    """Return the verdict of one run, with notes of the class `ModeratorNotes`.

    A debater has a score if both conditions are met:

    - The debater has all marks of the final evaluation and of at least one round.
    - The debater spoke, or no debater spoke.

    The verdict is undetermined if fewer than two debaters have a score, or if a debater who spoke has no score.
    """
    given = ordered_assessments(debate, "moderator", run)
    marked = [(item, _marks_of_judge(item)) for item in given]
    of_rounds = [item for item in given if item.subject.round is not None]
    final = [item for item in given if item.subject.moment == "debate"]
    round_rows = tuple(_round_rows(debate, marked))
    rows = tuple(_final_rows(debate, round_rows, [pair for pair in marked if pair[0].subject.moment == "debate"]))
    scores = {row.participant: row.score for row in rows if row.score is not None}
    outcome = decide_outcome(scores, clear_from_threshold(settings.thresholds), speaker_names(debate))
    overviews = iter_findings(final, DebateSummary)
    run_id, asked = get_run_id(run), stored_settings(debate, run, settings)
    numbers = sorted({turn.round for turn in debate.turns})
    briefs = (*round_briefs(run_id, asked, numbers), *briefs_for(run_id, asked, WHOLE_DEBATE))
    unassessed = (
        (brief, f"{describe_subject(brief.subject).capitalize()} was not assessed by {brief.assessor}")
        for brief in briefs
    )
    notes = ModeratorNotes(
        highest=MAX_SCORE,
        rounds=round_rows,
        final=rows,
        claimed=tuple(claim for item, own in marked for claim in _mismatched_totals(debate, item, own)),
        reasoning=tuple(Reasoning(assessor=item.assessor, text=item.rationale) for item in final if item.rationale),
        reports=tuple(map(_round_report, of_rounds)),
        overviews=tuple(Overview(assessor=by.assessor, **of.model_dump(exclude={"kind"})) for by, of in overviews),
        missing=(
            *describe_silent_debaters(debate),
            *describe_unanswered(debate, unassessed),
            *(sentence for item, own in marked for sentence in _describe_unmarked(debate, item, own)),
        ),
    )
    return build_verdict("moderator", run, outcome, scores, notes).model_copy(update={"rules": RULES})


def _criteria(assessment: Assessment) -> CriterionSet:
    return FINAL if assessment.subject.moment == "debate" else ROUND


def _marks_of_judge(assessment: Assessment) -> Marks:
    maxima = _criteria(assessment).maxima
    found: dict[tuple[str, str], float] = {}
    for mark in assessment.marks:
        if mark.participant is not None and mark.criterion in maxima:
            found.setdefault((mark.participant, mark.criterion), clamp_mark(mark, 0, maxima[mark.criterion]))
    return found


def _average_marks(marked: Iterable[MarkedAssessment]) -> Marks:
    return mean_by_key(pair for _, own in marked for pair in own.items())


def _marks_of(name: str, marks: Marks, criteria: Iterable[str]) -> dict[str, float]:
    return {item: strip_float_noise(marks[name, item]) for item in criteria if (name, item) in marks}


def _total(name: str, marks: Marks, criteria: Iterable[str]) -> float | None:
    found = [marks.get((name, item)) for item in criteria]
    return strip_float_noise(sum(mark for mark in found if mark is not None)) if None not in found else None


def _reasons_by_mark(marked: Iterable[MarkedAssessment]) -> Reasons:
    return group_by_key(
        ((mark.participant, mark.criterion), mark.reason)
        for assessment, _ in marked
        for mark in assessment.marks
        if mark.participant is not None and mark.reason
    )


def _reasons(name: str, found: Reasons, criteria: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(reason for item in criteria for reason in found.get((name, item), ())))


def _round_rows(debate: Debate, marked: Sequence[MarkedAssessment]) -> Iterator[ModeratorRoundRow]:
    for number in dict.fromkeys(item.subject.round for item, _ in marked if item.subject.round is not None):
        of_round = [pair for pair in marked if pair[0].subject.round == number]
        averages, reasons = _average_marks(of_round), _reasons_by_mark(of_round)
        for name in (item.name for item in debate.participants):
            marks = _marks_of(name, averages, ROUND.maxima)
            if marks:
                found = {criterion: _reasons(name, reasons, [criterion]) for criterion in ROUND.maxima}
                yield ModeratorRoundRow(
                    round=number,
                    participant=name,
                    marks=marks,
                    reasons={criterion: texts for criterion, texts in found.items() if texts},
                    sum=_total(name, averages, ROUND.maxima),
                )


def _final_rows(
    debate: Debate,
    rounds: Sequence[ModeratorRoundRow],
    final: Sequence[MarkedAssessment],
) -> Iterator[FinalRow]:
    averages, reasons, speakers = _average_marks(final), _reasons_by_mark(final), speaker_names(debate)
    for name in (item.name for item in debate.participants):
        total = _total(name, averages, FINAL.maxima)
        sums = [row.sum for row in rounds if row.participant == name and row.sum is not None]
        score = None
        if total is not None and sums and (name in speakers or not speakers):
            score = strip_float_noise(ROUND_SHARE * mean(sums) + FINAL_SHARE * total)
        yield FinalRow(
            participant=name,
            categories=_marks_of(name, averages, FINAL.maxima),
            total=total,
            round_mean=strip_float_noise(mean(sums)) if sums else None,
            score=score,
            share=None if score is None else strip_float_noise(score / MAX_SCORE),
            reasons=_reasons(name, reasons, (CLAIMED_TOTAL_CRITERION, *FINAL.maxima)),
            groups=tuple(
                GroupRow(
                    group=group,
                    sum=_total(name, averages, names),
                    out_of=FINAL.group_maxima[group],
                    reasons=_reasons(name, reasons, names),
                )
                for group, names in FINAL.groups.items()
            ),
        )


def _round_report(item: Assessment) -> RoundReport:
    return RoundReport(
        round=item.subject.round or 0,
        assessor=item.assessor,
        **(first_finding([item], Summary) or Summary()).model_dump(exclude={"kind"}),
        clashes=tuple(finding for _, finding in iter_findings([item], Clash)),
        non_engagement=tuple(finding for _, finding in iter_findings([item], NonEngagement)),
    )


def _mismatched_totals(debate: Debate, assessment: Assessment, own: Marks) -> Iterator[ClaimedTotal]:
    names = [item.name for item in debate.participants]
    claims = [mark for mark in assessment.marks if mark.criterion == CLAIMED_TOTAL_CRITERION]
    for name, mark in ((name, mark) for name in names for mark in claims if mark.participant == name):
        computed = _total(name, own, _criteria(assessment).maxima)
        if computed is not None and strip_float_noise(abs(mark.value - computed)) > CLAIMED_TOTAL_TOLERANCE:
            yield ClaimedTotal(
                assessor=assessment.assessor,
                participant=name,
                round=assessment.subject.round,
                claimed=strip_float_noise(mark.value),
                computed=computed,
            )


def _describe_unmarked(debate: Debate, assessment: Assessment, own: Marks) -> Iterator[str]:
    number = assessment.subject.round
    for name in sorted({turn.speaker for turn in debate.turns if number in {None, turn.round}}):
        absent = [criterion for criterion in _criteria(assessment).maxima if (name, criterion) not in own]
        if absent:
            where = describe_subject(assessment.subject)
            yield f"{assessment.assessor} gave {name} no mark for {', '.join(absent)} in {where}."
