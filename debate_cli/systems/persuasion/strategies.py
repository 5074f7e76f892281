"""Chooses a debater's strategy, for `strategy: adaptive`."""

from collections.abc import Iterable, Mapping, Sequence

from debate_cli.domain.turn import StrategyPick
from debate_cli.systems.aggregation import mean, strip_float_noise
from debate_cli.systems.persuasion.stance import RECENT_SPEECHES, DebaterState

SITUATIONS = {
    "aggressive": "the conviction of {targets} is low and the speaker's evidence is strong",
    "defensive": "the speaker's conviction is high",
    "persuasive": "the position of {targets} is not firm",
    "balanced": "three or more debaters take part",
    "empathetic": "recent rounds persuaded {targets}",
    "analytical": "",
}
"""Maps each strategy to the situation that suits the strategy; an empty text means that no situation suits it.

If several strategies have the highest predicted persuasion, the first of them in this mapping is picked."""
UNTRIED_EFFECT = 0.3
"""Predicted persuasion (0-1) by a strategy that the speaker has not yet tried on the target."""
SITUATION_BONUS = 0.2
"""Number that is added to the predicted persuasion if the strategy suits the situation."""
MIN_BALANCED_DEBATERS = 3


def pick_strategy(
    states: Mapping[str, DebaterState], speaker: str, opponents: Iterable[str] | None = None
) -> StrategyPick:
    """Return the strategy with the highest predicted persuasion for the speaker's next turn.

    `opponents`: names of the debaters to persuade; None means all other debaters. If all opponents have surrendered, the
    strategy is `analytical`.
    """
    own = states.get(speaker)
    names = [name for name in (states if opponents is None else opponents) if name != speaker and name in states]
    targets = [states[name] for name in names if not states[name].surrendered]
    if own is None or not targets:
        return StrategyPick(name="analytical", reason="No opponent is left to persuade.")
    debaters = len(states)
    predicted = {name: predict_effect(name, own, targets, debaters) for name in SITUATIONS}
    best = max(predicted, key=lambda name: predicted[name])
    suited = " and ".join(target.name for target in targets if suits_situation(best, own, target, debaters))
    situation = f", because {SITUATIONS[best].format(targets=suited)}" if suited else ""
    reason = f"Highest predicted effect, {predicted[best]:.2f}{situation}."
    return StrategyPick(name=best, reason=reason, predicted=predicted[best])


def predict_effect(strategy: str, own: DebaterState, targets: Sequence[DebaterState], debaters: int) -> float:
    """Return the predicted persuasion by `strategy`, 0-1.2, averaged over the targets.

    The prediction for a target is the mean persuasion by the speaker's earlier turns with this strategy. Without such
    turns, the prediction is 0.3 (UNTRIED_EFFECT). If the strategy suits the situation, 0.2 (SITUATION_BONUS) is added.

    `own`: state of the speaker. `targets`: states of the debaters to persuade. `debaters`: number of all debaters.
    """
    values: list[float] = []
    for target in targets:
        total, count = own.persuasion_dealt.get((target.name, strategy), (0.0, 0))
        bonus = SITUATION_BONUS if suits_situation(strategy, own, target, debaters) else 0.0
        values.append((total / count if count else UNTRIED_EFFECT) + bonus)
    return strip_float_noise(mean(values))


def suits_situation(strategy: str, own: DebaterState, target: DebaterState, debaters: int) -> bool:
    """Return whether a strategy suits the speaker's situation.

    `own`: state of the speaker. `target`: state of the debater to persuade. `debaters`: number of all debaters.
    """
    conviction = strip_float_noise(target.conviction)
    match strategy:
        case "aggressive":
            return conviction < 0.5 and strip_float_noise(mean(own.evidence_shown[-RECENT_SPEECHES:])) >= 0.6  # noqa: PLR2004 - the documented rule
        case "defensive":
            return strip_float_noise(own.conviction) > 0.7  # noqa: PLR2004 - the documented rule
        case "persuasive":
            return abs(strip_float_noise(target.stance)) < 0.5 or conviction < 0.6  # noqa: PLR2004 - the documented rule
        case "balanced":
            return debaters >= MIN_BALANCED_DEBATERS
        case "empathetic":
            return target.recent_persuasion > 0.4  # noqa: PLR2004 - the documented rule
        case _:
            return False
