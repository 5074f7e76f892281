"""Collects the ballots of a panel by deliberation round and finds the disputed points, for scores and schedules.

`agreement` has the formula; `score` decides which option wins.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.systems.aggregation import (
    clamp_mark,
    ordered_assessments,
    stored_settings,
    strip_float_noise,
)
from debate_cli.systems.panel.agreement import (
    DIMENSION_MAX,
    DIMENSION_MIN,
    MIN_VOTES_TO_COMPARE,
    compute_agreement,
    largest_share,
    mark_ranges,
)
from debate_cli.systems.panel.findings import Vote, VoteOption
from debate_cli.systems.panel.settings import PanelSettings

_TURN_REFERENCE = re.compile(r"\bturns?\s*(?:no\.?|number|#)?\s*(\d{1,9})(?!\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ballot:
    """The vote of one judge that counts in one deliberation round."""

    judge: str
    weight: float
    """Configured weight of the judge, above 0, not normalized."""
    vote: Vote
    dimensions: Mapping[str, float]
    """Maps configured dimensions to marks, 1-3."""
    rationale: str
    cast_round: int
    """The round in which the judge gave the vote."""
    carried: bool = False
    """Whether the vote is from an earlier round, because the judge was late or did not answer."""

    @property
    def option(self) -> VoteOption:
        """The option that this judge voted for."""
        return self.vote.option


class Disagreement(FrozenModel):
    """A point that a panel disputes: the vote or a dimension."""

    type: Literal["vote", "dimension"]
    about: str
    """`vote`, or the name of a dimension."""
    severity: float
    """For a vote, 1 minus the largest share; for a dimension, half the range of its marks. 0-1."""
    positions: dict[str, VoteOption | float]
    """Maps judges to options, or to marks of the dimension from 1 to 3, in panel order."""


def judge_weights(debate: Debate, run: JudgingRun | str, settings: PanelSettings) -> dict[str, float]:
    """Return the weight of each judge who was asked in `run`. Weights in `settings` replace those stored in the run."""
    asked = {judge.id: judge.weight for judge in stored_settings(debate, run, settings).members}
    given = {judge.id: judge.weight for judge in settings.members}
    return {judge: given.get(judge) or weight or 1.0 for judge, weight in asked.items()}


def ballots_by_round(
    debate: Debate, run: JudgingRun | str, settings: PanelSettings
) -> Mapping[int, tuple[Ballot, ...]]:
    """Return the ballots of each deliberation round, in panel order.

    A judge who did not vote in a round, or was late, keeps its last vote. Votes of judges who are not members do not
    count.
    """
    weights = judge_weights(debate, run, settings)
    cast: dict[int, dict[str, Ballot]] = defaultdict(dict)
    for assessment in ordered_assessments(debate, "panel", run):
        ballot = _parse_ballot(assessment, weights, settings)
        if ballot is not None:
            cast[ballot.cast_round].setdefault(ballot.judge, ballot)
    found: dict[int, tuple[Ballot, ...]] = {}
    latest: dict[str, Ballot] = {}
    for number in sorted(cast):
        for judge, last in latest.items():
            is_late = judge in cast[number] and cast[number][judge].vote.late
            vote = last.vote.model_copy(update={"late": is_late})
            latest[judge] = replace(last, vote=vote, carried=True)
        latest |= {
            judge: ballot for judge, ballot in cast[number].items() if judge not in latest or not ballot.vote.late
        }
        found[number] = tuple(latest[judge] for judge in weights if judge in latest)
    return found


def agreement_of_ballots(ballots: Sequence[Ballot]) -> float:
    """Compute the agreement of a panel, 0-1, by the formula in `agreement`."""
    return compute_agreement([ballot.option for ballot in ballots], _marks_by_dimension(ballots))


def find_disagreements(ballots: Sequence[Ballot], settings: PanelSettings) -> tuple[Disagreement, ...]:
    """Return the disputed points, most severe first. If equally severe, the vote precedes dimensions by name."""
    if len(ballots) < MIN_VOTES_TO_COMPARE:
        return ()
    found: list[Disagreement] = []
    divided = strip_float_noise(1 - largest_share([ballot.option for ballot in ballots]))
    if divided > 0:
        options: dict[str, VoteOption | float] = {ballot.judge: ballot.option for ballot in ballots}
        found.append(Disagreement(type="vote", about="vote", severity=divided, positions=options))
    for name, spread in sorted(mark_ranges(_marks_by_dimension(ballots)).items()):
        if spread >= strip_float_noise(settings.dimension_disagreement_threshold):
            severity = strip_float_noise(min(1.0, spread / 2))
            marks: dict[str, VoteOption | float] = {
                ballot.judge: strip_float_noise(ballot.dimensions[name])
                for ballot in ballots
                if name in ballot.dimensions
            }
            found.append(Disagreement(type="dimension", about=name, severity=severity, positions=marks))
    return tuple(sorted(found, key=lambda item: -item.severity))


def should_deliberate(rounds: Mapping[int, Sequence[Ballot]], settings: PanelSettings) -> bool:
    """Return whether the panel votes again after the latest of `rounds`, as `ballots_by_round` returns them.

    True if agreement is below the threshold, a point is disputed, more deliberation rounds are allowed, and there are
    enough votes. Call it only when the latest round is settled.
    """
    if not rounds:
        return False
    latest = max(rounds)
    ballots = rounds[latest]
    return (
        len(ballots) >= settings.min_judges
        and latest < settings.max_rounds
        and agreement_of_ballots(ballots) < strip_float_noise(settings.convergence_threshold)
        and bool(find_disagreements(ballots, settings))
    )


def explains_change(because: str | None, debate: Debate) -> bool:
    """Return whether the reason for a changed vote is valid.

    It must name a turn or argument; for a document, any reason is valid.
    """
    if because is None or not because.strip():
        return False
    if not debate.turns:
        return True
    named = {int(number) for number in _TURN_REFERENCE.findall(because)}
    return bool(named & debate.turns_by_index.keys()) or any(
        re.search(rf"(?<![\w-]){re.escape(item)}(?![\w-])", because, re.IGNORECASE) for item in debate.arguments
    )


def _parse_ballot(assessment: Assessment, weights: Mapping[str, float], settings: PanelSettings) -> Ballot | None:
    """Return the ballot in an assessment; None if it has no vote, or if the judge is not a member."""
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


def _marks_by_dimension(ballots: Sequence[Ballot]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = defaultdict(list)
    for ballot in ballots:
        for dimension, value in ballot.dimensions.items():
            found[dimension].append(value)
    return found
