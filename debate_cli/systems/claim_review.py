"""What judges say about the claims of a debate, as values. A system produces them; trace table and briefing show them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

Standing = Literal["UPHELD", "PARTIALLY_UPHELD", "REFUTED", "UNCERTAIN"]
"""UPHELD: survived, can be relied on; PARTIALLY_UPHELD: right in direction, limited in condition, degree or scope;
REFUTED: not a basis for a decision; UNCERTAIN: the debate does not settle it."""


class ClaimStanding(NamedTuple):
    """What the judges of a run say about one claim. Untrusted."""

    standing: Standing
    reason: str


@dataclass(frozen=True, slots=True)
class ClaimReview:
    """What the judges of a run say about the claims of a debate. Untrusted."""

    standings: Mapping[str, ClaimStanding]
    """Id of an argument -> its standing."""
    key_insight: str = ""
    unresolved_questions: tuple[str, ...] = ()
    recommendation: str = ""
