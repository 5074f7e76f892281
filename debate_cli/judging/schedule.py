"""Determines which briefs still need an answer, and which of them can be sent to judges now. Pure functions.

A brief is a request to a judge. A brief is settled once it has an answer, or a failure that is not retried in this
session.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import RESUMABLE_CLOSE_REASONS, Debate
from debate_cli.domain.judging_run import FIRST_RUN, JudgingRun
from debate_cli.domain.tasks import Brief
from debate_cli.formats.schedule import finished_rounds, next_step, planned_turns
from debate_cli.systems.base import Progress
from debate_cli.systems.registry import get_system


def owed_briefs(debate: Debate) -> tuple[Brief, ...]:
    """Return the briefs that still need an answer and can be sent to judges now.

    A brief waits if its prompt quotes answers that are still missing. For example, the system `moderator` quotes
    answers of the system `sources`.
    """
    unsettled = unsettled_briefs(debate)
    rounds = {(brief.run, brief.system, brief.subject.round) for brief in unsettled if brief.subject.moment == "round"}
    pending = rounds | {(run, system, None) for run, system, _ in rounds}
    return tuple(
        brief
        for brief in unsettled
        if not any(
            (brief.run, kind, brief.subject.round) in pending for kind in get_system(brief.system).waits_for(brief)
        )
    )


def unsettled_briefs(debate: Debate) -> tuple[Brief, ...]:
    """Return the briefs that still need an answer. Briefs of the system that decides the debate come first.

    Briefs about future turns and rounds are left out.
    """
    runs = [
        run
        for run in debate.runs
        if run.reviewer is None and (run.id != FIRST_RUN or debate.closed not in RESUMABLE_CLOSE_REASONS)
    ]
    active = [(run, system) for run in runs for system in run.active_systems()]
    active.sort(
        key=lambda pair: (
            pair[1].kind != pair[0].judging.deciding_kind,
            -get_system(pair[1].kind).planned_calls(pair[1], 0, 0).follow_ups,
        )
    )
    progress = {run.id: debate_progress(debate, run) for run in runs}
    settled = debate.settled_keys
    return tuple(
        brief
        for run, system in active
        for brief in get_system(system.kind).briefs(debate, run, system, progress[run.id])
        if brief.key not in settled
    )


def missing_briefs(debate: Debate, run: str | None = None) -> tuple[Brief, ...]:
    """Return the briefs without an assessment: failed, interrupted, or not sent yet.

    Two kinds of briefs are left out:

    - Briefs of the first run, while the debate is unfinished.
    - Briefs whose system has judged completely in another run with higher precedence (see `Debate.runs_by_precedence`).
      Exception: both runs belong to one comparison of judge models (`debate judge` with several models).

    `run`: id of a judging run. If given, only briefs of this run are returned, and the second rule does not apply.
    """
    owed = unsettled_briefs(debate.model_copy(update={"given_up": frozenset[str]()}) if debate.given_up else debate)
    if debate.status == "incomplete":
        owed = tuple(brief for brief in owed if brief.run != FIRST_RUN)
    if run is not None:
        return tuple(brief for brief in owed if brief.run == run)
    judged = {(item.run, item.system) for item in debate.assessments}
    complete = judged - {(brief.run, brief.system) for brief in owed}
    return tuple(brief for brief in owed if not _is_replaced(debate, brief, complete))


def _is_replaced(debate: Debate, brief: Brief, complete: Collection[tuple[str, str]]) -> bool:
    runs = [run.id for run in debate.runs_by_precedence(brief.system)]
    compared = {run.id for run in debate.compared_runs(brief.run)}
    later = runs[runs.index(brief.run) + 1 :]
    return any((run, brief.system) in complete for run in later if run not in compared)


def debate_progress(debate: Debate, run: JudgingRun) -> Progress:
    """Return which part of `debate` can be judged in `run`.

    Only the first run judges a debate while it takes place. Any other run treats the debate as over.
    """
    is_over = (
        run.id != FIRST_RUN
        or debate.closed is not None
        or not debate.participants
        or next_step(debate).close is not None
    )
    return Progress(
        finished_rounds=finished_rounds(debate) if debate.turns else (),
        judgeable_turns=_judgeable_turns(debate, is_over=is_over),
        is_over=is_over,
    )


def planned_briefs(config: DebateConfig) -> int:
    """Return how many assessments are needed at least to judge a debate with this configuration."""
    turns = planned_turns(config)
    rounds = turns // max(1, len(config.debaters))
    systems = config.judging.systems
    return sum(get_system(system.kind).planned_calls(system, turns, rounds).planned for system in systems)


def _judgeable_turns(debate: Debate, *, is_over: bool) -> Sequence[int]:
    count = len(debate.turns)
    if not debate.turns or debate.turns[-1].index == count - 1:
        return range(count)
    indices = tuple(turn.index for turn in debate.turns)
    return indices if is_over else range(next(place for place, index in enumerate(indices) if index != place))
