"""Who takes part: debaters and judges with the models they speak with, as rows. No styling beyond signs; no Rich."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from debate_cli.domain.debate import Debate, Participant
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.personality import Personality
from debate_cli.domain.spoken_with import models_of_debater, models_of_judge
from debate_cli.domain.systems import Moderator, Panel, Persuasion, Structured, System
from debate_cli.render import look
from debate_cli.render.look import Sign

_JUDGE = Sign("§", "judge", look.QUIET)


class Seat(NamedTuple):
    """A row of the cast."""

    sign: Sign
    name: str
    part: str
    """Side of a debater; what a judge does."""
    model: str
    """`provider/model`, or `no model` where a system needs none; where others answered than the configured one, they too."""


def debaters(debate: Debate) -> tuple[Seat, ...]:
    """The debaters in their order."""
    signs = look.voices(debate.participants)
    return tuple(
        Seat(
            signs[person.name],
            person.name,
            " · ".join([person.side, *_manner(debate, person)]),
            _held_with(person.model or "no model", models_of_debater(debate, person)),
        )
        for person in debate.participants
    )


def _manner(debate: Debate, person: Participant) -> Iterable[str]:
    """How a debater is set to argue, where anything is set."""
    set_up = next((item for item in debate.config.debaters if item.name == person.name), None)
    personality = set_up.personality if set_up is not None else None
    if personality is not None:
        yield "personality of its own" if isinstance(personality, Personality) else personality
    if person.strategy:
        yield f"strategy {person.strategy}"


def stood_in(debate: Debate) -> str:
    """A sentence on models that answered in the place of the configured ones; empty where there were none."""
    bare = debate.bare().model_copy(update={"runs": debate.runs})
    found: dict[tuple[str, str], list[str]] = {}
    for held, meant in zip(_everybody(debate), _everybody(bare), strict=True):
        if held.model != meant.model:
            found.setdefault((held.model, meant.model), []).append(held.name)
    told = (f"{', '.join(dict.fromkeys(names))}: {held}" for (held, _), names in found.items())
    return f"other models answered than configured: {'; '.join(told)}" if found else ""


def _everybody(debate: Debate) -> list[Seat]:
    return [*debaters(debate), *(seat for run in debate.runs for seat in judges(debate, run))]


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
            Seat(
                _JUDGE, judge.id, f"panel {judge.weight:g}{decides}", _model(debate, run, system, judge.model, judge.id)
            )
            for judge in system.bench
        ]
    if isinstance(system, Persuasion) and system.effects != "judge":
        return [Seat(_JUDGE, system.kind, f"{system.effects}{decides}", "no model")]
    count = "judge"
    if isinstance(system, Structured | Moderator) and system.judges > 1:
        count = f"{system.judges} judges"
    return [Seat(_JUDGE, system.kind, f"{count}{decides}", _model(debate, run, system, system.judge))]


def _model(debate: Debate, run: JudgingRun, system: System, role: str | None, assessor: str | None = None) -> str:
    config = debate.config
    if run.models:
        config = config.model_copy(update={"models": {**config.models, **run.models}})
    spec = config.model_for_judge(role)
    meant = spec.model if spec is not None else "no model"
    return _held_with(meant, models_of_judge(debate, run.id, system.kind, assessor))


def _held_with(meant: str, found: Sequence[str]) -> str:
    """The model that was meant, and those that answered in its place or after it."""
    if not found or tuple(found) == (meant,):
        return meant
    told = ", then ".join(found)
    return told if meant in found else f"{told} (configured: {meant})"
