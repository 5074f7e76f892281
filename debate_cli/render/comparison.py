"""Builds the tables, lines and JSON of `debate diff`: both judgements, their models, costs, scores and claims."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from debate_cli.app.compare import LATEST_RUNS, ComparisonSide, JudgementComparison, VerdictPair, judging_cost
from debate_cli.domain.config_differences import Difference, format_setting_pair
from debate_cli.domain.debate import models_used_by_debater, models_used_by_judges
from debate_cli.domain.verdict import Verdict
from debate_cli.render import theme
from debate_cli.render.content import participants
from debate_cli.render.theme import Sign
from debate_cli.systems.scales import describe_answer, format_scale
from debate_cli.systems.tables import (
    STANDING_BADGES,
    Badge,
    Cell,
    DebaterCell,
    Lines,
    Number,
    Table,
    TableRow,
    column_table,
    drop_empty_columns,
    format_number,
    join_row_groups,
)
from debate_cli.systems.trace import TraceRow

OUTCOME_BADGES = {
    "same": Badge("=", "same", "info"),
    "victory": Badge("~", "same winner, other kind of victory", "mixed"),
    "winner": Badge("≠", "other outcome", "bad"),
    "one_sided": Badge("…", "in only one of A and B", "mixed"),
}
NO_DIFFERENCES = "Nothing differs: verdicts, scores, standings and settings are the same."
MOTION_SETTING = "topic"
"""Configuration key of the motion, which the table of settings leaves out."""
RunsBySystem = dict[str, str]
"""Maps each judging system to the id of the judging run that gave the system's verdict."""


def build_comparison_tables(compared: JudgementComparison) -> list[Table]:
    """Return tables on summary, judgements, verdicts, scores, claims and settings. Empty tables are left out."""
    summary = Table(title="in short", heads=(), rows=(), remarks=tuple(summarize_comparison(compared)))
    tables = [
        _sides_table(compared),
        _verdicts_table(compared.verdicts),
        _scores_table(compared.verdicts),
        _standings_table(compared.standings),
        _settings_table(_settings_except_motion(compared)),
    ]
    return [summary, *(table for table in tables if table.rows)]


def build_comparison_document(compared: JudgementComparison) -> dict[str, Any]:
    """Return the JSON document of a comparison: judgements a and b, and their differences."""
    a, b = map(_side_document, (compared.a, compared.b), _runs(compared))
    return {
        "a": a,
        "b": b,
        "alike": compared.is_identical,
        "verdicts": [
            {
                "system": pair.system,
                "a": _verdict_document(pair.a),
                "b": _verdict_document(pair.b),
                "outcome": pair.outcome,
                "scores": [score._asdict() for score in pair.scores()],
            }
            for pair in compared.verdicts
        ],
        "standings": [
            {
                "item": one.id,
                "participant": one.participant,
                "claim": one.claim,
                "a": one.standing,
                "b": other.standing,
            }
            for one, other in compared.standings
        ],
        "compared_claims": len(compared.claims),
        "judged_claims": list(compared.judged_claims),
        "settings": [{"key": item.key, "a": item.stored, "b": item.given} for item in compared.settings],
    }


def summarize_comparison(compared: JudgementComparison) -> Iterator[str]:
    """Yield sentences on the main differences: motions, outcomes, claims and settings."""
    if compared.is_identical:
        yield NO_DIFFERENCES
        return
    a, b = compared.a.debate, compared.b.debate
    if a.topic != b.topic:
        yield "The texts are different." if a.document_name is not None else "The motions are different."
    both = [(pair.a, pair.b) for pair in compared.verdicts if pair.a is not None and pair.b is not None]
    if both:
        first, second = max(both, key=lambda pair: pair[0].decides + pair[1].decides)
        clause = "The outcome is the same" if first.outcome == second.outcome else "The outcomes differ"
        yield f"{clause} ({first.system})."
        yield f"A: {describe_answer(first, a.document_name)}"
        yield f"B: {describe_answer(second, b.document_name)}"
    else:
        yield "No system has a verdict in both A and B, so the outcomes are not compared."
    if compared.claims:
        yield f"Claims whose standing differs: {len(compared.standings)} of {len(compared.claims)}."
    one_sided = ", ".join(pair.system for pair in compared.verdicts if pair.outcome == "one_sided")
    left_out = "limits and output"
    if one_sided:
        left_out = f"limits, output, and settings of systems that have a verdict only in A or only in B ({one_sided})"
    yield f"Settings that differ: {len(_settings_except_motion(compared))}. Not compared: {left_out}."


def _settings_except_motion(compared: JudgementComparison) -> list[Difference]:
    return [item for item in compared.settings if item.key != MOTION_SETTING]


def _runs(compared: JudgementComparison) -> tuple[RunsBySystem, RunsBySystem]:
    return (
        {pair.system: pair.a.run for pair in compared.verdicts if pair.a is not None},
        {pair.system: pair.b.run for pair in compared.verdicts if pair.b is not None},
    )


def _verdict_document(verdict: Verdict | None) -> dict[str, Any] | None:
    keys = ("run", "winner", "victory", "margin", "option", "decides")
    return None if verdict is None else {key: getattr(verdict, key) for key in keys}


def comparison_styles(compared: JudgementComparison) -> dict[str, Sign]:
    """Map the name of each debater of A and B to symbol, side and colour.

    A name that is in both A and B gets the symbol, side and colour of the debater in A.
    """
    a, b = (theme.participant_styles(side.debate.participants) for side in (compared.a, compared.b))
    return {**b, **a}


def _side_document(side: ComparisonSide, runs: RunsBySystem) -> dict[str, Any]:
    debate = side.debate
    return {
        "path": side.path,
        "id": debate.id,
        "run": side.run,
        "topic": debate.topic,
        "status": debate.status,
        "debaters": {person.name: ", ".join(models_used_by_debater(debate, person)) for person in debate.participants},
        "judges": {system: list(models_used_by_judges(debate, run, system)) for system, run in runs.items()},
        "cost_usd": debate.usage.cost_usd,
        "judging_cost_usd": judging_cost(debate, runs),
    }


def _sides_table(compared: JudgementComparison) -> Table:
    a, b = map(_side_facts, (compared.a, compared.b), _runs(compared))
    rows = tuple((name, value, b[name]) for name, value in a.items() if value != b[name])
    return Table(title="compared", heads=("", "A", "B"), rows=rows)


def _side_facts(side: ComparisonSide, runs: RunsBySystem) -> dict[str, Cell]:
    debate = side.debate
    judges: list[Cell] = []
    for system, run in runs.items():
        models = dict.fromkeys(map(theme.format_model_id, models_used_by_judges(debate, run, system)))
        judges.append(f"{system} {run}: {', '.join(models) or theme.NO_MODEL}")
    return {
        "file": side.path,
        "judging run": "newest" if side.run == LATEST_RUNS else side.run,
        "debate": debate.id,
        "motion": debate.topic,
        "debaters": Lines(tuple(f"{row.name}: {row.model}" for row in participants.debater_rows(debate))),
        "state": debate.status,
        "speeches": str(len(debate.turns)),
        "judges": Lines(tuple(judges)) if judges else "no judge",
        "cost": theme.format_cost(debate.usage.cost_usd),
        "judging cost": theme.format_cost(judging_cost(debate, runs)),
    }


def _verdicts_table(changes: Sequence[VerdictPair]) -> Table:
    columns: dict[str, Callable[[VerdictPair], Cell]] = {
        "system": lambda item: item.system,
        "A": lambda item: _conclusion_cell(item.a),
        "B": lambda item: _conclusion_cell(item.b),
        "out of": _scale_cell,
        "outcome": lambda item: OUTCOME_BADGES[item.outcome],
    }
    return drop_empty_columns(column_table("verdicts", changes, columns))


def _conclusion_cell(found: Verdict | None) -> Cell:
    if found is None:
        return "not judged"
    cells: list[Cell] = [DebaterCell(found.winner)] if found.winner is not None else []
    if found.option is not None:
        cells = [theme.option_badge(found.system, found.option)]
    margin = "" if found.margin is None else f"margin {format_number(found.margin)}"
    victory = "" if found.option is not None and found.victory == "conditional" else found.victory
    return Lines((*cells, ", ".join(filter(None, (victory, margin)))))


def _scale_cell(pair: VerdictPair) -> str:
    return format_scale(verdict for verdict in (pair.a, pair.b) if verdict is not None and verdict.displayed_scores)


def _scores_table(changes: Sequence[VerdictPair]) -> Table:
    rows = join_row_groups(_score_rows(item) for item in changes if item.outcome != "one_sided")
    table = Table("scores", ("system", "", "A", "B", "change", "out of"), rows, numeric=frozenset({2, 3, 4}))
    return drop_empty_columns(table)


def _score_rows(pair: VerdictPair) -> Iterator[TableRow]:
    scale, scores = _scale_cell(pair), list(pair.scores())
    for score in scores:
        name = DebaterCell(score.participant)
        yield (pair.system, name, Number(score.a), Number(score.b), _format_change(score.change), scale)
    a, b = (verdict.margin if verdict is not None else None for verdict in (pair.a, pair.b))
    grown = b - a if a is not None and b is not None and pair.outcome != "winner" else None
    if scores:
        yield (pair.system, "margin", Number(a), Number(b), _format_change(grown), scale)


def _format_change(change: float | None) -> str:
    if change is None:
        return "—"
    words = format_number(abs(change))
    if float(words) == 0:
        return "="
    return f"{'+' if change > 0 else '−'}{words}"


def _standings_table(changes: Sequence[tuple[TraceRow, TraceRow]]) -> Table:
    columns: dict[str, Callable[[tuple[TraceRow, TraceRow]], Cell]] = {
        "id": lambda pair: pair[0].id,
        "by": lambda pair: DebaterCell(pair[0].participant),
        "claim": lambda pair: pair[0].claim,
        "A": lambda pair: _standing_cell(pair[0]),
        "B": lambda pair: _standing_cell(pair[1]),
    }
    return column_table("claims whose standing differs", changes, columns)


def _standing_cell(row: TraceRow) -> Cell:
    return "not judged" if row.standing is None else STANDING_BADGES[row.standing]


def _settings_table(changes: Sequence[Difference]) -> Table:
    rows = tuple(
        (item.key.removeprefix("judging.systems."), *format_setting_pair(item.stored, item.given)) for item in changes
    )
    return Table(title="settings that differ", heads=("setting", "A", "B"), rows=rows, has_key_column=True)
