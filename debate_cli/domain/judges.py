"""Who sits on the bench of a system, and which model role each judge speaks with."""

from __future__ import annotations

from debate_cli.domain.judging_config import (
    LiveSettings,
    ModeratorSettings,
    PanelSettings,
    PersuasionSettings,
    StructuredSettings,
    SystemSettings,
)

SOLE_JUDGE_ID = "judge"
"""Id of a judge who sits alone."""


def judge_ids(system: SystemSettings) -> tuple[str, ...]:
    """Ids of the judges, in their order; none where the system asks no model."""
    match system:
        case StructuredSettings() | ModeratorSettings():
            return (
                (SOLE_JUDGE_ID,)
                if system.judges == 1
                else tuple(f"{SOLE_JUDGE_ID}-{number}" for number in range(1, system.judges + 1))
            )
        case PanelSettings():
            return tuple(judge.id for judge in system.members)
        case LiveSettings():
            return (SOLE_JUDGE_ID,)
        case PersuasionSettings():
            return (SOLE_JUDGE_ID,) if system.effects == "judge" else ()


def judge_title(kind: str, assessor: str) -> str:
    """What a judge of a system of that kind is called: `structured judge`, `moderator judge-2`, `panel judge skeptic`."""
    lone_or_numbered = assessor == SOLE_JUDGE_ID or assessor.startswith(f"{SOLE_JUDGE_ID}-")
    return f"{kind} {assessor}" if lone_or_numbered else f"{kind} {SOLE_JUDGE_ID} {assessor}"


def judge_model_role(system: SystemSettings, assessor: str) -> str | None:
    """The name in `models`, or `provider/model`, that `assessor` judges with; None means the default of judges.

    Raises KeyError for an id that is not on the bench.
    """
    if assessor not in judge_ids(system):
        raise KeyError(assessor)
    if isinstance(system, PanelSettings):
        return next(judge.model for judge in system.members if judge.id == assessor)
    return system.judge
