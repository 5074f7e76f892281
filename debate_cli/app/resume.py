"""Prepares the resume of a debate: finds models that must still be asked, changed settings, and unanswered calls.

All functions are pure.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from debate_cli.app.model_roles import judge_roles, unique_specs, with_run_providers
from debate_cli.domain.config import DebateConfig, FormatConfig, ModelSpec
from debate_cli.domain.config_differences import find_differences, format_differences
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import DebateClosed, DebateResumed, SettingChange
from debate_cli.domain.judging_config import judge_model_role
from debate_cli.domain.judging_run import FIRST_RUN, format_system_label
from debate_cli.domain.model_call import is_mock, is_person
from debate_cli.domain.tasks import Brief, Task
from debate_cli.formats.schedule import list_cues, next_step
from debate_cli.judging.schedule import unsettled_briefs
from debate_cli.storage.transcript_store import StoredDebate
from debate_cli.systems.registry import get_system, settings_for

PLAN_SETTINGS = ("phases", "exchanges", "turns", "answers")
"""Keys of `format` that determine the rounds. A resume may change them only for rounds that have not begun."""
CHANGEABLE_FORMAT = (*PLAN_SETTINGS, "history")
"""Keys of `format` that a resume may change."""


@dataclass(frozen=True, slots=True)
class PendingModels:
    """Models that must still be asked, and a configuration that contains the providers of these models."""

    config: DebateConfig
    models: tuple[ModelSpec, ...]
    """The models that must still be asked, without repetitions."""
    run: str = FIRST_RUN
    """Id of the judging run that needs the models. By default the debate's first judging run."""


def find_pending_models(debate: Debate) -> tuple[PendingModels, ...]:
    """Return the models that must still be asked for `debate`, grouped by their providers.

    The first group has the debate's own providers, and may be empty. A further group follows for each unfinished
    judging run that has its own providers.
    """
    config = debate.config
    briefs = unsettled_briefs(debate.apply(DebateResumed(at=debate.started_at)))
    judging = {(brief.run, brief.system) for brief in briefs}
    found: list[ModelSpec | None] = []
    if debate.status == "incomplete":
        found += [config.model_for_debater(debater) for debater in config.debaters]
        judging |= {(FIRST_RUN, system.kind) for system in config.judging.systems}
    added: list[PendingModels] = []
    for run in debate.runs:
        judges = [
            run.model_for_judge(config, role)
            for system in run.active_systems()
            if (run.id, system.kind) in judging
            for role in judge_roles(system)
        ]
        if not run.providers:
            found += judges
        elif judges:
            own = unique_specs(spec for spec in judges if spec is not None)
            added.append(PendingModels(with_run_providers(config, run), own, run.id))
    main = unique_specs(spec for spec in found if spec is not None)
    return PendingModels(config, main), *added


def models_replaced_by_mock(stored: StoredDebate) -> tuple[str, ...]:
    """Return the names of the pending models that the mock replaces on resume.

    Models that are mocks already are left out.
    """
    specs = (spec for pending in find_pending_models(stored.debate) for spec in pending.models)
    return tuple(dict.fromkeys(spec.model for spec in specs if not is_mock(spec.model)))


def config_in_force(stored: DebateConfig, given: DebateConfig, *, models: bool = True) -> DebateConfig:
    """Return the configuration of a resumed debate, a mixture of `stored` and `given`.

    - The sections `limits`, `format` and `evidence` come from `given`.
    - If `models` is True, the models, the providers and the section `judging` also come from `given`.
    - Everything else comes from `stored`.
    """
    changes: dict[str, object] = {name: getattr(given, name) for name in ("limits", "format", "evidence")}
    if models:
        changes |= {name: getattr(given, name) for name in ("models", "providers", "judging")}
        pairs = zip(stored.debaters, given.debaters, strict=True)
        changes["debaters"] = tuple(old.model_copy(update={"model": new.model}) for old, new in pairs)
    return stored.model_copy(update=changes)


def find_fixed_differences(debate: Debate, given: DebateConfig, redact: Callable[[Any], Any]) -> list[str]:
    """Return a line for each setting that `given` changes, although earlier speeches depend on it.

    `redact`: removes secrets.
    """
    stored = debate.config
    lines = format_differences(_without_changeable(stored), _without_changeable(given), redact)
    if not lines and not _keeps_spoken_turns(debate, given):
        lines = format_differences(stored, stored.model_copy(update={"format": given.format}), redact)
    return lines


def find_changes(
    debate: Debate, config: DebateConfig, at: datetime, redact: Callable[[Any], Any]
) -> tuple[SettingChange, ...]:
    """Return each setting that has different values in `debate` and `config`. The section `output` is not compared."""
    return tuple(
        SettingChange(at=at, turn=len(debate.turns), key=found.key, stored=found.stored, given=found.given)
        for found in find_differences(debate.config, config, redact, ignored=("output",))
    )


def closing_event(at: datetime) -> DebateClosed:
    """Return the event that ends a debate early. After this event, only judges are asked."""
    return DebateClosed(at=at, reason="complete")


def describe_in_flight_calls(resumed: Debate, unanswered: Iterable[str]) -> str | None:
    """Return a warning about calls that had no answer when the last run ended; None without such calls.

    `unanswered`: keys of tasks, one per call. The warning leaves out tasks of people and tasks that are no longer due.
    """
    due = {task.key: task for task in (*next_step(resumed).cues, *unsettled_briefs(resumed))}
    tasks = [due[key] for key in unanswered if key in due and not _asks_person(due[key], resumed)]
    if not tasks:
        return None
    runs = [run.id for run in resumed.runs]
    names = ", ".join(_describe_task(task, runs) for task in tasks)
    return f"these calls had no answer when the run ended; they may have been billed, and are made again: {names}"


def _asks_person(task: Task, debate: Debate) -> bool:
    config = debate.config
    if isinstance(task, Brief):
        role = judge_model_role(settings_for(task, debate), task.assessor)
        spec = debate.run(task.run).model_for_judge(config, role)
    else:
        spec = config.model_for_debater(config.debater(task.speaker))
    return spec is not None and is_person(spec.model)


def _describe_task(task: Task, runs: Iterable[str]) -> str:
    if not isinstance(task, Brief):
        return f"{task.speaker} ({task.phase.replace('_', '-')}, round {task.round})"
    judge = "" if task.assessor == "judge" else f"/{task.assessor}"
    label = format_system_label(task.system, task.run, runs)
    return f"{label}{judge} ({get_system(task.system).describe_brief(task)})"


def _without_changeable(config: DebateConfig) -> DebateConfig:
    kept_plan = {name: getattr(FormatConfig(), name) for name in CHANGEABLE_FORMAT}
    systems = tuple(system.with_models(lambda _: None) for system in config.judging.systems)
    return config.model_copy(
        update={
            "evidence": None,
            "models": {},
            "providers": {},
            "debaters": tuple(debater.model_copy(update={"model": None}) for debater in config.debaters),
            "judging": config.judging.model_copy(update={"systems": systems}),
            "format": config.format.model_copy(update=kept_plan),
        }
    )


def _keeps_spoken_turns(debate: Debate, given: DebateConfig) -> bool:
    own = debate.config.format
    if all(getattr(given.format, name) == getattr(own, name) for name in PLAN_SETTINGS):
        return True
    if debate.status == "complete":
        return False
    replanned = {cue.index: cue for cue in list_cues(debate.apply(DebateResumed(at=debate.started_at, config=given)))}
    return all(replanned.get(cue.index) == cue for cue in list_cues(debate) if cue.index in debate.turns_by_index)
