"""Scorer of the moderator: the rounds count a quarter, the final evaluation three quarters.

`final = mean(round sums) x 0.25 + final_total x 0.75`, at most 82.5. By default a margin below 1 is a draw, below 5
narrow, from 5 on clear. The totals that judges write do not count; the notes list those that differ from the sums.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.judging_config import judge_ids
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.verdict import Notes, Verdict
from debate_cli.systems.aggregation import (
    clamp_mark,
    format_failure_cause,
    get_run_id,
    mean,
    ordered_assessments,
    speaker_names,
    stored_settings,
    strip_float_noise,
)
from debate_cli.systems.moderator.criteria import (
    CATEGORY_GROUPS,
    FINAL_CATEGORIES,
    FINAL_TOTAL,
    ROUND_CRITERIA,
    ROUND_TOTAL,
)
from debate_cli.systems.moderator.findings import Clash, DebateSummary, Momentum, NonEngagement, Summary, SummaryPoint
from debate_cli.systems.moderator.settings import ModeratorSettings
from debate_cli.systems.outcome import UNDETERMINED_OUTCOME, build_verdict, clear_from_threshold, decide_outcome

ROUND_SHARE, FINAL_SHARE = 0.25, 0.75
MAX_MODERATOR_SCORE = ROUND_SHARE * ROUND_TOTAL + FINAL_SHARE * FINAL_TOTAL
"""82.5: the highest score of a debater."""
CLAIMED_TOTAL_CRITERION = "claimed_total"
"""Criterion of the mark that holds the total that a judge wrote."""
CLAIMED_TOTAL_TOLERANCE = 0.5
"""A claimed total is reported if it differs from the sum by more than this."""

MarkTable = dict[str, dict[str, float]]
"""Participant -> criterion -> mark, averaged over the judges."""
Reasons = Mapping[tuple[str, str], Sequence[str]]
"""(participant, criterion) -> the judges' reasons, in order."""


class ModeratorRoundRow(FrozenModel):
    """One participant's marks for one round."""

    round: int
    participant: str
    marks: dict[str, float]
    """Criterion -> mark, 0-10."""
    reasons: dict[str, tuple[str, ...]]
    """Criterion -> the judges' reasons."""
    sum: float | None
    """Sum of the marks, 0-30; None unless all criteria are marked."""


class GroupRow(FrozenModel):
    """One participant's marks for one group of categories of the final evaluation."""

    group: str
    """Name of the group, e.g. `argument_quality`."""
    sum: float | None
    """Sum of the marks; None unless all categories of the group are marked."""
    out_of: float
    reasons: tuple[str, ...]
    """The judges' reasons."""


class FinalRow(FrozenModel):
    """One participant's marks for the whole debate, and its score."""

    participant: str
    categories: dict[str, float]
    """Category -> mark."""
    total: float | None
    """Sum of the marks, 0-100; None unless all categories are marked."""
    round_mean: float | None
    """Mean of the round sums, 0-30; None if no round is fully marked."""
    score: float | None
    """Final score, 0-82.5; None if a part is missing or the participant never spoke."""
    share: float | None
    """The score as a share of 82.5, 0-1."""
    reasons: tuple[str, ...]
    """The judges' reasons, each once."""
    groups: tuple[GroupRow, ...] = ()
    """The groups of categories, in order."""


class ClaimedTotal(FrozenModel):
    """A total that a judge stated and that differs from the sum of its marks by more than 0.5."""

    assessor: str
    participant: str
    round: int | None
    """Number of the round; None for the final evaluation."""
    claimed: float
    ours: float


class Reasoning(FrozenModel):
    """A judge's reasoning on the whole debate."""

    assessor: str
    text: str


class RoundReport(FrozenModel):
    """A judge's report on one round."""

    round: int
    assessor: str
    points: tuple[SummaryPoint, ...]
    """Points made, per participant or subtopic."""
    clashes: tuple[Clash, ...]
    non_engagement: tuple[NonEngagement, ...]
    consensus: tuple[str, ...]
    momentum: Momentum | None
    guidance: str


class Overview(FrozenModel):
    """A judge's summary of the whole debate."""

    assessor: str
    text: str
    consistently_outperformed: tuple[str, ...]
    """Names of the participants who did worse than the others throughout."""


class ModeratorNotes(Notes):
    """Notes of a moderator's verdict."""

    highest: float
    """The maximum score, 82.5."""
    rounds: tuple[ModeratorRoundRow, ...]
    """A row per round and participant, ordered by round."""
    final: tuple[FinalRow, ...]
    claimed: tuple[ClaimedTotal, ...]
    reasoning: tuple[Reasoning, ...]
    reports: tuple[RoundReport, ...] = ()
    """The judges' reports on each round, ordered by round."""
    overviews: tuple[Overview, ...] = ()


def score_run(debate: Debate, run: JudgingRun | str, settings: ModeratorSettings) -> Verdict:
    """Score `run` by the moderator's rules; the notes are `ModeratorNotes`.

    Undetermined unless at least two debaters, and every debater who spoke, have a fully marked round and a fully marked
    final evaluation. A debater who never spoke has no score. In a transcript without any speech, all marks count.
    """
    given = ordered_assessments(debate, "moderator", run)
    rounds = _group_by_round(given)
    final = [item for item in given if item.subject.moment == "debate"]
    round_rows = tuple(_round_rows(debate, rounds))
    rows = tuple(_final_rows(debate, round_rows, final))
    scores = {row.participant: row.score for row in rows if row.score is not None}
    judged = len(scores) > 1 and set(scores) >= speaker_names(debate)
    outcome = decide_outcome(scores, clear_from_threshold(settings.thresholds)) if judged else UNDETERMINED_OUTCOME
    notes = ModeratorNotes(
        highest=MAX_MODERATOR_SCORE,
        rounds=round_rows,
        final=rows,
        claimed=tuple(claim for item in given for claim in _mismatched_totals(debate, item)),
        reasoning=tuple(Reasoning(assessor=item.assessor, text=item.rationale) for item in final if item.rationale),
        reports=tuple(_round_reports(rounds)),
        overviews=tuple(_overviews(final)),
        missing=tuple(_missing(debate, run, settings, given)),
    )
    return build_verdict("moderator", run, outcome, scores, notes)


def _group_by_round(given: Sequence[Assessment]) -> dict[int, list[Assessment]]:
    found: dict[int, list[Assessment]] = defaultdict(list)
    for item in given:
        if item.subject.moment == "round" and item.subject.round is not None:
            found[item.subject.round].append(item)
    return dict(sorted(found.items()))


def _criteria(assessment: Assessment) -> Mapping[str, float]:
    return FINAL_CATEGORIES if assessment.subject.moment == "debate" else ROUND_CRITERIA


def _marks_of_judge(assessment: Assessment) -> MarkTable:
    """One judge's marks, clamped to their scales. Of several marks on the same criterion, the first counts."""
    criteria = _criteria(assessment)
    found: MarkTable = defaultdict(dict)
    for mark in assessment.marks:
        if mark.participant is not None and mark.criterion in criteria:
            found[mark.participant].setdefault(mark.criterion, clamp_mark(mark, 0, criteria[mark.criterion]))
    return found


def _average_marks(given: Sequence[Assessment]) -> MarkTable:
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for item in given:
        for participant, marks in _marks_of_judge(item).items():
            for criterion, value in marks.items():
                found[participant][criterion].append(value)
    return {name: {criterion: mean(values) for criterion, values in of.items()} for name, of in found.items()}


def _total(marks: Mapping[str, float], criteria: Mapping[str, float]) -> float | None:
    return strip_float_noise(sum(marks[name] for name in criteria)) if marks.keys() >= criteria.keys() else None


def _order_by_criteria(marks: Mapping[str, float], criteria: Mapping[str, float]) -> dict[str, float]:
    return {name: strip_float_noise(marks[name]) for name in criteria if name in marks}


def _collect_reasons(given: Sequence[Assessment]) -> Reasons:
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for mark in (mark for item in given for mark in item.marks):
        if mark.participant is not None and mark.reason:
            found[mark.participant, mark.criterion].append(mark.reason)
    return found


def _round_rows(debate: Debate, rounds: Mapping[int, Sequence[Assessment]]) -> Iterator[ModeratorRoundRow]:
    for number, given in rounds.items():
        marks_by_name, reasons_by_mark = _average_marks(given), _collect_reasons(given)
        for participant in debate.participants:
            marks = marks_by_name.get(participant.name)
            if marks is not None:
                reasons = {name: tuple(reasons_by_mark.get((participant.name, name), ())) for name in ROUND_CRITERIA}
                yield ModeratorRoundRow(
                    round=number,
                    participant=participant.name,
                    marks=_order_by_criteria(marks, ROUND_CRITERIA),
                    reasons={name: found for name, found in reasons.items() if found},
                    sum=_total(marks, ROUND_CRITERIA),
                )


def _final_rows(debate: Debate, rounds: Sequence[ModeratorRoundRow], final: Sequence[Assessment]) -> Iterator[FinalRow]:
    marks_by_name, reasons_by_mark = _average_marks(final), _collect_reasons(final)
    speakers = speaker_names(debate)
    for participant in debate.participants:
        name = participant.name
        marks = marks_by_name.get(name, {})
        total = _total(marks, FINAL_CATEGORIES)
        sums = [row.sum for row in rounds if row.participant == name and row.sum is not None]
        whole = bool(sums) and (name in speakers or not speakers)
        score = ROUND_SHARE * mean(sums) + FINAL_SHARE * total if whole and total is not None else None
        criteria = (CLAIMED_TOTAL_CRITERION, *FINAL_CATEGORIES)
        yield FinalRow(
            participant=name,
            categories=_order_by_criteria(marks, FINAL_CATEGORIES),
            total=total,
            round_mean=strip_float_noise(mean(sums)) if sums else None,
            score=None if score is None else strip_float_noise(score),
            share=None if score is None else strip_float_noise(score / MAX_MODERATOR_SCORE),
            reasons=_distinct_reasons(reasons_by_mark, name, criteria),
            groups=tuple(_group_rows(name, marks, reasons_by_mark)),
        )


def _distinct_reasons(reasons: Reasons, participant: str, criteria: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(reason for name in criteria for reason in reasons.get((participant, name), ())))


def _group_rows(participant: str, marks: Mapping[str, float], reasons: Reasons) -> Iterator[GroupRow]:
    for group, categories in CATEGORY_GROUPS.items():
        maxima = {name: FINAL_CATEGORIES[name] for name in categories}
        yield GroupRow(
            group=group,
            sum=_total(marks, maxima),
            out_of=sum(maxima.values()),
            reasons=_distinct_reasons(reasons, participant, categories),
        )


def _round_reports(rounds: Mapping[int, Sequence[Assessment]]) -> Iterator[RoundReport]:
    for number, given in rounds.items():
        for item in given:
            summary = next((finding for finding in item.findings if isinstance(finding, Summary)), Summary())
            yield RoundReport(
                round=number,
                assessor=item.assessor,
                **summary.model_dump(exclude={"kind"}),
                clashes=tuple(finding for finding in item.findings if isinstance(finding, Clash)),
                non_engagement=tuple(finding for finding in item.findings if isinstance(finding, NonEngagement)),
            )


def _overviews(final: Sequence[Assessment]) -> Iterator[Overview]:
    for item in final:
        for finding in item.findings:
            if isinstance(finding, DebateSummary):
                yield Overview(assessor=item.assessor, **finding.model_dump(exclude={"kind"}))


def _mismatched_totals(debate: Debate, assessment: Assessment) -> Iterator[ClaimedTotal]:
    """The totals that judges wrote and that differ from the sums of their marks."""
    own, criteria = _marks_of_judge(assessment), _criteria(assessment)
    for participant in debate.participants:
        ours = _total(own.get(participant.name, {}), criteria)
        for mark in assessment.marks:
            if mark.criterion != CLAIMED_TOTAL_CRITERION or mark.participant != participant.name or ours is None:
                continue
            if strip_float_noise(abs(mark.value - ours)) > CLAIMED_TOTAL_TOLERANCE:
                yield ClaimedTotal(
                    assessor=assessment.assessor,
                    participant=participant.name,
                    round=assessment.subject.round,
                    claimed=strip_float_noise(mark.value),
                    ours=ours,
                )


def _missing(
    debate: Debate, run: JudgingRun | str, settings: ModeratorSettings, given: Sequence[Assessment]
) -> Iterator[str]:
    speakers = speaker_names(debate)
    yield from (f"{item.name} has not spoken." for item in debate.participants if item.name not in speakers)
    spoke: dict[int | None, set[str]] = {None: set(speakers)}
    for turn in debate.turns:
        spoke.setdefault(turn.round, set()).add(turn.speaker)
    found = {(item.subject.round if item.subject.moment == "round" else None, item.assessor): item for item in given}
    judges = judge_ids(stored_settings(debate, run, settings))
    for number in (*sorted(key for key in spoke if key is not None), None):
        what = "The debate" if number is None else f"Round {number}"
        where = "debate/all" if number is None else f"round/{number}"
        for judge in judges:
            item = found.get((number, judge))
            if item is None:
                why = format_failure_cause(debate, f"{get_run_id(run)}/moderator/{judge}/{where}/0")
                yield f"{what} was not assessed by {judge}{why}."
                continue
            own, criteria = _marks_of_judge(item), _criteria(item)
            for name in sorted(spoke[number]):
                absent = [criterion for criterion in criteria if criterion not in own.get(name, {})]
                if absent:
                    yield f"{judge} gave {name} no mark for {', '.join(absent)} in {what.lower()}."
