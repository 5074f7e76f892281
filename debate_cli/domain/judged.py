"""What some judging runs did in a debate that others have judged too."""

from __future__ import annotations

from collections.abc import Collection

from debate_cli.domain.debate import Debate
from debate_cli.domain.exchange import TotalUsage, total
from debate_cli.domain.tasks import Brief


def judged_by(debate: Debate, runs: Collection[str]) -> Debate:
    """The debate as if nobody had judged it but the judging runs of those ids; speeches and speakers' failures stay."""
    alone = debate.with_assessments(item for item in debate.assessments if item.run in runs)
    failures = tuple(item for item in debate.failures if not isinstance(item.task, Brief) or item.task.run in runs)
    return alone.model_copy(update={"failures": failures, "runs": tuple(run for run in debate.runs if run.id in runs)})


def judging_usage(debate: Debate, runs: Collection[str]) -> TotalUsage:
    """What the calls of the judging runs of those ids used, failed ones included."""
    alone = judged_by(debate, runs)
    failed = [item.exchange for item in alone.failures if isinstance(item.task, Brief)]
    return total([*(item.exchange for item in alone.assessments), *(item for item in failed if item is not None)])
