"""What it takes to go on with a debate that stopped: models still to be asked, where they are reached, what was in flight.

Pure. That it goes on is the session's business; what is asked, the schedulers'.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from debate_cli.app.model_factory import judge_model_spec, judge_roles, with_run_providers
from debate_cli.domain.config import DebateConfig, ModelSpec
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import DebateResumed
from debate_cli.domain.judging_run import FIRST_RUN, format_system_label
from debate_cli.domain.tasks import Brief, Task
from debate_cli.formats import next_step
from debate_cli.judging.schedule import owed_briefs
from debate_cli.render import theme

MAX_NAMED_CALLS = 4
"""Calls in flight that are named one by one."""


@dataclass(frozen=True, slots=True)
class PendingModels:
    """Models that are to be asked, and what the names of their providers mean."""

    config: DebateConfig
    models: tuple[ModelSpec, ...]
    """Each once."""
    run: str = FIRST_RUN
    """The judging run that they are asked for."""


@dataclass(frozen=True, slots=True)
class RemainingWork:
    """What is left to do of a debate."""

    main: PendingModels
    """What the debate itself has to ask, under the configuration that it goes on with."""
    added_runs: tuple[PendingModels, ...] = ()
    """The same of each judging run with something left to do that brought providers of its own."""

    @property
    def config(self) -> DebateConfig:
        """The configuration that it goes on with: as it was held, within the limits of now."""
        return self.main.config

    @property
    def models(self) -> tuple[ModelSpec, ...]:
        """What is still to be asked, wherever that is; none where nothing is left to do."""
        return _unique_specs(spec for asked in (self.main, *self.added_runs) for spec in asked.models)


def find_remaining_work(debate: Debate, config: DebateConfig | None = None) -> RemainingWork:
    """What is left of `debate`, within the limits of `config` (None: its own)."""
    forgiving = debate.apply(DebateResumed(at=debate.started_at))
    briefs = owed_briefs(forgiving)
    limits = config.limits if config is not None else debate.config.limits
    kept = debate.config.model_copy(update={"limits": limits})
    models = _pending_models_by_run(debate, briefs)
    brought = {run.id: with_run_providers(kept, run) for run in debate.runs if run.providers}
    return RemainingWork(
        PendingModels(
            kept, _unique_specs(spec for run, found in models.items() if run not in brought for spec in found)
        ),
        tuple(PendingModels(meant, models[run], run) for run, meant in brought.items() if models.get(run)),
    )


def describe_in_flight_calls(resumed: Debate, unanswered: Iterable[str]) -> str | None:
    """A sentence on who was asked for what when the run ended, e.g. `Pro (opening, round 1)`; names are not cleaned.

    `unanswered`: the keys of what was asked then. Told is what is due now: what a later judging run replaced is not. None
    where nothing is.
    """
    due = {task.key: task for task in (*next_step(resumed).cues, *owed_briefs(resumed))}
    runs = [run.id for run in resumed.runs]
    found = [_task_text(due[key], runs) for key in unanswered if key in due]
    if not found:
        return None
    named = (
        found
        if len(found) <= MAX_NAMED_CALLS
        else [*found[: MAX_NAMED_CALLS - 1], f"{len(found) - MAX_NAMED_CALLS + 1} more"]
    )
    if len(found) == 1:
        return f"the call to {found[0]} was in flight when the run ended: it may have been billed, and is made again"
    whom = f"{', '.join(named[:-1])} and {named[-1]}"
    return f"calls to {whom} were in flight when the run ended: they may have been billed, and are made again"


def _task_text(task: Task, runs: Iterable[str]) -> str:
    if not isinstance(task, Brief):
        return f"{task.speaker} ({theme.PHASE_LABELS[task.phase]}, round {task.round})"
    who, _, what = theme.format_brief(task, format_system_label(task.system, task.run, runs)).rpartition(", ")
    return f"{who} ({what})"


def _pending_models_by_run(debate: Debate, briefs: tuple[Brief, ...]) -> dict[str, tuple[ModelSpec, ...]]:
    """By judging run, the models of the judges who owe something, or will; with the first, those of debaters who have not finished."""
    config = debate.config
    found: dict[str, list[ModelSpec | None]] = {}
    judging = {(brief.run, brief.system) for brief in briefs}
    if debate.status == "incomplete":
        found[FIRST_RUN] = [config.model_for_debater(debater) for debater in config.debaters]
        judging |= {(FIRST_RUN, system.kind) for system in config.judging.systems}
    for run in debate.runs:
        for system in run.active_systems():
            if (run.id, system.kind) in judging:
                judges = (judge_model_spec(config, run, role) for role in judge_roles(system))
                found.setdefault(run.id, []).extend(judges)
    return {run: _unique_specs(spec for spec in specs if spec is not None) for run, specs in found.items()}


def _unique_specs(specs: Iterable[ModelSpec]) -> tuple[ModelSpec, ...]:
    return tuple({spec.model_dump_json(): spec for spec in specs}.values())
