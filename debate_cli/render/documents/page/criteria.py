"""Charts of marks by criterion: structured, moderator, live and panel, as bars of what each debater got."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from debate_cli.domain.verdict import Verdict
from debate_cli.render import look
from debate_cli.render.documents.page.charts import Plot, Point, Series
from debate_cli.render.documents.page.figures import Figure, Looks
from debate_cli.render.sheets.sheet import notes_of
from debate_cli.scoring.live import LiveNotes
from debate_cli.scoring.moderator import CATEGORIES, ModeratorNotes
from debate_cli.scoring.panel import OPTIONS, PanelNotes
from debate_cli.scoring.reading import mean
from debate_cli.scoring.scorecard import MAXIMA
from debate_cli.scoring.structured import CRITERIA, HIGHEST, StructuredNotes

SHARES = (0.0, 25.0, 50.0, 75.0, 100.0)
MOST_BARS = 40
"""Arguments of which each has a bar; of more, the table tells."""
MARKS = (0.0, 2.0, 4.0, 6.0, 8.0, 10.0)


def structured(verdict: Verdict, looks: Looks) -> Iterable[Figure]:
    """Means per criterion, and the score of every argument."""
    notes = notes_of(StructuredNotes, verdict)
    if notes is None:
        return
    weights = [f"{item} {notes.weights.get(item, 0):.0%}" for item in CRITERIA]
    yield Figure(
        "Marks by criterion",
        "Mean over a debater's arguments, 1 to 10; beside each criterion its weight.",
        _bars(weights, CRITERIA, notes.means, looks, HIGHEST),
    )
    if len(notes.arguments) > MOST_BARS:
        return
    labels = tuple(
        f"{row.id} · {look.number(row.score)}" if row.score is not None else row.id for row in notes.arguments
    )
    series = tuple(
        Series(
            name,
            looks.get(name, ""),
            tuple(
                Point(row.score, f"{row.id}: {look.number(row.score)}")
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
        Plot("stack", labels, series, 0, HIGHEST, MARKS),
    )


def moderator(verdict: Verdict, looks: Looks) -> Iterable[Figure]:
    """The thirteen categories of the final evaluation, each as a share of what can be had."""
    notes = notes_of(ModeratorNotes, verdict)
    if notes is None:
        return
    yield Figure(
        "Final evaluation by category",
        "Marks as a percentage of what the category can give; it counts three quarters.",
        _shares(CATEGORIES, {row.participant: row.categories for row in notes.final}, looks),
    )


def live(verdict: Verdict, looks: Looks) -> Iterable[Figure]:
    """Logic, rhetoric and tactics, each as a share of what can be had."""
    notes = notes_of(LiveNotes, verdict)
    if notes is None:
        return
    means: dict[str, dict[str, float]] = {}
    for dimension in MAXIMA:
        for name in verdict.scores:
            marks = [getattr(row, dimension) for row in notes.turns if row.speaker == name]
            told = [mark for mark in marks if mark is not None]
            if told:
                means.setdefault(name, {})[dimension] = mean(told)
    yield Figure(
        "Marks by dimension",
        "Mean over a debater's turns after calibration and penalties, as a percentage of what the dimension can give.",
        _shares(MAXIMA, means, looks),
    )


def panel(verdict: Verdict, _looks: Looks) -> Iterable[Figure]:
    """The weight behind each option, vote by vote, and the marks of the last vote by dimension."""
    notes = notes_of(PanelNotes, verdict)
    if notes is None or not notes.rounds:
        return
    labels = tuple(f"vote {row.round + 1}" for row in notes.rounds)
    series: list[Series] = []
    for option in OPTIONS:
        shares = [100 * sum(vote.weight for vote in row.votes if vote.option == option) for row in notes.rounds]
        points = tuple(
            Point(share, f"{label}: {share:.0f} % {option}") if share else None
            for label, share in zip(labels, shares, strict=True)
        )
        series.append(Series(option, f"option-{option.lower()}", points))
    yield Figure(
        "Votes by deliberation round",
        "Share of the weight behind each option, in percent; vote 1 is blind.",
        Plot("stack", labels, tuple(series), 0, 100, SHARES),
    )


def _shares(maxima: Mapping[str, float], marks: Mapping[str, Mapping[str, float]], looks: Looks) -> Plot:
    """Marks in percent of what each criterion can give; beside the criterion how much that is."""
    labels = [f"{name.replace('_', ' ')} /{most:g}" for name, most in maxima.items()]
    shares = {
        who: {name: 100 * mark / maxima[name] for name, mark in of.items() if name in maxima}
        for who, of in marks.items()
    }
    return _bars(labels, tuple(maxima), shares, looks, 100.0)


def _bars(
    labels: Sequence[str], criteria: Sequence[str], marks: Mapping[str, Mapping[str, float]], looks: Looks, most: float
) -> Plot:
    """A group per criterion, a bar per debater."""
    series = tuple(
        Series(
            name,
            looks.get(name, ""),
            tuple(
                Point(of[item], f"{name}, {label}: {look.number(of[item], 1)}{' %' if most > HIGHEST else ''}")
                if item in of
                else None
                for item, label in zip(criteria, labels, strict=True)
            ),
        )
        for name, of in marks.items()
    )
    return Plot("bars", tuple(labels), series, 0, most, SHARES if most > HIGHEST else MARKS)
