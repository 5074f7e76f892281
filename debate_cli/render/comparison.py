"""Describes the differences between two judgements, A and B, of one debate or of two debates."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from debate_cli.app.compare import (
    LATEST_RUNS,
    ComparisonSide,
    JudgementComparison,
    SettingDifference,
    SideVerdict,
    StandingChange,
    VerdictChange,
    judging_cost,
)
from debate_cli.domain.config_differences import format_setting_pair
from debate_cli.domain.debate import models_used_by_debater, models_used_by_judges
from debate_cli.domain.message_text import count_noun
from debate_cli.render import theme
from debate_cli.render.content import participants
from debate_cli.render.theme import Sign
from debate_cli.systems.explanation import ADVERBS, name_result
from debate_cli.systems.scales import format_margin, format_scale
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

OUTCOME_BADGES = {
    "same": Badge("=", "same", "info"),
    "victory": Badge("~", "same winner, victory differs", "mixed"),
    "winner": Badge("≠", "other outcome", "bad"),
    "one_sided": Badge("…", "only in A or B", "mixed"),
}
NO_DIFFERENCES = "Nothing differs: verdicts, scores, standings and settings are the same."
MAX_NAMED_CLAIMS = 6
"""Maximum number of claims whose ids the summary gives. If there are more, the summary gives only their number."""
MOTION_SETTING = "topic"
"""Configuration key of the motion, which the table of settings leaves out."""
RunsBySystem = dict[str, str]
"""Maps each judging system to the id of the judging run that gave the system's verdict."""


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """Two judgements, A and B, with the paths of their files and their differences."""

    paths: tuple[str, str]
    sides: tuple[ComparisonSide, ComparisonSide]
    comparison: JudgementComparison

    @property
    def settings(self) -> list[SettingDifference]:
        """Settings with different values in A and B, except the motion."""
        return [item for item in self.comparison.settings if item.key != MOTION_SETTING]

    @property
    def runs(self) -> tuple[RunsBySystem, RunsBySystem]:
        """Judging runs of A and judging runs of B."""
        verdicts = self.comparison.verdicts
        return (
            {item.system: item.a.run for item in verdicts if item.a is not None},
            {item.system: item.b.run for item in verdicts if item.b is not None},
        )


def build_comparison_tables(pair: ComparedPair) -> list[Table]:
    """Return tables on summary, judgements, verdicts, scores, claims and settings. Empty tables are left out."""
    summary = Table(title="in short", heads=(), rows=(), remarks=tuple(summarize_comparison(pair)))
    tables = [
        _sides_table(pair),
        _verdicts_table(pair.comparison.verdicts),
        _scores_table(pair.comparison.verdicts),
        _standings_table(pair.comparison.standings),
        _settings_table(pair.settings),
    ]
    return [summary, *(table for table in tables if table.rows)]


def build_comparison_document(pair: ComparedPair) -> dict[str, Any]:
    """Return the JSON document of a comparison: judgements a and b, and their differences."""
    a, b = map(_side_document, pair.paths, pair.sides, pair.runs)
    return {"a": a, "b": b, "alike": pair.comparison.is_identical, **pair.comparison.model_dump(mode="json")}


def summarize_comparison(pair: ComparedPair) -> list[str]:
    """Return sentences on the main differences: motions, outcomes, claims and settings."""
    comparison = pair.comparison
    if comparison.is_identical:
        return [NO_DIFFERENCES]
    a, b = (side.debate for side in pair.sides)
    different = ["The texts are different." if a.document_name is not None else "The motions are different."]
    count = len(pair.settings)
    settings = (
        f"{count_noun(count, 'setting')} differ{'s' if count == 1 else ''}" if count else "The settings are the same"
    )
    return [
        *(different if a.topic != b.topic else ()),
        _outcome_sentence(comparison.verdicts),
        *_claim_sentences(comparison),
        f"{settings}; limits and output are not compared.",
        *_one_sided_sentences(comparison.verdicts),
    ]


def _one_sided_sentences(changes: Sequence[VerdictChange]) -> Iterator[str]:
    *most, last = [item.system for item in changes if item.outcome == "one_sided"] or [""]
    if last:
        names, whose = (f"{', '.join(most)} and {last} have", "their") if most else (f"{last} has", "its")
        yield f"{names} a verdict in only one of A and B, so {whose} settings are not compared either."


def _outcome_sentence(changes: Sequence[VerdictChange]) -> str:
    both = [(item, item.a, item.b) for item in changes if item.a is not None and item.b is not None]
    both.sort(key=lambda found: -(found[1].decides + found[2].decides))
    if not both:
        return "No system has a verdict in both A and B, so the outcomes are not compared."
    change, a, b = both[0]
    clause = "The outcome is the same" if a.verdict.outcome == b.verdict.outcome else "The outcomes differ"
    return f"{clause}: {_describe_side('A', change.system, a)}; {_describe_side('B', change.system, b)}."


def _describe_side(side: str, system: str, found: SideVerdict) -> str:
    margin = format_margin(found.verdict) if found.winner is not None else ""
    if (name := found.winner or found.option) is not None:
        outcome = f"{name} wins {ADVERBS.get(found.victory, '')}".rstrip()
    else:
        outcome = f"the result is {name_result(found.verdict)}"
    return f"in {side}, {outcome} ({system}{f', by {margin}' if margin else ''})"


def _claim_sentences(comparison: JudgementComparison) -> Iterator[str]:
    changed = [item.item for item in comparison.standings]
    if comparison.compared_claims:
        claims = count_noun(comparison.compared_claims, "claim")
        which = f": {', '.join(changed)}" if len(changed) <= MAX_NAMED_CLAIMS else ""
        verb = "has" if len(changed) == 1 else "have"
        kept = f"No standing changed: {claims} compared."
        yield f"{len(changed)} of {claims} {verb} different standings in A and B{which}." if changed else kept


def comparison_styles(pair: ComparedPair) -> dict[str, Sign]:
    """Map the name of each debater of A and B to symbol, side and colour.

    A name that is in both A and B gets the symbol, side and colour of the debater in A.
    """
    a, b = (theme.participant_styles(side.debate.participants) for side in pair.sides)
    return {**b, **a}


def _side_document(path: str, side: ComparisonSide, runs: RunsBySystem) -> dict[str, Any]:
    debate = side.debate
    return {
        "path": path,
        "id": debate.id,
        "run": side.run,
        "topic": debate.topic,
        "status": debate.status,
        "debaters": {person.name: ", ".join(models_used_by_debater(debate, person)) for person in debate.participants},
        "judges": {system: list(models_used_by_judges(debate, run, system)) for system, run in runs.items()},
        "cost_usd": debate.usage.cost_usd,
        "judging_cost_usd": judging_cost(debate, runs),
    }


def _sides_table(pair: ComparedPair) -> Table:
    a, b = map(_side_facts, pair.paths, pair.sides, pair.runs)
    rows = tuple((name, value, b[name]) for name, value in a.items() if value != b[name])
    return Table(title="compared", heads=("", "A", "B"), rows=rows)


def _side_facts(path: str, side: ComparisonSide, runs: RunsBySystem) -> dict[str, Cell]:
    debate = side.debate
    judges: list[Cell] = []
    for system, run in runs.items():
        models = dict.fromkeys(map(theme.format_model_id, models_used_by_judges(debate, run, system)))
        judges.append(f"{system} {run}: {', '.join(models) or theme.NO_MODEL}")
    return {
        "file": path,
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


def _verdicts_table(changes: Sequence[VerdictChange]) -> Table:
    columns: dict[str, Callable[[VerdictChange], Cell]] = {
        "system": lambda item: item.system,
        "A": lambda item: _conclusion_cell(item.system, item.a),
        "B": lambda item: _conclusion_cell(item.system, item.b),
        "out of": _scale_cell,
        "outcome": lambda item: OUTCOME_BADGES[item.outcome],
    }
    return drop_empty_columns(column_table("verdicts", changes, columns))


def _conclusion_cell(system: str, found: SideVerdict | None) -> Cell:
    if found is None:
        return "not judged"
    cells: list[Cell] = [DebaterCell(found.winner)] if found.winner is not None else []
    if found.option is not None:
        cells = [theme.option_badge(system, found.option)]
    margin = "" if found.margin is None else f"margin {format_number(found.margin)}"
    victory = "" if found.option is not None and found.victory == "conditional" else found.victory
    return Lines((*cells, ", ".join(filter(None, (victory, margin)))))


def _scale_cell(change: VerdictChange) -> str:
    found = [side.verdict for side in (change.a, change.b) if side is not None]
    return format_scale(verdict for verdict in found if verdict.displayed_scores)


def _scores_table(changes: Sequence[VerdictChange]) -> Table:
    rows = join_row_groups(_score_rows(item) for item in changes if item.outcome != "one_sided")
    table = Table("scores", ("system", "", "A", "B", "change", "out of"), rows, numeric=frozenset({2, 3, 4}))
    return drop_empty_columns(table)


def _score_rows(change: VerdictChange) -> Iterator[TableRow]:
    scale = _scale_cell(change)
    for score in change.scores:
        name = DebaterCell(score.participant)
        yield (change.system, name, Number(score.a), Number(score.b), _format_change(score.change), scale)
    a, b = (found.margin if found is not None else None for found in (change.a, change.b))
    grown = b - a if a is not None and b is not None and change.outcome != "winner" else None
    if change.scores:
        yield (change.system, "margin", Number(a), Number(b), _format_change(grown), scale)


def _format_change(change: float | None) -> str:
    if change is None:
        return "—"
    words = format_number(abs(change))
    if float(words) == 0:
        return "="
    return f"{'+' if change > 0 else '−'}{words}"


def _standings_table(changes: Sequence[StandingChange]) -> Table:
    columns: dict[str, Callable[[StandingChange], Cell]] = {
        "id": lambda item: item.item,
        "by": lambda item: DebaterCell(item.participant),
        "claim": lambda item: item.claim,
        "A": lambda item: "not judged" if item.a is None else STANDING_BADGES[item.a],
        "B": lambda item: "not judged" if item.b is None else STANDING_BADGES[item.b],
    }
    return column_table("claims whose standing differs", changes, columns)


def _settings_table(changes: Sequence[SettingDifference]) -> Table:
    rows = tuple((item.key.removeprefix("judging.systems."), *format_setting_pair(item.a, item.b)) for item in changes)
    return Table(title="settings that differ", heads=("setting", "A", "B"), rows=rows, has_key_column=True)
