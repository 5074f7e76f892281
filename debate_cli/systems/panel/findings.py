"""The finding of a panel judge: a vote."""

from typing import Literal

from pydantic import Field

from debate_cli.domain.assessment import Finding
from debate_cli.systems.tables import format_number

VoteOption = Literal["PASS", "FAIL", "CONDITIONAL"]


class Vote(Finding):
    """A panel judge's vote."""

    kind: Literal["vote"] = "vote"
    option: VoteOption
    """PASS: the motion is upheld; FAIL: it is not; CONDITIONAL: it holds under stated conditions."""
    confidence: float = Field(ge=0, le=1)
    critical_findings: tuple[str, ...] = ()
    remediation_required: tuple[str, ...] = ()
    changed_because: str | None = None
    late: bool = False
    """Whether the judge exceeded the time limit. If so, its earlier vote counts again."""

    def describe(self) -> list[str]:
        """Return the option, its reasons, and what changed the vote."""
        late = ", late" if self.late else ""
        sentences = [f"Votes {self.option}, confidence {format_number(self.confidence)}{late}"]
        sentences += [f"Critical: {point}" for point in self.critical_findings]
        sentences += [f"Would fix it: {point}" for point in self.remediation_required]
        return [*sentences, f"Changed because {self.changed_because}"] if self.changed_because else sentences
