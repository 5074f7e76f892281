"""What it takes to go on with a debate that stopped: models still to be asked, where they are reached, what was in flight.

Pure. That it goes on is the session's business; what is asked, the schedulers'.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from debate_cli.domain.called import told_apart
from debate_cli.domain.config import DebateConfig, ModelSpec
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Resumed
from debate_cli.domain.judging_run import FIRST_RUN
from debate_cli.domain.tasks import Brief, Task
from debate_cli.formats import next_step
from debate_cli.judging.schedules import owed
from debate_cli.render import look
from debate_cli.wiring import judge_roles, spec_of_judge, with_providers

MOST_NAMED = 4
"""Calls in flight that are named one by one."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Models that are to be asked, and what the names of their providers mean."""

    config: DebateConfig
    models: tuple[ModelSpec, ...]
    """Each once."""
    run: str = FIRST_RUN
    """The judging run that they are asked for."""


@dataclass(frozen=True, slots=True)
class Remainder:
    """What is left to do of a debate."""

    own: Asked
    """What the debate itself has to ask, under the configuration that it goes on with."""
    added: tuple[Asked, ...] = ()
    """The same of each judging run with something left to do that brought providers of its own."""

    @property
    def config(self) -> DebateConfig:
        """The configuration that it goes on with: as it was held, within the limits of now."""
        return self.own.config

    @property
    def models(self) -> tuple[ModelSpec, ...]:
        """What is still to be asked, wherever that is; none where nothing is left to do."""
        return _each_once(spec for asked in (self.own, *self.added) for spec in asked.models)


def remainder(debate: Debate, config: DebateConfig | None = None) -> Remainder:
    """What is left of `debate`, within the limits of `config` (None: its own)."""
    forgiving = debate.apply(Resumed(at=debate.started_at))
    briefs = owed(forgiving)
    limits = config.limits if config is not None else debate.config.limits
    kept = debate.config.model_copy(update={"limits": limits})
    models = _models(debate, briefs)
    brought = {run.id: with_providers(kept, run) for run in debate.runs if run.providers}
    return Remainder(
        Asked(kept, _each_once(spec for run, found in models.items() if run not in brought for spec in found)),
        tuple(Asked(meant, models[run], run) for run, meant in brought.items() if models.get(run)),
    )


def in_flight(resumed: Debate, unanswered: Iterable[str]) -> str | None:
    """A sentence on who was asked for what when the run ended, e.g. `Pro (opening, round 1)`; names are not cleaned.

    `unanswered`: the keys of what was asked then. Told is what is due now: what a later judging run replaced is not. None
    where nothing is.
    """
    due = {task.key: task for task in (*next_step(resumed).cues, *owed(resumed))}
    runs = [run.id for run in resumed.runs]
    found = [_words(due[key], runs) for key in unanswered if key in due]
    if not found:
        return None
    named = found if len(found) <= MOST_NAMED else [*found[: MOST_NAMED - 1], f"{len(found) - MOST_NAMED + 1} more"]
    if len(found) == 1:
        return f"the call to {found[0]} was in flight when the run ended: it may have been billed, and is made again"
    whom = f"{', '.join(named[:-1])} and {named[-1]}"
    return f"calls to {whom} were in flight when the run ended: they may have been billed, and are made again"


def _words(task: Task, runs: Iterable[str]) -> str:
    if not isinstance(task, Brief):
        return f"{task.speaker} ({look.PHASES[task.phase]}, round {task.round})"
    who, _, what = look.brief_words(task, told_apart(task.system, task.run, runs)).rpartition(", ")
    return f"{who} ({what})"


def _models(debate: Debate, briefs: tuple[Brief, ...]) -> dict[str, tuple[ModelSpec, ...]]:
    """By judging run, the models of the judges who owe something, or will; with the first, those of debaters who have not finished."""
    config = debate.config
    found: dict[str, list[ModelSpec | None]] = {}
    judging = {(brief.run, brief.system) for brief in briefs}
    if debate.status == "incomplete":
        found[FIRST_RUN] = [config.model_for_debater(debater) for debater in config.debaters]
        judging |= {(FIRST_RUN, system.kind) for system in config.judging.systems}
    for run in debate.runs:
        for system in run.active():
            if (run.id, system.kind) in judging:
                judges = (spec_of_judge(config, run, role) for role in judge_roles(system))
                found.setdefault(run.id, []).extend(judges)
    return {run: _each_once(spec for spec in specs if spec is not None) for run, specs in found.items()}


def _each_once(specs: Iterable[ModelSpec]) -> tuple[ModelSpec, ...]:
    return tuple({spec.model_dump_json(): spec for spec in specs}.values())
