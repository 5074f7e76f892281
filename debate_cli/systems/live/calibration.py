"""The scorecard of the live system: marks of turns, calibrated by comparisons, reduced by penalties for faulty claims.

Arithmetic only: first all calibrations, then all penalties. Winner and narrative are determined in `score`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import AliasChoices, Field

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.text_normalization import normalize_quote
from debate_cli.domain.turn import Turn
from debate_cli.systems.aggregation import clamp_mark, mean, strip_float_noise
from debate_cli.systems.live.findings import ClaimFault, LogicGap, PairComparison, SuspectClaim

DIMENSION_MAXIMA: dict[str, float] = {"logic": 40, "rhetoric": 30, "tactics": 30}
"""Dimension -> highest score; their sum is the composite, 0-100."""
SUPPLEMENTARY_MAXIMA: dict[str, float] = {"frame_control": 10, "credibility": 10}
"""Criterion -> maximum, for the marks that are not part of the composite."""
FAULT_POINTS: dict[ClaimFault, float] = {"hollow": 1, "fabricated": 2, "inverted": 2, "backwards": 2}
FLOOR_SHARE = 0.55
"""The winner of a dimension of an exchange gets at least this share of its maximum."""
DRAW_SHARE = 0.10
"""The scores of a drawn dimension differ by at most this share of the maximum."""
DRAWN_COMPARISON = "draw"

CalibrationRule = Literal["floor", "ceiling", "draw"]
TurnScores = dict[int, dict[str, float]]
"""Turn -> dimension -> score."""


class Calibration(FrozenModel):
    """A score that an exchange changed."""

    turn: int
    dimension: str
    before: float = Field(validation_alias=AliasChoices("from", "before"), serialization_alias="from")
    after: float = Field(validation_alias=AliasChoices("to", "after"), serialization_alias="to")
    rule: CalibrationRule
    """floor: the turn won the exchange; ceiling: it lost; draw: it was moved towards the turn before."""


class Penalty(FrozenModel):
    """Points deducted from the logic of a turn."""

    turn: int
    kind: ClaimFault | Literal["logic_gap"]
    points: float
    about: str
    """The quoted claim, or the reason for the logic gap."""


@dataclass(frozen=True, slots=True)
class Scorecard:
    """The scores of all turns after each step. Turns and dimensions without a mark are left out."""

    raw: TurnScores
    calibrated: TurnScores
    penalised: TurnScores
    calibrations: tuple[Calibration, ...]
    penalties: tuple[Penalty, ...]
    supplementary: TurnScores
    """Turn -> frame_control, credibility (0-10)."""
    comparisons: Mapping[int, PairComparison] = field(default_factory=dict[int, PairComparison])
    """Later turn of a pair -> its comparison."""

    def composite(self, turn: int) -> float | None:
        """0-100; None unless every dimension of the turn is marked."""
        scores = self.penalised.get(turn, {})
        return strip_float_noise(sum(scores.values())) if len(scores) == len(DIMENSION_MAXIMA) else None


def build_scorecard(debate: Debate, given: Sequence[Assessment]) -> Scorecard:
    """Build the scorecard of `debate` from live assessments."""
    raw, standing = _mean_marks(debate, given, DIMENSION_MAXIMA), _mean_marks(debate, given, SUPPLEMENTARY_MAXIMA)
    comparisons = _collect_comparisons(debate, given)
    calibrated, calibrations = calibrate(debate.turns, raw, comparisons)
    penalties = _collect_penalties(debate, given)
    return Scorecard(
        raw=raw,
        calibrated=calibrated,
        penalised=apply_penalties(calibrated, penalties),
        calibrations=calibrations,
        penalties=penalties,
        supplementary=standing,
        comparisons=comparisons,
    )


def pair_end_indices(turns: Iterable[Turn]) -> tuple[int, ...]:
    """Indices of the turns that directly follow a turn of another speaker, ascending."""
    speakers = {turn.index: turn.speaker for turn in turns}
    return tuple(index for index in sorted(speakers) if speakers.get(index - 1, speakers[index]) != speakers[index])


def calibrate(
    turns: Iterable[Turn], raw: TurnScores, comparisons: Mapping[int, PairComparison]
) -> tuple[TurnScores, tuple[Calibration, ...]]:
    """Return the calibrated scores and every change, in the order of the turns.

    For each dimension with maximum M, the later turn of a pair is clamped relative to the calibrated score of the turn
    before it (`before`): a win to max(0.55 M, before + 1)..M, a loss to 0..before - 1, a draw to before ± 0.1 M.
    """
    speakers = {turn.index: turn.speaker for turn in turns}
    scores: TurnScores = {index: dict(of) for index, of in raw.items()}
    changes: list[Calibration] = []
    for index in pair_end_indices(turns := tuple(turns)):
        comparison = comparisons.get(index)
        for dimension, maximum in DIMENSION_MAXIMA.items():
            before, own = scores.get(index - 1, {}).get(dimension), scores.get(index, {}).get(dimension)
            if comparison is None or before is None or own is None:
                continue
            held_to = _score_bounds(
                getattr(comparison, dimension), (speakers[index - 1], speakers[index]), before, maximum
            )
            if held_to is None:
                continue
            low, high, rule = held_to
            after = strip_float_noise(max(low, min(high, own)))
            if after != own:
                scores[index][dimension] = after
                changes.append(Calibration(turn=index, dimension=dimension, before=own, after=after, rule=rule))
    return scores, tuple(changes)


def _score_bounds(
    winner: str, pair: tuple[str, str], before: float, maximum: float
) -> tuple[float, float, CalibrationRule] | None:
    """Bounds of the later turn's score, and their rule; None if the winner is not one of the pair."""
    earlier, later = pair
    if winner == later:
        return min(maximum, max(FLOOR_SHARE * maximum, before + 1)), maximum, "floor"
    if winner == earlier:
        return 0.0, max(0.0, before - 1), "ceiling"
    if winner == DRAWN_COMPARISON:
        return before - DRAW_SHARE * maximum, before + DRAW_SHARE * maximum, "draw"
    return None


def apply_penalties(scores: TurnScores, penalties: Iterable[Penalty]) -> TurnScores:
    """Subtract all penalties from logic, which stays at 0 or above."""
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
    """Participant -> dimension -> exchanges won in it."""
    wins = {item.name: dict.fromkeys(DIMENSION_MAXIMA, 0) for item in debate.participants}
    for index in pair_end_indices(debate.turns):
        speakers = {debate.turns_by_index[index - 1].speaker, debate.turns_by_index[index].speaker}
        for dimension in DIMENSION_MAXIMA:
            winner = getattr(comparisons[index], dimension) if index in comparisons else DRAWN_COMPARISON
            if winner in speakers and winner in wins:
                wins[winner][dimension] += 1
    return wins


def _mean_marks(debate: Debate, given: Iterable[Assessment], maxima: Mapping[str, float]) -> TurnScores:
    """Turn -> criterion -> mean of the marks. Marks for other participants than the speaker are ignored."""
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


def _collect_comparisons(debate: Debate, given: Iterable[Assessment]) -> dict[int, PairComparison]:
    later = frozenset(pair_end_indices(debate.turns))
    found: dict[int, PairComparison] = {}
    for assessment in given:
        subject = assessment.subject
        if subject.moment != "pair" or not subject.turns or subject.turns[-1] not in later:
            continue
        for finding in assessment.findings:
            if isinstance(finding, PairComparison):
                found.setdefault(subject.turns[-1], finding)
    return found


def _collect_penalties(debate: Debate, given: Iterable[Assessment]) -> tuple[Penalty, ...]:
    """All penalties, sorted by turn. A repeated quote counts once: for the first turn that has it, with its worst fault."""
    claims: dict[str, list[SuspectClaim]] = defaultdict(list)
    found: list[Penalty] = []
    for assessment in given:
        for finding in assessment.findings:
            if not isinstance(finding, SuspectClaim | LogicGap) or finding.turn not in debate.turns_by_index:
                continue
            if isinstance(finding, SuspectClaim):
                claims[normalize_quote(finding.quote)].append(finding)
            else:
                points = float(finding.points)
                found.append(Penalty(turn=finding.turn, kind="logic_gap", points=points, about=finding.reason))
    for same in claims.values():
        worst = min(same, key=lambda claim: (-FAULT_POINTS[claim.fault], claim.fault, claim.quote))
        turn = min(claim.turn for claim in same)
        found.append(Penalty(turn=turn, kind=worst.fault, points=FAULT_POINTS[worst.fault], about=worst.quote))
    return tuple(sorted(found, key=lambda item: (item.turn, item.kind, item.about)))
