"""The structured system's scorer: four criteria for each opening argument, a weighted mean for each side.

Formulas are the rules as written: an argument's score is the weighted mean of its four criteria (1-10) less the penalty
for its fallacies, not below 1; a side's score is the mean over its arguments. A gap below 1 is a draw, up to and
including 3 narrow, above 3 clear. Standings and the briefing are read in `trace` and `briefing`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from debate_cli.domain.assessment import Assessment, Fallacy
from debate_cli.domain.bench import assessors
from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.systems import Structured
from debate_cli.domain.value import Value
from debate_cli.domain.verdict import Verdict, Victory
from debate_cli.scoring.conclusion import UNDETERMINED, closed_above, compare, verdict_of
from debate_cli.scoring.reading import assessments, cause, exact, held, mean, run_id, stored

CRITERIA = ("logic", "evidence", "responsiveness", "honesty")
LOWEST, HIGHEST = 1.0, 10.0
LABELS: dict[Victory, str] = {
    "draw": "evenly matched",
    "narrow": "narrow advantage",
    "clear": "clear advantage",
    "undetermined": "undetermined",
}


Marks = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Argument -> criterion -> judge -> mark."""


class ArgumentRow(Value):
    """How one argument was scored; every number is a mean over the judges, None where there is no mark."""

    id: str
    participant: str
    logic: float | None
    evidence: float | None
    responsiveness: float | None
    honesty: float | None
    penalty: float
    """Points taken off for fallacies, >= 0, before the score is held at 1."""
    score: float | None
    """1-10; None unless all four criteria that weigh anything are marked."""


class FallacyRow(Value):
    """A fallacy that a judge found."""

    assessor: str
    participant: str
    item: str | None
    name: str
    quote: str


class StructuredNotes(Value):
    """Shape of the notes of a structured verdict."""

    label: str
    """The outcome in words, e.g. `evenly matched`."""
    weights: dict[str, float]
    """Weight per criterion as used: they sum to 1."""
    arguments: tuple[ArgumentRow, ...]
    """In the order of the debate."""
    means: dict[str, dict[str, float]]
    """Participant -> criterion -> mean over its marked arguments."""
    fallacies: tuple[FallacyRow, ...]
    judges: tuple[str, ...]
    """Ids of the judges whose marks count."""
    missing: tuple[str, ...]
    """What was not assessed, one sentence each."""


def scored_arguments(debate: Debate) -> dict[str, str]:
    """Argument id -> speaker, of every argument of an opening (or a free speech), in the order of the debate.

    What was smuggled into a later phase is not scored. The first of a duplicate id counts.
    """
    found: dict[str, str] = {}
    for turn in debate.turns:
        if turn.phase in {"opening", "speech"}:
            for argument in turn.arguments or ():
                found.setdefault(argument.id, turn.speaker)
    return found


def verdict(debate: Debate, run: JudgingRun | str, settings: Structured) -> Verdict:
    """The verdict of the structured system over `run`; the notes are `StructuredNotes`.

    Undetermined unless at least two debaters, and every debater who made an argument, have one that is fully marked.
    """
    owners = scored_arguments(debate)
    given = [item for item in assessments(debate, "structured", run) if item.subject.moment == "debate"]
    weights = counted_weights(settings)
    marks = _marks(given, owners)
    fallacies = _fallacies(given)
    rows = [
        _row(item, name, marks[item], weights, _penalty(item, given, fallacies, settings))
        for item, name in owners.items()
    ]
    scores = _side_scores(rows)
    judged = len(scores) > 1 and set(scores) >= set(owners.values())
    outcome = compare(scores, closed_above(settings.thresholds)) if judged else UNDETERMINED
    notes = StructuredNotes(
        label=LABELS[outcome.victory],
        weights={criterion: exact(weight) for criterion, weight in weights.items()},
        arguments=tuple(rows),
        means=_means(rows),
        fallacies=fallacies,
        judges=tuple(dict.fromkeys(item.assessor for item in given)),
        missing=tuple(_unasked(debate, run, owners, given, settings) + _unmarked(owners, given, marks)),
    )
    return verdict_of("structured", run, outcome, scores, notes)


def counted_weights(settings: Structured) -> dict[str, float]:
    """Weight per criterion as it counts: the configured ones, made to sum 1."""
    raw: dict[str, float] = {criterion: getattr(settings.weights, criterion) for criterion in CRITERIA}
    total = sum(raw.values())
    return {criterion: weight / total for criterion, weight in raw.items()}


def _marks(given: Sequence[Assessment], owners: Mapping[str, str]) -> Marks:
    """The marks of all judges. What names an unknown argument, or another debater's, is ignored."""
    found: dict[str, dict[str, dict[str, float]]] = {item: {} for item in owners}
    for assessment in given:
        for mark in assessment.marks:
            item = mark.item
            if item not in found or mark.criterion not in CRITERIA:
                continue
            if mark.participant is None or mark.participant == owners[item]:
                of = found[item].setdefault(mark.criterion, {})
                of.setdefault(assessment.assessor, held(mark, LOWEST, HIGHEST))
    return found


def _fallacies(given: Sequence[Assessment]) -> tuple[FallacyRow, ...]:
    return tuple(
        FallacyRow(
            assessor=assessment.assessor,
            participant=finding.participant,
            item=finding.item,
            name=finding.name,
            quote=finding.quote,
        )
        for assessment in given
        for finding in assessment.findings
        if isinstance(finding, Fallacy)
    )


def _penalty(item: str, given: Sequence[Assessment], fallacies: Sequence[FallacyRow], settings: Structured) -> float:
    """Penalty of one argument: fallacies found in it, averaged over the judges."""
    count = sum(row.item == item for row in fallacies)
    return settings.fallacy_penalty * count / len(given) if count else 0.0


def _row(
    item: str,
    participant: str,
    marks: Mapping[str, Mapping[str, float]],
    weights: Mapping[str, float],
    penalty: float,
) -> ArgumentRow:
    values = {
        criterion: exact(mean(marks[criterion].values())) if criterion in marks else None for criterion in CRITERIA
    }
    score: float | None = 0.0
    for criterion, weight in weights.items():
        value = values[criterion]
        if weight and score is not None:
            score = None if value is None else score + weight * value
    return ArgumentRow(
        id=item,
        participant=participant,
        logic=values["logic"],
        evidence=values["evidence"],
        responsiveness=values["responsiveness"],
        honesty=values["honesty"],
        penalty=exact(penalty),
        score=None if score is None else exact(max(LOWEST, score - penalty)),
    )


def _side_scores(rows: Sequence[ArgumentRow]) -> dict[str, float]:
    """Participant -> mean over its scored arguments; nobody without one."""
    found: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row.score is not None:
            found[row.participant].append(row.score)
    return {name: mean(scores) for name, scores in found.items()}


def _means(rows: Sequence[ArgumentRow]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        for criterion in CRITERIA:
            value: float | None = getattr(row, criterion)
            if value is not None:
                found[row.participant][criterion].append(value)
    return {name: {criterion: exact(mean(values)) for criterion, values in of.items()} for name, of in found.items()}


def _unasked(
    debate: Debate,
    run: JudgingRun | str,
    owners: Mapping[str, str],
    given: Sequence[Assessment],
    settings: Structured,
) -> list[str]:
    """Sentences on debaters without arguments and judges without an assessment."""
    arguing = frozenset(owners.values())
    found = [f"{item.name} has made no argument." for item in debate.participants if item.name not in arguing]
    judges = {item.assessor for item in given}
    for judge in assessors(stored(debate, run, settings)):
        if judge not in judges:
            why = cause(debate, f"{run_id(run)}/structured/{judge}/debate/all/0")
            found.append(f"The debate was not assessed by {judge}{why}.")
    return found


def _unmarked(owners: Mapping[str, str], given: Sequence[Assessment], marks: Marks) -> list[str]:
    """Sentences on marks that a judge left out."""
    found: list[str] = []
    for judge in dict.fromkeys(item.assessor for item in given):
        for item in owners:
            absent = [criterion for criterion in CRITERIA if judge not in marks[item].get(criterion, ())]
            if absent:
                found.append(f"{judge} gave no mark for {', '.join(absent)} of {item}.")
    return found
