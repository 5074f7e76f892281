"""Who takes part: debaters and judges with the models they speak with, as rows. No styling beyond signs; no Rich."""

from __future__ import annotations

from dataclasses import dataclass

from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.systems import Moderator, Panel, Persuasion, Structured, System
from debate_cli.render import look
from debate_cli.render.look import Sign

_JUDGE = Sign("§", "judge", look.QUIET)


@dataclass(frozen=True, slots=True)
class Seat:
    """A row of the cast."""

    sign: Sign
    name: str
    part: str
    """Side of a debater; what a judge does."""
    model: str
    """`provider/model`; `no model` where a system needs none."""


def debaters(debate: Debate) -> tuple[Seat, ...]:
    """The debaters in their order."""
    signs = look.voices(debate.participants)
    return tuple(
        Seat(
            signs[person.name],
            person.name,
            " · ".join([person.side, *([f"strategy {person.strategy}"] if person.strategy else [])]),
            person.model or "no model",
        )
        for person in debate.participants
    )


def judges(debate: Debate, run: JudgingRun) -> tuple[Seat, ...]:
    """The judges of a run, a system a row (a panel: a judge a row); the one that decides says so."""
    found: list[Seat] = []
    for system in run.active():
        decides = ", decides" if system.kind == run.judging.deciding and len(run.active()) > 1 else ""
        found += _bench(debate, run, system, decides)
    return tuple(found)


def _bench(debate: Debate, run: JudgingRun, system: System, decides: str) -> list[Seat]:
    if isinstance(system, Panel):
        return [
            Seat(_JUDGE, judge.id, f"panel {judge.weight:g}{decides}", _model(debate, run, judge.model))
            for judge in system.bench()
        ]
    if isinstance(system, Persuasion) and system.effects != "judge":
        return [Seat(_JUDGE, system.kind, f"{system.effects}{decides}", "no model")]
    count = "judge"
    if isinstance(system, Structured | Moderator) and system.judges > 1:
        count = f"{system.judges} judges"
    return [Seat(_JUDGE, system.kind, f"{count}{decides}", _model(debate, run, system.judge))]


def _model(debate: Debate, run: JudgingRun, role: str | None) -> str:
    config = debate.config
    if run.models:
        config = config.model_copy(update={"models": {**config.models, **run.models}})
    spec = config.model_for_judge(role)
    return spec.model if spec is not None else "no model"
