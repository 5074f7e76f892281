"""When a debate ends before its plan does: all but one surrendered, or nothing new is being said.

Running out of budget, interruption and failure are the engine's to see; they are not properties of a debate.
"""

from __future__ import annotations

from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import FIRST_RUN
from debate_cli.domain.systems import Persuasion, System
from debate_cli.domain.tasks import Cue
from debate_cli.scoring.dynamics import current_states


def judged_by(debate: Debate) -> tuple[System, ...]:
    """The systems that judge the debate itself (not those of later runs) and still count."""
    return debate.run(FIRST_RUN).active()


def as_of(debate: Debate, index: int) -> Debate:
    """The debate as it stood when turn `index` was due: the turns before it and the assessments of nothing but those."""
    return debate.before(Cue(index=index, round=1, phase="speech", speaker="", sees=tuple(range(index))))


def standing(debate: Debate, index: int) -> tuple[str, ...]:
    """Names of the debaters who had not surrendered when turn `index` was due, in their order.

    Nobody ever surrenders in a debate that is not judged by persuasion.
    """
    names = tuple(item.name for item in debate.participants)
    for system in judged_by(debate):
        if isinstance(system, Persuasion):
            states = current_states(as_of(debate, index), system)
            return tuple(name for name in names if not states[name].surrendered)
    return names
