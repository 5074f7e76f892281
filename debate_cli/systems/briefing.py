"""The briefing for the decision: what to rely on, what to limit, what not to use, what stays open."""

from collections.abc import Sequence

from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.systems.claims import Standing
from debate_cli.systems.source_support import SourceBriefing, SourceNote, brief_sources
from debate_cli.systems.trace import TraceRow, build_trace_table, review_claims

CAVEAT = "Scores are an aid to judgement, not a verdict on the facts: check what a decision rests on."


class BriefingClaim(FrozenModel):
    """A claim in the briefing, or a source with what was found about it."""

    id: str
    participant: str
    """Empty for a source."""
    claim: str
    reason: str
    """Why the judge gave it this standing; may be empty."""


class Briefing(FrozenModel):
    """What a decision-maker needs from a debate."""

    key_insight: str
    rely_on: tuple[BriefingClaim, ...] = ()
    """UPHELD."""
    limit: tuple[BriefingClaim, ...] = ()
    """PARTIALLY_UPHELD: to be used within conditions, degree or scope."""
    not_to_use: tuple[BriefingClaim, ...] = ()
    """REFUTED."""
    uncertain: tuple[BriefingClaim, ...] = ()
    """UNCERTAIN."""
    sources: SourceBriefing = SourceBriefing()
    unresolved_questions: tuple[str, ...] = ()
    recommendation: str = ""
    caveat: str = CAVEAT

    @property
    def claim_groups(self) -> tuple[tuple[str, Standing, tuple[BriefingClaim, ...]], ...]:
        """Label, standing and claims of each group that has any, the most reliable group first. Sources are listed as claims."""
        reliable, doubtful = (tuple(map(_claim_of_source, of)) for of in (self.sources.reliable, self.sources.doubtful))
        groups: tuple[tuple[str, Standing, tuple[BriefingClaim, ...]], ...] = (
            ("Rely on", "UPHELD", (*self.rely_on, *reliable)),
            ("Check first", "REFUTED", doubtful),
            ("Use within limits", "PARTIALLY_UPHELD", self.limit),
            ("Do not use", "REFUTED", self.not_to_use),
            ("Uncertain", "UNCERTAIN", self.uncertain),
        )
        return tuple(group for group in groups if group[2])


def _claim_of_source(note: SourceNote) -> BriefingClaim:
    return BriefingClaim(id=note.id, participant="", claim=note.words, reason="")


def build_briefing(debate: Debate, run: JudgingRun | str | None = None) -> Briefing | None:
    """The briefing by the judges of claims in `run` (None: the newest run with such a system); None without an answer."""
    review = review_claims(debate, run)
    if review is None:
        return None
    rows = build_trace_table(debate, run)
    return Briefing(
        key_insight=review.key_insight,
        rely_on=_claims_with_standing(rows, "UPHELD"),
        limit=_claims_with_standing(rows, "PARTIALLY_UPHELD"),
        not_to_use=_claims_with_standing(rows, "REFUTED"),
        uncertain=_claims_with_standing(rows, "UNCERTAIN"),
        sources=brief_sources(debate),
        unresolved_questions=review.unresolved_questions,
        recommendation=review.recommendation,
    )


def _claims_with_standing(rows: Sequence[TraceRow], standing: Standing) -> tuple[BriefingClaim, ...]:
    return tuple(
        BriefingClaim(id=row.id, participant=row.participant, claim=row.claim, reason=row.reason or "")
        for row in rows
        if row.standing == standing
    )
