"""Charts of marks by criterion: structured, moderator, live and panel, as bars of what each debater got."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from debate_cli.domain.verdict import Verdict
from debate_cli.render import theme
from debate_cli.render.html.charts import Plot, Point, Series
from debate_cli.render.html.figures import Figure, ParticipantClasses
from debate_cli.systems.aggregation import mean
from debate_cli.systems.live.calibration import DIMENSION_MAXIMA
from debate_cli.systems.live.score import LiveNotes
from debate_cli.systems.moderator.score import FINAL_CATEGORIES, ModeratorNotes
from debate_cli.systems.panel.score import VOTE_OPTIONS, PanelNotes
from debate_cli.systems.structured.score import CRITERIA, MAX_ARGUMENT_MARK, StructuredNotes
from debate_cli.systems.tables import parse_notes

PERCENT_TICKS = (0.0, 25.0, 50.0, 75.0, 100.0)
MAX_ARGUMENT_BARS = 40
"""Arguments of which each has a bar; of more, the table tells."""
MARK_TICKS = (0.0, 2.0, 4.0, 6.0, 8.0, 10.0)


def structured_mark_charts(verdict: Verdict, looks: ParticipantClasses) -> Iterable[Figure]:
    """Means per criterion, and the score of every argument."""
    notes = parse_notes(StructuredNotes, verdict)
    if notes is None:
        return
    weights = [f"{item} {notes.weights.get(item, 0):.0%}" for item in CRITERIA]
    yield Figure(
        "Marks by criterion",
        "Mean over a debater's arguments, 1 to 10; beside each criterion its weight.",
        _bar_plot(weights, CRITERIA, notes.means, looks, MAX_ARGUMENT_MARK),
    )
    if len(notes.arguments) > MAX_ARGUMENT_BARS:
        return
    labels = tuple(
        f"{row.id} · {theme.format_number(row.score)}" if row.score is not None else row.id for row in notes.arguments
    )
    series = tuple(
        Series(
            name,
            looks.get(name, ""),
            tuple(
                Point(row.score, f"{row.id}: {theme.format_number(row.score)}")
                if row.score is not None and row.participant == name
                else None
                for row in notes.arguments
            ),
        )
        for name in dict.fromkeys(row.participant for row in notes.arguments)
    )
    yield Figure(
        "Score of each argument",
        "Weighted mean of the four criteria less penalties, 1 to 10; beside each argument its score.",
        Plot("stack", labels, series, 0, MAX_ARGUMENT_MARK, MARK_TICKS),
    )


def moderator_category_charts(verdict: Verdict, looks: ParticipantClasses) -> Iterable[Figure]:
    """The thirteen categories of the final evaluation, each as a share of what can be had."""
    notes = parse_notes(ModeratorNotes, verdict)
    if notes is None:
        return
    yield Figure(
        "Final evaluation by category",
        "Marks as a percentage of what the category can give; it counts three quarters.",
        _percent_plot(FINAL_CATEGORIES, {row.participant: row.categories for row in notes.final}, looks),
    )


def live_dimension_charts(verdict: Verdict, looks: ParticipantClasses) -> Iterable[Figure]:
    """Logic, rhetoric and tactics, each as a share of what can be had."""
    notes = parse_notes(LiveNotes, verdict)
    if notes is None:
        return
    means: dict[str, dict[str, float]] = {}
    for dimension in DIMENSION_MAXIMA:
        for name in verdict.scores:
            marks = [getattr(row, dimension) for row in notes.turns if row.speaker == name]
            told = [mark for mark in marks if mark is not None]
            if told:
                means.setdefault(name, {})[dimension] = mean(told)
    yield Figure(
        "Marks by dimension",
        "Mean over a debater's turns after calibration and penalties, as a percentage of what the dimension can give.",
        _percent_plot(DIMENSION_MAXIMA, means, looks),
    )


def panel_vote_charts(verdict: Verdict, _looks: ParticipantClasses) -> Iterable[Figure]:
    """The weight behind each option, vote by vote, and the marks of the last vote by dimension."""
    notes = parse_notes(PanelNotes, verdict)
    if notes is None or not notes.rounds:
        return
    labels = tuple(f"vote {row.round + 1}" for row in notes.rounds)
    series: list[Series] = []
    for option in VOTE_OPTIONS:
        shares = [100 * sum(vote.weight for vote in row.votes if vote.option == option) for row in notes.rounds]
        points = tuple(
            Point(share, f"{label}: {share:.0f} % {option}") if share else None
            for label, share in zip(labels, shares, strict=True)
        )
        series.append(Series(option, f"option-{option.lower()}", points))
    yield Figure(
        "Votes by deliberation round",
        "Share of the weight behind each option, in percent; vote 1 is blind.",
        Plot("stack", labels, tuple(series), 0, 100, PERCENT_TICKS),
    )


def _percent_plot(
    maxima: Mapping[str, float], marks: Mapping[str, Mapping[str, float]], looks: ParticipantClasses
) -> Plot:
    """Marks in percent of what each criterion can give; beside the criterion how much that is."""
    labels = [f"{name.replace('_', ' ')} /{most:g}" for name, most in maxima.items()]
    shares = {
        who: {name: 100 * mark / maxima[name] for name, mark in of.items() if name in maxima}
        for who, of in marks.items()
    }
    return _bar_plot(labels, tuple(maxima), shares, looks, 100.0)


def _bar_plot(
    labels: Sequence[str],
    criteria: Sequence[str],
    marks: Mapping[str, Mapping[str, float]],
    looks: ParticipantClasses,
    most: float,
) -> Plot:
    """A group per criterion, a bar per debater."""
    series = tuple(
        Series(
            name,
            looks.get(name, ""),
            tuple(
                Point(
                    of[item],
                    f"{name}, {label}: {theme.format_number(of[item], 1)}{' %' if most > MAX_ARGUMENT_MARK else ''}",
                )
                if item in of
                else None
                for item, label in zip(criteria, labels, strict=True)
            ),
        )
        for name, of in marks.items()
    )
    return Plot("bars", tuple(labels), series, 0, most, PERCENT_TICKS if most > MAX_ARGUMENT_MARK else MARK_TICKS)
