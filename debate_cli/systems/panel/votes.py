"""The ballots of a panel by deliberation round, their agreement, and the points of disagreement.

Pure functions that scorer and schedule share. `score` decides which option wins.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel, memoize_on_value
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.systems.aggregation import (
    clamp_mark,
    get_run_id,
    mean,
    ordered_assessments,
    stored_settings,
    strip_float_noise,
)
from debate_cli.systems.panel.findings import Vote, VoteOption
from debate_cli.systems.panel.settings import PanelSettings

DIMENSION_MIN, DIMENSION_MAX = 1.0, 3.0
"""Scale of a dimension."""
VOTE_WEIGHT, DIMENSION_WEIGHT = 0.6, 0.4
"""Weights of votes and of dimensions in the agreement."""
DISPUTED_RANGE = 1.5
"""A dimension is disputed if the range of its marks is at least this large."""
_TURN_REFERENCE = re.compile(r"\bturns?\s*(?:no\.?|number|#)?\s*(\d+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ballot:
    """A judge's vote that counts in one deliberation round."""

    judge: str
    weight: float
    """As configured, > 0; not normalized."""
    vote: Vote
    dimensions: Mapping[str, float]
    """Configured dimension -> mark, 1-3."""
    rationale: str
    cast_round: int
    """The round in which it was cast."""
    carried: bool = False
    """Whether it was cast in an earlier round and kept, because the judge was late or did not answer."""

    @property
    def option(self) -> VoteOption:
        """The option that this judge voted for."""
        return self.vote.option


class Disagreement(FrozenModel):
    """A point on which the panel disagrees."""

    about: str
    """`vote`, or the name of a dimension."""
    severity: float
    """0-1."""


def judge_weights(debate: Debate, run: JudgingRun | str, settings: PanelSettings) -> dict[str, float]:
    """Judge -> weight, for the judges who were asked; `settings` may change their weights."""
    asked = {judge.id: judge.weight for judge in stored_settings(debate, run, settings).members}
    given = {judge.id: judge.weight for judge in settings.members}
    return {judge: given.get(judge) or weight or 1.0 for judge, weight in asked.items()}


def ballots_by_round(
    debate: Debate, run: JudgingRun | str, settings: PanelSettings
) -> Mapping[int, tuple[Ballot, ...]]:
    """Deliberation round -> the ballots that count in it, in panel order.

    A judge who did not vote in a round, or was late, keeps its last vote. Votes of judges who are not members do not
    count.
    """
    return _ballots_by_round(debate, get_run_id(run), settings)


@memoize_on_value
def _ballots_by_round(debate: Debate, run: str, settings: PanelSettings) -> Mapping[int, tuple[Ballot, ...]]:
    weights = judge_weights(debate, run, settings)
    cast: dict[int, dict[str, Ballot]] = defaultdict(dict)
    for assessment in ordered_assessments(debate, "panel", run):
        ballot = _parse_ballot(assessment, weights, settings)
        if ballot is not None:
            cast[ballot.cast_round].setdefault(ballot.judge, ballot)
    found: dict[int, tuple[Ballot, ...]] = {}
    latest: dict[str, Ballot] = {}
    for number in sorted(cast):
        latest = {judge: _carry_over(ballot) for judge, ballot in latest.items()}
        latest |= {judge: _keep_last_if_late(ballot, latest.get(judge)) for judge, ballot in cast[number].items()}
        found[number] = tuple(latest[judge] for judge in weights if judge in latest)
    return found


def compute_agreement(ballots: Sequence[Ballot]) -> float:
    """Agreement of a panel, 0-1.

    0.6 x the largest share of votes + 0.4 x the mean over dimensions of max(0, 1 - range/2). Fewer than two votes, and
    dimensions that fewer than two judges marked, count as full agreement.
    """
    if len(ballots) < 2:  # noqa: PLR2004 - a comparison needs two
        return 1.0
    ranges = _ranges(ballots)
    dimensions = mean(max(0.0, 1 - spread / 2) for spread in ranges.values()) if ranges else 1.0
    return strip_float_noise(VOTE_WEIGHT * _largest_share(ballots) + DIMENSION_WEIGHT * dimensions)


def find_disagreements(ballots: Sequence[Ballot]) -> tuple[Disagreement, ...]:
    """Points of disagreement, most severe first. With equal severity: the vote, then dimensions by name."""
    if len(ballots) < 2:  # noqa: PLR2004 - a comparison needs two
        return ()
    found: list[Disagreement] = []
    divided = strip_float_noise(1 - _largest_share(ballots))
    if divided > 0:
        found.append(Disagreement(about="vote", severity=divided))
    for dimension, spread in sorted(_ranges(ballots).items()):
        if strip_float_noise(spread) >= DISPUTED_RANGE:
            found.append(Disagreement(about=dimension, severity=strip_float_noise(min(1.0, spread / 2))))
    return tuple(sorted(found, key=lambda item: -item.severity))


def should_deliberate(rounds: Mapping[int, Sequence[Ballot]], settings: PanelSettings) -> bool:
    """Whether the panel votes once more after the latest of `rounds` (the result of `ballots_by_round`).

    True if agreement is below the threshold, there is a disagreement, the maximum of deliberation rounds is not reached,
    and there are enough votes. Call it only when the latest round is settled.
    """
    if not rounds:
        return False
    latest = max(rounds)
    ballots = rounds[latest]
    return (
        len(ballots) >= settings.min_judges
        and latest < settings.max_rounds
        and compute_agreement(ballots) < strip_float_noise(settings.convergence_threshold)
        and bool(find_disagreements(ballots))
    )


def explains_change(because: str | None, debate: Debate) -> bool:
    """Whether a reason for a changed vote names a turn or an argument of the debate. For a document, any text is valid."""
    if because is None or not because.strip():
        return False
    if not debate.turns:
        return True
    named = {int(number) for number in _TURN_REFERENCE.findall(because)}
    return bool(named & debate.turns_by_index.keys()) or any(_mentions_item(because, item) for item in debate.arguments)


def _mentions_item(text: str, item: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(item)}(?![\w-])", text, re.IGNORECASE) is not None


def _parse_ballot(assessment: Assessment, weights: Mapping[str, float], settings: PanelSettings) -> Ballot | None:
    """The ballot in an assessment; None without a vote, or if the judge is not a member."""
    vote = next((finding for finding in assessment.findings if isinstance(finding, Vote)), None)
    if vote is None or assessment.assessor not in weights or assessment.subject.moment != "debate":
        return None
    dimensions = {
        mark.criterion: clamp_mark(mark, DIMENSION_MIN, DIMENSION_MAX)
        for mark in assessment.marks
        if mark.participant is None and mark.criterion in settings.dimensions
    }
    return Ballot(
        judge=assessment.assessor,
        weight=weights[assessment.assessor],
        vote=vote,
        dimensions=dimensions,
        rationale=assessment.rationale,
        cast_round=assessment.revision,
    )


def _carry_over(ballot: Ballot) -> Ballot:
    """The ballot for a later round in which its judge did not answer."""
    return replace(ballot, vote=ballot.vote.model_copy(update={"late": False}), carried=True)


def _keep_last_if_late(ballot: Ballot, last: Ballot | None) -> Ballot:
    """Replace a late ballot with the judge's last vote; a first vote counts even if it is late."""
    if not ballot.vote.late or last is None:
        return ballot
    return replace(last, vote=last.vote.model_copy(update={"late": True}))


def _largest_share(ballots: Sequence[Ballot]) -> float:
    return max(Counter(ballot.option for ballot in ballots).values()) / len(ballots)


def _ranges(ballots: Iterable[Ballot]) -> dict[str, float]:
    """Dimension -> range of its marks, for dimensions that at least two judges marked."""
    found: dict[str, list[float]] = defaultdict(list)
    for ballot in ballots:
        for dimension, value in ballot.dimensions.items():
            found[dimension].append(value)
    return {name: max(values) - min(values) for name, values in found.items() if len(values) > 1}
