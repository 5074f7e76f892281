"""Classes of what the structured judge reports besides marks: fallacies, standings of claims, insights."""

from typing import Literal

from debate_cli.domain.assessment import Finding
from debate_cli.systems.base import Standing


class Fallacy(Finding):
    """A fallacy on the judge's checklist, with the speaker's words that contain it."""

    kind: Literal["fallacy"] = "fallacy"
    participant: str
    item: str | None = None
    name: str
    quote: str = ""

    def describe(self) -> list[str]:
        """Return the speaker, the argument, the fallacy and the quoted words."""
        where = f" in {self.item}" if self.item else ""
        return [f"{self.participant}{where}: {self.name}, “{self.quote}”"]


class Trace(Finding):
    """The standing, e.g. UPHELD, that one judge gives one claim."""

    kind: Literal["trace"] = "trace"
    participant: str
    item: str
    claim: str
    standing: Standing
    reason: str = ""

    def describe(self) -> list[str]:
        """Return the standing and the judge's reason."""
        return [f"{self.item} {self.standing.lower().replace('_', ' ')}: {self.reason}"]


class Insight(Finding):
    """A judge's advice to a person who must decide."""

    kind: Literal["insight"] = "insight"
    key_insight: str
    unresolved_questions: tuple[str, ...] = ()
    recommendation: str = ""

    def describe(self) -> list[str]:
        """Return the key insight, the open questions and the recommendation."""
        questions = [f"Open question: {question}" for question in self.unresolved_questions]
        return [self.key_insight, *questions, f"Recommendation: {self.recommendation}"]
