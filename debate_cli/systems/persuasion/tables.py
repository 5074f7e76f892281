"""Tables of the persuasion system (scores, final states, curves, strategies, influence) and its charts."""

from collections.abc import Iterator, Mapping, Sequence

from debate_cli.domain.verdict import Verdict
from debate_cli.systems.aggregation import mean
from debate_cli.systems.charts import Chart, ChartPoint, ChartSeries, line_series
from debate_cli.systems.persuasion.score import SCORE_PARTS, CurvePoint, PersuasionNotes, StrategyUse, max_score
from debate_cli.systems.tables import Curve, DebaterCell, Gauge, Number, Table, TableRow, format_number, parse_notes

SURRENDER_REASONS = {
    "persuaded": "strong persuasion met little conviction",
    "neutral": "its stance had come close to 0",
    "worn_down": "it was persuaded in several rounds in a row",
}


def tables(verdict: Verdict) -> list[Table]:
    """Scores with their parts, states, curves, strategies, influence."""
    notes = parse_notes(PersuasionNotes, verdict)
    if notes is None:
        return []
    found = [_score_table(verdict, notes), _state_table(notes), _curve_table(notes)]
    if notes.strategies:
        found.append(_strategy_table(notes.strategies))
    if notes.graph:
        found.append(_influence_table(notes))
    return found


def _score_table(verdict: Verdict, notes: PersuasionNotes) -> Table:
    highest = max(max_score(len(verdict.scores)), *map(abs, verdict.scores.values()), 0.0)
    drawn = highest + max((-of.penalty for of in notes.parts), default=0.0)
    rows: list[TableRow] = []
    for of in sorted(notes.parts, key=lambda item: -verdict.scores.get(item.name, 0.0)):
        parts = tuple((part, getattr(of, part)) for part in SCORE_PARTS)
        score = verdict.scores.get(of.name)
        bar = Gauge(of.total, drawn, of.name, parts)
        rows.append((DebaterCell(of.name), Number(score, strong=True), bar, *(Number(value) for _, value in parts)))
    return Table(
        title="scores, persuasion",
        heads=("debater", f"score /{highest:g}", "", "from stance", "from persuasion", "from resistance", "penalty"),
        rows=tuple(rows),
        remarks=(
            *(
                f"{item.name} surrendered after round {item.round}: {SURRENDER_REASONS[item.reason]}."
                for item in notes.surrendered
            ),
            *([notes.hint] if notes.hint else []),
        ),
        numeric=frozenset({1, 3, 4, 5, 6}),
    )


def _state_table(notes: PersuasionNotes) -> Table:
    """What each debater received, and its state at the end."""
    rows: list[TableRow] = []
    for state in notes.states:
        persuaded, attacked = (mean(of) if of else None for of in (state.persuasion, state.attack))
        position = f"{state.position}{', surrendered' if state.surrendered else ''}"
        rows.append(
            (
                DebaterCell(state.name),
                Number(state.stance),
                Number(state.conviction),
                position,
                Number(persuaded),
                state.persuasion_band,
                Number(attacked),
                state.resistance,
            )
        )
    return Table(
        title="states, persuasion",
        heads=(
            "debater",
            "stance",
            "conviction",
            "position",
            "persuasion received",
            "band",
            "attack received",
            "resistance",
        ),
        rows=tuple(rows),
        numeric=frozenset({1, 2, 4, 6}),
    )


def _curve_table(notes: PersuasionNotes) -> Table:
    rows: list[TableRow] = []
    for state in notes.states:
        for label, low, steps in (
            ("stance", -1.0, [point.stances.get(state.name) for point in notes.curve]),
            ("conviction", 0.0, [point.convictions.get(state.name) for point in notes.curve]),
        ):
            values = tuple(step for step in steps if step is not None)
            if values:
                rows.append(
                    (DebaterCell(state.name), label, Number(values[0]), Curve(values, low, 1.0), Number(values[-1]))
                )
    return Table(
        "curves, persuasion", ("debater", "", "start", "course", "end"), tuple(rows), numeric=frozenset({2, 4})
    )


def _strategy_table(uses: Sequence[StrategyUse]) -> Table:
    rows = tuple(
        (str(use.turn + 1), DebaterCell(use.speaker), use.strategy, Number(use.predicted), Number(use.actual))
        for use in uses
    )
    heads = ("turn", "debater", "strategy", "predicted effect", "actual effect")
    return Table("strategies, persuasion", heads, rows, numeric=frozenset({0, 3, 4}))


def _influence_table(notes: PersuasionNotes) -> Table:
    influence = ", ".join(f"{name} {format_number(weight)}" for name, weight in notes.influence.items())
    similarity = ", ".join(f"{' and '.join(item.names)} {format_number(item.cosine)}" for item in notes.likeness)
    return Table(
        title="influence, persuasion",
        heads=("from", "on", "mean persuasion", "", "band"),
        rows=tuple(
            (
                DebaterCell(edge.source),
                DebaterCell(edge.target),
                Number(edge.weight),
                Gauge(edge.weight, 1.0, edge.source),
                edge.band,
            )
            for edge in notes.graph
        ),
        remarks=(
            f"Influence, the mean over the others: {influence}.",
            f"Similarity of the social contexts, from -1 to 1: {similarity}.",
        ),
        numeric=frozenset({2}),
    )


def charts(verdict: Verdict) -> Iterator[Chart]:
    """The charts of a verdict; none if its notes are of another version."""
    notes = parse_notes(PersuasionNotes, verdict)
    if notes is None:
        return
    yield _score_chart(verdict, notes)
    yield _curve_chart(
        "Stance after each turn",
        "From −1, wholly opposed, to 1, wholly supportive.",
        notes.curve,
        [point.stances for point in notes.curve],
        (-1.0, -0.5, 0.0, 0.5, 1.0),
    )
    yield _curve_chart(
        "Conviction after each turn",
        "From 0 to 1: how firmly a debater holds its stance.",
        notes.curve,
        [point.convictions for point in notes.curve],
        (0.0, 0.25, 0.5, 0.75, 1.0),
    )


def _score_chart(verdict: Verdict, notes: PersuasionNotes) -> Chart:
    """A stacked bar of the parts of each score, the highest first. The penalty is left of 0."""
    ranked = sorted(notes.parts, key=lambda item: -verdict.scores.get(item.name, 0.0))
    series = tuple(
        ChartSeries(
            part,
            tuple(
                ChartPoint(getattr(of, part), f"{of.name}, {part}: {format_number(getattr(of, part))}") for of in ranked
            ),
            style=f"part-{number}",
        )
        for number, part in enumerate(SCORE_PARTS)
    )
    high = max_score(len(ranked))
    low = -50.0 if any(of.penalty for of in ranked) else 0.0
    labels = tuple(f"{of.name} · {format_number(verdict.scores.get(of.name, 0.0))}" for of in ranked)
    return Chart(
        "Parts of each score",
        "Points for the stance kept, for persuading the others and for withstanding attacks; a surrender costs 50.",
        "stack",
        labels,
        series,
        low,
        high,
        (*((low,) if low else ()), 0.0, high / 2, high),
    )


def _curve_chart(
    title: str,
    caption: str,
    curve: Sequence[CurvePoint],
    values: Sequence[Mapping[str, float]],
    ticks: tuple[float, ...],
) -> Chart:
    labels = tuple("start" if point.turn is None else str(point.turn + 1) for point in curve)
    positions = {
        number: "at the start" if label == "start" else f"after turn {label}" for number, label in enumerate(labels)
    }
    series = tuple(
        line_series(name, {number: of[name] for number, of in enumerate(values) if name in of}, positions)
        for name in dict.fromkeys(name for of in values for name in of)
    )
    return Chart(title, caption, "line", labels, series, ticks[0], ticks[-1], ticks)
