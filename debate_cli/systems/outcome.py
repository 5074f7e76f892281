"""Computes the outcome of a verdict from scores."""

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.judging_config import Thresholds
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.verdict import Notes, Verdict, Victory
from debate_cli.systems.aggregation import get_run_id, strip_float_noise


class ScoreOutcome(NamedTuple):
    """Winner, kind of victory and margin of a `Verdict`."""

    winner: str | None
    victory: Victory
    margin: float | None


MARGIN_DECIMALS = 6
"""Number of decimals to which a margin is rounded before it is compared with thresholds."""
UNDETERMINED_OUTCOME = ScoreOutcome(None, "undetermined", None)


def decide_outcome(
    scores: Mapping[str, float], victory: Callable[[float], Victory], speakers: Collection[str] = ()
) -> ScoreOutcome:
    """Return the winner, the kind of victory, and the margin between the two highest scores.

    The outcome is undetermined if there are fewer than two scores, or if one of the debaters in `speakers` has none.
    `victory`: returns the kind of victory for a margin above 0. A margin of 0 is a draw.
    """
    if len(scores) < 2 or not scores.keys() >= set(speakers):  # noqa: PLR2004 - a margin needs two scores
        return UNDETERMINED_OUTCOME
    first, second = sorted(scores, key=lambda name: (-strip_float_noise(scores[name]), name))[:2]
    margin = strip_float_noise(scores[first] - scores[second])
    compared = round(margin, MARGIN_DECIMALS)
    kind: Victory = "draw" if compared == 0 else victory(compared)
    return ScoreOutcome(None if kind == "draw" else first, kind, margin)


def clear_above_threshold(thresholds: Thresholds) -> Callable[[float], Victory]:
    """Return a function that maps a margin to a kind of victory.

    The victory is a draw below `thresholds.draw`, clear above `thresholds.clear`, and narrow between them.
    """
    return lambda margin: "draw" if margin < thresholds.draw else "clear" if margin > thresholds.clear else "narrow"


def clear_from_threshold(thresholds: Thresholds) -> Callable[[float], Victory]:
    """Return a function that maps a margin to a kind of victory.

    The victory is a draw below `thresholds.draw`, clear at `thresholds.clear` or above, and narrow between them.
    """
    return lambda margin: "draw" if margin < thresholds.draw else "narrow" if margin < thresholds.clear else "clear"


def build_verdict(
    system: str, run: JudgingRun | str, outcome: ScoreOutcome, scores: Mapping[str, float], notes: FrozenModel
) -> Verdict:
    """Return a verdict, with the scores rounded to nine decimals."""
    return Verdict(
        system=system,
        run=get_run_id(run),
        winner=outcome.winner,
        victory=outcome.victory,
        margin=outcome.margin,
        scores={name: strip_float_noise(score) for name, score in scores.items()},
        notes=notes if isinstance(notes, Notes) else notes.model_dump(mode="json", by_alias=True),
    )
