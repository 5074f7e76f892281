"""The rest of a stored debate: models to ask, settings that may change, and calls that were in flight. Pure."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from debate_cli.app.model_factory import judge_model_spec, judge_roles, with_run_providers
from debate_cli.domain.config import DebateConfig, FormatConfig, ModelSpec
from debate_cli.domain.config_differences import find_differences, format_differences
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import DebateClosed, DebateResumed, SettingChange
from debate_cli.domain.judging_config import judge_model_role
from debate_cli.domain.judging_run import FIRST_RUN, format_system_label
from debate_cli.domain.model_call import is_person
from debate_cli.domain.tasks import Brief, Task
from debate_cli.formats.schedule import list_cues, next_step
from debate_cli.judging.schedule import unsettled_briefs

MAX_NAMED_CALLS = 4
"""Maximum number of calls in flight that a message names."""
PLAN_SETTINGS = ("phases", "exchanges", "turns", "answers")
"""Keys of `format` that determine the rounds. A resume may change future rounds."""
CHANGEABLE_FORMAT = (*PLAN_SETTINGS, "history")
"""Keys of `format` that a resume may change."""


@dataclass(frozen=True, slots=True)
class PendingModels:
    """Models that are still to be asked, and the configuration with their providers."""

    config: DebateConfig
    models: tuple[ModelSpec, ...]
    """The models, each once."""
    run: str = FIRST_RUN
    """The judging run of `models`; the debate's own by default."""


@dataclass(frozen=True, slots=True)
class RemainingWork:
    """The unfinished part of a debate."""

    main: PendingModels
    """Models of the debate itself."""
    added_runs: tuple[PendingModels, ...] = ()
    """Models of each unfinished judging run that names additional providers."""

    @property
    def models(self) -> tuple[ModelSpec, ...]:
        """All models that are still needed; empty if nothing is left to do."""
        return _unique_specs(spec for pending in (self.main, *self.added_runs) for spec in pending.models)


def config_in_force(stored: DebateConfig, given: DebateConfig, *, models: bool = True) -> DebateConfig:
    """`stored` with those settings of `given` that a resume may change. `models`: whether it may change models."""
    changes: dict[str, object] = {name: getattr(given, name) for name in ("limits", "format", "evidence")}
    if models:
        changes |= {name: getattr(given, name) for name in ("models", "providers", "judging")}
        pairs = zip(stored.debaters, given.debaters, strict=True)
        changes["debaters"] = tuple(old.model_copy(update={"model": new.model}) for old, new in pairs)
    return stored.model_copy(update=changes)


def find_fixed_differences(debate: Debate, given: DebateConfig, redact: Callable[[Any], Any]) -> list[str]:
    """One line for each setting of `given` that would change what was said in `debate`.

    Models, providers, limits, output, sources and future rounds may differ. `redact` removes secrets from data.
    """
    stored = debate.config
    lines = format_differences(_without_changeable(stored), _without_changeable(given), redact)
    if not lines and not _keeps_spoken_turns(debate, given):
        lines = format_differences(stored, stored.model_copy(update={"format": given.format}), redact)
    return lines


def find_changes(
    debate: Debate, config: DebateConfig, at: datetime, redact: Callable[[Any], Any]
) -> tuple[SettingChange, ...]:
    """The settings, except output, in which `config` differs from the configuration of `debate`."""
    turn = len(debate.turns)
    return tuple(
        SettingChange(at=at, turn=turn, key=found.key, stored=found.stored, given=found.given)
        for found in find_differences(debate.config, config, redact, ignored=("output",))
    )


def closing_event(at: datetime) -> DebateClosed:
    """The event that ends a debate early. From then on only its judges are asked."""
    return DebateClosed(at=at, reason="complete")


def find_remaining_work(debate: Debate) -> RemainingWork:
    """Find the models that `debate` still needs."""
    briefs = unsettled_briefs(debate.apply(DebateResumed(at=debate.started_at)))
    kept = debate.config
    models = _pending_models_by_run(debate, briefs)
    own_providers = {run.id: with_run_providers(kept, run) for run in debate.runs if run.providers}
    main = _unique_specs(spec for run, specs in models.items() if run not in own_providers for spec in specs)
    added = tuple(PendingModels(own, models[run], run) for run, own in own_providers.items() if models.get(run))
    return RemainingWork(PendingModels(kept, main), added)


def describe_in_flight_calls(resumed: Debate, unanswered: Iterable[str]) -> str | None:
    """A sentence on the calls in flight when the run ended, named as `Pro (opening, round 1)`; None if there were none.

    `unanswered`: keys of tasks without an answer. Tasks that are no longer due, and those of people, are left out.
    Names are not sanitized.
    """
    due = {task.key: task for task in (*next_step(resumed).cues, *unsettled_briefs(resumed))}
    runs = [run.id for run in resumed.runs]
    calls = [_describe_task(due[key], runs) for key in unanswered if key in due and not _asks_person(due[key], resumed)]
    if not calls:
        return None
    if len(calls) == 1:
        return f"the call to {calls[0]} was in flight when the run ended: it may have been billed, and is made again"
    if len(calls) > MAX_NAMED_CALLS:
        calls = [*calls[: MAX_NAMED_CALLS - 1], f"{len(calls) - MAX_NAMED_CALLS + 1} more"]
    names = f"{', '.join(calls[:-1])} and {calls[-1]}"
    return f"calls to {names} were in flight when the run ended: they may have been billed, and are made again"


def _asks_person(task: Task, debate: Debate) -> bool:
    config = debate.config
    if isinstance(task, Brief):
        run = debate.run(task.run)
        roles = [
            judge_model_role(system, task.assessor) for system in run.judging.systems if system.kind == task.system
        ]
        specs = [judge_model_spec(config, run, role) for role in roles]
    else:
        specs = [config.model_for_debater(config.debater(task.speaker))]
    return any(spec is not None and is_person(spec.model) for spec in specs)


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

    The first run includes the models of debaters with further turns.
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


def _without_changeable(config: DebateConfig) -> DebateConfig:
    """`config` with defaults in place of every setting that a resume may change."""
    plain = FormatConfig()
    kept_plan = {name: getattr(plain, name) for name in CHANGEABLE_FORMAT}
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
    """Whether the plan of `given` keeps the cue of every turn so far. A complete debate must keep its whole plan."""
    if _plan(given) == _plan(debate.config):
        return True
    if debate.status == "complete":
        return False
    replanned = {cue.index: cue for cue in list_cues(debate.apply(DebateResumed(at=debate.started_at, config=given)))}
    return all(replanned.get(cue.index) == cue for cue in list_cues(debate) if cue.index in debate.turns_by_index)


def _plan(config: DebateConfig) -> tuple[object, ...]:
    return tuple(getattr(config.format, name) for name in PLAN_SETTINGS)


def _unique_specs(specs: Iterable[ModelSpec]) -> tuple[ModelSpec, ...]:
    return tuple({spec.model_dump_json(): spec for spec in specs}.values())
