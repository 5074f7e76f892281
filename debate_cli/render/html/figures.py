"""A chart with its words: what it shows, how it is read, what its lines mean. Its numbers stand in the sheets beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from debate_cli.domain.participant import Participant
from debate_cli.render.html.charts import Plot, render_chart

PARTICIPANT_CLASS_COUNT = 6
"""Looks of debaters; the seventh has the first again."""
ParticipantClasses = Mapping[str, str]
"""Debater's name -> class of the style sheet."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart on the page; all words are untrusted."""

    title: str
    caption: str
    """How it is read, in a sentence."""
    plot: Plot

    @property
    def svg(self) -> Markup:
        """The chart."""
        return render_chart(self.plot, f"{self.title}. {self.caption}")


def participant_classes(participants: Sequence[Participant]) -> dict[str, str]:
    """A class per debater, by their order."""
    return {person.name: f"voice-{number % PARTICIPANT_CLASS_COUNT}" for number, person in enumerate(participants)}


def drop_empty_figures(figures: Iterable[Figure]) -> tuple[Figure, ...]:
    """Those with anything to see."""
    return tuple(
        figure
        for figure in figures
        if any(point is not None for series in figure.plot.series for point in series.points)
    )
