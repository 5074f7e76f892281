"""A judging run, and the order of assessments from several runs."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pydantic import Field

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.config import DebateConfig, ModelSpec, ProviderSpec
from debate_cli.domain.frozen_model import FrozenModel, UtcDatetime
from debate_cli.domain.judging_config import JudgingConfig, SystemSettings
from debate_cli.domain.reviewer import Reviewer, reviewer_id
from debate_cli.domain.tasks import MOMENTS


def format_system_label(system: str, run: str, runs: Iterable[str], reviewer: str | None = None) -> str:
    """Return the label of a system. The label is not sanitized.

    Examples: `structured`, `structured r4` if `runs` has other ids than r4, `structured r4 (human:anna)`.

    - `run`: id of the system's run, e.g. `r4`.
    - `runs`: ids of all runs whose labels must differ.
    - `reviewer`: name of the person who judged; None if models judged.
    """
    if reviewer is not None:
        return f"{system} {run} ({reviewer_id(reviewer)})"
    return f"{system} {run}" if set(runs) - {run} else system


FIRST_RUN = "r1"
"""Id of the judging run that belongs to `debate run`. Later runs have the ids `r2`, `r3`, …."""


class JudgingRun(FrozenModel):
    """A judging run: one or more judging systems judge the debate.

    The first run belongs to the debate itself. `debate judge` and `debate review` add later runs.
    """

    id: str
    started_at: UtcDatetime
    judging: JudgingConfig
    models: dict[str, ModelSpec] = {}
    """Models that the judges of this run use, by name; empty for the first run, which uses the debate's
    models."""
    providers: dict[str, ProviderSpec] = {}
    """Providers to add or to change for this run, by name."""
    replaces: bool = False
    """Whether assessments of this run replace earlier assessments by the same systems."""
    heard: int | None = Field(default=None, ge=0, exclude_if=lambda heard: heard is None)
    """Number of turns that the run judged. None means all turns of the debate, and is omitted in files."""
    beside: str | None = Field(default=None, exclude_if=lambda beside: beside is None)
    """If several runs judge with different models for comparison: id of the first of these runs. None, and omitted in
    files, if this run is the first, or is not compared."""
    reviewer: Reviewer | None = Field(default=None, exclude_if=lambda reviewer: reviewer is None)
    """The person who judged; None, and omitted in files, if models judged."""
    replaced: tuple[str, ...] = Field(default=(), exclude=True)
    """Systems of this run that a later run has replaced, e.g. `panel`. Not written to files."""

    def active_systems(self) -> tuple[SystemSettings, ...]:
        """Return this run's judging systems. Systems that a later run has replaced are left out."""
        return tuple(system for system in self.judging.systems if system.kind not in self.replaced)

    def model_for_judge(self, config: DebateConfig, role: str | None) -> ModelSpec | None:
        """Return the model of a judge. Models of this run take precedence over those of `config`, the debate's settings.

        `role`: a name in `models`, `provider/model` or a person, e.g. `human`; None means `models.judge`, else
        `models.default`.
        """
        if self.models:
            config = config.model_copy(update={"models": {**config.models, **self.models}})
        return config.model_for_judge(role)


def first_assessments(assessments: Iterable[Assessment], runs: Sequence[JudgingRun]) -> tuple[Assessment, ...]:
    """Return the first assessment for each brief, sorted by run, system, subject, revision and judge."""
    found: dict[str, Assessment] = {}
    for assessment in assessments:
        found.setdefault(assessment.brief.key, assessment)
    return tuple(sorted(found.values(), key=_canonical_rank(runs)) if len(found) > 1 else found.values())


def insert_assessment(
    assessments: tuple[Assessment, ...], added: Assessment, runs: Sequence[JudgingRun]
) -> tuple[Assessment, ...]:
    """Insert `added` into `assessments`, which are sorted by run, system, subject, revision and judge."""
    rank = _canonical_rank(runs)
    place = bisect_right(assessments, rank(added), key=rank)
    return (*assessments[:place], added, *assessments[place:])


def _canonical_rank(runs: Sequence[JudgingRun]) -> Callable[[Assessment], tuple[Any, ...]]:
    ranks = {run.id: (number, [system.kind for system in run.judging.systems]) for number, run in enumerate(runs)}
    unknown = (len(runs), ranks[runs[0].id][1] if runs else [])

    def rank(item: Assessment) -> tuple[Any, ...]:
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

    return rank


def mark_replaced(kinds: set[str], runs: Sequence[JudgingRun]) -> tuple[JudgingRun, ...]:
    """Mark the systems `kinds` as replaced in all `runs` except reviews by people. Returns all `runs`."""
    marked = list(runs)
    for index in reversed(range(len(marked))):
        run = marked[index]
        if run.reviewer is not None:
            continue
        if kinds <= set(run.replaced):  # all older runs are marked too
            break
        marked[index] = run.model_copy(update={"replaced": tuple(sorted({*run.replaced, *kinds}))})
    return tuple(marked)
