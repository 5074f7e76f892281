"""Charts of the live system (marks by dimension, score of each turn), and the report's section on personalities."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from debate_cli.domain.debate import Debate
from debate_cli.domain.personality import TRAIT_MAX, TRAIT_MIN, TRAITS
from debate_cli.domain.verdict import Verdict
from debate_cli.systems.aggregation import mean
from debate_cli.systems.base import ReportSection
from debate_cli.systems.charts import PERCENT_TICKS, Chart, ChartPoint, ChartSeries, line_series, percent_chart
from debate_cli.systems.live.calibration import DIMENSION_MAXIMA
from debate_cli.systems.live.personality_drift import PersonalityPoint, has_moved, personality_curve
from debate_cli.systems.live.score import LiveNotes
from debate_cli.systems.live.tables import CHANGE_REASONS
from debate_cli.systems.tables import Curve, DebaterCell, Number, Table, TableRow, format_number, parse_notes


def build_personality_section(debate: Debate) -> ReportSection | None:
    """A table and charts for each debater whose personality changed; None if none changed."""
    curves = {person.name: personality_curve(debate, person.name) for person in debate.participants}
    moved = [(name, curve) for name, curve in curves.items() if has_moved(curve)]
    if not moved:
        return None
    return ReportSection(
        "personalities",
        tuple(_personality_table(name, curve) for name, curve in moved),
        tuple(_trait_chart(name, *group, curve) for name, curve in moved for group in TRAIT_GROUPS.items()),
    )


def _personality_table(name: str, curve: tuple[PersonalityPoint, ...]) -> Table:
    return Table(
        title=f"personality, {name}",
        heads=("trait", "start", "end", "moved", "after each exchange"),
        rows=((DebaterCell(name), None, None, None, None), *_trait_rows(curve)),
        numeric=frozenset({1, 2, 3}),
    )


def _trait_rows(curve: tuple[PersonalityPoint, ...]) -> Iterable[TableRow]:
    for trait in TRAITS:
        values = tuple(round(float(getattr(point.personality, trait)), 1) for point in curve)
        moved = values[-1] - values[0]
        sign = f"{'↑' if moved > 0 else '↓'} {moved:+.1f}" if moved else "="
        yield (
            trait.replace("_", " "),
            Number(values[0], 1),
            Number(values[-1], 1),
            sign,
            Curve(values, TRAIT_MIN, TRAIT_MAX),
        )


TRAIT_GROUPS = {"cognitive": TRAITS[:4], "emotional": TRAITS[4:8], "rhetorical": TRAITS[8:]}


def charts(verdict: Verdict) -> Iterator[Chart]:
    """The charts of a verdict; none if its notes are of another version."""
    notes = parse_notes(LiveNotes, verdict)
    if notes is None:
        return
    yield percent_chart(
        "Marks by dimension",
        "Mean over a debater's turns after calibration and penalties, as a percentage of the dimension's maximum.",
        DIMENSION_MAXIMA,
        _dimension_means(notes, verdict.scores),
    )
    yield _turn_chart(notes)


def _dimension_means(notes: LiveNotes, names: Mapping[str, float]) -> dict[str, dict[str, float]]:
    means: dict[str, dict[str, float]] = defaultdict(dict)
    for name in names:
        for dimension in DIMENSION_MAXIMA:
            marks = [getattr(row, dimension) for row in notes.turns if row.speaker == name]
            given = [mark for mark in marks if mark is not None]
            if given:
                means[name][dimension] = mean(given)
    return means


def _turn_chart(notes: LiveNotes) -> Chart:
    """The composite of each turn; a ring marks it if an exchange or a penalty changed it."""
    positions = {row.turn: f"turn {row.turn + 1}" for row in notes.turns}
    composites = {row.turn: row.composite for row in notes.turns if row.composite is not None}
    speakers = {row.turn: row.speaker for row in notes.turns}
    series = [
        line_series(name, {turn: value for turn, value in composites.items() if speakers[turn] == name}, positions)
        for name in dict.fromkeys(speakers.values())
    ]
    rings = (("changed by chain or exchange", "calibrated", _calibrations(notes)), ("penalised for a claim", "penalised", _penalties(notes)))  # fmt: skip
    for name, style, changes in rings:
        points = tuple(
            ChartPoint(composites[turn], f"{words}: {'; '.join(changes[turn])}")
            if turn in changes and turn in composites
            else None
            for turn, words in positions.items()
        )
        series.append(ChartSeries(name, points, style=style, is_joined=False))
    return Chart(
        "Score of each turn",
        "Logic, rhetoric and tactics together, 0 to 100, after calibration and penalties.",
        "line",
        tuple(str(turn + 1) for turn in positions),
        tuple(item for item in series if any(item.points)),
        0,
        100,
        PERCENT_TICKS,
    )


def _calibrations(notes: LiveNotes) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    for item in (*notes.chain_limits, *notes.calibrations):
        change = f"{format_number(item.before, 1)} to {format_number(item.after, 1)}"
        found[item.turn].append(f"{item.dimension} {change}, {CHANGE_REASONS[item.rule]}")
    return found


def _penalties(notes: LiveNotes) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    for item in notes.penalties:
        found[item.turn].append(f"{item.kind.replace('_', ' ')}, −{item.points:g} logic")
    return found


def _trait_chart(name: str, group: str, traits: Sequence[str], curve: Sequence[PersonalityPoint]) -> Chart:
    labels = tuple("start" if point.turn is None else str(point.turn + 1) for point in curve)
    series: list[ChartSeries] = []
    for number, trait in enumerate(traits):
        values = [float(getattr(point.personality, trait)) for point in curve]
        words = trait.replace("_", " ")
        points = tuple(
            ChartPoint(
                value,
                f"{words} {'at the start' if label == 'start' else f'after turn {label}'}: {format_number(value, 1)}",
            )
            for value, label in zip(values, labels, strict=True)
        )
        if len(set(values)) > 1:
            series.append(ChartSeries(words, points, style=f"hue-{number}"))
    return Chart(
        f"{name}: {group} traits",
        "Value from 1 to 10 of each trait that changed, after each exchange of the debater that was judged.",
        "line",
        labels,
        tuple(series),
        0,
        TRAIT_MAX,
        (0.0, 2.0, 4.0, 6.0, 8.0, TRAIT_MAX),
        is_small=True,
    )
