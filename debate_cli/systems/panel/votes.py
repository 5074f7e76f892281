"""A panel's ballots: what each judge's vote is in a deliberation round, how far the votes agree, where they do not.

These are the pure pieces that scorer and schedule share; which option prevails is decided in `panel`.
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
"""What votes and dimensions count in the agreement."""
DISPUTED_RANGE = 1.5
"""A dimension whose marks range this far or farther is disputed."""
_TURN_REFERENCE = re.compile(r"\bturns?\s*(?:no\.?|number|#)?\s*(\d+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ballot:
    """A judge's vote as it counts in one deliberation round."""

    judge: str
    weight: float
    """As configured, > 0; not normalised."""
    vote: Vote
    dimensions: Mapping[str, float]
    """Dimension -> 1-3, of those configured."""
    rationale: str
    cast_round: int
    """The round in which it was cast."""
    carried: bool = False
    """Cast in an earlier round and kept, because the judge was late or did not answer."""

    @property
    def option(self) -> VoteOption:
        """What was voted."""
        return self.vote.option


class Disagreement(FrozenModel):
    """A point on which a panel is divided."""

    about: str
    """`vote`, or a dimension."""
    severity: float
    """0-1."""


def judge_weights(debate: Debate, run: JudgingRun | str, settings: PanelSettings) -> dict[str, float]:
    """Judge -> weight, of the bench that was asked; `settings` may give its members other weights."""
    asked = {judge.id: judge.weight for judge in stored_settings(debate, run, settings).members}
    given = {judge.id: judge.weight for judge in settings.members}
    return {judge: given.get(judge) or weight or 1.0 for judge, weight in asked.items()}


def ballots_by_round(
    debate: Debate, run: JudgingRun | str, settings: PanelSettings
) -> Mapping[int, tuple[Ballot, ...]]:
    """Deliberation round -> the ballots that count in it, judges in the order of the bench.

    A judge that did not vote in a round, or was late for it, keeps its last vote. Votes of judges that are not on the
    bench do not count.
    """
    return _ballots_by_round(debate, get_run_id(run), settings)


@memoize_on_value
def _ballots_by_round(debate: Debate, run: str, settings: PanelSettings) -> Mapping[int, tuple[Ballot, ...]]:
    bench = judge_weights(debate, run, settings)
    cast: dict[int, dict[str, Ballot]] = defaultdict(dict)
    for assessment in ordered_assessments(debate, "panel", run):
        ballot = _parse_ballot(assessment, bench, settings)
        if ballot is not None:
            cast[ballot.cast_round].setdefault(ballot.judge, ballot)
    found: dict[int, tuple[Ballot, ...]] = {}
    latest: dict[str, Ballot] = {}
    for number in sorted(cast):
        latest = {judge: _carry_over(ballot) for judge, ballot in latest.items()}
        latest |= {judge: _keep_last_if_late(ballot, latest.get(judge)) for judge, ballot in cast[number].items()}
        found[number] = tuple(latest[judge] for judge in bench if judge in latest)
    return found


def compute_agreement(ballots: Sequence[Ballot]) -> float:
    """How far a panel agrees, 0-1, by the rules as written.

    0.6 x the largest share of votes + 0.4 x the mean over dimensions of max(0, 1 - range/2). Fewer than two votes agree
    wholly; where two judges share no dimension, dimensions agree wholly.
    """
    if len(ballots) < 2:  # noqa: PLR2004 - nobody to differ from
        return 1.0
    ranges = _ranges(ballots)
    dimensions = mean(max(0.0, 1 - spread / 2) for spread in ranges.values()) if ranges else 1.0
    return strip_float_noise(VOTE_WEIGHT * _largest_share(ballots) + DIMENSION_WEIGHT * dimensions)


def find_disagreements(ballots: Sequence[Ballot]) -> tuple[Disagreement, ...]:
    """Where a panel is divided, most severe first; equal ones vote first, then dimensions by name."""
    if len(ballots) < 2:  # noqa: PLR2004 - nobody to differ from
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
    """Whether the panel should vote once more, judged by the latest of its `rounds`, which are those of `ballots_by_round`.

    It should while it agrees less than the threshold, is divided on something, has had fewer deliberation rounds than
    allowed, and has enough votes. The caller sees to it that the latest round is settled.
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
    """Whether a reason for a changed vote names a turn, or an argument, of the debate; any words do for a document."""
    if because is None or not because.strip():
        return False
    if not debate.turns:
        return True
    named = {int(number) for number in _TURN_REFERENCE.findall(because)}
    return bool(named & debate.turns_by_index.keys()) or any(_mentions_item(because, item) for item in debate.arguments)


def _mentions_item(text: str, item: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(item)}(?![\w-])", text, re.IGNORECASE) is not None


def _parse_ballot(assessment: Assessment, bench: Mapping[str, float], settings: PanelSettings) -> Ballot | None:
    """The ballot in an assessment; None without a vote, and for a stranger's."""
    vote = next((finding for finding in assessment.findings if isinstance(finding, Vote)), None)
    if vote is None or assessment.assessor not in bench or assessment.subject.moment != "debate":
        return None
    dimensions = {
        mark.criterion: clamp_mark(mark, DIMENSION_MIN, DIMENSION_MAX)
        for mark in assessment.marks
        if mark.participant is None and mark.criterion in settings.dimensions
    }
    return Ballot(
        judge=assessment.assessor,
        weight=bench[assessment.assessor],
        vote=vote,
        dimensions=dimensions,
        rationale=assessment.rationale,
        cast_round=assessment.revision,
    )


def _carry_over(ballot: Ballot) -> Ballot:
    """The vote in a later round in which nothing was heard of its judge."""
    return replace(ballot, vote=ballot.vote.model_copy(update={"late": False}), carried=True)


def _keep_last_if_late(ballot: Ballot, last: Ballot | None) -> Ballot:
    """A judge marked late keeps its last vote, whatever the late ballot says; a first vote counts even when late."""
    if not ballot.vote.late or last is None:
        return ballot
    return replace(last, vote=last.vote.model_copy(update={"late": True}))


def _largest_share(ballots: Sequence[Ballot]) -> float:
    return max(Counter(ballot.option for ballot in ballots).values()) / len(ballots)


def _ranges(ballots: Iterable[Ballot]) -> dict[str, float]:
    """Dimension -> range of its marks, of those that at least two judges marked."""
    found: dict[str, list[float]] = defaultdict(list)
    for ballot in ballots:
        for dimension, value in ballot.dimensions.items():
            found[dimension].append(value)
    return {name: max(values) - min(values) for name, values in found.items() if len(values) > 1}
