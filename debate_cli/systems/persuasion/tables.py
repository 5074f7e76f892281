"""Tables and charts of a persuasion verdict."""

from collections.abc import Iterator

from debate_cli.domain.verdict import Verdict
from debate_cli.systems.aggregation import mean
from debate_cli.systems.charts import Chart, line_series
from debate_cli.systems.persuasion.score import SCORE_PARTS, PersuasionNotes, max_score
from debate_cli.systems.tables import (
    Curve,
    DebaterCell,
    Gauge,
    Number,
    Table,
    TableRow,
    column_table,
    format_number,
    make_table,
    parse_notes,
    turn_number,
)

SURRENDER_REASONS = {
    "persuaded": "persuasion was strong and conviction low",
    "neutral": "the stance came close to 0",
    "worn_down": "persuasion was high in several consecutive rounds",
}


def tables(verdict: Verdict) -> Iterator[Table]:
    """Yield the tables of a persuasion verdict."""
    notes = parse_notes(PersuasionNotes, verdict)
    yield _score_table(verdict, notes)
    yield from _state_tables(notes)
    yield _influence_table(notes)


def _score_table(verdict: Verdict, notes: PersuasionNotes) -> Table:
    highest = max(max_score(len(verdict.scores)), *map(abs, verdict.scores.values()), 0.0)
    drawn = highest + max((-of.penalty for of in notes.parts), default=0.0)
    surrenders = [
        f"{item.name} surrendered after round {item.round}: {SURRENDER_REASONS[item.reason]}."
        for item in notes.surrendered
    ]
    return column_table(
        "persuasion: scores",
        sorted(notes.parts, key=lambda of: -verdict.scores.get(of.name, 0.0)),
        {
            "debater": lambda of: DebaterCell(of.name),
            f"score /{highest:g}": lambda of: Number(verdict.scores.get(of.name), strong=True),
            "": lambda of: Gauge(of.total, drawn, of.name, tuple((part, getattr(of, part)) for part in SCORE_PARTS)),
            "from stance": lambda of: Number(of.stance),
            "from persuasion": lambda of: Number(of.persuasion),
            "from resistance": lambda of: Number(of.resistance),
            "penalty": lambda of: Number(of.penalty),
        },
        filter(None, (*surrenders, notes.hint)),
    )


def _state_tables(notes: PersuasionNotes) -> Iterator[Table]:
    yield column_table(
        "persuasion: states",
        notes.states,
        {
            "debater": lambda state: DebaterCell(state.name),
            "stance": lambda state: Number(state.stance),
            "conviction": lambda state: Number(state.conviction),
            "position": lambda state: f"{state.position}{', surrendered' if state.surrendered else ''}",
            "persuasion received": lambda state: Number(mean(state.persuasion) if state.persuasion else None),
            "band": lambda state: state.persuasion_band,
            "attack received": lambda state: Number(mean(state.attack) if state.attack else None),
            "resistance": lambda state: state.resistance,
        },
    )
    rows: list[TableRow] = []
    for state in notes.states:
        for label, low in (("stance", -1.0), ("conviction", 0.0)):
            values = tuple(getattr(point, f"{label}s")[state.name] for point in notes.curve)
            course = Curve(values, low, 1.0)
            rows.append((DebaterCell(state.name), label, Number(values[0]), course, Number(values[-1])))
    yield make_table("persuasion: curves", ("debater", "", "start", "course", "end"), rows)
    yield column_table(
        "persuasion: strategies",
        notes.strategies,
        {
            "turn": lambda use: turn_number(use.turn),
            "debater": lambda use: DebaterCell(use.speaker),
            "strategy": lambda use: use.strategy,
            "predicted effect": lambda use: Number(use.predicted),
            "actual effect": lambda use: Number(use.actual),
        },
    )


def _influence_table(notes: PersuasionNotes) -> Table:
    influence = ", ".join(f"{name} {format_number(weight)}" for name, weight in notes.influence.items())
    similarity = ", ".join(f"{' and '.join(item.names)} {format_number(item.cosine)}" for item in notes.likeness)
    return column_table(
        "persuasion: influence",
        notes.graph,
        {
            "from": lambda edge: DebaterCell(edge.source),
            "on": lambda edge: DebaterCell(edge.target),
            "mean persuasion": lambda edge: Number(edge.weight),
            "": lambda edge: Gauge(edge.weight, 1.0, edge.source),
            "band": lambda edge: edge.band,
        },
        (
            f"Influence (how much a debater persuaded the others on average, 0-1): {influence}.",
            f"Similarity of social contexts, -1 to 1: {similarity}.",
            "The social context of a debater combines the states of all debaters who affected this debater.",
        ),
    )


def charts(verdict: Verdict) -> Iterator[Chart]:
    """Yield charts of stance and conviction over time."""
    notes = parse_notes(PersuasionNotes, verdict)
    labels = tuple("start" if point.turn is None else str(point.turn + 1) for point in notes.curve)
    positions = dict(enumerate("at the start" if label == "start" else f"after turn {label}" for label in labels))
    captions = {
        "stance": ("From −1, wholly opposed, to 1, wholly supportive.", (-1.0, -0.5, 0.0, 0.5, 1.0)),
        "conviction": ("From 0 to 1: how firmly a debater holds its stance.", (0.0, 0.25, 0.5, 0.75, 1.0)),
    }
    for quantity, (caption, ticks) in captions.items():
        values = dict(enumerate(getattr(point, f"{quantity}s") for point in notes.curve))
        series = tuple(
            line_series(name, {number: of[name] for number, of in values.items()}, positions) for name in values[0]
        )
        title = f"{quantity.capitalize()} after each turn"
        yield Chart(title, caption, "line", labels, series, ticks[0], ticks[-1], ticks)
