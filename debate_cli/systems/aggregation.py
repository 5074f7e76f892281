"""How scorers read a debate: which assessments count, values held within their scale, means that no order changes.

What the numbers mean is each scorer's own affair and does not live here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeVar

from debate_cli.domain.assessment import Assessment, Mark
from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_config import SystemSettings
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.tasks import MOMENTS

NOISE_DECIMALS = 9
"""Floating-point noise lies below this; no mark is that fine."""

S = TypeVar("S", bound=SystemSettings)


def strip_float_noise(value: float) -> float:
    """`value` without floating-point noise: to nine decimals, and never -0.0."""
    return (round(value, NOISE_DECIMALS) if value % 1 else value) + 0.0  # a whole number has none


def mean(values: Iterable[float]) -> float:
    """The arithmetic mean, the same in whatever order the values come; 0.0 for none."""
    numbers = tuple(values)
    if len(numbers) == 1:
        return numbers[0]
    return math.fsum(numbers) / len(numbers) if numbers else 0.0


def clamp_mark(mark: Mark, low: float, high: float) -> float:
    """The mark's value within `low` to `high` and not above the mark's own scale (but never below `low`)."""
    return max(low, min(mark.value, mark.out_of, high))


def get_run_id(run: JudgingRun | str) -> str:
    """The id of a judging run given as itself or by its id."""
    return run if isinstance(run, str) else run.id


def ordered_assessments(debate: Debate, system: str, run: JudgingRun | str) -> list[Assessment]:
    """The assessments of one system in one run, from turn to debate, then by subject, revision and judge."""
    wanted = get_run_id(run)
    found = [item for item in debate.assessments if item.system == system and item.run == wanted]
    return sorted(found, key=_sort_key) if len(found) > 1 else found


def _sort_key(assessment: Assessment) -> tuple[int, int, tuple[int, ...], int, str]:
    subject = assessment.subject
    return (
        MOMENTS.index(subject.moment),
        subject.round or 0,
        subject.turns,
        assessment.revision,
        assessment.assessor,
    )


def stored_settings(debate: Debate, run: JudgingRun | str, settings: S) -> S:
    """The settings that the run was judged with; `settings` themselves where the run does not know the system.

    Scores follow the settings given, but who was asked is a fact of the run.
    """
    wanted = get_run_id(run)
    for known in debate.runs:
        if known.id != wanted:
            continue
        for system in known.judging.systems:
            if isinstance(system, type(settings)):
                return system
    return settings


def format_failure_cause(debate: Debate, key: str) -> str:
    """Why the brief of that key has no answer, e.g. ` (abstained)`; empty where nothing is known."""
    causes = [failure.cause for failure in debate.failures if failure.task.key == key]
    return f" ({causes[-1]})" if causes else ""


def speaker_names(debate: Debate) -> frozenset[str]:
    """Names of the participants that have spoken."""
    return frozenset(turn.speaker for turn in debate.turns) & frozenset(item.name for item in debate.participants)
