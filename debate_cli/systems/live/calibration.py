"""The scorecard of the live system: the judge's marks of each turn, after three steps of arithmetic.

First the logic of turns with an incomplete causal chain is limited. Then comparisons of exchanges adjust scores. Then
penalties are subtracted. `register` decides which claims cost points, `score` who wins.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from pydantic import AliasChoices, Field

from debate_cli.domain.assessment import Assessment, Contradiction, DroppedPremise
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.turn import Turn
from debate_cli.systems.aggregation import clamp_mark, mean, strip_float_noise
from debate_cli.systems.live.findings import CausalChain, ClaimFault, PairComparison
from debate_cli.systems.live.register import RegisterRow, build_register
from debate_cli.systems.live.settings import LiveSettings, PenaltyPoints

DIMENSION_MAXIMA: dict[str, float] = {"logic": 40, "rhetoric": 30, "tactics": 30}
"""Dimension -> highest score; their sum is the composite, 0-100."""
SUPPLEMENTARY_MAXIMA: dict[str, float] = {"frame_control": 10, "credibility": 10}
"""Criterion -> maximum, for marks outside of the composite."""
INCOMPLETE_CHAIN_MAX = 34.0
"""Highest logic of a turn whose causal chain is incomplete."""
BAND_START: dict[str, float] = {name: math.ceil(0.55 * most) for name, most in DIMENSION_MAXIMA.items()}
"""Dimension -> lowest score of a turn that won an exchange in it. A turn that only lost exchanges gets at least 1 less."""
DRAW_SHARE = 0.10
"""If scores in a drawn dimension differ by more than this share of the maximum, the exchange is reported."""
DRAWN_COMPARISON = "draw"

CalibrationRule = Literal["chain", "floor", "ceiling", "draw"]
PenaltyKind = ClaimFault | Literal["logic_gap", "contradiction", "dropped_premise"]
TurnScores = dict[int, dict[str, float]]
"""Turn -> dimension -> score."""


class Calibration(FrozenModel):
    """A score that a rule changed."""

    turn: int
    dimension: str
    before: float = Field(validation_alias=AliasChoices("from", "before"), serialization_alias="from")
    after: float = Field(validation_alias=AliasChoices("to", "after"), serialization_alias="to")
    rule: CalibrationRule
    """chain: the causal chain is incomplete; floor: the turn won an exchange; ceiling: it lost one and won none; draw:
    only in old transcripts."""


class Penalty(FrozenModel):
    """Points deducted from the logic of a turn."""

    turn: int
    kind: PenaltyKind
    points: float
    about: str
    """The quoted words, or the reason if there is no quote."""


class UnresolvedExchange(FrozenModel):
    """An exchange whose scores in one dimension contradict the judge's comparison even after calibration."""

    turns: tuple[int, int]
    dimension: str
    winner: str
    """The winner whom the comparison names: a debater, or `draw`."""
    earlier: float
    """Calibrated score of the earlier turn."""
    later: float
    """Calibrated score of the later turn."""


class CalibratedScores(NamedTuple):
    """Scores after calibration by the exchanges."""

    scores: TurnScores
    changes: tuple[Calibration, ...]
    mixed: dict[int, tuple[str, ...]]
    """Turn -> dimensions in which the turn won one exchange and lost the other."""
    unresolved: tuple[UnresolvedExchange, ...]


@dataclass(frozen=True, slots=True)
class Scorecard:
    """The scores of all turns after each step. Turns and dimensions without a mark are left out."""

    raw: TurnScores
    chain_limits: tuple[Calibration, ...]
    calibrated: TurnScores
    """The scores after chain limits and calibration."""
    calibrations: tuple[Calibration, ...]
    mixed: Mapping[int, tuple[str, ...]]
    unresolved: tuple[UnresolvedExchange, ...]
    penalised: TurnScores
    penalties: tuple[Penalty, ...]
    register: tuple[RegisterRow, ...]
    supplementary: TurnScores
    """Turn -> `frame_control` or `credibility` -> mark, 0-10."""
    comparisons: Mapping[int, PairComparison] = field(default_factory=dict[int, PairComparison])
    """Later turn of a pair -> its comparison."""

    def composite(self, turn: int) -> float | None:
        """Sum of the three scores of a turn, 0-100; None unless every dimension is marked."""
        scores = self.penalised.get(turn, {})
        return strip_float_noise(sum(scores.values())) if len(scores) == len(DIMENSION_MAXIMA) else None


def build_scorecard(debate: Debate, given: Sequence[Assessment], settings: LiveSettings) -> Scorecard:
    """Build the scorecard of `debate` from assessments of the live system."""
    raw = _mean_marks(debate, given, DIMENSION_MAXIMA)
    comparisons = collect_comparisons(debate, given)
    limited, chain_limits = limit_by_chains(raw, collect_chains(given))
    calibrated = calibrate(debate.turns, limited, comparisons)
    register = build_register(debate, given, withdrawals=settings.withdrawals)
    penalties = _collect_penalties(debate, given, register, settings.penalties)
    return Scorecard(
        raw=raw,
        chain_limits=chain_limits,
        calibrated=calibrated.scores,
        calibrations=calibrated.changes,
        mixed=calibrated.mixed,
        unresolved=calibrated.unresolved,
        penalised=apply_penalties(calibrated.scores, penalties),
        penalties=penalties,
        register=register,
        supplementary=_mean_marks(debate, given, SUPPLEMENTARY_MAXIMA),
        comparisons=comparisons,
    )


def pair_end_indices(turns: Iterable[Turn]) -> tuple[int, ...]:
    """Index of the later turn of each exchange, ascending: each turn that follows a turn of another speaker."""
    speakers = {turn.index: turn.speaker for turn in turns}
    return tuple(index for index in sorted(speakers) if speakers.get(index - 1, speakers[index]) != speakers[index])


def collect_chains(given: Iterable[Assessment]) -> dict[int, CausalChain]:
    """Turn -> the causal chain of its main argument. If judges disagree, an incomplete chain counts."""
    found: dict[int, CausalChain] = {}
    for assessment in given:
        if assessment.subject.moment != "turn" or len(assessment.subject.turns) != 1:
            continue
        (turn,) = assessment.subject.turns
        for finding in assessment.findings:
            if isinstance(finding, CausalChain) and (turn not in found or not found[turn].missing):
                found[turn] = finding
    return found


def limit_by_chains(raw: TurnScores, chains: Mapping[int, CausalChain]) -> tuple[TurnScores, tuple[Calibration, ...]]:
    """Limit the logic of turns with an incomplete causal chain to 34. Returns the scores and the changes."""
    scores: TurnScores = {index: dict(of) for index, of in raw.items()}
    changes: list[Calibration] = []
    for index, of in scores.items():
        logic = of.get("logic", 0.0)
        if logic > INCOMPLETE_CHAIN_MAX and index in chains and chains[index].missing:
            of["logic"] = INCOMPLETE_CHAIN_MAX
            changes.append(
                Calibration(turn=index, dimension="logic", before=logic, after=INCOMPLETE_CHAIN_MAX, rule="chain")
            )
    return scores, tuple(changes)


def calibrate(turns: Iterable[Turn], raw: TurnScores, comparisons: Mapping[int, PairComparison]) -> CalibratedScores:
    """Limit each turn's score in a dimension to the range that fits the exchanges that it won and lost in it.

    With M the maximum and B = 55% of M, rounded up: B to M for a turn that won an exchange, 0 to B - 1 for a turn that
    lost one and won none. Other turns stay as marked.
    """
    results = _collect_results(tuple(turns), raw, comparisons)
    won = {(result.turns[result.winning], result.dimension) for result in results if result.winning is not None}
    lost = {(result.turns[1 - result.winning], result.dimension) for result in results if result.winning is not None}
    scores: TurnScores = {index: dict(of) for index, of in raw.items()}
    changes: list[Calibration] = []
    for index, of in raw.items():
        for dimension, own in of.items():
            rule, after = _hold_in_band(dimension, own, (index, dimension) in won, (index, dimension) in lost)
            if rule is not None and after != own:
                scores[index][dimension] = after
                changes.append(Calibration(turn=index, dimension=dimension, before=own, after=after, rule=rule))
    mixed = {index: tuple(name for name in of if (index, name) in won & lost) for index, of in raw.items()}
    return CalibratedScores(
        scores,
        tuple(changes),
        {index: names for index, names in mixed.items() if names},
        tuple(_find_unresolved(results, scores)),
    )


class _DimensionResult(NamedTuple):
    """Result of an exchange in one dimension. Both turns have a mark in this dimension."""

    turns: tuple[int, int]
    dimension: str
    winner: str
    winning: int | None
    """0 if the earlier turn won, 1 if the later one won; None for a draw."""


def _collect_results(
    turns: Sequence[Turn], raw: TurnScores, comparisons: Mapping[int, PairComparison]
) -> list[_DimensionResult]:
    """The results of all exchanges. A result is ignored if its winner is not one of the two speakers."""
    speakers = {turn.index: turn.speaker for turn in turns}
    found: list[_DimensionResult] = []
    for index in pair_end_indices(turns):
        comparison, pair = comparisons.get(index), (index - 1, index)
        for dimension in DIMENSION_MAXIMA if comparison is not None else ():
            winner = str(getattr(comparison, dimension))
            names = [speakers[turn] for turn in pair]
            if not all(dimension in raw.get(turn, {}) for turn in pair) or winner not in (*names, DRAWN_COMPARISON):
                continue
            winning = names.index(winner) if winner in names else None
            found.append(_DimensionResult(pair, dimension, winner, winning))
    return found


def _hold_in_band(dimension: str, own: float, won: bool, lost: bool) -> tuple[CalibrationRule | None, float]:
    start = BAND_START[dimension]
    if won:
        return "floor", min(DIMENSION_MAXIMA[dimension], max(start, own))
    if lost:
        return "ceiling", min(start - 1, own)
    return None, own


def _find_unresolved(results: Iterable[_DimensionResult], scores: TurnScores) -> Iterable[UnresolvedExchange]:
    for turns, dimension, winner, winning in results:
        earlier, later = (scores[turn][dimension] for turn in turns)
        lead = earlier - later
        if winning is None:
            is_open = strip_float_noise(abs(lead)) > DRAW_SHARE * DIMENSION_MAXIMA[dimension]
        else:
            is_open = lead < 0 if winning == 0 else lead > 0
        if is_open:
            yield UnresolvedExchange(turns=turns, dimension=dimension, winner=winner, earlier=earlier, later=later)


def apply_penalties(scores: TurnScores, penalties: Iterable[Penalty]) -> TurnScores:
    """The scores after all penalties were subtracted from logic, which is never below 0."""
    points: dict[int, float] = defaultdict(float)
    for penalty in penalties:
        points[penalty.turn] += penalty.points
    return {
        index: {
            dimension: strip_float_noise(max(0.0, score - points[index])) if dimension == "logic" else score
            for dimension, score in of.items()
        }
        for index, of in scores.items()
    }


def count_dimension_wins(debate: Debate, comparisons: Mapping[int, PairComparison]) -> dict[str, dict[str, int]]:
    """Participant -> dimension -> number of exchanges that it won in this dimension."""
    wins = {item.name: dict.fromkeys(DIMENSION_MAXIMA, 0) for item in debate.participants}
    for index in pair_end_indices(debate.turns):
        for dimension, winner in _winners(debate, comparisons, index):
            if winner in wins:
                wins[winner][dimension] += 1
    return wins


def count_exchange_wins(debate: Debate, comparisons: Mapping[int, PairComparison]) -> dict[str, int]:
    """Participant -> number of exchanges in which it won more dimensions than the other."""
    wins = {item.name: 0 for item in debate.participants}
    for index in pair_end_indices(debate.turns):
        won = [winner for _, winner in _winners(debate, comparisons, index)]
        first, second = (debate.turns_by_index[turn].speaker for turn in (index - 1, index))
        lead = won.count(first) - won.count(second)
        winner = first if lead > 0 else second
        if lead and winner in wins:
            wins[winner] += 1
    return wins


def _winners(debate: Debate, comparisons: Mapping[int, PairComparison], index: int) -> Iterable[tuple[str, str]]:
    """(dimension, winner) for each dimension that a speaker won in the exchange that ends with turn `index`."""
    speakers = {debate.turns_by_index[turn].speaker for turn in (index - 1, index)}
    for dimension in DIMENSION_MAXIMA if index in comparisons else ():
        winner = str(getattr(comparisons[index], dimension))
        if winner in speakers:
            yield dimension, winner


def _mean_marks(debate: Debate, given: Iterable[Assessment], maxima: Mapping[str, float]) -> TurnScores:
    """Turn -> criterion -> mean of the marks. A mark for a debater who is not the speaker is ignored."""
    found: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for assessment in given:
        turns = assessment.subject.turns
        if assessment.subject.moment != "turn" or len(turns) != 1 or turns[0] not in debate.turns_by_index:
            continue
        speaker = debate.turns_by_index[turns[0]].speaker
        for mark in assessment.marks:
            if mark.criterion in maxima and mark.participant in {None, speaker}:
                found[turns[0]][mark.criterion].append(clamp_mark(mark, 0, maxima[mark.criterion]))
    return {
        index: {criterion: strip_float_noise(mean(of[criterion])) for criterion in maxima if criterion in of}
        for index, of in sorted(found.items())
    }


def collect_comparisons(debate: Debate, given: Iterable[Assessment]) -> dict[int, PairComparison]:
    """Later turn of a pair -> the first comparison of the pair."""
    later = frozenset(pair_end_indices(debate.turns))
    found: dict[int, PairComparison] = {}
    for assessment in given:
        subject = assessment.subject
        end = subject.turns[-1] if subject.turns else None
        if subject.moment != "pair" or end not in later or subject.turns != (end - 1, end):
            continue
        for finding in assessment.findings:
            if isinstance(finding, PairComparison):
                found.setdefault(end, finding)
    return found


def _collect_penalties(
    debate: Debate, given: Iterable[Assessment], register: Iterable[RegisterRow], points: PenaltyPoints
) -> tuple[Penalty, ...]:
    """Penalties for register entries, contradictions and dropped premises, sorted by turn."""
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
    for assessment in given:
        for finding in assessment.findings:
            match finding:
                case Contradiction() if points.contradiction:
                    cost, kind, about = points.contradiction, "contradiction", finding.explanation
                case DroppedPremise() if points.dropped_premise:
                    cost, kind, about = points.dropped_premise, "dropped_premise", finding.premise
                case _:
                    continue
            if finding.later in debate.turns_by_index:
                found.append(Penalty(turn=finding.later, kind=kind, points=cost, about=about))
    return tuple(sorted(found, key=lambda item: (item.turn, item.kind, item.about)))
