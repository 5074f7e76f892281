"""What some judging runs did in a debate that others have judged too."""

from __future__ import annotations

from collections.abc import Callable, Collection

from debate_cli.domain.debate import Debate
from debate_cli.domain.exchange import TotalUsage
from debate_cli.domain.tasks import Brief


def restrict_to_runs(debate: Debate, runs: Collection[str]) -> Debate:
    """The debate as if nobody had judged it but the judging runs of those ids; speeches and speakers' failures stay."""
    alone = debate.with_assessments(item for item in debate.assessments if item.run in runs)
    failures = tuple(item for item in debate.failures if not isinstance(item.task, Brief) or item.task.run in runs)
    return alone.model_copy(update={"failures": failures, "runs": tuple(run for run in debate.runs if run.id in runs)})


def judging_usage(debate: Debate, runs: Collection[str]) -> TotalUsage:
    """What the calls of the judging runs of those ids used, failed ones included."""
    return usage_of_briefs(debate, lambda brief: brief.run in runs)


def usage_of_briefs(debate: Debate, counted: Callable[[Brief], bool]) -> TotalUsage:
    """What the calls on the briefs that `counted` picks used, failed ones included; no speech is among them."""
    heard = tuple(item for item in debate.assessments if counted(item.brief))
    failed = tuple(item for item in debate.failures if isinstance(item.task, Brief) and counted(item.task))
    return debate.model_copy(update={"turns": (), "assessments": heard, "failures": failed}).usage
