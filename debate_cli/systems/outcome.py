"""From scores to a verdict: who is first, by how much, and what kind of victory that is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.judging_config import Thresholds
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.verdict import Verdict, Victory
from debate_cli.systems.aggregation import get_run_id, strip_float_noise


class ScoreOutcome(NamedTuple):
    """Winner, kind of victory and margin, as a `Verdict` carries them."""

    winner: str | None
    victory: Victory
    margin: float | None


MARGIN_DECIMALS = 6
"""Margins are held against thresholds to so many decimals: scores made of rounded parts may be off in the ninth."""
UNDETERMINED_OUTCOME = ScoreOutcome(None, "undetermined", None)


def decide_outcome(scores: Mapping[str, float], victory: Callable[[float], Victory]) -> ScoreOutcome:
    """The outcome of `scores`: the margin is first minus second, its kind is what `victory` makes of it.

    Fewer than two scores are undetermined; equal scores are always a draw, whatever the thresholds.
    """
    if len(scores) < 2:  # noqa: PLR2004 - it takes two to compare
        return UNDETERMINED_OUTCOME
    first, second = sorted(scores, key=lambda name: (-strip_float_noise(scores[name]), name))[:2]
    margin = strip_float_noise(scores[first] - scores[second])
    compared = round(margin, MARGIN_DECIMALS)
    kind: Victory = "draw" if compared == 0 else victory(compared)
    return ScoreOutcome(None if kind == "draw" else first, kind, margin)


def clear_above_threshold(thresholds: Thresholds) -> Callable[[float], Victory]:
    """Below `draw` a draw; from there up to and including `clear` narrow; above it clear."""

    def kind(margin: float) -> Victory:
        if margin < thresholds.draw:
            return "draw"
        return "clear" if margin > thresholds.clear else "narrow"

    return kind


def clear_from_threshold(thresholds: Thresholds) -> Callable[[float], Victory]:
    """Below `draw` a draw; from there up to but without `clear` narrow; from `clear` on clear."""

    def kind(margin: float) -> Victory:
        if margin < thresholds.draw:
            return "draw"
        return "narrow" if margin < thresholds.clear else "clear"

    return kind


def build_verdict(
    system: str, run: JudgingRun | str, outcome: ScoreOutcome, scores: Mapping[str, float], notes: FrozenModel
) -> Verdict:
    """The verdict with `scores` freed of floating-point noise and `notes` as JSON."""
    return Verdict.model_construct(  # all parts are validated values; checking every number again takes longer than scoring
        system=system,
        run=get_run_id(run),
        winner=outcome.winner,
        victory=outcome.victory,
        margin=outcome.margin,
        scores={name: strip_float_noise(score) for name, score in scores.items()},
        notes=notes.model_dump(mode="json", by_alias=True),
    )
