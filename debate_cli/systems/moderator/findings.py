"""Findings of the moderator: summaries of rounds and of the debate, clashes, and unanswered points."""

from typing import Literal

from debate_cli.domain.assessment import Finding
from debate_cli.domain.frozen_model import FrozenModel


class SummaryPoint(FrozenModel):
    """A heading and the points below it.

    The heading names a debater if the debate has two debaters, and a subtopic if it has more.
    """

    heading: str
    """Name of a debater or, if the debate has more than two debaters, of a subtopic."""
    points: tuple[str, ...]
    """The points, in the judge's words."""


class Momentum(FrozenModel):
    """Which debater is gaining ground, and why."""

    toward: str | None
    """Name of the debater who gains ground; None if no debater does."""
    why: str
    """The reason, in the judge's words."""


class Summary(Finding):
    """The moderator's summary of one round."""

    kind: Literal["summary"] = "summary"
    points: tuple[SummaryPoint, ...] = ()
    consensus: tuple[str, ...] = ()
    momentum: Momentum | None = None
    guidance: str = ""
    """Advice to all debaters for the next round; may be empty."""

    def describe(self) -> list[str]:
        """Return the points, agreed points, momentum and guidance of the round."""
        sentences = [
            f"Points, {point.heading}: {'; '.join(said.rstrip('.') for said in point.points)}" for point in self.points
        ]
        sentences += [f"Agreed: {point}" for point in self.consensus]
        if self.momentum is not None:
            sentences.append(f"Momentum towards {self.momentum.toward or 'no debater'}: {self.momentum.why}")
        return [*sentences, f"Guidance: {self.guidance}"] if self.guidance else sentences


class Clash(Finding):
    """A point on which debaters disagree, and whether they answer each other."""

    kind: Literal["clash"] = "clash"
    """Always `clash`."""
    participants: tuple[str, ...]
    """Names of the debaters who disagree."""
    about: str
    """The disputed point, in the judge's words."""
    engaged: bool
    """Whether the debaters answer each other on the point."""

    def describe(self) -> list[str]:
        """Return which debaters clash over which point."""
        if len(self.participants) == 1:
            verb = "clashes over" if self.engaged else "does not engage on"
        else:
            verb = "clash over" if self.engaged else "talk past each other on"
        return [f"{' and '.join(self.participants)} {verb} {self.about}"]


class NonEngagement(Finding):
    """A point that a debater should have answered in a round but did not."""

    kind: Literal["non_engagement"] = "non_engagement"
    """Always `non_engagement`."""
    participant: str
    """Name of the debater who did not answer."""
    about: str
    """The unanswered point, in the judge's words."""

    def describe(self) -> list[str]:
        """Return the debater and the unanswered point."""
        return [f"{self.participant} does not engage with {self.about}"]


class DebateSummary(Finding):
    """The moderator's summary of the whole debate. It does not say who won."""

    kind: Literal["debate_summary"] = "debate_summary"
    text: str
    consistently_outperformed: tuple[str, ...] = ()
    """Names of the debaters who did worse than their opponents throughout the debate."""

    def describe(self) -> list[str]:
        """Return the summary, and the names of the debaters in `consistently_outperformed`."""
        named = " and ".join(self.consistently_outperformed)
        return [f"Summary: {self.text}", *([f"Weaker in nearly every round: {named}"] if named else [])]
