"""When a debate ends before its plan does: all but one surrendered, or nothing new is being said.

Running out of budget, interruption and failure are the engine's to see; they are not properties of a debate.
"""

from __future__ import annotations

from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_config import SystemSettings
from debate_cli.domain.judging_run import FIRST_RUN
from debate_cli.domain.tasks import Cue
from debate_cli.systems.persuasion.settings import PersuasionSettings
from debate_cli.systems.persuasion.state_machine import current_states


def active_judging_systems(debate: Debate) -> tuple[SystemSettings, ...]:
    """The systems that judge the debate itself (not those of later runs) and still count."""
    return debate.run(FIRST_RUN).active_systems()


def debate_before_turn(debate: Debate, index: int) -> Debate:
    """The debate as it stood when turn `index` was due: the turns before it and the assessments of nothing but those."""
    return debate.visible_to(Cue(index=index, round=1, phase="speech", speaker="", sees=tuple(range(index))))


def active_debaters(debate: Debate, index: int) -> tuple[str, ...]:
    """Names of the debaters who had not surrendered when turn `index` was due, in their order.

    Nobody ever surrenders in a debate that is not judged by persuasion.
    """
    names = tuple(item.name for item in debate.participants)
    for system in active_judging_systems(debate):
        if isinstance(system, PersuasionSettings):
            states = current_states(debate_before_turn(debate, index), system)
            return tuple(name for name in names if not states[name].surrendered)
    return names
