"""Scorer of the structured system: criteria for each opening argument, a mean for each debater.

The score of an argument is the weighted mean of its criteria (1-10) minus the penalty for its fallacies, at least 1; marks
and penalty are means over the judges by their weights. The score of a debater is the mean over its arguments. By default a
margin below 1 is a draw, up to and including 3 narrow, above 3 clear. Standings do not affect scores; see `claims`.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from math import fsum

from pydantic import ConfigDict, Field

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel, memoize_on_value
from debate_cli.domain.judging_config import judge_ids
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.verdict import Notes, Verdict, Victory
from debate_cli.systems.aggregation import (
    clamp_mark,
    format_failure_cause,
    get_run_id,
    mean,
    ordered_assessments,
    stored_settings,
    strip_float_noise,
    weighted_mean,
)
from debate_cli.systems.outcome import UNDETERMINED_OUTCOME, build_verdict, clear_above_threshold, decide_outcome
from debate_cli.systems.structured.findings import Fallacy
from debate_cli.systems.structured.settings import StructuredSettings

MIN_ARGUMENT_MARK, MAX_ARGUMENT_MARK = 1.0, 10.0
VICTORY_LABELS: dict[Victory, str] = {
    "draw": "evenly matched",
    "narrow": "narrow advantage",
    "clear": "clear advantage",
    "undetermined": "undetermined",
}


ArgumentMarks = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Argument -> criterion -> judge -> mark."""


class ArgumentRow(FrozenModel):
    """The scoring of one argument. Each criterion is a further key, e.g. `logic`: the judges' mean mark, or None."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, float | None] = Field(init=False)  # pyright: ignore[reportIncompatibleVariableOverride]

    id: str
    participant: str
    penalty: float
    """Points deducted for fallacies, 0 or more. The score is at least 1, so not all of them may take effect."""
    score: float | None
    """Score, 1-10; None unless every criterion with a weight above 0 is marked."""
    spread: dict[str, float] = Field(default={}, exclude_if=lambda spread: not spread)
    """Criterion -> highest minus lowest mark, for criteria that several judges marked."""

    @property
    def marks(self) -> dict[str, float | None]:
        """Criterion -> mean of the judges' marks; None if no judge gave one."""
        return self.__pydantic_extra__


class FallacyRow(FrozenModel):
    """A fallacy that a judge found."""

    assessor: str
    participant: str
    item: str | None
    name: str
    quote: str


class StructuredNotes(Notes):
    """Notes of a structured verdict."""

    label: str
    """The outcome in words, e.g. `evenly matched`."""
    weights: dict[str, float]
    """Criterion -> effective weight; they sum to 1."""
    arguments: tuple[ArgumentRow, ...]
    """One row per argument, in the order of the debate."""
    means: dict[str, dict[str, float]]
    """Participant -> criterion -> mean over its marked arguments."""
    fallacies: tuple[FallacyRow, ...]
    judges: tuple[str, ...]
    """Ids of the judges whose marks count."""
    judge_weights: dict[str, float] = Field(default={}, exclude_if=lambda weights: not weights)
    """Judge -> share of the weight; shares sum to 1. Empty if all judges have the same weight."""


def scored_arguments(debate: Debate) -> dict[str, str]:
    """Argument id -> speaker for every argument of an opening or a free speech, in the order of the debate.

    Arguments in later phases are not scored. Of several arguments with the same id, the first counts.
    """
    found: dict[str, str] = {}
    for turn in debate.turns:
        if turn.phase in {"opening", "speech"}:
            for argument in turn.arguments or ():
                found.setdefault(argument.id, turn.speaker)
    return found


def score_run(debate: Debate, run: JudgingRun | str, settings: StructuredSettings) -> Verdict:
    """Score `run` by the structured system; the notes are `StructuredNotes`.

    Undetermined unless at least two debaters, and every debater who made an argument, have one that is fully marked.
    """
    owners = scored_arguments(debate)
    given = [item for item in ordered_assessments(debate, "structured", run) if item.subject.moment == "debate"]
    weights, judges = settings.normalized_weights(), judge_weights(debate, run, settings)
    marks = _marks(given, owners, weights)
    fallacies = _fallacies(given)
    rows = [
        _argument_row((item, name), marks[item], weights, judges, _penalty(item, given, judges, settings))
        for item, name in owners.items()
    ]
    scores = _side_scores(rows)
    judged = len(scores) > 1 and set(scores) >= set(owners.values())
    outcome = decide_outcome(scores, clear_above_threshold(settings.thresholds)) if judged else UNDETERMINED_OUTCOME
    notes = StructuredNotes(
        label=VICTORY_LABELS[outcome.victory],
        weights={criterion: strip_float_noise(weight) for criterion, weight in weights.items()},
        arguments=tuple(rows),
        means=_means(rows),
        fallacies=fallacies,
        judges=tuple(dict.fromkeys(item.assessor for item in given)),
        judge_weights=_judge_shares(given, judges),
        missing=tuple(
            _describe_unjudged(debate, run, owners, given, settings) + _describe_unmarked(owners, given, marks, weights)
        ),
    )
    return build_verdict("structured", run, outcome, scores, notes)


def judge_weights(
    debate: Debate, run: JudgingRun | str, settings: StructuredSettings | None = None
) -> dict[str, float]:
    """Judge -> weight, for the judges who were asked in `run`. Weights in `settings` replace those stored in the run."""
    stored = stored_settings(debate, run, settings or StructuredSettings())
    seats = (*stored.seats, *(settings.seats if settings is not None else ()))
    return defaultdict(lambda: 1.0, {seat.id: seat.weight for seat in seats if seat.weight is not None})


def _judge_shares(given: Sequence[Assessment], judges: Mapping[str, float]) -> dict[str, float]:
    """Judge -> share of the weight of those who judged; empty if all have the same weight."""
    own = {item.assessor: judges[item.assessor] for item in given}
    if len(set(own.values())) <= 1:
        return {}
    return {judge: strip_float_noise(weight / fsum(own.values())) for judge, weight in own.items()}


def _marks(given: Sequence[Assessment], owners: Mapping[str, str], criteria: Collection[str]) -> ArgumentMarks:
    """Collect the marks of all judges. Marks for unknown arguments, or for another debater's, are ignored."""
    found: dict[str, dict[str, dict[str, float]]] = {item: {} for item in owners}
    for assessment in given:
        for mark in assessment.marks:
            item = mark.item
            if item not in found or mark.criterion not in criteria:
                continue
            if mark.participant is None or mark.participant == owners[item]:
                of = found[item].setdefault(mark.criterion, {})
                of.setdefault(assessment.assessor, clamp_mark(mark, MIN_ARGUMENT_MARK, MAX_ARGUMENT_MARK))
    return found


def _fallacies(given: Sequence[Assessment]) -> tuple[FallacyRow, ...]:
    return tuple(
        FallacyRow(assessor=assessment.assessor, **finding.model_dump(exclude={"kind"}))
        for assessment in given
        for finding in assessment.findings
        if isinstance(finding, Fallacy)
    )


@memoize_on_value
def _count_fallacies(assessment: Assessment) -> Counter[str]:
    return Counter(finding.item for finding in assessment.findings if isinstance(finding, Fallacy) and finding.item)


def _penalty(
    item: str, given: Sequence[Assessment], judges: Mapping[str, float], settings: StructuredSettings
) -> float:
    """Penalty of one argument: points per fallacy times the number of fallacies that the judges found (weighted mean)."""
    counts = [_count_fallacies(assessment)[item] for assessment in given]
    pairs = zip(counts, (judges[assessment.assessor] for assessment in given), strict=True)
    return settings.fallacy_penalty * weighted_mean(pairs) if any(counts) else 0.0


def _argument_row(
    argument: tuple[str, str],
    marks: Mapping[str, Mapping[str, float]],
    weights: Mapping[str, float],
    judges: Mapping[str, float],
    penalty: float,
) -> ArgumentRow:
    """The row of `argument`, a pair (id, speaker)."""
    values = {
        criterion: strip_float_noise(weighted_mean((mark, judges[judge]) for judge, mark in marks[criterion].items()))
        if criterion in marks
        else None
        for criterion in weights
    }
    score: float | None = 0.0
    for criterion, weight in weights.items():
        value = values[criterion]
        if weight and score is not None:
            score = None if value is None else score + weight * value
    return ArgumentRow.model_validate(
        {
            "id": argument[0],
            "participant": argument[1],
            "penalty": strip_float_noise(penalty),
            "score": None if score is None else strip_float_noise(max(MIN_ARGUMENT_MARK, score - penalty)),
            "spread": {
                criterion: strip_float_noise(max(of.values()) - min(of.values()))
                for criterion, of in marks.items()
                if len(of) > 1
            },
            **values,
        }
    )


def _side_scores(rows: Sequence[ArgumentRow]) -> dict[str, float]:
    """Participant -> mean score of its arguments. Participants without a scored argument are left out."""
    found: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row.score is not None:
            found[row.participant].append(row.score)
    return {name: mean(scores) for name, scores in found.items()}


def _means(rows: Sequence[ArgumentRow]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        for criterion, value in row.marks.items():
            if value is not None:
                found[row.participant][criterion].append(value)
    return {
        name: {criterion: strip_float_noise(mean(values)) for criterion, values in of.items()}
        for name, of in found.items()
    }


def _describe_unjudged(
    debate: Debate,
    run: JudgingRun | str,
    owners: Mapping[str, str],
    given: Sequence[Assessment],
    settings: StructuredSettings,
) -> list[str]:
    """Sentences on debaters without arguments and judges without an assessment."""
    arguing = frozenset(owners.values())
    found = [f"{item.name} has made no argument." for item in debate.participants if item.name not in arguing]
    judges = {item.assessor for item in given}
    for judge in judge_ids(stored_settings(debate, run, settings)):
        if judge not in judges:
            why = format_failure_cause(debate, f"{get_run_id(run)}/structured/{judge}/debate/all/0")
            found.append(f"The debate was not assessed by {judge}{why}.")
    return found


def _describe_unmarked(
    owners: Mapping[str, str], given: Sequence[Assessment], marks: ArgumentMarks, criteria: Collection[str]
) -> list[str]:
    found: list[str] = []
    for judge in dict.fromkeys(item.assessor for item in given):
        for item in owners:
            absent = [criterion for criterion in criteria if judge not in marks[item].get(criterion, ())]
            if absent:
                found.append(f"{judge} gave no mark for {', '.join(absent)} of {item}.")
    return found
