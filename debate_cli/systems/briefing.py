"""The briefing for a decision: what the judges concluded about each claim, and which questions are open."""

from collections.abc import Iterable
from typing import NamedTuple

from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.providers.provider_table import is_trial_model
from debate_cli.systems.aggregation import group_by_key
from debate_cli.systems.base import Standing
from debate_cli.systems.source_support import SourceBriefing, brief_sources
from debate_cli.systems.trace import build_trace_table, review_claims

RELY_ON = "rely on"
"""Label of upheld claims, and of sources that support claims."""
CHECK_FIRST = "check first"
"""Label of doubtful sources. The closing screen has this label also for all claims that are not upheld."""
CAVEAT = "Scores help you to judge. They do not establish facts: check the claims on which your decision rests."


class BriefingClaim(FrozenModel):
    """An entry of the briefing: a claim, or a source that is listed in the same form.

    For a source, `id` is the id of the source, and `claim` has the title of the source and the results of its checks.
    """

    id: str
    participant: str
    """Name of the debater who made the claim; empty if the entry is a source."""
    claim: str
    reason: str
    """The judge's reason for the claim's standing; may be empty."""
    fallacies: tuple[str, ...] = ()
    """Names of the fallacies that judges found in the argument; empty for a source."""

    @property
    def fallacy_note(self) -> str:
        """The fallacies in words, e.g. `! fallacy: false dilemma`; empty without fallacies. Not sanitized."""
        return f"! fallacy: {', '.join(self.fallacies)}" if self.fallacies else ""


class BriefingEntry(NamedTuple):
    """A claim with its standing, or a source, whose standing is None."""

    standing: Standing | None
    claim: BriefingClaim


class Briefing(FrozenModel):
    """What the judges concluded about the claims of a debate, for people who must decide."""

    key_insight: str
    rely_on: tuple[BriefingClaim, ...] = ()
    """Claims that are UPHELD."""
    limit: tuple[BriefingClaim, ...] = ()
    """Claims that are PARTIALLY_UPHELD: right within limits."""
    not_to_use: tuple[BriefingClaim, ...] = ()
    """Claims that are REFUTED."""
    uncertain: tuple[BriefingClaim, ...] = ()
    """Claims that are UNCERTAIN."""
    sources: SourceBriefing = SourceBriefing()
    unresolved_questions: tuple[str, ...] = ()
    recommendation: str = ""
    caveat: str = CAVEAT

    @property
    def claim_groups(self) -> tuple[tuple[str, tuple[BriefingEntry, ...]], ...]:
        """The claims and sources under labels that say how to use them, in the order of display. Empty groups are left out."""
        reliable, doubtful = (
            tuple(
                BriefingEntry(None, BriefingClaim(id=note.id, participant="", claim=note.words, reason=""))
                for note in notes
            )
            for notes in (self.sources.reliable, self.sources.doubtful)
        )
        groups = (
            (RELY_ON, (*_entries("UPHELD", self.rely_on), *reliable)),
            (CHECK_FIRST, doubtful),
            ("do not use", _entries("REFUTED", self.not_to_use)),
            ("uncertain", _entries("UNCERTAIN", self.uncertain)),
            ("use within limits", _entries("PARTIALLY_UPHELD", self.limit)),
        )
        return tuple(group for group in groups if group[1])


def _entries(standing: Standing, claims: Iterable[BriefingClaim]) -> tuple[BriefingEntry, ...]:
    return tuple(BriefingEntry(standing, claim) for claim in claims)


def describe_trial_judges(debate: Debate) -> str:
    """Return a sentence that names the very small models among the judges; empty if no judge is such a model.

    Very small models show only that the tool works. Their verdicts carry no meaning.
    """
    judges = dict.fromkeys(item.exchange.model for item in debate.assessments)
    names = " and ".join(filter(is_trial_model, judges))
    return (
        f"Judged by {names}: a model this small shows only that the tool works; its verdict carries no meaning."
        if names
        else ""
    )


def build_briefing(debate: Debate) -> Briefing | None:
    """Return the briefing from the newest run that reviews claims; None without such a run, or if no judge answered."""
    review = review_claims(debate)
    if review is None:
        return None
    claims = group_by_key(
        (
            row.standing,
            BriefingClaim(
                id=row.id,
                participant=row.participant,
                claim=row.claim,
                reason=row.reason or "",
                fallacies=row.fallacies,
            ),
        )
        for row in build_trace_table(debate)
    )
    return Briefing(
        key_insight=review.key_insight,
        rely_on=tuple(claims["UPHELD"]),
        limit=tuple(claims["PARTIALLY_UPHELD"]),
        not_to_use=tuple(claims["REFUTED"]),
        uncertain=tuple(claims["UNCERTAIN"]),
        sources=brief_sources(debate),
        unresolved_questions=review.unresolved_questions,
        recommendation=review.recommendation,
    )
