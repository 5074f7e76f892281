"""Compares two judgments as tables, in sentences, and as a JSON document."""

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
from debate_cli.domain.judges import judge_ids
from debate_cli.domain.judging_run import format_system_with_run
from debate_cli.render import participants, theme
from debate_cli.render.theme import Sign
from debate_cli.systems.tables import (
    STANDING_BADGES,
    VOTE_BADGES,
    Badge,
    Cell,
    Lines,
    Number,
    Table,
    TableRow,
    Who,
    join_row_groups,
)

OUTCOME_BADGES = {
    "same": Badge("=", "same", "info"),
    "victory": Badge("~", "other victory", "mixed"),
    "winner": Badge("≠", "other winner", "bad"),
}
OTHER_OUTCOME_BADGE = Badge("≠", "other outcome", "bad")
"""Badge if only one side has a winner."""
ONLY_A_BADGE, ONLY_B_BADGE = Badge("…", "only A", "mixed"), Badge("…", "only B", "mixed")
SAME_VALUE = "the same"
MOTION_SETTING = "topic"
"""This setting has a separate row and is omitted from the settings."""
_SYSTEMS_PREFIX = "judging.systems."
_PANEL_JUDGES = f"{_SYSTEMS_PREFIX}panel.judges"
_MAX_NAMES_LENGTH = 240
"""Maximum length of a panel's list of judges."""


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """Two sides as the user named them, and their comparison."""

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
    settings = list_setting_differences(pair.comparison)
    if settings:
        found.append(_settings_table(settings))
    return found


def list_setting_differences(comparison: JudgmentComparison) -> list[SettingDifference]:
    """The settings that differ, except the motion."""
    return [item for item in comparison.settings if item.key != MOTION_SETTING]


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


def comparison_styles(pair: ComparedPair) -> dict[str, Sign]:
    """Marker per debater; A takes precedence."""
    a, b = (theme.participant_styles(side.debate.participants) for side in pair.sides)
    return {**b, **a}


RunsBySystem = dict[str, str]
"""Judging run by system, for systems with a verdict."""


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
    """A row with both values; equal values are shown once."""
    return (head, a, b if b != a else SAME_VALUE)


def _stacked_cell(parts: Iterable[str]) -> Cell:
    return Lines(tuple(parts))


def _judges_cell(side: ComparisonSide, verdicts: Mapping[str, SideVerdict]) -> Cell:
    if not verdicts:
        return "nobody"
    together: dict[tuple[str, str], list[str]] = {}
    for system, found in verdicts.items():
        models = ", ".join(judge_models_used(side.debate, system, found.run)) or _no_judge_reason(side, system, found)
        together.setdefault((found.run, models), []).append(system)
    return _stacked_cell(
        f"{', '.join(format_system_with_run(name, run) for name in names)}: {models}"
        for (run, models), names in together.items()
    )


def _no_judge_reason(side: ComparisonSide, system: str, concluded: SideVerdict) -> str:
    """Why no model judged."""
    found = next((item for item in side.debate.run(concluded.run).active_systems() if item.kind == system), None)
    if found is None or not judge_ids(found):
        return "no model"
    unheard = "no judge answered"
    return f"{concluded.victory}, {unheard}" if concluded.victory == "undetermined" else unheard


def _is_comparable(change: VerdictChange) -> bool:
    """Whether any debater has a score on both sides."""
    return any(score.change is not None for score in change.scores)


def _verdicts_table(comparison: JudgmentComparison) -> Table:
    rows = tuple((item.system, *_conclusion_cells(item), _outcome_badge(item)) for item in comparison.verdicts)
    return Table(title="verdicts", heads=("system", "A", "B", "outcome"), rows=rows)


def _conclusion_cells(change: VerdictChange) -> tuple[Cell, Cell]:
    """Both conclusions, with their scores if no debater has scores on both sides."""
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
    cells: list[Cell] = [Who(found.winner)] if found.winner is not None else []
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
        yield (change.system, Who(score.participant), Number(score.a), Number(score.b), _format_change(score.change))
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
        (item.item, Who(item.participant), item.claim, _standing_cell(item.a), _standing_cell(item.b))
        for item in changes
    )
    return Table(title="claims whose standing differs", heads=("id", "by", "claim", "A", "B"), rows=rows)


def _standing_cell(standing: str | None) -> Cell:
    return STANDING_BADGES[standing] if standing is not None else "not judged"


def _settings_table(changes: Sequence[SettingDifference]) -> Table:
    rows = tuple((item.key.removeprefix(_SYSTEMS_PREFIX), *_format_values(item)) for item in changes)
    return Table(title="settings that differ", heads=("setting", "A", "B"), rows=rows, has_key_column=True)


def _format_values(change: SettingDifference) -> tuple[str, str]:
    """Both values as text; the judges of a panel by name only."""
    if change.key != _PANEL_JUDGES:
        return format_setting_pair(change.a, change.b)
    return format_setting_pair(_judge_names(change.a), _judge_names(change.b), _MAX_NAMES_LENGTH)


def _judge_names(judges: JsonValue) -> list[str] | None:
    """The names of a panel's judges; None if the configuration lists none."""
    listed_ones = judges if isinstance(judges, list) else []
    return [str(judge["id"]) for judge in listed_ones if isinstance(judge, dict)] or None


COMPARISON_TITLE = "in short"
NO_DIFFERENCES = "Nothing differs: verdicts, scores, standings and settings are the same."
VICTORY_ADVERBS = {"narrow": "narrowly", "clear": "clearly", "overwhelming": "overwhelmingly"}
MAX_NAMED_CLAIMS = 6
"""Longest list of claims that is written out."""


def summarize_comparison(pair: ComparedPair) -> list[str]:
    """One sentence each on motions, outcomes, systems, winners and margins, judges, claims, models, settings, cost."""
    costs = [] if pair.is_same_debate else list(_cost_sentences(*pair.sides))
    if pair.comparison.alike:
        return [NO_DIFFERENCES, *costs]
    return [
        *_motion_sentences(pair),
        *_decision_sentences(pair.comparison.verdicts),
        *_system_sentences(pair.comparison.verdicts),
        *_winner_sentences(pair.comparison.verdicts),
        *_judge_sentences(pair),
        *_claim_sentences(pair.comparison),
        *([] if pair.is_same_debate or pair.is_text_only else _debate_sentences(*pair.sides)),
        _settings_sentence(pair.comparison),
        *costs,
    ]


def _motion_sentences(pair: ComparedPair) -> Iterator[str]:
    """Whether the motions or texts are different."""
    a, b = (side.debate for side in pair.sides)
    if pair.is_text_only:
        if (a.topic, a.config.background) != (b.topic, b.config.background):
            yield "The texts are different."
    elif a.topic != b.topic:
        yield "The motions are different."


def _decision_sentences(changes: Sequence[VerdictChange]) -> Iterator[str]:
    """The outcome of each side, by the system that decides both, else by one that judged both."""
    a = next(((item.system, item.a) for item in changes if item.a is not None and item.a.decides), None)
    b = next(((item.system, item.b) for item in changes if item.b is not None and item.b.decides), None)
    if a is None or b is None:
        judged = [name for name, found in (("A", a), ("B", b)) if found is not None]
        yield f"Only {judged[0]} was judged." if judged else "Neither side was judged."
        return
    if a[0] != b[0]:
        yield f"A is decided by {a[0]}, B by {b[0]}."
    under = _common_system(changes)
    if under is not None:
        a, b = (under[0], under[1]), (under[0], under[2])
    yield f"{_decision_clause(changes, a[1], b[1], compared=under is not None)}: {_describe_side('A', a[1], a[0])}; {_describe_side('B', b[1], b[0])}."


def _decision_clause(changes: Sequence[VerdictChange], a: SideVerdict, b: SideVerdict, *, compared: bool) -> str:
    """Whether both have the same outcome, or why that cannot be compared."""
    if not compared:
        both = any(item.a is not None and item.b is not None for item in changes)
        return f"No system {'came to a verdict on' if both else 'judged'} both, so their outcomes are not compared"
    same = "The winner is" if a.winner is not None else "The outcome is"
    return f"{same} the same" if _is_same_outcome(a, b) else "The outcomes differ"


def _common_system(changes: Sequence[VerdictChange]) -> tuple[str, SideVerdict, SideVerdict] | None:
    """The system that decides both sides; else one with a verdict on both, preferably a deciding one."""
    both = [(item.system, item.a, item.b) for item in changes if item.a is not None and item.b is not None]
    deciding = [found for found in both if found[1].decides and found[2].decides]
    known = [found for found in both if "undetermined" not in {found[1].victory, found[2].victory}]
    known.sort(key=lambda found: (not found[1].decides, not found[2].decides))
    return next(iter([*deciding, *known]), None)


def _is_same_outcome(a: SideVerdict, b: SideVerdict) -> bool:
    """Whether both sides have the same winner, or the same outcome without one."""
    known = a.winner is not None or a.option is not None
    return (a.winner, a.option) == (b.winner, b.option) and (known or a.victory == b.victory)


def _describe_side(side: str, found: SideVerdict, system: str = "") -> str:
    """The outcome of a side: `Con wins A narrowly (structured, by 1.1)`, `A is a draw (live)`, `B comes to PASS, clearly (panel)`."""
    margin = "" if found.margin is None or found.winner is None else f"by {theme.format_number(found.margin)}"
    words = ", ".join(filter(None, (system, margin)))
    beside = f" ({words})" if words else ""
    if found.winner is not None:
        return f"{found.winner} wins {side} {VICTORY_ADVERBS.get(found.victory, found.victory)}{beside}"
    if found.option is not None:
        how = VICTORY_ADVERBS.get(found.victory)
        return f"{side} comes to {found.option}{f', {how}' if how else ''}{beside}"
    ended = {"draw": "is a draw", "undetermined": "is undetermined"}.get(
        found.victory, f"is {found.victory}, without a winner"
    )
    return f"{side} {ended}{beside}"


def _system_sentences(changes: Sequence[VerdictChange]) -> Iterator[str]:
    """Which systems judged both sides, and which only one."""
    both = [item.system for item in changes if item.outcome != "one_sided"]
    only = [
        (side, [item.system for item in changes if missing(item)])
        for side, missing in (("A", _is_missing_b), ("B", _is_missing_a))
    ]
    alone = [f"{_join_names(names)} judged {side} only" for side, names in only if names]
    if not alone:
        return
    yield _as_sentence("; ".join([*([f"{_join_names(both)} judged both"] if both else []), *alone]))


def _is_missing_a(change: VerdictChange) -> bool:
    return change.a is None


def _is_missing_b(change: VerdictChange) -> bool:
    return change.b is None


def _winner_sentences(changes: Sequence[VerdictChange]) -> Iterator[str]:
    """Changes in the verdicts that both sides have."""
    both = [item for item in changes if item.a is not None and item.b is not None]
    same = [item for item in both if item.outcome == "same" and not _is_undetermined(item)]
    if same:
        margins = [item.system for item in same if _margins_differ(item)]
        which = f" under {_join_names(margins)}" if len(margins) < len(same) else ""
        more = f"by another margin{which}" if margins else "by the same margin"
        yield f"The verdict is the same under {_join_names([item.system for item in same])}, {more}."
    nothing = [item.system for item in both if _is_undetermined(item)]
    if nothing:
        yield _as_sentence(f"{_join_names(nothing)} has no verdict on either")
    under = _common_system(changes)
    for item in both:
        is_in_summary = under is not None and under[0] == item.system
        if item.outcome != "same" and item.a is not None and item.b is not None and not is_in_summary:
            yield f"By {item.system}, {_describe_side('A', item.a)}; {_describe_side('B', item.b)}."


def _is_undetermined(change: VerdictChange) -> bool:
    """Whether both sides are undetermined."""
    return all(found is not None and found.victory == "undetermined" for found in (change.a, change.b))


def _margins_differ(change: VerdictChange) -> bool:
    return change.a is not None and change.b is not None and change.a.margin != change.b.margin


def _judge_sentences(pair: ComparedPair) -> Iterator[str]:
    """Systems that judged both sides with different models."""
    a, b = (side.debate for side in pair.sides)
    others: dict[tuple[str, str], list[str]] = {}
    for item in pair.comparison.verdicts:
        if item.a is None or item.b is None:
            continue
        of_a, of_b = judge_models_used(a, item.system, item.a.run), judge_models_used(b, item.system, item.b.run)
        if of_a and of_b and of_a != of_b:
            others.setdefault((_join_names(of_a), _join_names(of_b)), []).append(item.system)
    for (of_a, of_b), systems in others.items():
        yield f"Under {_join_names(systems)}, A was judged by {of_a} and B by {of_b}."


def _claim_sentences(comparison: JudgmentComparison) -> Iterator[str]:
    """How many claims changed their standing, or why none is compared."""
    a, b = comparison.judged_claims
    changed = [item.item for item in comparison.standings]
    if comparison.compared_claims:
        which = f": {', '.join(changed)}" if 0 < len(changed) <= MAX_NAMED_CLAIMS else ""
        claims = _format_quantity(comparison.compared_claims, "claim")
        verb = "have" if len(changed) > 1 else "has"
        kept = f"No standing changed: {claims} compared"
        yield f"{len(changed)} of {claims} {verb} another standing{which}." if changed else f"{kept}."
    elif a and b:
        yield "The two share no claim, so there are no standings to compare."
    elif a or b:
        yield f"Only {'A' if a else 'B'} was asked which claims stand, so there are no standings to compare."


def _debate_sentences(a: ComparisonSide, b: ComparisonSide) -> Iterator[str]:
    """Unfinished sides, debaters and their models."""
    for name, side in (("A", a), ("B", b)):
        if side.debate.status == "incomplete":
            yield f"{name} is not finished: {_format_quantity(len(side.debate.turns), 'speech', 'speeches')} so far."
    models_a, models_b = (
        {who.name: models_used_by_debater(side.debate, who) for who in side.debate.participants} for side in (a, b)
    )
    common = [name for name in models_a if name in models_b]
    others = [name for name in common if models_a[name] != models_b[name]]
    if not common:
        yield "No debater is on both sides."
    elif others:
        which = "speaks with another model" if len(others) == 1 else "speak with other models"
        yield f"{_join_names(others)} {which} in B."
    elif models_a == models_b:
        yield "The debaters and their models are the same."


def _settings_sentence(comparison: JudgmentComparison) -> str:
    count = len(list_setting_differences(comparison))
    verb = "differs" if count == 1 else "differ"
    differences = f"{_format_quantity(count, 'setting')} {verb}" if count else "The settings are the same"
    return f"{differences}; limits and output are not compared."


def _cost_sentences(a: ComparisonSide, b: ComparisonSide) -> Iterator[str]:
    of_a, of_b = a.debate.usage.cost_usd, b.debate.usage.cost_usd
    if of_a is None or of_b is None or of_a == of_b:
        return
    dearer = "A" if of_a > of_b else "B"
    yield f"{dearer} cost {theme.format_cost(abs(of_a - of_b))} more."


def _format_quantity(count: int, what: str, several: str = "") -> str:
    return f"{count} {what if count == 1 else several or what + 's'}"


def _join_names(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _as_sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."
