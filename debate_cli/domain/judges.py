"""The judges of a system: their ids, their titles and the models they judge with."""

from debate_cli.domain.judging_config import SOLE_JUDGE_ID, SystemSettings


def judge_ids(system: SystemSettings) -> tuple[str, ...]:
    """Ids of the judges, in their order; empty if the system asks no model."""
    return tuple(seat.id for seat in system.seats)


def judge_title(kind: str, assessor: str) -> str:
    """Title of a judge of a system: `structured judge`, `moderator judge-2`, `panel judge skeptic`."""
    is_sole_or_numbered = assessor == SOLE_JUDGE_ID or assessor.startswith(f"{SOLE_JUDGE_ID}-")
    return f"{kind} {assessor}" if is_sole_or_numbered else f"{kind} {SOLE_JUDGE_ID} {assessor}"


def judge_model_role(system: SystemSettings, assessor: str) -> str | None:
    """The judge's model as a name in `models` or `provider/model`; None means the default judge model.

    Raises KeyError if `assessor` is not one of the system's judges.
    """
    for seat in system.seats:
        if seat.id == assessor:
            return seat.model
    raise KeyError(assessor)
