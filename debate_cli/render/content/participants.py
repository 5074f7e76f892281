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
from debate_cli.domain.verdict import Verdict
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


def judge_rows(debate: Debate, *runs: JudgingRun, deciding: Verdict | None = None) -> tuple[ParticipantRow, ...]:
    """Return a row per active judging system in `runs`; for a panel, a row per judge. Equal rows are listed once.

    The rows of the deciding system say `decides`, unless no other models judge. `deciding`: the deciding verdict. None: if
    models judge in only one of `runs`, the configuration of this run says which system decides; else no row says it.
    """
    by_models = [run for run in runs if run.reviewer is None]
    chosen = None if deciding is None else (deciding.run, deciding.system)
    if deciding is None and len(by_models) == 1:
        chosen = (by_models[0].id, by_models[0].judging.deciding_kind)
    rows = [((run.id, row.system), row) for run in runs for row in _rows_of_run(debate, run)]
    marked = {row for place, row in rows if place == chosen}
    if marked.issuperset(row for (run, _), row in rows if debate.run(run).reviewer is None):
        marked = set[ParticipantRow]()
    unique = dict.fromkeys(row for _, row in rows)
    return tuple(
        row._replace(part=", ".join(filter(None, [row.part, "decides"]))) if row in marked else row for row in unique
    )


def _rows_of_run(debate: Debate, run: JudgingRun) -> Iterator[ParticipantRow]:
    for system in run.active_systems():
        seats = system.seats
        if any(seat.weight is not None for seat in seats):
            for seat in seats:
                model = _judge_model(debate, run, system, seat.model, seat.id)
                yield ParticipantRow(_JUDGE_BADGE, seat.id, f"{system.kind} {seat.weight or 1:g}", model, system.kind)
        elif seats:
            count = "judge" if len(seats) == 1 else f"{len(seats)} judges"
            model = _judge_model(debate, run, system, seats[0].model)
            yield ParticipantRow(_JUDGE_BADGE, system.kind, count, model, system.kind)
        else:
            yield ParticipantRow(_JUDGE_BADGE, system.kind, system.method, NO_MODEL, system.kind)


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
