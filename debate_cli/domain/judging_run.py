"""A judging run, and how the answers of several runs stand together in one debate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.config import ModelSpec, ProviderSpec
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.judging_config import JudgingConfig, SystemSettings
from debate_cli.domain.tasks import MOMENTS


def format_system_with_run(system: str, run: str) -> str:
    """`structured r4`; not cleaned."""
    return f"{system} {run}"


def format_system_label(system: str, run: str, runs: Iterable[str]) -> str:
    """The system; with the id of its judging run where it is told of beside another of these `runs`. Not cleaned."""
    return format_system_with_run(system, run) if set(runs) - {run} else system


FIRST_RUN = "r1"
"""Id of the judging run that belongs to the debate itself."""


class JudgingRun(FrozenModel):
    """One pass of judging: the debate's own, or one added later."""

    id: str
    judging: JudgingConfig
    models: dict[str, ModelSpec] = {}
    """What the roles in `judging` mean in this run; empty for the debate's own run, where the configuration says it."""
    providers: dict[str, ProviderSpec] = {}
    """Rows of the provider table that this run came with; empty for the debate's own run, likewise."""
    started_at: datetime
    replaces: bool = False
    """Whether it takes the place of the earlier assessments of its systems."""
    heard: int | None = None
    """Speeches that there were when an added run began; None for the debate's own, which hears all."""
    replaced: tuple[str, ...] = ()
    """Kinds of systems of this run that a later run has taken the place of."""

    def active_systems(self) -> tuple[SystemSettings, ...]:
        """The systems whose assessments still count."""
        return tuple(system for system in self.judging.systems if system.kind not in self.replaced)


def first_assessments(assessments: Iterable[Assessment], runs: Sequence[JudgingRun]) -> tuple[Assessment, ...]:
    """The first answer to each brief, in canonical order.

    That is: run, system as configured in it, subject from turn to debate, revision, judge.
    """
    found: dict[str, Assessment] = {}
    for assessment in assessments:
        found.setdefault(assessment.brief.key, assessment)
    if len(found) <= 1:
        return tuple(found.values())
    ranks = {run.id: (number, [system.kind for system in run.judging.systems]) for number, run in enumerate(runs)}
    unknown = (len(runs), ranks[runs[0].id][1] if runs else [])

    def rank(item: Assessment) -> tuple[int, int, int, tuple[int, ...], int, int, str, str]:
        number, kinds = ranks.get(item.run, unknown)
        subject = item.subject
        return (
            number,
            kinds.index(item.system) if item.system in kinds else len(kinds),
            MOMENTS.index(subject.moment),
            subject.turns,
            subject.round or 0,
            item.revision,
            item.system,
            item.assessor,
        )

    return tuple(sorted(found.values(), key=rank))


def mark_replaced(kinds: set[str], runs: Sequence[JudgingRun]) -> tuple[JudgingRun, ...]:
    """`runs`, in their order, with their systems of `kinds` marked as replaced.

    What replaces a run's systems replaces those of all runs before it, so nothing is left to do behind one that is marked.
    """
    marked = list(runs)
    for place in reversed(range(len(marked))):
        run = marked[place]
        if kinds <= set(run.replaced):
            break
        marked[place] = run.model_copy(update={"replaced": tuple(sorted({*run.replaced, *kinds}))})
    return tuple(marked)
