"""What it takes to go on with a debate that stopped: which models are still to be asked, and where they are reached.

Pure. That it goes on is the session's business; what is asked, the schedulers'.
"""

from __future__ import annotations

from dataclasses import dataclass

from debate_cli.domain.config import DebateConfig, ModelSpec, ProviderSpec
from debate_cli.domain.debate import FIRST_RUN, Debate
from debate_cli.domain.events import Resumed
from debate_cli.domain.tasks import Brief
from debate_cli.judging.schedules import owed
from debate_cli.wiring import judge_roles, spec_of_judge


@dataclass(frozen=True, slots=True)
class Remainder:
    """What is left to do of a debate."""

    config: DebateConfig
    """The one that it goes on under: as it was held, and with the providers that open judging runs came with."""
    models: tuple[ModelSpec, ...]
    """What is still to be asked, each once; none where nothing is left to do."""


def remainder(debate: Debate, config: DebateConfig | None = None) -> Remainder:
    """What is left of `debate`, within the limits of `config` (None: its own).

    Where a judging run means another server by a provider's name than the debate does, the debate's own meaning counts
    as long as anything of the debate itself is open, then the newest run's.
    """
    forgiving = debate.apply(Resumed(at=debate.started_at))
    briefs = owed(forgiving)
    own_is_open = debate.status == "incomplete" or any(brief.run == FIRST_RUN for brief in briefs)
    added: dict[str, ProviderSpec] = {}
    for run in debate.runs:
        if any(brief.run == run.id for brief in briefs):
            added |= run.providers
    stored = debate.config.providers
    providers = {**added, **stored} if own_is_open else {**stored, **added}
    limits = config.limits if config is not None else debate.config.limits
    return Remainder(
        debate.config.model_copy(update={"limits": limits, "providers": providers}), _models(debate, briefs)
    )


def _models(debate: Debate, briefs: tuple[Brief, ...]) -> tuple[ModelSpec, ...]:
    """The models of debaters who have not finished, of the judges who wait for them, and of those who owe something now."""
    config = debate.config
    found: list[ModelSpec | None] = []
    judging = {(brief.run, brief.system) for brief in briefs}
    if debate.status == "incomplete":
        found += [config.model_for_debater(debater) for debater in config.debaters]
        judging |= {(FIRST_RUN, system.kind) for system in config.judging.systems}
    for run in debate.runs:
        for system in run.active():
            if (run.id, system.kind) in judging:
                found += [spec_of_judge(config, run, role) for role in judge_roles(system)]
    return tuple({spec.model_dump_json(): spec for spec in found if spec is not None}.values())
