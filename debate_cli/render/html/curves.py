"""Charts over time: rounds, turns, deliberation, stance and conviction, personalities."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from debate_cli.domain.debate import Debate
from debate_cli.domain.personality import TRAIT_MAX, TRAITS
from debate_cli.domain.verdict import Verdict
from debate_cli.render import theme
from debate_cli.render.html.charts import Plot, Point, Series
from debate_cli.render.html.figures import Figure, ParticipantClasses
from debate_cli.systems.live.personality_drift import PersonalityPoint, personality_curve
from debate_cli.systems.live.score import LiveNotes
from debate_cli.systems.live.tables import CALIBRATION_REASONS
from debate_cli.systems.moderator.score import ModeratorNotes
from debate_cli.systems.panel.score import PanelNotes
from debate_cli.systems.persuasion.score import CurvePoint, PersuasionNotes
from debate_cli.systems.tables import parse_notes

TRAIT_GROUPS = {"cognitive": TRAITS[:4], "emotional": TRAITS[4:8], "rhetorical": TRAITS[8:]}
MAX_ROUND_LABELS = 6
"""Rounds that are called so below a line; of more, only the number is written."""
ValuesByPosition = Mapping[int, float]
"""Position -> value."""


def moderator_round_charts(verdict: Verdict, looks: ParticipantClasses) -> Iterable[Figure]:
    """The sum of every round."""
    notes = parse_notes(ModeratorNotes, verdict)
    if notes is None:
        return
    rounds = list(dict.fromkeys(row.round for row in notes.rounds))
    values: dict[str, dict[int, float]] = defaultdict(dict)
    for row in notes.rounds:
        if row.sum is not None:
            values[row.participant][row.round] = row.sum
    series = tuple(_series(name, looks, of, [("round", number) for number in rounds]) for name, of in values.items())
    labels = tuple(f"round {number}" if len(rounds) <= MAX_ROUND_LABELS else str(number) for number in rounds)
    yield Figure(
        "Marks by round",
        "Argument, rebuttal and strategy together, out of 30; the mean of the rounds counts a quarter.",
        Plot("line", labels, series, 0, 30, (0.0, 10.0, 20.0, 30.0)),
    )


def live_turn_charts(verdict: Verdict, looks: ParticipantClasses) -> Iterable[Figure]:
    """Composites turn by turn, with rings where an exchange or a penalty moved the marks."""
    notes = parse_notes(LiveNotes, verdict)
    if notes is None:
        return
    turns = [row.turn for row in notes.turns]
    composites = {row.turn: row.composite for row in notes.turns if row.composite is not None}
    names = dict.fromkeys(row.speaker for row in notes.turns)
    series = [
        _series(
            name,
            looks,
            {row.turn: composites[row.turn] for row in notes.turns if row.speaker == name and row.turn in composites},
            [("turn", turn) for turn in turns],
        )
        for name in names
    ]
    series += [
        _ring_series("calibrated after an exchange", "calibrated", turns, composites, _calibrations(notes)),
        _ring_series("penalised for a claim", "penalised", turns, composites, _penalties(notes)),
    ]
    shown = tuple(item for item in series if any(item.points))
    yield Figure(
        "Score of each turn",
        "Logic, rhetoric and tactics together, 0 to 100, after calibration and penalties.",
        Plot("line", tuple(map(str, turns)), shown, 0, 100, (0.0, 25.0, 50.0, 75.0, 100.0)),
    )


def panel_agreement_charts(verdict: Verdict, _looks: ParticipantClasses) -> Iterable[Figure]:
    """Agreement from vote to vote, and the threshold at which the panel stops; a single vote has no course."""
    notes = parse_notes(PanelNotes, verdict)
    if notes is None or len(notes.rounds) < 2:  # noqa: PLR2004 - a line has two ends
        return
    places = [("vote", row.round + 1) for row in notes.rounds]
    agreement = {row.round + 1: row.agreement for row in notes.rounds}
    threshold = dict.fromkeys(agreement, notes.convergence_threshold)
    series = (_series("agreement", {"agreement": "agreement"}, agreement, places),
              _series("threshold", {"threshold": "limit"}, threshold, places))  # fmt: skip
    labels = tuple(f"vote {number}" for _, number in places)
    yield Figure(
        "Agreement by deliberation round",
        "From 0, all against all, to 1, of one mind; at the threshold the panel stops.",
        Plot("line", labels, series, 0, 1, (0.0, 0.25, 0.5, 0.75, 1.0)),
    )


def persuasion_charts(verdict: Verdict, looks: ParticipantClasses) -> Iterable[Figure]:
    """Stance and conviction after every turn."""
    notes = parse_notes(PersuasionNotes, verdict)
    if notes is None:
        return
    stances = [point.stances for point in notes.curve]
    convictions = [point.convictions for point in notes.curve]
    yield Figure(
        "Stance after each turn",
        "From −1, wholly opposed, to 1, wholly supportive.",
        _curve(notes.curve, stances, looks, (-1.0, -0.5, 0.0, 0.5, 1.0)),
    )
    yield Figure(
        "Conviction after each turn",
        "From 0 to 1: how hard a debater is to move.",
        _curve(notes.curve, convictions, looks, (0.0, 0.25, 0.5, 0.75, 1.0)),
    )


def personality_charts(debate: Debate) -> Iterable[Figure]:
    """For each debater under pressure, the traits that moved, a chart for each group of them."""
    for person in debate.participants:
        curve = personality_curve(debate, person.name)
        if len(curve) > 1:
            yield from (_traits(person.name, group, traits, curve) for group, traits in TRAIT_GROUPS.items())


def _traits(name: str, group: str, traits: Sequence[str], curve: Sequence[PersonalityPoint]) -> Figure:
    labels = tuple("start" if point.turn is None else str(point.turn) for point in curve)
    steps = {trait: [float(getattr(point.personality, trait)) for point in curve] for trait in traits}
    series = tuple(
        Series(
            words := trait.replace("_", " "),
            f"voice-{number}",
            tuple(
                Point(value, f"{words} {_at(label)}: {theme.format_number(value, 1)}")
                for value, label in zip(steps[trait], labels, strict=True)
            ),
        )
        for number, trait in enumerate(traits)
        if len(set(steps[trait])) > 1
    )
    ticks = (0.0, 2.0, 4.0, 6.0, 8.0, TRAIT_MAX)
    return Figure(
        f"{name}: {group} traits",
        "Those that moved under the judge's pressure, 1 to 10, after each turn that pressed.",
        Plot("line", labels, series, 0, TRAIT_MAX, ticks, small=True),
    )


def _at(label: str) -> str:
    return "at the start" if label == "start" else f"after turn {label}"


def _series(
    name: str, looks: ParticipantClasses, values: ValuesByPosition, places: Sequence[tuple[str, int]]
) -> Series:
    """A line through the places that have a value."""
    points = tuple(
        Point(values[number], f"{name}, {kind} {number}: {theme.format_number(values[number])}")
        if number in values
        else None
        for kind, number in places
    )
    return Series(name, looks.get(name, ""), points)


def _curve(
    points: Sequence[CurvePoint],
    values: Sequence[Mapping[str, float]],
    looks: ParticipantClasses,
    ticks: tuple[float, ...],
) -> Plot:
    labels = tuple("start" if point.turn is None else str(point.turn) for point in points)
    series = tuple(
        Series(
            name,
            looks.get(name, ""),
            tuple(
                Point(of[name], f"{name} {_at(label)}: {theme.format_number(of[name])}") if name in of else None
                for of, label in zip(values, labels, strict=True)
            ),
        )
        for name in dict.fromkeys(name for of in values for name in of)
    )
    return Plot("line", labels, series, ticks[0], ticks[-1], ticks)


def _ring_series(
    name: str, style: str, turns: Sequence[int], at: ValuesByPosition, told: Mapping[int, Sequence[str]]
) -> Series:
    """Rings around the turns that something is told of."""
    points = tuple(
        Point(at[turn], f"turn {turn}: {'; '.join(told[turn])}") if turn in told and turn in at else None
        for turn in turns
    )
    return Series(name, style, points, joined=False)


def _calibrations(notes: LiveNotes) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    for item in notes.calibrations:
        moved = f"{theme.format_number(item.before, 1)} to {theme.format_number(item.after, 1)}"
        found[item.turn].append(f"{item.dimension} {moved}, {CALIBRATION_REASONS[item.rule]}")
    return found


def _penalties(notes: LiveNotes) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    for item in notes.penalties:
        found[item.turn].append(f"{item.kind.replace('_', ' ')}, −{item.points:g} logic")
    return found
