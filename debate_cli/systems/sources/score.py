"""Scorer of the system `sources`: a debater's score is the mean credit of the debater's citations.

A quote that is not in its source gives credit 0. A correct quote gives 1 if the source supports the argument, 0.5 if it
supports the argument in part, and 0 if it does not.

Citations do not count if the quote was not checked, or if the judge's answer is missing or `unknown`. If no citation
counts, the score is 0.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from pydantic import Field

from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.verdict import Notes, Verdict
from debate_cli.evidence.source_checks import GENUINE_OUTCOMES, find_uncited
from debate_cli.systems.aggregation import describe_unanswered, get_run_id, ordered_assessments, strip_float_noise
from debate_cli.systems.base import round_briefs
from debate_cli.systems.outcome import UNDETERMINED_OUTCOME, build_verdict, clear_from_threshold, decide_outcome
from debate_cli.systems.source_support import (
    JudgedCitation,
    JudgedLookup,
    Support,
    join_checks,
    judge_lookups,
    lookup_items,
)
from debate_cli.systems.sources.settings import SourcesSettings

CREDITS: dict[Support, float] = {"yes": 1.0, "partly": 0.5}
"""Credit of a citation with a correct quote, by the judge's answer (whether the source supports the argument).

The answers `no` and `contradicts` give 0. Citations with the answer `unknown` do not count.
"""


class DebaterSources(FrozenModel):
    """Counts of one debater's citations, and the debater's score."""

    name: str
    """Name of the debater."""
    citations: int
    """Number of the debater's citations."""
    counted: int
    """Number of citations that count: the quote was checked, and the judge's answer is not `unknown`."""
    credit: float
    """Sum of the credits of all citations that count. The credit is 1 if the quote is correct and the source supports the
    argument, 0.5 if the source supports it only partly, otherwise 0."""
    score: float
    """`credit` divided by `counted`, 0-1; 0 if `counted` is 0."""
    altered: int
    """Number of quotes whose words differ from the source."""
    not_found: int
    """Number of quotes that are not in their source, or whose source does not exist."""
    contradicted: int
    """Number of citations whose source says the opposite of the argument."""
    uncited: int
    """Number of arguments that name a figure, study or institution but cite no source."""


class SourcesNotes(Notes):
    """Notes of a verdict by the system `sources`."""

    debaters: tuple[DebaterSources, ...]
    """One row per debater."""
    citations: tuple[JudgedCitation, ...]
    """All citations, those with altered quotes first."""
    lookups: tuple[JudgedLookup, ...] = Field(default=(), exclude_if=lambda lookups: not lookups)
    """The judge's answers to the question whether evidence or a source exists. One entry for each argument that names
    evidence but cites no source, and one for each cited source that the debate does not have."""


def score_run(debate: Debate, run: JudgingRun | str, settings: SourcesSettings) -> Verdict:
    """Return the verdict of one judging run. Without a citation that counts, the verdict is undetermined.

    `DebaterSources.counted` says which citations count.
    """
    given = ordered_assessments(debate, "sources", run)
    judged = [citation for _, citation in join_checks(debate, given)]
    uncited = Counter(claim.debater for claim in find_uncited(debate))
    rows = tuple(_sum_up(item.name, judged, uncited[item.name]) for item in debate.participants)
    outcome = UNDETERMINED_OUTCOME
    scores = {row.name: row.score for row in rows}
    if any(row.counted for row in rows):
        outcome = decide_outcome(scores, clear_from_threshold(settings.thresholds))
    notes = SourcesNotes(
        debaters=rows,
        citations=tuple(sorted(judged, key=lambda item: item.outcome != "altered")),
        lookups=judge_lookups(debate, given),
        missing=tuple(_missing(debate, run, settings)),
    )
    return build_verdict("sources", run, outcome, scores, notes)


def _sum_up(name: str, judged: Sequence[JudgedCitation], uncited: int) -> DebaterSources:
    own = [item for item in judged if item.debater == name]
    counted = [item for item in own if item.outcome != "unchecked" and item.supports != "unknown"]
    credit = sum(CREDITS.get(item.supports, 0.0) for item in counted if item.outcome in GENUINE_OUTCOMES)
    return DebaterSources(
        name=name,
        citations=len(own),
        counted=len(counted),
        credit=credit,
        score=strip_float_noise(credit / len(counted)) if counted else 0.0,
        altered=sum(item.outcome == "altered" for item in own),
        not_found=sum(item.outcome in {"not_found", "no_such_source"} for item in own),
        contradicted=sum(item.supports == "contradicts" for item in own),
        uncited=uncited,
    )


def judged_rounds(debate: Debate) -> dict[int, str]:
    """Map the number of each round that must be judged to what is judged in it: `citations` or `uncited claims`.

    A round with both is mapped to `citations`.
    """
    rounds = {debate.turns_by_index[item.turn].round: "uncited claims" for item in lookup_items(debate, None)}
    return rounds | {turn.round: "citations" for turn in debate.turns if turn.has_citations}


def _missing(debate: Debate, run: JudgingRun | str, settings: SourcesSettings) -> Iterator[str]:
    rounds = judged_rounds(debate)
    if "citations" not in rounds.values():
        yield "No debater cites a source."
    for brief in round_briefs(get_run_id(run), settings, sorted(rounds)):
        number = brief.subject.round or 0
        words = f"The {rounds[number]} of round {number} were not judged by {brief.assessor}"
        yield from describe_unanswered(debate, [(brief, words)])
