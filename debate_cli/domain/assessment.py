"""What a judge says: marks, findings, and the assessment that carries them. All five systems produce this one value."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Literal, get_args

from pydantic import Field

from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.model_call import ModelCall
from debate_cli.domain.tasks import MAX_REVISION, Brief, Subject

SystemKind = Literal["structured", "moderator", "panel", "live", "persuasion"]
SYSTEM_KINDS: tuple[SystemKind, ...] = get_args(SystemKind)
Standing = Literal["UPHELD", "PARTIALLY_UPHELD", "REFUTED", "UNCERTAIN"]
"""UPHELD: survived, can be relied on; PARTIALLY_UPHELD: right in direction, limited in condition, degree or scope;
REFUTED: not a basis for a decision; UNCERTAIN: cannot be told."""
VoteOption = Literal["PASS", "FAIL", "CONDITIONAL"]
ClaimFault = Literal["hollow", "fabricated", "inverted", "backwards"]
DebatePattern = Literal["coherence_collapse", "asymmetric_depth", "convergence_failure", "none"]
ConvergenceOutcome = Literal[
    "genuine_agreement",
    "definitional_dispute",
    "degree_disagreement",
    "degenerate_convergence",
    "sustained_disagreement",
]


class Mark(FrozenModel):
    """A number that a judge gave."""

    participant: str | None
    """Debater's name; None where the mark is about the debate (panel dimensions)."""
    item: str | None = None
    """Argument id, where the mark is about one argument."""
    criterion: str
    value: float = Field(strict=True)
    out_of: float = Field(gt=0, strict=True)
    """Upper end of the scale; 0 <= value <= out_of is ensured where marks are made, and clamped where they are scored."""
    reason: str | None = None


class Fallacy(FrozenModel):
    """A fallacy from the checklist, with the words it was found in."""

    kind: Literal["fallacy"] = "fallacy"
    participant: str
    item: str | None = None
    name: str
    quote: str = ""


class Trace(FrozenModel):
    """What became of one claim."""

    kind: Literal["trace"] = "trace"
    participant: str
    item: str
    claim: str
    standing: Standing
    reason: str = ""


class Insight(FrozenModel):
    """What the one who decides should take away."""

    kind: Literal["insight"] = "insight"
    key_insight: str
    unresolved_questions: tuple[str, ...] = ()
    recommendation: str = ""


class SummaryPoint(FrozenModel):
    """Points made by one participant, or on one subtopic."""

    heading: str
    """Name of the participant; of the subtopic with three or more debaters."""
    points: tuple[str, ...]


class Momentum(FrozenModel):
    """Whom the debate is moving towards."""

    toward: str | None
    why: str


class Summary(FrozenModel):
    """The moderator's account of a round."""

    kind: Literal["summary"] = "summary"
    points: tuple[SummaryPoint, ...] = ()
    consensus: tuple[str, ...] = ()
    momentum: Momentum | None = None
    guidance: str = ""
    """For the next round; empty where none was asked."""


class Clash(FrozenModel):
    """A point on which participants meet, or fail to."""

    kind: Literal["clash"] = "clash"
    participants: tuple[str, ...]
    about: str
    engaged: bool


class Vote(FrozenModel):
    """A panel judge's vote."""

    kind: Literal["vote"] = "vote"
    option: VoteOption
    """PASS: the motion is upheld; FAIL: it is not; CONDITIONAL: it holds under stated conditions."""
    confidence: float = Field(ge=0, le=1)
    critical_findings: tuple[str, ...] = ()
    remediation_required: tuple[str, ...] = ()
    changed_because: str | None = None
    late: bool = False
    """The judge did not answer in time and keeps its last vote."""


class PairComparison(FrozenModel):
    """Who won each dimension of an exchange of two adjacent turns: a debater's name or `draw`."""

    kind: Literal["comparison"] = "comparison"
    logic: str
    rhetoric: str
    tactics: str


class SuspectClaim(FrozenModel):
    """A claim that does not hold, on the turn that made it, whichever turn exposed it."""

    kind: Literal["suspect_claim"] = "suspect_claim"
    turn: int
    quote: str
    fault: ClaimFault


class LogicGap(FrozenModel):
    """A weakness of an earlier turn that only a later one exposed."""

    kind: Literal["logic_gap"] = "logic_gap"
    turn: int
    points: int = Field(ge=1, le=10)
    reason: str


class Arc(FrozenModel):
    """How one participant developed over the debate."""

    participant: str
    arc: str


class Narrative(FrozenModel):
    """The whole debate read as a story."""

    kind: Literal["narrative"] = "narrative"
    winner: str | None
    reasoning: str
    pattern: DebatePattern
    arcs: tuple[Arc, ...] = ()


class Resolution(FrozenModel):
    """Why narrative and scorecard name different winners."""

    kind: Literal["resolution"] = "resolution"
    explanation: str


class Convergence(FrozenModel):
    """What became of the disagreement between the first and the last turns."""

    kind: Literal["convergence"] = "convergence"
    outcome: ConvergenceOutcome
    early: str
    late: str


class Pressure(FrozenModel):
    """How hard the last exchange pressed the debater who lost it; each 0-1."""

    kind: Literal["pressure"] = "pressure"
    participant: str
    cognitive: float = Field(ge=0, le=1)
    emotional: float = Field(ge=0, le=1)
    strategic: float = Field(ge=0, le=1)
    credibility: float = Field(ge=0, le=1)


class CausalChain(FrozenModel):
    """Cause, process and consequence of a turn's main argument, and what is missing of them."""

    kind: Literal["causal_chain"] = "causal_chain"
    cause: str
    process: str
    consequence: str
    missing: tuple[str, ...] = ()


class Contradiction(FrozenModel):
    """A turn that contradicts an earlier turn of its own speaker."""

    kind: Literal["contradiction"] = "contradiction"
    participant: str
    earlier: int
    later: int
    explanation: str


class DroppedPremise(FrozenModel):
    """A premise that its speaker let fall."""

    kind: Literal["dropped_premise"] = "dropped_premise"
    participant: str
    earlier: int
    later: int
    premise: str


class Manipulation(FrozenModel):
    """Words in a speech that are addressed to the judge. Found by our detector, not by a model."""

    kind: Literal["manipulation"] = "manipulation"
    participant: str | None
    turn: int | None
    quote: str
    technique: str


class SourceCheck(FrozenModel):
    """What is known of a source that a speech cites."""

    kind: Literal["source_check"] = "source_check"
    participant: str
    turn: int
    source: str
    verdict: str


Finding = Annotated[
    Fallacy
    | Trace
    | Insight
    | Summary
    | Clash
    | Vote
    | PairComparison
    | SuspectClaim
    | LogicGap
    | Narrative
    | Resolution
    | Convergence
    | Pressure
    | CausalChain
    | Contradiction
    | DroppedPremise
    | Manipulation
    | SourceCheck,
    Field(discriminator="kind"),
]


class Assessment(FrozenModel):
    """One judge's answer to one brief."""

    run: str
    system: SystemKind
    assessor: str
    subject: Subject
    revision: int = Field(default=0, ge=0, le=MAX_REVISION)
    marks: tuple[Mark, ...] = ()
    findings: tuple[Finding, ...] = ()
    rationale: str = ""
    warnings: tuple[str, ...] = ()
    """What our checks of the answer changed or doubted: a dropped quote, a claimed total that does not add up."""
    exchange: ModelCall

    @cached_property
    def brief(self) -> Brief:
        """The brief that this answers."""
        return Brief(
            run=self.run, system=self.system, assessor=self.assessor, subject=self.subject, revision=self.revision
        )
