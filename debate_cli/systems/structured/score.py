"""Scorer of the structured system, whose judges mark each argument in each criterion, 1-10.

The marks of several judges, and their penalties for fallacies, are averaged with the judges' weights. Score of an
argument: weighted mean over the criteria, minus the penalty, but at least 1. Score of a debater: mean score of the
debater's arguments. Standings of claims do not change scores.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import fsum

from pydantic import ConfigDict, Field

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.judging_config import judge_ids
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.verdict import Notes, Verdict, Victory
from debate_cli.systems.aggregation import (
    clamp_mark,
    describe_unanswered,
    get_run_id,
    iter_findings,
    mean,
    mean_by_key,
    ordered_assessments,
    stored_settings,
    strip_float_noise,
    weighted_mean,
)
from debate_cli.systems.base import WHOLE_DEBATE, ClaimReview, ClaimStanding, briefs_for
from debate_cli.systems.outcome import UNDETERMINED_OUTCOME, build_verdict, clear_above_threshold, decide_outcome
from debate_cli.systems.structured.findings import Fallacy, Insight, Standing, Trace
from debate_cli.systems.structured.settings import StructuredSettings
from debate_cli.systems.tables import STANDING_BADGES

MIN_ARGUMENT_MARK, MAX_ARGUMENT_MARK = 1.0, 10.0
VICTORY_LABELS: dict[Victory, str] = {
    "draw": "evenly matched",
    "narrow": "narrow advantage",
    "clear": "clear advantage",
    "undetermined": "undetermined",
}


CriterionMarks = Mapping[str, Mapping[str, tuple[float, float]]]
"""The marks of one argument, by criterion and judge: `marks[criterion][judge] == (mark, weight of the judge)`."""


class ArgumentRow(FrozenModel):
    """Marks and score of one argument.

    In JSON, each criterion, e.g. `logic`, is a further key with its mean mark or null.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, float | None] = Field(init=False)  # pyright: ignore[reportIncompatibleVariableOverride]

    id: str
    """Id of the argument, e.g. `PRO-1`."""
    participant: str
    """Name of the debater."""
    penalty: float
    """Points deducted for fallacies, 0 or more. The deduction never lowers `score` below 1."""
    score: float | None
    """Score of the argument, 1-10; None if a criterion with a weight above 0 has no mark."""
    spread: dict[str, float] = Field(default={}, exclude_if=lambda spread: not spread)
    """The highest mark minus the lowest mark, by criterion. Criteria with a mark from only one judge are left out."""

    @property
    def marks(self) -> dict[str, float | None]:
        """Maps each criterion to the judges' mean mark, 1-10; None if no judge gave a mark."""
        return self.__pydantic_extra__


class FallacyRow(FrozenModel):
    """A fallacy that one judge found."""

    assessor: str
    """Id of the judge."""
    participant: str
    """Name of the debater who committed the fallacy."""
    item: str | None
    """Id of the argument; None if the judge named no argument."""
    name: str
    """Name of the fallacy, e.g. `straw man`."""
    quote: str
    """The speaker's words that contain the fallacy."""


class StructuredNotes(Notes):
    """Notes of a verdict of the judging system `structured`."""

    label: str
    """The outcome in words, e.g. `evenly matched`."""
    weights: dict[str, float]
    """Maps criteria to weights that add up to 1."""
    arguments: tuple[ArgumentRow, ...]
    """One row per argument, in the order of the debate."""
    means: dict[str, dict[str, float]]
    """Maps each participant to the mean mark of each criterion."""
    fallacies: tuple[FallacyRow, ...]
    """The fallacies that judges found, one row per judge and fallacy."""
    judges: tuple[str, ...]
    """Ids of the judges who assessed the debate."""
    judge_weights: dict[str, float] = Field(default={}, exclude_if=lambda weights: not weights)
    """Maps the ids of the judges to weights that add up to 1. Empty if all judges have equal weight."""


def scored_arguments(debate: Debate) -> dict[str, str]:
    """Map the id of each scored argument to its speaker, in the order of the debate.

    Only arguments in openings, and in speeches of the free-flowing format, are scored. If two arguments have the same
    id, the first is scored.
    """
    found: dict[str, str] = {}
    for turn in debate.turns:
        if turn.phase in {"opening", "speech"}:
            for argument in turn.arguments or ():
                found.setdefault(argument.id, turn.speaker)
    return found


def score_run(debate: Debate, run: JudgingRun | str, settings: StructuredSettings) -> Verdict:
    """Return the verdict of one judging run, with notes of the class `StructuredNotes`.

    A debater has a score if at least one of the debater's arguments is fully marked. The verdict is undetermined in two
    cases: fewer than two debaters have a score, or a debater who made an argument has no score.
    """
    owners = scored_arguments(debate)
    given = [item for item in ordered_assessments(debate, "structured", run) if item.subject.moment == "debate"]
    assessors = tuple(dict.fromkeys(item.assessor for item in given))
    weights, judges = settings.normalized_weights(), judge_weights(debate, run, settings)
    marks = _collect_marks(given, owners, weights, judges)
    penalties = _penalties(given, judges, settings)
    rows = [
        _argument_row((item, name), marks[item], weights, penalties.get(item, 0.0)) for item, name in owners.items()
    ]
    scores = mean_by_key((row.participant, row.score) for row in rows if row.score is not None)
    is_judged = len(scores) > 1 and set(scores) >= set(owners.values())
    outcome = decide_outcome(scores, clear_above_threshold(settings.thresholds)) if is_judged else UNDETERMINED_OUTCOME
    notes = StructuredNotes(
        label=VICTORY_LABELS[outcome.victory],
        weights={criterion: strip_float_noise(weight) for criterion, weight in weights.items()},
        arguments=tuple(rows),
        means=_criterion_means(rows),
        fallacies=tuple(_fallacy_rows(given)),
        judges=assessors,
        judge_weights=_judge_shares(given, judges),
        missing=(
            *_describe_without_argument(debate, owners),
            *_describe_unanswered(debate, run, settings, assessors),
            *_describe_unmarked(assessors, tuple(weights), marks),
        ),
    )
    return build_verdict("structured", run, outcome, scores, notes)


def _fallacy_rows(given: Iterable[Assessment]) -> Iterator[FallacyRow]:
    for assessment, fallacy in iter_findings(given, Fallacy):
        yield FallacyRow(
            assessor=assessment.assessor,
            participant=fallacy.participant,
            item=fallacy.item,
            name=fallacy.name,
            quote=fallacy.quote,
        )


def judge_weights(
    debate: Debate, run: JudgingRun | str, settings: StructuredSettings | None = None
) -> dict[str, float]:
    """Map the id of each judge in `run` to a weight; 1 if no weight is configured.

    Weights in `settings` take precedence over stored weights.
    """
    stored = stored_settings(debate, run, settings or StructuredSettings())
    seats = (*stored.seats, *(settings.seats if settings is not None else ()))
    return defaultdict(lambda: 1.0, {seat.id: seat.weight for seat in seats if seat.weight is not None})


def _judge_shares(given: Sequence[Assessment], judges: Mapping[str, float]) -> dict[str, float]:
    own = {item.assessor: judges[item.assessor] for item in given}
    if len(set(own.values())) <= 1:
        return {}
    return {judge: strip_float_noise(weight / fsum(own.values())) for judge, weight in own.items()}


def _collect_marks(
    given: Sequence[Assessment], owners: Mapping[str, str], criteria: Collection[str], judges: Mapping[str, float]
) -> Mapping[str, CriterionMarks]:
    found: dict[str, dict[str, dict[str, tuple[float, float]]]] = {item: {} for item in owners}
    for assessment in given:
        judge = assessment.assessor
        weight = judges[judge]
        for mark in assessment.marks:
            item, criterion = mark.item, mark.criterion
            if item in found and criterion in criteria and mark.participant in (None, owners[item]):
                value = clamp_mark(mark, MIN_ARGUMENT_MARK, MAX_ARGUMENT_MARK)
                found[item].setdefault(criterion, {}).setdefault(judge, (value, weight))
    return found


def _penalties(
    given: Sequence[Assessment], judges: Mapping[str, float], settings: StructuredSettings
) -> dict[str, float]:
    if not settings.fallacy_penalty:
        return {}
    counts = [Counter(fallacy.item for _, fallacy in iter_findings([item], Fallacy)) for item in given]
    weights = [judges[item.assessor] for item in given]
    return {
        name: settings.fallacy_penalty
        * weighted_mean((count[name], weight) for count, weight in zip(counts, weights, strict=True))
        for name in {name for count in counts for name in count if name}
    }


def _argument_row(
    argument: tuple[str, str], marks: CriterionMarks, weights: Mapping[str, float], penalty: float
) -> ArgumentRow:
    values: dict[str, float | None] = dict.fromkeys(weights)
    spread: dict[str, float] = {}
    for criterion, of in marks.items():
        values[criterion] = strip_float_noise(weighted_mean(of.values()))
        if len(of) > 1:
            given = [mark for mark, _ in of.values()]
            spread[criterion] = strip_float_noise(max(given) - min(given))
    parts = [
        weight * value for criterion, weight in weights.items() if weight and (value := values[criterion]) is not None
    ]
    is_complete = len(parts) == sum(map(bool, weights.values()))
    score = strip_float_noise(max(MIN_ARGUMENT_MARK, sum(parts) - penalty)) if is_complete else None
    item, participant = argument
    return ArgumentRow(
        id=item, participant=participant, penalty=strip_float_noise(penalty), score=score, spread=spread, **values
    )


def _criterion_means(rows: Sequence[ArgumentRow]) -> dict[str, dict[str, float]]:
    marks: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        own = marks.setdefault(row.participant, {})
        for name, value in row.marks.items():
            if value is not None:
                own.setdefault(name, []).append(value)
    return {who: {name: strip_float_noise(mean(of)) for name, of in own.items()} for who, own in marks.items() if own}


def _describe_without_argument(debate: Debate, owners: Mapping[str, str]) -> Iterator[str]:
    speakers = set(owners.values())
    return (f"{item.name} has made no argument." for item in debate.participants if item.name not in speakers)


def _describe_unanswered(
    debate: Debate, run: JudgingRun | str, settings: StructuredSettings, judges: Collection[str]
) -> Iterator[str]:
    asked = stored_settings(debate, run, settings)
    if all(judge in judges for judge in judge_ids(asked)):
        return iter(())
    absent = (brief for brief in briefs_for(get_run_id(run), asked, WHOLE_DEBATE) if brief.assessor not in judges)
    return describe_unanswered(
        debate, ((brief, f"The debate was not assessed by {brief.assessor}") for brief in absent)
    )


def _describe_unmarked(
    judges: Iterable[str], criteria: Sequence[str], marks: Mapping[str, CriterionMarks]
) -> Iterator[str]:
    for judge in judges:
        for item, of in marks.items():
            absent = [name for name in criteria if judge not in of.get(name, ())]
            if absent:
                yield f"{judge} gave no mark for {', '.join(absent)} of {item}."


def review_claims(debate: Debate, run: str) -> ClaimReview | None:
    """Return the standing and the fallacies of each claim, and the judges' advice.

    None if no judge of `run` assessed the debate.

    The open questions of all judges are listed. Only the first key insight and the first recommendation are kept.
    """
    given = [item for item in ordered_assessments(debate, "structured", run) if item.subject.moment == "debate"]
    if not given:
        return None
    traces: dict[str, dict[str, Trace]] = defaultdict(dict)
    for by, trace in iter_findings(given, Trace):
        traces[trace.item].setdefault(by.assessor, trace)
    weights = judge_weights(debate, run)
    fallacies: dict[str, dict[str, None]] = defaultdict(dict)
    for _, fallacy in iter_findings(given, Fallacy):
        if fallacy.item and fallacy.name.strip():
            fallacies[fallacy.item][fallacy.name] = None
    insights = [insight for _, insight in iter_findings(given, Insight)]
    questions = (question for insight in insights for question in insight.unresolved_questions)
    return ClaimReview(
        standings={item: _weightiest_standing(of, weights) for item, of in traces.items()},
        key_insight=next((insight.key_insight for insight in insights if insight.key_insight), ""),
        unresolved_questions=tuple(dict.fromkeys(questions)),
        recommendation=next((insight.recommendation for insight in insights if insight.recommendation), ""),
        fallacies={item: tuple(names) for item, names in fallacies.items()},
    )


def _weightiest_standing(traces: Mapping[str, Trace], weights: Mapping[str, float]) -> ClaimStanding:
    judges = sorted(traces)
    weight_of: dict[Standing, list[float]] = defaultdict(list)
    for judge in judges:
        weight_of[traces[judge].standing].append(weights[judge])
    totals: dict[Standing, float] = {standing: strip_float_noise(fsum(each)) for standing, each in weight_of.items()}
    heaviest: list[Standing] = [item for item in weight_of if totals[item] == max(totals.values())]
    first, *others = heaviest
    if others:
        opinions = ", ".join(f"{judge} says {STANDING_BADGES[traces[judge].standing].word}" for judge in judges)
        return ClaimStanding("UNCERTAIN", f"The judges are divided: {opinions}.")
    return ClaimStanding(first, next(traces[judge].reason for judge in judges if traces[judge].standing == first))
