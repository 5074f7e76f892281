"""Functions for scorers: select judging runs and assessments, clamp marks, compute means."""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from typing import TypeVar

from debate_cli.domain.assessment import Assessment, Finding, Mark
from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_config import SystemSettings
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.tasks import Brief

NOISE_DECIMALS = 9

S = TypeVar("S", bound=SystemSettings)
FindingT = TypeVar("FindingT", bound=Finding)
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def strip_float_noise(value: float) -> float:
    """Round to nine decimals. Turns -0.0 into 0.0."""
    return (round(value, NOISE_DECIMALS) if value % 1 else value) + 0.0  # a whole number has no noise


def mean(values: Iterable[float]) -> float:
    """Return the arithmetic mean; 0.0 if there are no values. The order of the values does not matter."""
    numbers = tuple(values)
    return math.fsum(numbers) / len(numbers) if numbers else 0.0


def mean_by_key(values: Iterable[tuple[Key, float]]) -> dict[Key, float]:
    """Map each key to the mean of its values. `values`: pairs (key, value)."""
    return {key: mean(of) for key, of in group_by_key(values).items()}


def group_by_key(pairs: Iterable[tuple[Key, Value]]) -> defaultdict[Key, list[Value]]:
    """Map each key to its values, in order. `pairs`: pairs (key, value)."""
    found: defaultdict[Key, list[Value]] = defaultdict(list)
    for key, value in pairs:
        found[key].append(value)
    return found


def weighted_mean(values: Iterable[tuple[float, float]]) -> float:
    """Return the weighted mean of pairs (value, weight); 0.0 without pairs. Every weight must be above 0."""
    pairs = tuple(values)
    if len(pairs) <= 1:
        return pairs[0][0] if pairs else 0.0
    return math.fsum(value * weight for value, weight in pairs) / math.fsum(weight for _, weight in pairs)


def clamp_mark(mark: Mark, low: float, high: float) -> float:
    """Return the value of `mark`, limited to the range from `low` to the smaller of `high` and `mark.out_of`."""
    return max(low, min(mark.value, mark.out_of, high))


def get_run_id(run: JudgingRun | str) -> str:
    """Return the id of a judging run. `run`: the run itself, or its id."""
    return run if isinstance(run, str) else run.id


def ordered_assessments(debate: Debate, system: str, run: JudgingRun | str) -> tuple[Assessment, ...]:
    """Return the assessments of one judging system in one run, sorted by subject, then `revision`, then judge."""
    return debate.assessments_of_system(system, get_run_id(run))


def iter_findings(assessments: Iterable[Assessment], kind: type[FindingT]) -> Iterator[tuple[Assessment, FindingT]]:
    """Yield (assessment, finding) for each finding of the class `kind`."""
    for assessment in assessments:
        for finding in assessment.findings:
            if isinstance(finding, kind):
                yield assessment, finding


def first_finding(assessments: Iterable[Assessment], kind: type[FindingT]) -> FindingT | None:
    """Return the first finding of the class `kind`; None without such a finding."""
    return next((finding for _, finding in iter_findings(assessments, kind)), None)


def stored_settings(debate: Debate, run: JudgingRun | str, settings: S) -> S:
    """Return the settings in `run` that have the class of `settings`; `settings` if the run has none of this class.

    Each judging system has its own settings class.
    """
    systems = (system for known in debate.runs if known.id == get_run_id(run) for system in known.judging.systems)
    return next((system for system in systems if isinstance(system, type(settings))), settings)


def newest_run(debate: Debate, kind: str) -> JudgingRun | None:
    """Return the run whose assessments by the system `kind` are used. None if no run uses this system.

    If several runs use the system, these rules choose one. A later rule matters only in a tie.

    1. A run with assessments by the system comes before a run without.
    2. A run by models comes before a run by a person.
    3. A run that judged all turns comes before a run that did not.
    4. A newer run comes before an older run.
    """
    having = [
        run
        for run in reversed(debate.runs_by_precedence(kind))
        if any(system.kind == kind for system in run.active_systems())
    ]
    judged = (run for run in having if debate.assessments_of_system(kind, run.id))
    return next(judged, having[0] if having else None)


def newest_assessments(debate: Debate, kind: str) -> tuple[Assessment, ...]:
    """Return the assessments by the system `kind` in its newest run (see `newest_run`). Empty without such a run."""
    run = newest_run(debate, kind)
    return () if run is None else ordered_assessments(debate, kind, run)


def format_failure_cause(debate: Debate, key: str) -> str:
    """Return the cause of the last failure of the brief `key`, e.g. ` (abstained)`; empty if the brief did not fail."""
    causes = [failure.cause for failure in debate.failures if failure.task.key == key]
    return f" ({causes[-1]})" if causes else ""


def describe_unanswered(debate: Debate, briefs: Iterable[tuple[Brief, str]]) -> Iterator[str]:
    """Yield a sentence for each brief without an assessment, e.g. `Round 2 was not assessed by ada (abstained)`.

    `briefs`: pairs (brief, sentence without the cause of the failure and without a period).
    """
    for brief, words in briefs:
        if brief.key not in debate.answered_keys:
            yield f"{words}{format_failure_cause(debate, brief.key)}."


def speaker_names(debate: Debate) -> frozenset[str]:
    """Return the names of the participants who have spoken."""
    return frozenset(turn.speaker for turn in debate.turns) & frozenset(item.name for item in debate.participants)


def describe_silent_debaters(debate: Debate) -> list[str]:
    """Return a sentence for each participant who has not spoken."""
    speakers = speaker_names(debate)
    return [f"{item.name} has not spoken." for item in debate.participants if item.name not in speakers]
