"""The rest of a stored debate: models to ask, and calls that were in flight when it stopped. Pure."""

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

MAX_NAMED_CALLS = 4
"""Calls in flight that a message names individually."""


@dataclass(frozen=True, slots=True)
class PendingModels:
    """Models to ask, and the configuration that says how to reach them."""

    config: DebateConfig
    models: tuple[ModelSpec, ...]
    """Each once."""
    run: str = FIRST_RUN
    """The judging run that asks them."""


@dataclass(frozen=True, slots=True)
class RemainingWork:
    """The unfinished part of a debate."""

    main: PendingModels
    """Models of the debate itself."""
    added_runs: tuple[PendingModels, ...] = ()
    """Models of each unfinished judging run that defines its own providers."""

    @property
    def models(self) -> tuple[ModelSpec, ...]:
        """All models still to be asked; empty if nothing is left to do."""
        return _unique_specs(spec for pending in (self.main, *self.added_runs) for spec in pending.models)


def find_remaining_work(debate: Debate, config: DebateConfig | None = None) -> RemainingWork:
    """Find what `debate` still needs, within the limits of `config` (None: its own)."""
    briefs = owed_briefs(debate.apply(DebateResumed(at=debate.started_at)))
    limits = (config or debate.config).limits
    kept = debate.config.model_copy(update={"limits": limits})
    models = _pending_models_by_run(debate, briefs)
    own_providers = {run.id: with_run_providers(kept, run) for run in debate.runs if run.providers}
    main = _unique_specs(spec for run, specs in models.items() if run not in own_providers for spec in specs)
    added = tuple(PendingModels(own, models[run], run) for run, own in own_providers.items() if models.get(run))
    return RemainingWork(PendingModels(kept, main), added)


def describe_in_flight_calls(resumed: Debate, unanswered: Iterable[str]) -> str | None:
    """A sentence that names the calls in flight when the run ended, e.g. `Pro (opening, round 1)`; None for none.

    `unanswered`: keys of the tasks started and not answered. Tasks that are no longer due are left out. Names are not
    sanitized.
    """
    due = {task.key: task for task in (*next_step(resumed).cues, *owed_briefs(resumed))}
    runs = [run.id for run in resumed.runs]
    calls = [_describe_task(due[key], runs) for key in unanswered if key in due]
    if not calls:
        return None
    if len(calls) == 1:
        return f"the call to {calls[0]} was in flight when the run ended: it may have been billed, and is made again"
    if len(calls) > MAX_NAMED_CALLS:
        calls = [*calls[: MAX_NAMED_CALLS - 1], f"{len(calls) - MAX_NAMED_CALLS + 1} more"]
    names = f"{', '.join(calls[:-1])} and {calls[-1]}"
    return f"calls to {names} were in flight when the run ended: they may have been billed, and are made again"


def _describe_task(task: Task, runs: Iterable[str]) -> str:
    if not isinstance(task, Brief):
        return f"{task.speaker} ({task.phase.replace('_', '-')}, round {task.round})"
    system = format_system_label(task.system, task.run, runs)
    judge = system if task.assessor == "judge" else f"{system}/{task.assessor}"
    return f"{judge} ({_describe_subject(task)})"


def _describe_subject(brief: Brief) -> str:
    subject = brief.subject
    match subject.moment:
        case "round":
            return f"round {subject.round}"
        case "turn" | "pair" if subject.turns:
            noun = "turn" if len(subject.turns) == 1 else "turns"
            return f"{noun} {' and '.join(str(index + 1) for index in subject.turns)}"
        case "turn" | "pair":
            return "a turn"
        case "debate":
            return "the debate" if brief.revision == 0 else "the debate, again"


def _pending_models_by_run(debate: Debate, briefs: tuple[Brief, ...]) -> dict[str, tuple[ModelSpec, ...]]:
    """Judging run -> models of its judges with pending or future assessments.

    The first run includes the models of unfinished debaters.
    """
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
