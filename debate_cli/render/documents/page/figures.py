"""A chart with its words: what it shows, how it is read, what its lines mean. Its numbers stand in the sheets beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from debate_cli.domain.participant import Participant
from debate_cli.render.documents.page.charts import Plot, drawn

VOICES = 6
"""Looks of debaters; the seventh has the first again."""
Looks = Mapping[str, str]
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
        return drawn(self.plot, f"{self.title}. {self.caption}")


def looks(participants: Sequence[Participant]) -> dict[str, str]:
    """A class per debater, by their order."""
    return {person.name: f"voice-{number % VOICES}" for number, person in enumerate(participants)}


def filled(figures: Iterable[Figure]) -> tuple[Figure, ...]:
    """Those with anything to see."""
    return tuple(
        figure
        for figure in figures
        if any(point is not None for series in figure.plot.series for point in series.points)
    )
