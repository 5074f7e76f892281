"""Finds judging systems by their kind (name): built-in systems and those of installed plug-ins."""

from typing import Any

from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import memoize_on_value
from debate_cli.domain.judging_config import SystemSettings
from debate_cli.domain.judging_run import FIRST_RUN, JudgingRun
from debate_cli.domain.message_text import format_suggestion_or_list
from debate_cli.domain.tasks import Brief, Cue
from debate_cli.domain.turn import StrategyPick
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import UsageError
from debate_cli.plugins import SYSTEMS
from debate_cli.systems.base import JudgeQuote, JudgingSystem


class UninstalledSystem(JudgingSystem[SystemSettings]):
    """Placeholder for a system whose plug-in is not installed. Shows stored verdicts, but cannot compute verdicts."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.unit = ""
        self.settings = SystemSettings  # pyright: ignore[reportAttributeAccessIssue] - becomes the base class

    def quote(self, debate: Debate, verdict: Verdict) -> JudgeQuote | None:
        """Return None: without the plug-in, it is unknown which judges agree with the verdict."""

    def unsuitable_reason(self, debate: Debate) -> str | None:
        """Return a sentence that says that the plug-in is missing."""
        return f"the judging system {self.kind} is not installed; install its plug-in, or choose other systems with --system"


def system_kinds() -> tuple[str, ...]:
    """Return the kinds of all installed systems, the built-in ones first."""
    return SYSTEMS.names()


def default_text_kind() -> str:
    """Return the kind of the first installed system that can judge a document."""
    return next(kind for kind in system_kinds() if get_system(kind).judges_texts)


def text_system_options() -> str:
    """Return the options that choose a system which can judge documents, e.g. `--system panel or --system jury`."""
    return " or ".join(f"--system {kind}" for kind in system_kinds() if get_system(kind).judges_texts)


def is_installed(kind: str) -> bool:
    """Return whether a system of this kind is installed."""
    return SYSTEMS.has(kind)


def get_system(kind: str) -> JudgingSystem[Any]:
    """Return the system of the given kind; an `UninstalledSystem` if no installed system has this kind."""
    return SYSTEMS.load(kind) if SYSTEMS.has(kind) else UninstalledSystem(kind)


def settings_for(brief: Brief, debate: Debate) -> SystemSettings:
    """Return the settings of the system that `brief` belongs to.

    Raises KeyError if the brief's run does not use the system.
    """
    for system in debate.run(brief.run).judging.systems:
        if system.kind == brief.system:
            return system
    raise KeyError(brief.system)


@memoize_on_value
def active_systems(run: JudgingRun) -> tuple[tuple[JudgingSystem[Any], SystemSettings], ...]:
    """Return the judging systems of a run with their settings. Systems that a later run has replaced are left out."""
    return tuple((get_system(settings.kind), settings) for settings in run.active_systems())


def systems_of_debate(debate: Debate) -> tuple[JudgingSystem[Any], ...]:
    """Return all systems that the judging runs of the debate use."""
    return tuple(
        get_system(kind) for kind in dict.fromkeys(item.kind for run in debate.runs for item in run.judging.systems)
    )


def stopped_debaters(debate: Debate, due_round: int) -> frozenset[str]:
    """Return the names of the debaters who surrendered before the round `due_round`.

    The systems of the first judging run decide who surrendered. A system that a later run has replaced does not count
    (see `JudgingRun.replaced`).
    """
    return frozenset(
        name
        for system, settings in active_systems(debate.run(FIRST_RUN))
        for name in system.stopped_debaters(debate, settings, due_round)
    )


def debater_instructions(debate: Debate, cue: Cue) -> tuple[str, ...]:
    """Return the instructions that the configured systems give to the speaker of `cue`."""
    active = {system.kind: (system, settings) for system, settings in active_systems(debate.run(FIRST_RUN))}
    chosen = (active[kind] for kind in system_kinds() if kind in active)
    return tuple(system.instruct(debate, settings, cue) for system, settings in chosen)


def pick_adaptive_strategy(debate: Debate, cue: Cue) -> StrategyPick | None:
    """Return the strategy for the speaker of `cue`, from the first system that picks one; None if no system does."""
    picks = (get_system(kind).pick_strategy(debate, cue) for kind in system_kinds())
    return next((pick for pick in picks if pick is not None), None)


def check_system_kind(kind: str) -> None:
    """Raise UsageError if no system of this kind is installed. `kind`: value of the option `--system`."""
    known = system_kinds()
    if kind in known:
        return
    raise UsageError(f"--system {kind}: there is no such judging system{format_suggestion_or_list(kind, known)}")
