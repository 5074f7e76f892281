"""Describes debaters, judges and their models."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from debate_cli.domain.debate import (
    Debate,
    Participant,
    configured_judge_model,
    models_used_by_debater,
    models_used_by_judges,
)
from debate_cli.domain.judging_config import SystemSettings
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.participant import IMPORTED_MODEL
from debate_cli.domain.personality import Personality
from debate_cli.domain.turn import Turn
from debate_cli.render import theme
from debate_cli.render.theme import NO_MODEL, Sign, format_model
from debate_cli.systems.aggregation import group_by_key

_JUDGE_BADGE = Sign("§", "judge", theme.MUTED)


class ParticipantRow(NamedTuple):
    """One debater or judge."""

    sign: Sign
    name: str
    part: str
    """For a debater: side and settings, e.g. `for · engineer`. For judges: their role, e.g. `3 judges, decides`."""
    model: str
    """Models that answered, e.g. `a/x, then a/y (configured: a/z)`. Before the first answer, the configured model or
    `no model`."""
    system: str = ""
    """The judging system of a judge; empty for a debater."""


def debater_rows(debate: Debate) -> tuple[ParticipantRow, ...]:
    """Return a row per debater, in the order of the debate."""
    signs = theme.participant_styles(debate.participants)
    return tuple(
        ParticipantRow(
            signs[person.name],
            person.name,
            " · ".join([person.side, *_debater_settings(debate, person)]),
            _format_models(person.model or NO_MODEL, models_used_by_debater(debate, person)),
        )
        for person in debate.participants
    )


def _debater_settings(debate: Debate, person: Participant) -> Iterable[str]:
    set_up = next((item for item in debate.config.debaters if item.name == person.name), None)
    personality = set_up.personality if set_up is not None else None
    if personality is not None:
        yield "own personality" if isinstance(personality, Personality) else personality
    if person.strategy:
        yield f"strategy {person.strategy}"


def describe_call(turn: Turn) -> tuple[str, ...]:
    """Return turn number, model, duration and tokens of a turn. An imported speech has only the turn number."""
    call = turn.exchange
    number = f"turn {turn.index + 1}"
    if call.model == IMPORTED_MODEL:
        return (number,)
    return (number, format_model(call.model), *theme.format_call(call).split(", "))


def describe_debate(debate: Debate) -> str:
    """Return date, debaters, judging systems, their models and the id of a debate on one line. Not sanitized.

    Example: `01 March 2026 · debated by Ada, Bo: a/x · judged by structured, panel: a/y; persuasion: no model · id 7`.
    """
    facts = [f"{debate.started_at:%d %B %Y}"]
    for verb, rows in (("debated", debater_rows(debate)), ("judged", judge_rows(debate, *debate.runs))):
        models = group_by_key((row.model, row.system or row.name) for row in rows)
        groups = (
            f"{', '.join(dict.fromkeys(names))}: {'mock' if model == theme.MOCK_LABEL else model}"
            for model, names in models.items()
        )
        facts += [f"{verb} by {'; '.join(groups)}"] if models else []
    return " · ".join([*facts, f"id {debate.id}"])


def judge_rows(debate: Debate, *runs: JudgingRun) -> tuple[ParticipantRow, ...]:
    """Return a row per active judging system in `runs`; for a panel, a row per judge. Equal rows are listed once.

    The row of a run's deciding system says `decides` if both conditions are met:

    - Models judge in this run, and people judge in all other `runs`.
    - This run has several active systems.
    """
    marked = [run for run in runs if run.reviewer is None]
    rows = (row for run in runs for row in _rows_of_run(debate, run, is_marked=marked == [run]))
    return tuple(dict.fromkeys(rows))


def _rows_of_run(debate: Debate, run: JudgingRun, *, is_marked: bool) -> Iterator[ParticipantRow]:
    systems = run.active_systems()
    for system in systems:
        is_deciding = is_marked and len(systems) > 1 and system.kind == run.judging.deciding_kind
        decides = ", decides" if is_deciding else ""
        seats = system.seats
        if any(seat.weight is not None for seat in seats):
            for seat in seats:
                model = _judge_model(debate, run, system, seat.model, seat.id)
                part = f"{system.kind} {seat.weight or 1:g}{decides}"
                yield ParticipantRow(_JUDGE_BADGE, seat.id, part, model, system.kind)
        elif seats:
            count = "judge" if len(seats) == 1 else f"{len(seats)} judges"
            model = _judge_model(debate, run, system, seats[0].model)
            yield ParticipantRow(_JUDGE_BADGE, system.kind, f"{count}{decides}", model, system.kind)
        else:
            part = f"{system.method}{decides}".removeprefix(", ")
            yield ParticipantRow(_JUDGE_BADGE, system.kind, part, NO_MODEL, system.kind)


def _judge_model(
    debate: Debate, run: JudgingRun, system: SystemSettings, role: str | None, assessor: str | None = None
) -> str:
    configured = configured_judge_model(debate, run, role) or NO_MODEL
    return _format_models(configured, models_used_by_judges(debate, run.id, system.kind, assessor))


def _format_models(configured: str, found: Sequence[str]) -> str:
    configured, found = format_model(configured), tuple(dict.fromkeys(map(format_model, found)))
    if not found or found == (configured,):
        return configured
    used = ", then ".join(found)
    return used if configured in found else f"{used} (configured: {configured})"
