"""Functions that scorers share: choice of runs and assessments, clamped marks, means that do not depend on the order."""

import math
from collections.abc import Iterable
from typing import TypeVar

from debate_cli.domain.assessment import Assessment, Mark
from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_config import SystemSettings
from debate_cli.domain.judging_run import JudgingRun

NOISE_DECIMALS = 9
"""Scores are rounded to this many decimals: enough for every mark, too few for floating-point noise to show."""

S = TypeVar("S", bound=SystemSettings)


def strip_float_noise(value: float) -> float:
    """Round to nine decimals, which removes floating-point noise. The result is never -0.0."""
    return (round(value, NOISE_DECIMALS) if value % 1 else value) + 0.0  # a whole number has no noise


def mean(values: Iterable[float]) -> float:
    """The arithmetic mean; 0.0 if there are no values. The order of the values does not affect the result."""
    numbers = tuple(values)
    if len(numbers) == 1:
        return numbers[0]
    return math.fsum(numbers) / len(numbers) if numbers else 0.0


def weighted_mean(values: Iterable[tuple[float, float]]) -> float:
    """The mean of (value, weight) pairs, weights above 0; 0.0 if there are none. Their order does not affect the result."""
    pairs = tuple(values)
    if len(pairs) == 1:
        return pairs[0][0]
    if len({weight for _, weight in pairs}) <= 1:
        return mean(value for value, _ in pairs)
    return math.fsum(value * weight for value, weight in pairs) / math.fsum(weight for _, weight in pairs)


def clamp_mark(mark: Mark, low: float, high: float) -> float:
    """The value of the mark, at least `low`, at most `high` and at most the maximum that the mark itself states."""
    return max(low, min(mark.value, mark.out_of, high))


def get_run_id(run: JudgingRun | str) -> str:
    """The id of `run`, which is a judging run or already an id."""
    return run if isinstance(run, str) else run.id


def ordered_assessments(debate: Debate, system: str, run: JudgingRun | str) -> tuple[Assessment, ...]:
    """The assessments of one system in one run, sorted by moment (turn first, debate last), subject, revision and judge."""
    return debate.assessments_of_system(system, get_run_id(run))


def stored_settings(debate: Debate, run: JudgingRun | str, settings: S) -> S:
    """The system's settings that are stored in the run; `settings` if the run does not have the system.

    They tell which judges were asked. A scorer takes its rules from `settings`, which a rubric may have changed.
    """
    wanted = get_run_id(run)
    for known in debate.runs:
        if known.id != wanted:
            continue
        for system in known.judging.systems:
            if isinstance(system, type(settings)):
                return system
    return settings


def newest_run(debate: Debate, kind: str) -> JudgingRun | None:
    """The newest run in which a system of that kind gave an assessment; if there is none, the newest run that has one.

    A run that judged before the last speech ranks behind those that judged all.
    """
    counted = [
        run
        for run in reversed(debate.runs_by_precedence(kind))
        if any(system.kind == kind for system in run.active_systems())
    ]
    judged = (run for run in counted if debate.assessments_of_system(kind, run.id))
    return next(judged, counted[0] if counted else None)


def format_failure_cause(debate: Debate, key: str) -> str:
    """The cause of the last failure of the brief with that key, e.g. ` (abstained)`; empty if it did not fail."""
    causes = [failure.cause for failure in debate.failures if failure.task.key == key]
    return f" ({causes[-1]})" if causes else ""


def speaker_names(debate: Debate) -> frozenset[str]:
    """Names of the participants who have spoken."""
    return frozenset(turn.speaker for turn in debate.turns) & frozenset(item.name for item in debate.participants)
