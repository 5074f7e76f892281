"""The scorecard of the live system: the scores of all turns, computed from the judge's answers."""

import math
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pydantic import AliasChoices, Field

from debate_cli.domain.assessment import Assessment, Contradiction, DroppedPremise
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.turn import Turn
from debate_cli.systems.aggregation import (
    clamp_mark,
    iter_findings,
    mean_by_key,
    strip_float_noise,
)
from debate_cli.systems.live.findings import CausalChain, ClaimFault, PairComparison
from debate_cli.systems.live.register import RegisterRow, build_register
from debate_cli.systems.live.settings import LiveSettings, PenaltyPoints

DIMENSION_MAXIMA: dict[str, float] = {"logic": 40, "rhetoric": 30, "tactics": 30}
"""Maps each scored dimension of a turn to its highest score. The highest scores add up to 100."""
SUPPLEMENTARY_MAXIMA: dict[str, float] = {"frame_control": 10, "credibility": 10}
"""Highest mark of each criterion that does not count in a turn's score."""
INCOMPLETE_CHAIN_MAX = 34.0
"""Maximum score in logic for a turn with an incomplete causal chain (cause, process, consequence)."""
MIN_WINNER_SCORES: dict[str, float] = {name: math.ceil(0.55 * most) for name, most in DIMENSION_MAXIMA.items()}
"""Maps each dimension to the minimum score of a turn that won the dimension in an exchange (two adjacent turns).

A turn that lost the dimension in an exchange, and won it in none, gets at most this minimum minus 1.
"""
DRAW_SHARE = 0.10
"""How much the scores of two turns may differ if the judge calls the turns equal, as a share of the highest possible score
in the dimension. If they differ more, the exchange is unresolved."""
DRAWN_COMPARISON = "draw"

CalibrationRule = Literal["chain", "floor", "ceiling"]
PenaltyKind = ClaimFault | Literal["logic_gap", "contradiction", "dropped_premise"]
TurnScores = dict[int, dict[str, float]]
"""Maps turn indices to mappings from dimensions to scores."""


class Calibration(FrozenModel):
    """A turn's score before and after a rule changed it."""

    turn: int
    """Index of the turn, from 0."""
    dimension: str
    """The scored dimension: `logic`, `rhetoric` or `tactics`."""
    before: float = Field(validation_alias=AliasChoices("from", "before"), serialization_alias="from")
    """Score before the change. JSON key: `from`."""
    after: float = Field(validation_alias=AliasChoices("to", "after"), serialization_alias="to")
    """Score after the change. JSON key: `to`."""
    rule: CalibrationRule
    """Why the score changed. `chain`: lowered, because the causal chain is incomplete. `floor`: raised, because the
    turn won the dimension in an exchange (two adjacent turns). `ceiling`: lowered, because the turn lost the dimension
    in one exchange and won it in none."""


class Penalty(FrozenModel):
    """Points that a turn loses in logic."""

    turn: int
    """Index of the turn that loses the points."""
    kind: PenaltyKind
    """The fault, e.g. `contradiction`, or `fabricated` for a suspect claim."""
    points: float
    """Number of points, above 0."""
    about: str
    """What cost the points. For a contradiction: the judge's explanation. For a dropped premise: the premise. For any
    other fault: the quoted words or, without a quote, the judge's reason."""


class UnresolvedExchange(FrozenModel):
    """Two turns whose scores in a dimension contradict the judge's comparison of the turns."""

    turns: tuple[int, int]
    """Indices of the earlier and the later turn."""
    dimension: str
    """The compared dimension: `logic`, `rhetoric` or `tactics`."""
    winner: str
    """Who won the dimension according to the judge: a debater's name, or `draw`."""
    earlier: float
    """Score of the earlier turn in the dimension, before penalties."""
    later: float
    """Score of the later turn in the dimension, before penalties."""


@dataclass(frozen=True, slots=True)
class Scorecard:
    """The scores of all turns. Turns and dimensions without a mark are left out."""

    raw: TurnScores
    chain_limits: tuple[Calibration, ...]
    calibrated: TurnScores
    """The scores in `raw` after the changes in `chain_limits` and `calibrations`, but before penalties are subtracted."""
    calibrations: tuple[Calibration, ...]
    mixed: Mapping[int, tuple[str, ...]]
    """Maps turn indices to dimensions with opposite results: the turn won one of its two exchanges and lost the other. One
    exchange is with the turn before, the other with the turn after."""
    unresolved: tuple[UnresolvedExchange, ...]
    penalised: TurnScores
    penalties: tuple[Penalty, ...]
    register: tuple[RegisterRow, ...]
    supplementary: TurnScores
    """Maps turn indices to the marks for `frame_control` and `credibility`, 0-10."""
    comparisons: Mapping[int, PairComparison]
    """Maps the index of the later turn of an exchange (two adjacent turns) to the judge's comparison of the two
    turns."""

    def composite(self, turn: int) -> float | None:
        """Return the sum of a turn's scores in the three dimensions, 0-100; None if a dimension has no mark."""
        scores = self.penalised.get(turn, {})
        return strip_float_noise(sum(scores.values())) if len(scores) == len(DIMENSION_MAXIMA) else None


def build_scorecard(debate: Debate, given: Sequence[Assessment], settings: LiveSettings) -> Scorecard:
    """Compute the scores of all turns. `given`: the live judge's assessments."""
    raw = _mean_marks(debate, given, DIMENSION_MAXIMA)
    incomplete = {turn for turn, chain in collect_chains(given).items() if chain.missing}
    comparisons = _collect_comparisons(debate, given)
    results = list(_collect_results(debate, raw, comparisons))
    decided = [(item.dimension, item.decision) for item in results if item.decision is not None]
    won = {(winning_turn, dimension) for dimension, (winning_turn, _) in decided}
    lost = {(losing_turn, dimension) for dimension, (_, losing_turn) in decided}
    calibrated, changes = _calibrate(raw, incomplete, won, lost)
    register = build_register(debate, given, withdrawals=settings.withdrawals)
    penalties = _collect_penalties(debate, given, register, settings.penalties)
    mixed = {index: tuple(name for name in of if (index, name) in won & lost) for index, of in raw.items()}
    return Scorecard(
        raw=raw,
        chain_limits=tuple(item for item in changes if item.rule == "chain"),
        calibrated=calibrated,
        calibrations=tuple(item for item in changes if item.rule != "chain"),
        mixed={index: names for index, names in mixed.items() if names},
        unresolved=tuple(_find_unresolved(results, calibrated)),
        penalised=_apply_penalties(calibrated, penalties),
        penalties=penalties,
        register=register,
        supplementary=_mean_marks(debate, given, SUPPLEMENTARY_MAXIMA),
        comparisons=comparisons,
    )


def pair_end_indices(turns: Iterable[Turn]) -> tuple[int, ...]:
    """Return the index of each turn that follows a turn of another speaker, in ascending order."""
    speakers = {turn.index: turn.speaker for turn in turns}
    return tuple(index for index in sorted(speakers) if speakers.get(index - 1, speakers[index]) != speakers[index])


def collect_chains(given: Iterable[Assessment]) -> dict[int, CausalChain]:
    """Map each turn index to the causal chain (cause, process, consequence) of the turn's main argument.

    If several assessments of the turn have a chain, the first incomplete chain counts. If all are complete, the last
    chain counts.
    """
    found: dict[int, CausalChain] = {}
    for assessment, chain in iter_findings(given, CausalChain):
        if assessment.subject.moment == "turn" and len(assessment.subject.turns) == 1:
            (turn,) = assessment.subject.turns
            if turn not in found or not found[turn].missing:
                found[turn] = chain
    return found


class _DimensionResult(NamedTuple):
    turns: tuple[int, int]
    dimension: str
    winner: str
    decision: tuple[int, int] | None
    """Indices of the winning and the losing turn; None for a draw."""


def _collect_results(
    debate: Debate, scores: TurnScores, comparisons: Mapping[int, PairComparison]
) -> Iterator[_DimensionResult]:
    for index, comparison in comparisons.items():
        pair = (index - 1, index)
        earlier, later = (debate.turns_by_index[turn].speaker for turn in pair)
        decisions = {DRAWN_COMPARISON: None, earlier: pair, later: (index, index - 1)}
        for dimension in DIMENSION_MAXIMA:
            winner = str(getattr(comparison, dimension))
            if all(dimension in scores.get(turn, {}) for turn in pair) and winner in decisions:
                yield _DimensionResult(pair, dimension, winner, decisions[winner])


def _calibrate(
    raw: TurnScores, incomplete: Container[int], won: Container[tuple[int, str]], lost: Container[tuple[int, str]]
) -> tuple[TurnScores, list[Calibration]]:
    scores: TurnScores = {index: dict(of) for index, of in raw.items()}
    changes: list[Calibration] = []

    def change(index: int, dimension: str, after: float, rule: CalibrationRule) -> None:
        before = scores[index][dimension]
        if after != before:
            scores[index][dimension] = after
            changes.append(Calibration(turn=index, dimension=dimension, before=before, after=after, rule=rule))

    for index, of in raw.items():
        for dimension, mark in of.items():
            if dimension == "logic" and index in incomplete:
                change(index, dimension, min(INCOMPLETE_CHAIN_MAX, mark), "chain")
            score, least = scores[index][dimension], MIN_WINNER_SCORES[dimension]
            if (index, dimension) in won:
                change(index, dimension, max(least, score), "floor")
            elif (index, dimension) in lost:
                change(index, dimension, min(least - 1, score), "ceiling")
    return scores, changes


def _find_unresolved(results: Iterable[_DimensionResult], scores: TurnScores) -> Iterator[UnresolvedExchange]:
    for turns, dimension, winner, decision in results:
        earlier, later = (scores[turn][dimension] for turn in turns)
        if decision is None:
            is_open = strip_float_noise(abs(earlier - later)) > DRAW_SHARE * DIMENSION_MAXIMA[dimension]
        else:
            winning_turn, losing_turn = decision
            is_open = scores[winning_turn][dimension] < scores[losing_turn][dimension]
        if is_open:
            yield UnresolvedExchange(turns=turns, dimension=dimension, winner=winner, earlier=earlier, later=later)


def _apply_penalties(scores: TurnScores, penalties: Iterable[Penalty]) -> TurnScores:
    points: dict[int, float] = defaultdict(float)
    for penalty in penalties:
        points[penalty.turn] += penalty.points
    return {
        index: of | ({"logic": strip_float_noise(max(0.0, of["logic"] - points[index]))} if "logic" in of else {})
        for index, of in scores.items()
    }


def count_wins(
    debate: Debate, comparisons: Mapping[int, PairComparison]
) -> tuple[dict[str, int], dict[str, dict[str, int]]]:
    """Return (how many exchanges each participant won, how often each participant won each dimension).

    An exchange is two adjacent turns. Its winner won more dimensions than the opponent.
    """
    exchanges, dimensions = Counter[str](), Counter[tuple[str, str]]()
    for index, comparison in comparisons.items():
        winners = {dimension: str(getattr(comparison, dimension)) for dimension in DIMENSION_MAXIMA}
        won = Counter(winners.values())
        first, second = (debate.turns_by_index[turn].speaker for turn in (index - 1, index))
        dimensions.update((name, dimension) for dimension, name in winners.items() if name in {first, second})
        if won[first] != won[second]:
            exchanges[first if won[first] > won[second] else second] += 1
    names = [item.name for item in debate.participants]
    return (
        {name: exchanges[name] for name in names},
        {name: {dimension: dimensions[name, dimension] for dimension in DIMENSION_MAXIMA} for name in names},
    )


def _judged_turn(debate: Debate, assessment: Assessment) -> Turn | None:
    """Return the turn that the assessment is about; None for assessments of a round, a pair or the debate."""
    subject = assessment.subject
    return debate.turns_by_index.get(subject.turns[0]) if subject.moment == "turn" and len(subject.turns) == 1 else None


def _mean_marks(debate: Debate, given: Iterable[Assessment], maxima: Mapping[str, float]) -> TurnScores:
    means = mean_by_key(
        ((turn.index, mark.criterion), clamp_mark(mark, 0, maxima[mark.criterion]))
        for assessment in given
        if (turn := _judged_turn(debate, assessment)) is not None
        for mark in assessment.marks
        if mark.criterion in maxima and mark.participant in {None, turn.speaker}
    )
    return {
        index: {name: strip_float_noise(means[index, name]) for name in maxima if (index, name) in means}
        for index in sorted({turn for turn, _ in means})
    }


def _collect_comparisons(debate: Debate, given: Iterable[Assessment]) -> dict[int, PairComparison]:
    found: dict[tuple[int, ...], PairComparison] = {}
    for assessment, comparison in iter_findings(given, PairComparison):
        if assessment.subject.moment == "pair":
            found.setdefault(assessment.subject.turns, comparison)
    return {end: found[end - 1, end] for end in pair_end_indices(debate.turns) if (end - 1, end) in found}


def _collect_penalties(
    debate: Debate, given: Sequence[Assessment], register: Iterable[RegisterRow], points: PenaltyPoints
) -> tuple[Penalty, ...]:
    found = [
        Penalty(
            turn=row.charged_to,
            kind="logic_gap" if row.fault == "gap" else row.fault,
            points=row.points,
            about=row.quote or row.reason,
        )
        for row in register
        if row.charged_to is not None
    ]
    found += [
        Penalty(turn=item.later, kind="contradiction", points=points.contradiction, about=item.explanation)
        for _, item in iter_findings(given, Contradiction)
    ]
    found += [
        Penalty(turn=item.later, kind="dropped_premise", points=points.dropped_premise, about=item.premise)
        for _, item in iter_findings(given, DroppedPremise)
    ]
    counted = [item for item in found if item.points and item.turn in debate.turns_by_index]
    return tuple(sorted(counted, key=lambda item: (item.turn, item.kind, item.about)))
