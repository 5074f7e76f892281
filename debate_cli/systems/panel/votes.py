"""The votes of a panel, the agreement of the judges, and whether the panel votes again."""

from __future__ import annotations  # the reference of the Python API shows annotations as they are written

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Literal, get_args

from pydantic import Field

from debate_cli.domain.assessment import Assessment, Finding
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.errors import ConfigError
from debate_cli.systems.aggregation import (
    clamp_mark,
    first_finding,
    group_by_key,
    mean,
    ordered_assessments,
    stored_settings,
    strip_float_noise,
)
from debate_cli.systems.panel.settings import (
    DEFAULT_DIMENSION_THRESHOLD,
    MAX_DIMENSION_MARK,
    MIN_DIMENSION_MARK,
    PanelSettings,
)
from debate_cli.systems.tables import format_number

VOTE_WEIGHT, DIMENSION_WEIGHT = 0.6, 0.4
"""Weights of the votes and of the marks in the formula for a panel's agreement."""
MIN_VOTES_TO_COMPARE = 2
VoteOption = Literal["PASS", "FAIL", "CONDITIONAL"]
OPTIONS: tuple[VoteOption, ...] = get_args(VoteOption)
Votes = Sequence[VoteOption] | Mapping[str, VoteOption]
"""The options that judges chose: a list, or a mapping from judges to options."""
DimensionMarks = Mapping[str, Sequence[float] | Mapping[str, float]]
"""Maps each dimension to the judges' marks, 1-3. The marks are a list, or a mapping from judges to marks."""
_TURN_REFERENCE = re.compile(r"\bturns?\s*(?:no\.?|number|#)?\s*(\d{1,9})(?!\d)", re.IGNORECASE)


class Vote(Finding):
    """A panel judge's vote."""

    kind: Literal["vote"] = "vote"
    option: VoteOption
    """PASS: the motion is upheld, or the document passes. FAIL: the motion is rejected, or the document fails.
    CONDITIONAL: PASS under conditions."""
    confidence: float = Field(ge=0, le=1)
    critical_findings: tuple[str, ...] = ()
    remediation_required: tuple[str, ...] = ()
    changed_because: str | None = None
    late: bool = False
    """Whether this repeats the judge's earlier vote, because the judge did not answer in time."""

    @property
    def choice(self) -> str:
        """The option and the confidence in it, e.g. `PASS, confidence 0.88`."""
        return f"{self.option}, confidence {format_number(self.confidence)}{', late' if self.late else ''}"

    @property
    def reasons(self) -> list[str]:
        """Critical findings, required corrections, and why the vote changed."""
        sentences = [f"Critical: {point}" for point in self.critical_findings]
        sentences += [f"Required correction: {point}" for point in self.remediation_required]
        return [*sentences, f"Why the vote changed: {self.changed_because}"] if self.changed_because else sentences

    def describe(self) -> list[str]:
        """Return the judge's choice and confidence, then the reasons."""
        return [f"Votes {self.choice}", *self.reasons]


@dataclass(frozen=True, slots=True)
class Ballot:
    """One judge's vote in one round of voting, or the judge's earlier vote that is used instead."""

    judge: str
    weight: float
    """Weight of the judge's vote in the settings, above 0."""
    vote: Vote
    dimensions: Mapping[str, float]
    """Maps dimensions to the judge's marks, 1-3."""
    rationale: str
    carried: bool = False
    """Whether this is the judge's earlier vote, used again because the judge was late or the call failed in this
    round."""

    @property
    def option(self) -> VoteOption:
        """The option that the judge chose."""
        return self.vote.option


class Disagreement(FrozenModel):
    """A point on which a panel disagrees: the vote, or the marks of one dimension."""

    type: Literal["vote", "dimension"]
    """Whether the judges disagree on the vote or on a dimension."""
    about: str
    """What the judges disagree on: `vote`, or the name of a dimension."""
    severity: float
    """Size of the disagreement, 0-1. For the vote: share of the judges who did not choose the most frequent option. For
    a dimension: half the difference between the highest and the lowest mark."""
    positions: dict[str, VoteOption | float]
    """Maps each judge to the option or mark that the judge gave."""


def panel_agreement(votes: Votes, dimensions: DimensionMarks) -> float:
    """Return how far the judges agree on the option and on the marks of each dimension, 0-1. 1 is full agreement.

    Raises ConfigError if `votes` contains an unknown option, or if `dimensions` contains a mark outside 1-3.
    """
    return _compute_agreement(*_list_votes(votes, dimensions))


def should_panel_deliberate(votes: Votes, dimensions: DimensionMarks, threshold: float) -> bool:
    """Return whether a panel should vote again.

    A panel of at least two judges votes again if its agreement is below `threshold` and its judges are divided. Judges
    are divided if they chose different options, or if their marks in one dimension differ by at least 1.5
    (DEFAULT_DIMENSION_THRESHOLD).

    Raises ConfigError if `votes` contains an unknown option, or if `dimensions` contains a mark outside 1-3.
    """
    options, marks = _list_votes(votes, dimensions)
    is_disputed = any(spread >= DEFAULT_DIMENSION_THRESHOLD for spread in _mark_ranges(marks).values())
    is_divided = len(options) >= MIN_VOTES_TO_COMPARE and (len(set(options)) > 1 or is_disputed)
    return is_divided and _compute_agreement(options, marks) < strip_float_noise(threshold)


def _list_votes(votes: Votes, dimensions: DimensionMarks) -> tuple[list[str], dict[str, list[float]]]:
    options: list[str] = _list_values(votes)
    for option in options:
        if option not in OPTIONS:
            raise ConfigError(f"votes: {option!r} is not an option; use {', '.join(OPTIONS)}")
    marks = {name: _list_values(given) for name, given in dimensions.items()}
    for name, given in marks.items():
        for mark in given:
            if not isinstance(mark, Real) or not MIN_DIMENSION_MARK <= float(mark) <= MAX_DIMENSION_MARK:
                raise ConfigError(f"dimensions: {name}: {mark!r} is not a mark; use numbers from 1 to 3")
    return options, marks


def _list_values(given: Collection[Any] | Mapping[str, Any]) -> list[Any]:
    return list(given.values() if isinstance(given, Mapping) else given)  # pyright: ignore[reportUnknownArgumentType]


def _compute_agreement(options: Collection[str], marks: Mapping[str, Collection[float]]) -> float:
    if len(options) < MIN_VOTES_TO_COMPARE:
        return 1.0
    ranges = _mark_ranges(marks)
    dimensions = mean(max(0.0, 1 - spread / 2) for spread in ranges.values()) if ranges else 1.0
    return strip_float_noise(VOTE_WEIGHT * _largest_share(options) + DIMENSION_WEIGHT * dimensions)


def _largest_share(options: Collection[str]) -> float:
    return max(Counter(options).values()) / len(options)


def _mark_ranges(marks: Mapping[str, Collection[float]]) -> dict[str, float]:
    return {
        name: strip_float_noise(max(given) - min(given))
        for name, given in marks.items()
        if len(given) >= MIN_VOTES_TO_COMPARE
    }


def judge_weights(debate: Debate, run: JudgingRun | str, settings: PanelSettings) -> dict[str, float]:
    """Return the weight of each judge in `run`, by judge id.

    Weights in `settings` take precedence over the weights that the run stored.
    """
    given = {judge.id: judge.weight for judge in settings.members}
    asked = stored_settings(debate, run, settings).members
    return {judge.id: given.get(judge.id) or judge.weight or 1.0 for judge in asked}


def ballots_by_round(
    debate: Debate, run: JudgingRun | str, settings: PanelSettings
) -> Mapping[int, tuple[Ballot, ...]]:
    """Map each round of voting to the votes that count in the round, in the order of the panel.

    If a judge gave no new vote in a round, e.g. because of a timeout, the judge's earlier vote is used again.
    """
    weights = judge_weights(debate, run, settings)
    cast: dict[int, dict[str, Ballot]] = defaultdict(dict)
    for assessment in ordered_assessments(debate, "panel", run):
        ballot = _parse_ballot(assessment, weights, settings)
        if ballot is not None:
            cast[assessment.revision].setdefault(ballot.judge, ballot)
    found: dict[int, tuple[Ballot, ...]] = {}
    latest: dict[str, Ballot] = {}
    for number in sorted(cast):
        for judge in weights:
            ballot, last = cast[number].get(judge), latest.get(judge)
            if last is not None and (ballot is None or ballot.vote.late):
                vote = last.vote.model_copy(update={"late": ballot is not None})
                ballot = replace(last, vote=vote, carried=True)
            if ballot is not None:
                latest[judge] = ballot
        found[number] = tuple(latest[judge] for judge in weights if judge in latest)
    return found


def _parse_ballot(assessment: Assessment, weights: Mapping[str, float], settings: PanelSettings) -> Ballot | None:
    vote = first_finding([assessment], Vote)
    if vote is None or assessment.assessor not in weights or assessment.subject.moment != "debate":
        return None
    dimensions = {
        mark.criterion: float(clamp_mark(mark, MIN_DIMENSION_MARK, MAX_DIMENSION_MARK))
        for mark in assessment.marks
        if mark.participant is None and mark.criterion in settings.dimensions
    }
    return Ballot(assessment.assessor, weights[assessment.assessor], vote, dimensions, assessment.rationale)


def agreement_of_ballots(ballots: Sequence[Ballot]) -> float:
    """Return how far the judges of one round agree on the option and on the marks of each dimension, 0-1."""
    return _compute_agreement([ballot.option for ballot in ballots], _marks_by_dimension(ballots))


def find_disagreements(ballots: Sequence[Ballot], settings: PanelSettings) -> tuple[Disagreement, ...]:
    """Return the points on which judges disagree, most severe first."""
    if len(ballots) < MIN_VOTES_TO_COMPARE:
        return ()
    found: list[Disagreement] = []
    divided = strip_float_noise(1 - _largest_share([ballot.option for ballot in ballots]))
    if divided:
        options: dict[str, VoteOption | float] = {ballot.judge: ballot.option for ballot in ballots}
        found.append(Disagreement(type="vote", about="vote", severity=divided, positions=options))
    for name, spread in sorted(_mark_ranges(_marks_by_dimension(ballots)).items()):
        if spread >= strip_float_noise(settings.dimension_disagreement_threshold):
            severity = strip_float_noise(min(1.0, spread / 2))
            marks: dict[str, VoteOption | float] = {
                ballot.judge: strip_float_noise(ballot.dimensions[name])
                for ballot in ballots
                if name in ballot.dimensions
            }
            found.append(Disagreement(type="dimension", about=name, severity=severity, positions=marks))
    return tuple(sorted(found, key=lambda item: -item.severity))


def _marks_by_dimension(ballots: Sequence[Ballot]) -> dict[str, list[float]]:
    return group_by_key(pair for ballot in ballots for pair in ballot.dimensions.items())


def should_deliberate(rounds: Mapping[int, Sequence[Ballot]], settings: PanelSettings) -> bool:
    """Return whether the panel holds another round of voting.

    `rounds`: maps the number of each round to the votes that count. While votes of the last round are missing, the
    returned value is preliminary.
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
    """Return whether `because` is a valid reason for a changed vote.

    An empty reason is invalid. In a debate, a valid reason names a turn or an argument. Turns may be counted from 0, as in
    prompts, or from 1. For a document, every reason that is not empty is valid.
    """
    if because is None or not because.strip():
        return False
    if not debate.turns:
        return True
    named = {int(number) for number in _TURN_REFERENCE.findall(because)}
    numbers = {index + start for index in debate.turns_by_index for start in (0, 1)}
    return not named.isdisjoint(numbers) or any(
        re.search(rf"(?<![\w-]){re.escape(item)}(?![\w-])", because, re.IGNORECASE) for item in debate.arguments
    )
