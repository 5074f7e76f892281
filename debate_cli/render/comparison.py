"""Compares two judgments: a few sentences, tables, and a JSON document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from debate_cli.app.compare import (
    LATEST_RUNS,
    ComparisonSide,
    JudgmentComparison,
    SettingDifference,
    SideVerdict,
    StandingChange,
    VerdictChange,
    judge_models_used,
    judging_cost,
)
from debate_cli.domain.config_differences import format_setting_pair
from debate_cli.domain.debate import Debate, models_used_by_debater
from debate_cli.domain.judging_config import judge_ids
from debate_cli.domain.judging_run import format_system_with_run
from debate_cli.render import theme
from debate_cli.render.content import participants
from debate_cli.render.theme import Sign
from debate_cli.systems.tables import (
    STANDING_BADGES,
    VOTE_BADGES,
    Badge,
    Cell,
    DebaterCell,
    Lines,
    Number,
    Table,
    TableRow,
    join_row_groups,
)

OUTCOME_BADGES = {
    "same": Badge("=", "same", "info"),
    "victory": Badge("~", "other victory", "mixed"),
    "winner": Badge("≠", "other winner", "bad"),
}
OTHER_OUTCOME_BADGE = Badge("≠", "other outcome", "bad")
"""Badge for a comparison in which only one side has a winner."""
ONLY_A_BADGE, ONLY_B_BADGE = Badge("…", "only A", "mixed"), Badge("…", "only B", "mixed")
COMPARISON_TITLE = "in short"
SAME_VALUE = "the same"
_SYSTEMS_PREFIX = "judging.systems."
_PANEL_JUDGES = f"{_SYSTEMS_PREFIX}panel.judges"
_MAX_NAMES_LENGTH = 240
"""Maximum length of a list of a panel's judges."""


MOTION_SETTING = "topic"
"""Setting that has its own row in the table of sides, and is left out of the table of settings."""
NO_DIFFERENCES = "Nothing differs: verdicts, scores, standings and settings are the same."
VICTORY_ADVERBS = {"narrow": "narrowly", "clear": "clearly", "overwhelming": "overwhelmingly"}
MAX_NAMED_CLAIMS = 6
"""Maximum number of claims that the sentences name."""


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """Two sides, with the user's names for them, and their comparison."""

    paths: tuple[str, str]
    sides: tuple[ComparisonSide, ComparisonSide]
    comparison: JudgmentComparison

    @property
    def is_same_debate(self) -> bool:
        """Whether both sides are judgments in the same file."""
        return self.paths[0] == self.paths[1]

    @property
    def is_text_only(self) -> bool:
        """Whether both sides are judgments of texts instead of debates."""
        return all(side.debate.document_name is not None for side in self.sides)

    @property
    def settings(self) -> list[SettingDifference]:
        """The settings that differ, except the motion."""
        return [item for item in self.comparison.settings if item.key != MOTION_SETTING]


def build_comparison_tables(pair: ComparedPair) -> list[Table]:
    """Summary, sides, verdicts, scores, claims and settings; tables without differences are left out."""
    summary = Table(title=COMPARISON_TITLE, heads=(), rows=(), remarks=tuple(summarize_comparison(pair)))
    found = [summary, _sides_table(pair)]
    if pair.comparison.verdicts:
        found.append(_verdicts_table(pair.comparison))
    scores = [item for item in pair.comparison.verdicts if _is_comparable(item)]
    if scores:
        found.append(_scores_table(scores))
    if pair.comparison.standings:
        found.append(_standings_table(pair.comparison.standings))
    if pair.settings:
        found.append(_settings_table(pair.settings))
    return found


def build_comparison_document(pair: ComparedPair) -> dict[str, Any]:
    """`{a, b, alike, verdicts, standings, compared_claims, judged_claims, settings}`.

    a and b are `{path, id, run, topic, status, debaters, judges, cost_usd, judging_cost_usd}`. `debaters`
    maps names to the models that spoke, `judges` maps systems to the models that judged.
    """
    a, b = (
        _side_document(path, side, systems)
        for path, side, systems in zip(pair.paths, pair.sides, _runs_by_system(pair), strict=True)
    )
    return {"a": a, "b": b, "alike": pair.comparison.alike, **pair.comparison.model_dump(mode="json")}


def summarize_comparison(pair: ComparedPair) -> list[str]:
    """Sentences on the main differences: texts, outcomes, claims, settings. The tables show all."""
    if pair.comparison.alike:
        return [NO_DIFFERENCES]
    a, b = (side.debate for side in pair.sides)
    sentences = list[str]()
    if (a.topic, pair.is_text_only and a.config.background) != (b.topic, pair.is_text_only and b.config.background):
        sentences.append(f"The {'texts' if pair.is_text_only else 'motions'} are different.")
    sentences += [*_outcome_sentences(pair.comparison.verdicts), *_claim_sentences(pair.comparison)]
    count = len(pair.settings)
    settings = f"{_count(count, 'setting')} differ{'s' if count == 1 else ''}" if count else "The settings are the same"
    return [*sentences, f"{settings}; limits and output are not compared."]


def _outcome_sentences(changes: Sequence[VerdictChange]) -> Iterator[str]:
    """The outcome of each side: by the system that decides both or, if there is none, by one that judged both."""
    a = next(((item.system, item.a) for item in changes if item.a is not None and item.a.decides), None)
    b = next(((item.system, item.b) for item in changes if item.b is not None and item.b.decides), None)
    if a is None or b is None:
        judged = [name for name, found in (("A", a), ("B", b)) if found is not None]
        yield f"Only {judged[0]} was judged." if judged else "Neither side was judged."
        return
    if a[0] != b[0]:
        yield f"A is decided by {a[0]}, B by {b[0]}."
    both = [(item.system, item.a, item.b) for item in changes if item.a is not None and item.b is not None]
    deciding = [found for found in both if found[1].decides and found[2].decides]
    known = [found for found in both if "undetermined" not in {found[1].victory, found[2].victory}]
    common = next(iter([*deciding, *sorted(known, key=lambda found: not found[1].decides)]), None)
    if common is None:
        clause = "No system has a verdict on both sides, so their outcomes are not compared"
    else:
        a, b = (common[0], common[1]), (common[0], common[2])
        is_same = (a[1].winner, a[1].option) == (b[1].winner, b[1].option)
        is_same = is_same and (a[1].winner is not None or a[1].option is not None or a[1].victory == b[1].victory)
        what = "winner" if a[1].winner is not None else "outcome"
        clause = f"The {what} is the same" if is_same else "The outcomes differ"
    yield f"{clause}: {_describe_side('A', *a)}; {_describe_side('B', *b)}."


def _describe_side(side: str, system: str, found: SideVerdict) -> str:
    """The outcome of a side, e.g. `Con wins A narrowly (structured, by 1.1)` or `B gets PASS, clearly (panel)`."""
    margin = "" if found.margin is None or found.winner is None else f", by {theme.format_number(found.margin)}"
    how = VICTORY_ADVERBS.get(found.victory, found.victory)
    if found.winner is not None:
        outcome = f"{found.winner} wins {side} {how}"
    elif found.option is not None:
        outcome = f"{side} gets {found.option}{f', {how}' if found.victory in VICTORY_ADVERBS else ''}"
    else:
        outcome = f"{side} is {'a draw' if found.victory == 'draw' else found.victory}"
    return f"{outcome} ({system}{margin})"


def _claim_sentences(comparison: JudgmentComparison) -> Iterator[str]:
    changed = [item.item for item in comparison.standings]
    if comparison.compared_claims:
        which = f": {', '.join(changed)}" if len(changed) <= MAX_NAMED_CLAIMS else ""
        claims = _count(comparison.compared_claims, "claim")
        verb = "has" if len(changed) == 1 else "have"
        kept = f"No standing changed: {claims} compared."
        yield f"{len(changed)} of {claims} {verb} another standing{which}." if changed else kept
    elif any(comparison.judged_claims):
        yield "No claim has a standing on both sides, so there are no standings to compare."


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def comparison_styles(pair: ComparedPair) -> dict[str, Sign]:
    """Marker per debater. If both sides have the debater, A's marker is used."""
    a, b = (theme.participant_styles(side.debate.participants) for side in pair.sides)
    return {**b, **a}


RunsBySystem = dict[str, str]
"""Judging system that has a verdict -> the judging run with this verdict."""


def _runs_by_system(pair: ComparedPair) -> tuple[RunsBySystem, RunsBySystem]:
    verdicts = pair.comparison.verdicts
    return (
        {item.system: item.a.run for item in verdicts if item.a is not None},
        {item.system: item.b.run for item in verdicts if item.b is not None},
    )


def _side_document(path: str, side: ComparisonSide, systems: RunsBySystem) -> dict[str, Any]:
    debate = side.debate
    return {
        "path": path,
        "id": debate.id,
        "run": side.run,
        "topic": debate.topic,
        "status": debate.status,
        "debaters": {person.name: ", ".join(models_used_by_debater(debate, person)) for person in debate.participants},
        "judges": {system: list(judge_models_used(debate, system, run)) for system, run in systems.items()},
        "cost_usd": debate.usage.cost_usd,
        "judging_cost_usd": judging_cost(debate, systems),
    }


def _sides_table(pair: ComparedPair) -> Table:
    a, b = (side.debate for side in pair.sides)
    of_a, of_b = _runs_by_system(pair)
    rows: list[TableRow] = [_value_row("file", *pair.paths)]
    if any(side.run != LATEST_RUNS for side in pair.sides):
        rows.append(("judging run", *("newest" if side.run == LATEST_RUNS else side.run for side in pair.sides)))
    if not pair.is_same_debate:
        rows += [
            _value_row("debate", a.id, b.id),
            _value_row("text" if pair.is_text_only else "motion", a.topic, b.topic),
            *([] if pair.is_text_only else [_debaters_row(a, b)]),
            *([("state", a.status, b.status)] if "incomplete" in {a.status, b.status} else []),
            *([] if pair.is_text_only else [_value_row("speeches", str(len(a.turns)), str(len(b.turns)))]),
        ]
    found_a = {item.system: item.a for item in pair.comparison.verdicts if item.a is not None}
    found_b = {item.system: item.b for item in pair.comparison.verdicts if item.b is not None}
    rows.append(_value_row("judges", _judges_cell(pair.sides[0], found_a), _judges_cell(pair.sides[1], found_b)))
    if not pair.is_same_debate:
        rows.append(_value_row("cost", *(theme.format_cost(debate.usage.cost_usd) for debate in (a, b))))
    judging_costs = (theme.format_cost(judging_cost(a, of_a)), theme.format_cost(judging_cost(b, of_b)))
    rows.append(_value_row("judging cost", *judging_costs))
    return Table(title="compared", heads=("", "A", "B"), rows=tuple(rows))


def _debaters_row(a: Debate, b: Debate) -> TableRow:
    seats = (participants.debater_rows(debate) for debate in (a, b))
    return _value_row("debaters", *(_stacked_cell(f"{seat.name}: {seat.model}" for seat in row) for row in seats))


def _value_row(head: str, a: Cell, b: Cell) -> TableRow:
    return (head, a, b if b != a else SAME_VALUE)


def _stacked_cell(parts: Iterable[str]) -> Cell:
    return Lines(tuple(parts))


def _judges_cell(side: ComparisonSide, verdicts: Mapping[str, SideVerdict]) -> Cell:
    if not verdicts:
        return "no judge"
    together: dict[tuple[str, str], list[str]] = {}
    for system, found in verdicts.items():
        models = ", ".join(judge_models_used(side.debate, system, found.run)) or _no_judge_reason(side, system, found)
        together.setdefault((found.run, models), []).append(system)
    return _stacked_cell(
        f"{', '.join(format_system_with_run(name, run) for name in names)}: {models}"
        for (run, models), names in together.items()
    )


def _no_judge_reason(side: ComparisonSide, system: str, concluded: SideVerdict) -> str:
    found = next((item for item in side.debate.run(concluded.run).active_systems() if item.kind == system), None)
    if found is None or not judge_ids(found):
        return "no model"
    unheard = "no judge answered"
    return f"{concluded.victory}, {unheard}" if concluded.victory == "undetermined" else unheard


def _is_comparable(change: VerdictChange) -> bool:
    return any(score.change is not None for score in change.scores)


def _verdicts_table(comparison: JudgmentComparison) -> Table:
    rows = tuple((item.system, *_conclusion_cells(item), _outcome_badge(item)) for item in comparison.verdicts)
    return Table(title="verdicts", heads=("system", "A", "B", "outcome"), rows=rows)


def _conclusion_cells(change: VerdictChange) -> tuple[Cell, Cell]:
    """The conclusion of each side, followed by its scores. Scores that the table of scores compares are omitted."""
    alone = not _is_comparable(change)
    of_a = " · ".join(
        f"{score.participant} {theme.format_number(score.a)}" for score in change.scores if score.a is not None
    )
    of_b = " · ".join(
        f"{score.participant} {theme.format_number(score.b)}" for score in change.scores if score.b is not None
    )
    return _conclusion_cell(change.a, of_a if alone else ""), _conclusion_cell(change.b, of_b if alone else "")


def _conclusion_cell(found: SideVerdict | None, scores: str) -> Cell:
    if found is None:
        return "not judged"
    margin = "" if found.margin is None else f"margin {theme.format_number(found.margin)}"
    cells: list[Cell] = [DebaterCell(found.winner)] if found.winner is not None else []
    if found.option is not None:
        cells = [VOTE_BADGES[found.option]]
    victory = "" if found.option == "CONDITIONAL" else found.victory
    ended = ", ".join(filter(None, (victory, margin)))
    return Lines((*cells, ended, *([scores] if scores else [])))


def _outcome_badge(change: VerdictChange) -> Badge:
    if change.outcome == "one_sided":
        return ONLY_A_BADGE if change.b is None else ONLY_B_BADGE
    if change.outcome == "winner" and None in (change.a and change.a.winner, change.b and change.b.winner):
        return OTHER_OUTCOME_BADGE
    return OUTCOME_BADGES[change.outcome]


def _scores_table(changes: Sequence[VerdictChange]) -> Table:
    return Table(
        title="scores",
        heads=("system", "", "A", "B", "change"),
        rows=join_row_groups(_score_rows(item) for item in changes),
        numeric=frozenset({2, 3, 4}),
    )


def _score_rows(change: VerdictChange) -> Iterable[TableRow]:
    for score in change.scores:
        yield (
            change.system,
            DebaterCell(score.participant),
            Number(score.a),
            Number(score.b),
            _format_change(score.change),
        )
    a, b = (found.margin if found is not None else None for found in (change.a, change.b))
    grown = b - a if a is not None and b is not None and change.outcome != "winner" else None
    yield (change.system, "margin", Number(a), Number(b), _format_change(grown))


def _format_change(change: float | None) -> str:
    if change is None:
        return "—"
    words = theme.format_number(abs(change))
    if float(words) == 0:
        return "="
    return f"{'+' if change > 0 else '−'}{words}"


def _standings_table(changes: Sequence[StandingChange]) -> Table:
    rows = tuple(
        (item.item, DebaterCell(item.participant), item.claim, _standing_cell(item.a), _standing_cell(item.b))
        for item in changes
    )
    return Table(title="claims whose standing differs", heads=("id", "by", "claim", "A", "B"), rows=rows)


def _standing_cell(standing: str | None) -> Cell:
    return STANDING_BADGES[standing] if standing is not None else "not judged"


def _settings_table(changes: Sequence[SettingDifference]) -> Table:
    rows = tuple((item.key.removeprefix(_SYSTEMS_PREFIX), *_format_values(item)) for item in changes)
    return Table(title="settings that differ", heads=("setting", "A", "B"), rows=rows, has_key_column=True)


def _format_values(change: SettingDifference) -> tuple[str, str]:
    if change.key != _PANEL_JUDGES:
        return format_setting_pair(change.a, change.b)
    return format_setting_pair(_judge_names(change.a), _judge_names(change.b), _MAX_NAMES_LENGTH)


def _judge_names(judges: JsonValue) -> list[str] | None:
    listed_ones = judges if isinstance(judges, list) else []
    return [str(judge["id"]) for judge in listed_ones if isinstance(judge, dict)] or None
