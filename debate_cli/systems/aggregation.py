"""Functions that scorers share: they choose runs and assessments, clamp marks and compute means."""

import math
from collections.abc import Hashable, Iterable, Iterator
from typing import TypeVar

from debate_cli.domain.assessment import Assessment, Finding, Mark
from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_config import SystemSettings
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.tasks import Brief

NOISE_DECIMALS = 9
"""Number of decimals to which scores are rounded."""

S = TypeVar("S", bound=SystemSettings)
FindingT = TypeVar("FindingT", bound=Finding)
Key = TypeVar("Key", bound=Hashable)


def strip_float_noise(value: float) -> float:
    """Round to nine decimals, so that 0.1 + 0.2 becomes 0.3. The result is never -0.0."""
    return (round(value, NOISE_DECIMALS) if value % 1 else value) + 0.0  # a whole number has no noise


def mean(values: Iterable[float]) -> float:
    """Return the arithmetic mean, the same for any order of the values; 0.0 without values."""
    numbers = tuple(values)
    if len(numbers) == 1:
        return numbers[0]
    return math.fsum(numbers) / len(numbers) if numbers else 0.0


def mean_by_key(values: Iterable[tuple[Key, float]]) -> dict[Key, float]:
    """Return the mean value of each key. `values`: pairs (key, value)."""
    found: dict[Key, list[float]] = {}
    for key, value in values:
        found.setdefault(key, []).append(value)
    return {key: mean(of) for key, of in found.items()}


def weighted_mean(values: Iterable[tuple[float, float]]) -> float:
    """Return the weighted mean of pairs (value, weight), with weights above 0; 0.0 without pairs."""
    pairs = tuple(values)
    if not pairs:
        return 0.0
    return math.fsum(value * weight for value, weight in pairs) / math.fsum(weight for _, weight in pairs)


def clamp_mark(mark: Mark, low: float, high: float) -> float:
    """Return the mark's value, clamped to the range from `low` to `high` and to at most the mark's own `out_of`."""
    return max(low, min(mark.value, mark.out_of, high))


def get_run_id(run: JudgingRun | str) -> str:
    """Return the id of a judging run. `run` may be the id itself."""
    return run if isinstance(run, str) else run.id


def ordered_assessments(debate: Debate, system: str, run: JudgingRun | str) -> tuple[Assessment, ...]:
    """Return the assessments of one system in one run, sorted by subject (turns first), revision and judge."""
    return debate.assessments_of_system(system, get_run_id(run))


def iter_findings(given: Iterable[Assessment], kind: type[FindingT]) -> Iterator[tuple[Assessment, FindingT]]:
    """Yield (assessment, finding) for each finding of the class `kind`, in the order of `given`."""
    for assessment in given:
        for finding in assessment.findings:
            if isinstance(finding, kind):
                yield assessment, finding


def first_finding(given: Iterable[Assessment], kind: type[FindingT]) -> FindingT | None:
    """Return the first finding of the class `kind`; None if there is none."""
    return next((finding for _, finding in iter_findings(given, kind)), None)


def stored_settings(debate: Debate, run: JudgingRun | str, settings: S) -> S:
    """Return the settings of this system that `run` stores; `settings` if the run does not have the system.

    The stored ones say which judges were asked. A rubric may have changed the rules of scoring in `settings`.
    """
    systems = (system for known in debate.runs if known.id == get_run_id(run) for system in known.judging.systems)
    return next((system for system in systems if isinstance(system, type(settings))), settings)


def newest_run(debate: Debate, kind: str) -> JudgingRun | None:
    """Return the run whose assessments by a system of this kind count; None if no run has such a system.

    This is a run with such assessments or, if there are none, a run with such a system. Of several such runs, the last
    of `Debate.runs_by_precedence` counts.
    """
    having = [
        run
        for run in reversed(debate.runs_by_precedence(kind))
        if any(system.kind == kind for system in run.active_systems())
    ]
    judged = (run for run in having if debate.assessments_of_system(kind, run.id))
    return next(judged, having[0] if having else None)


def newest_assessments(debate: Debate, kind: str) -> tuple[Assessment, ...]:
    """Return the assessments of a system in its newest run, as `newest_run` finds it."""
    run = newest_run(debate, kind)
    return () if run is None else ordered_assessments(debate, kind, run)


def format_failure_cause(debate: Debate, key: str) -> str:
    """Return the cause of the last failure of the brief with this key, e.g. ` (abstained)`; empty without a failure."""
    causes = [failure.cause for failure in debate.failures if failure.task.key == key]
    return f" ({causes[-1]})" if causes else ""


def describe_unanswered(debate: Debate, briefs: Iterable[tuple[Brief, str]]) -> Iterator[str]:
    """Yield a sentence for each brief without an assessment, with the cause of its failure, e.g. ` (abstained)`.

    `briefs`: pairs (brief, sentence without a period).
    """
    for brief, words in briefs:
        if brief.key not in debate.answered_keys:
            yield f"{words}{format_failure_cause(debate, brief.key)}."


def speaker_names(debate: Debate) -> frozenset[str]:
    """Return the names of the participants who have spoken."""
    return frozenset(turn.speaker for turn in debate.turns) & frozenset(item.name for item in debate.participants)


def describe_silent(debate: Debate) -> list[str]:
    """Return a sentence for each participant who has not spoken."""
    speakers = speaker_names(debate)
    return [f"{item.name} has not spoken." for item in debate.participants if item.name not in speakers]
