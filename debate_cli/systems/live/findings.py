"""Findings of the live judge about turns, exchanges (two adjacent turns) and the whole debate."""

from collections.abc import Iterable
from typing import Literal

from pydantic import Field

from debate_cli.domain.assessment import Finding
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.personality import PRESSURE_KINDS
from debate_cli.systems.tables import format_number

ClaimFault = Literal["hollow", "fabricated", "inverted", "backwards"]
RegisterFault = Literal["hollow", "fabricated", "inverted", "backwards", "gap"]
"""Fault of an entry in the register, the list of suspect claims and logic gaps. `gap` is the fault of each logic gap. The
other faults are those of suspect claims."""
ReviewStatus = Literal["confirmed", "withdrawn"]
DebatePattern = Literal["coherence_collapse", "asymmetric_depth", "convergence_failure", "none"]
"""Why the judge's account of the debate and the scores of the turns name different winners.

- `coherence_collapse`: the debater with the highest scores won rounds by changing the central claim.
- `asymmetric_depth`: one side was better in style, the other in logic.
- `convergence_failure`: both sides talked past each other.
- `none`: none of these.
"""
ConvergenceOutcome = Literal[
    "genuine_agreement",
    "definitional_dispute",
    "degree_disagreement",
    "degenerate_convergence",
    "sustained_disagreement",
]


class PairComparison(Finding):
    """Who won each dimension of an exchange (two adjacent turns): a debater's name, or `draw`."""

    kind: Literal["comparison"] = "comparison"
    logic: str
    rhetoric: str
    tactics: str

    def describe(self) -> list[str]:
        """Return a list with one sentence: who won the exchange in logic, rhetoric and tactics."""
        return [f"Winners of the exchange: logic {self.logic}, rhetoric {self.rhetoric}, tactics {self.tactics}"]


class SuspectClaim(Finding):
    """A claim that is wrong or without substance according to the judge, quoted from a turn."""

    kind: Literal["suspect_claim"] = "suspect_claim"
    turn: int
    quote: str
    fault: ClaimFault
    reason: str = Field(default="", exclude_if=lambda reason: not reason)
    """What is wrong with the claim; empty in old transcripts."""

    def describe(self) -> list[str]:
        """Return the fault, the quoted words and the reason."""
        return [f"Turn {self.turn + 1}, {self.fault} claim: “{self.quote}” {self.reason}".rstrip()]


class LogicGap(Finding):
    """A gap in the logic of a turn, exposed by a later turn."""

    kind: Literal["logic_gap"] = "logic_gap"
    turn: int
    quote: str = Field(default="", exclude_if=lambda quote: not quote)
    """The words that contain the logic gap, quoted from turn `turn`; empty in old transcripts."""
    points: int = Field(ge=1, le=10)
    reason: str

    def describe(self) -> list[str]:
        """Return the points that the gap costs, the quoted words and the reason."""
        quote = f"“{self.quote}” " if self.quote else ""
        return [f"Turn {self.turn + 1}, gap in the logic (−{self.points}): {quote}{self.reason}"]


class RegisterDecision(Finding):
    """The decision of the final review on an entry of the register (the list of suspect claims and logic gaps)."""

    kind: Literal["register"] = "register"
    turn: int
    """Index of the turn with the quoted words."""
    quote: str
    fault: RegisterFault
    points: int | None = Field(default=None, ge=1, le=10)
    """For a logic gap: the points that it costs after the review; None if the review keeps the earlier points. Always None
    for a suspect claim."""
    status: ReviewStatus
    exposed_by: int | None = None
    """Index of the later turn that showed what is wrong with the quoted words; None if no later turn did."""
    reason: str = ""

    def describe(self) -> list[str]:
        """Return the decision, the quoted words and the reason."""
        entry = "gap in the logic" if self.fault == "gap" else f"{self.fault} claim"
        return [f"Turn {self.turn + 1}, {entry} {self.status}: “{self.quote}” {self.reason}".rstrip()]


class Arc(FrozenModel):
    """How one participant's case developed over the debate."""

    participant: str
    """Name of the debater."""
    arc: str
    """How the case developed, in the judge's words."""


class Narrative(Finding):
    """The judge's account of the whole debate."""

    kind: Literal["narrative"] = "narrative"
    winner: str | None
    reasoning: str
    pattern: DebatePattern | None = Field(default=None, exclude_if=lambda pattern: pattern is None)
    """Why this account and the scores of the turns name different winners, see `DebatePattern`. None in new transcripts,
    which store the pattern in `Resolution`."""
    arcs: tuple[Arc, ...] = ()

    def describe(self) -> list[str]:
        """Return the winner according to the judge, the reasons, and how each participant's case developed."""
        arcs = [f"{arc.participant}: {arc.arc}" for arc in self.arcs]
        return [f"{self.winner or 'No debater'} is ahead: {self.reasoning}", *arcs]


class Resolution(Finding):
    """Why the judge's account of the debate (narrative) and the scores of the turns (scorecard) name different winners."""

    kind: Literal["resolution"] = "resolution"
    explanation: str
    pattern: DebatePattern | None = Field(default=None, exclude_if=lambda pattern: pattern is None)
    """Why narrative and scorecard name different winners, as a keyword of `DebatePattern`, e.g. `coherence_collapse`.
    None in old transcripts."""

    def describe(self) -> list[str]:
        """Return one text: the judge's explanation and, if known, `pattern`, e.g. `coherence collapse`."""
        pattern = f" Pattern: {self.pattern.replace('_', ' ')}." if self.pattern else ""
        return [f"Why narrative and scorecard differ: {self.explanation}{pattern}"]


class Convergence(Finding):
    """How the disagreement of the debaters changed from the first to the last turns."""

    kind: Literal["convergence"] = "convergence"
    outcome: ConvergenceOutcome
    early: str
    late: str

    def describe(self) -> list[str]:
        """Return how the disagreement changed, and descriptions of the early and the late disagreement."""
        return [f"{self.outcome.replace('_', ' ')}. Early: {self.early} Late: {self.late}"]


class Pressure(Finding):
    """How hard an exchange (two adjacent turns) pressed the debater who lost it: four kinds of pressure, each 0-1."""

    kind: Literal["pressure"] = "pressure"
    participant: str
    cognitive: float = Field(ge=0, le=1)
    emotional: float = Field(ge=0, le=1)
    strategic: float = Field(ge=0, le=1)
    credibility: float = Field(ge=0, le=1)

    def describe(self) -> list[str]:
        """Return the kinds of pressure with a strength above 0."""
        felt = [f"{kind} {format_number(getattr(self, kind))}" for kind in PRESSURE_KINDS if getattr(self, kind)]
        return [f"Pressure on {self.participant}: {', '.join(felt)}"] if felt else []


def format_missing_parts(missing: Iterable[str]) -> str:
    """Return what a main argument lacks (`CausalChain.missing`) as text, e.g. `cause, answer to the weakest premise`."""
    return ", ".join(missing).replace("weakest_premise", "answer to the weakest premise")


class CausalChain(Finding):
    """Cause, process and consequence in the main argument of a turn.

    `missing`: names of the parts that the argument lacks. It contains `weakest_premise` if the turn does not address the
    opponent's weakest premise.
    """

    kind: Literal["causal_chain"] = "causal_chain"
    cause: str
    process: str
    consequence: str
    missing: tuple[str, ...] = ()

    def describe(self) -> list[str]:
        """Return one text: the argument's cause, process and consequence, then what the argument lacks."""
        missing = f" Missing: {format_missing_parts(self.missing)}." if self.missing else ""
        return [f"Chain: {self.cause} → {self.process} → {self.consequence}.{missing}"]
