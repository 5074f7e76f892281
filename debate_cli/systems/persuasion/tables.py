"""Tables of the persuasion system: final states, curves of stance and conviction, influence between debaters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from debate_cli.domain.verdict import Verdict
from debate_cli.systems.persuasion.score import InfluenceEdge, PersuasionNotes, StrategyUse, max_score
from debate_cli.systems.tables import Curve, Gauge, Number, Table, TableRow, Who, parse_notes

SURRENDER_REASONS = {
    "persuaded": "strong persuasion met little conviction",
    "neutral": "its stance had come close to 0",
    "worn_down": "it was persuaded in several rounds in a row",
}


def tables(verdict: Verdict) -> list[Table]:
    """States, curves, strategies, influence."""
    notes = parse_notes(PersuasionNotes, verdict)
    if notes is None:
        return []
    found = [_state_table(verdict, notes), _curve_table(notes)]
    if notes.strategies:
        found.append(_strategy_table(notes.strategies))
    if notes.graph:
        found.append(_influence_table(notes.graph))
    return found


def _state_table(verdict: Verdict, notes: PersuasionNotes) -> Table:
    end = max(max_score(len(verdict.scores)), *map(abs, verdict.scores.values()), 0.0)
    ranked = sorted(notes.states, key=lambda state: -verdict.scores.get(state.name, 0.0))
    rows: list[TableRow] = []
    for state in ranked:
        score = verdict.scores.get(state.name)
        rows.append(
            (
                Who(state.name),
                Number(score, strong=True),
                Gauge(score, end, state.name) if score is not None else None,
                Number(state.stance),
                Number(state.conviction),
                f"{state.position}{', surrendered' if state.surrendered else ''}",
            )
        )
    return Table(
        title="scores, persuasion",
        heads=("debater", f"score /{end:g}", "", "stance", "conviction", "position"),
        rows=tuple(rows),
        remarks=tuple(filter(None, (*_surrender_remarks(notes), notes.hint))),
        numeric=frozenset({1, 3, 4}),
    )


def _surrender_remarks(notes: PersuasionNotes) -> Iterable[str]:
    for item in notes.surrendered:
        yield f"{item.name} surrendered after round {item.round}: {SURRENDER_REASONS[item.reason]}."


def _curve_table(notes: PersuasionNotes) -> Table:
    rows: list[TableRow] = []
    for state in notes.states:
        for label, low, steps in (
            ("stance", -1.0, [point.stances.get(state.name) for point in notes.curve]),
            ("conviction", 0.0, [point.convictions.get(state.name) for point in notes.curve]),
        ):
            values = tuple(step for step in steps if step is not None)
            if values:
                rows.append((Who(state.name), label, Number(values[0]), Curve(values, low, 1.0), Number(values[-1])))
    return Table(
        "curves, persuasion", ("debater", "", "start", "course", "end"), tuple(rows), numeric=frozenset({2, 4})
    )


def _strategy_table(uses: Sequence[StrategyUse]) -> Table:
    rows = tuple(
        (str(use.turn + 1), Who(use.speaker), use.strategy, Number(use.predicted), Number(use.actual)) for use in uses
    )
    heads = ("turn", "debater", "strategy", "predicted effect", "actual effect")
    return Table("strategies, persuasion", heads, rows, numeric=frozenset({0, 3, 4}))


def _influence_table(graph: Sequence[InfluenceEdge]) -> Table:
    return Table(
        title="influence, persuasion",
        heads=("from", "on", "mean persuasion", ""),
        rows=tuple(
            (Who(edge.source), Who(edge.target), Number(edge.weight), Gauge(edge.weight, 1.0, edge.source))
            for edge in graph
        ),
        numeric=frozenset({2}),
    )
