"""Who sits on the bench of a system, and which model role each judge speaks with."""

from __future__ import annotations

from debate_cli.domain.systems import Live, Moderator, Panel, Persuasion, Structured, System

JUDGE = "judge"
"""Id of a judge who sits alone."""


def assessors(system: System) -> tuple[str, ...]:
    """Ids of the judges, in their order; none where the system asks no model."""
    match system:
        case Structured() | Moderator():
            return (
                (JUDGE,) if system.judges == 1 else tuple(f"{JUDGE}-{number}" for number in range(1, system.judges + 1))
            )
        case Panel():
            return tuple(judge.id for judge in system.bench)
        case Live():
            return (JUDGE,)
        case Persuasion():
            return (JUDGE,) if system.effects == "judge" else ()


def title(kind: str, assessor: str) -> str:
    """What a judge of a system of that kind is called: `structured judge`, `moderator judge-2`, `panel judge skeptic`."""
    lone_or_numbered = assessor == JUDGE or assessor.startswith(f"{JUDGE}-")
    return f"{kind} {assessor}" if lone_or_numbered else f"{kind} {JUDGE} {assessor}"


def role(system: System, assessor: str) -> str | None:
    """The name in `models`, or `provider/model`, that `assessor` judges with; None means the default of judges.

    Raises KeyError for an id that is not on the bench.
    """
    if assessor not in assessors(system):
        raise KeyError(assessor)
    if isinstance(system, Panel):
        return next(judge.model for judge in system.bench if judge.id == assessor)
    return system.judge
