"""Live assessments for tests, and debates that hold them."""

from collections.abc import Sequence

from scoring_support import CON, PRO, assessment, build_debate, marks, opening_event, speech

from debate_cli.domain.assessment import Assessment, Finding
from debate_cli.domain.debate import Debate
from debate_cli.systems.live.calibration import DIMENSION_MAXIMA, SUPPLEMENTARY_MAXIMA
from debate_cli.systems.live.findings import (
    ClaimFault,
    LogicGap,
    Narrative,
    PairComparison,
    RegisterDecision,
    RegisterFault,
    ReviewStatus,
    SuspectClaim,
)
from debate_cli.systems.live.settings import LiveSettings

SPEAKERS = (PRO, CON)
Row = tuple[float, float, float]
"""Logic, rhetoric, tactics."""


def turn_marks(index: int, row: Row, *findings: Finding, speaker: str | None = None) -> Assessment:
    """Return the marks of one turn, with 5 for frame control and 6 for credibility."""
    name = speaker or SPEAKERS[index % 2]
    given = [*marks(name, DIMENSION_MAXIMA, row), *marks(name, SUPPLEMENTARY_MAXIMA, (5, 6))]
    return assessment("live", given, *findings, moment="turn", turns=(index,))


def pair(
    later: int, *findings: Finding, logic: str = "draw", rhetoric: str = "draw", tactics: str = "draw"
) -> Assessment:
    """Return the comparison of turn `later` with the turn before it."""
    finding = PairComparison(logic=logic, rhetoric=rhetoric, tactics=tactics)
    return assessment("live", (), finding, *findings, moment="pair", turns=(later - 1, later))


def claim(turn: int, fault: ClaimFault, quote: str = "Costs fall.") -> SuspectClaim:
    """Return a suspect claim."""
    return SuspectClaim(turn=turn, quote=quote, fault=fault)


def gap(turn: int, points: int, quote: str = "costs fall") -> LogicGap:
    """Return a logic gap, by default with the words of `claim`."""
    return LogicGap(turn=turn, quote=quote, points=points, reason="r")


def decision(turn: int, fault: RegisterFault, status: ReviewStatus, points: int | None = None) -> RegisterDecision:
    """Return the review's decision on the entry with the words of `claim`."""
    return RegisterDecision(turn=turn, quote="“COSTS fall”", fault=fault, status=status, points=points)


def narrative(winner: str | None) -> Assessment:
    """Return a narrative with this winner."""
    return assessment("live", (), Narrative(winner=winner, reasoning="So it went."))


def live_debate(rows: Sequence[Row], *others: Assessment) -> Debate:
    """Return a debate of alternating turns with these marks."""
    turns = [speech(index, SPEAKERS[index % 2]) for index in range(len(rows))]
    given = [turn_marks(index, row) for index, row in enumerate(rows)]
    return build_debate(opening_event(LiveSettings()), turns, [*given, *others])
