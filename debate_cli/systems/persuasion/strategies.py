"""The strategy that fits a state of the persuasion system: the rule of `strategy: adaptive`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from debate_cli.domain.turn import StrategyPick
from debate_cli.systems.aggregation import mean, strip_float_noise
from debate_cli.systems.persuasion.stance import RECENT_EFFECTS, DebaterState

LOW_CONVICTION = 0.5
"""An opponent with a lower conviction is worth pressing."""
HIGH_EVIDENCE = 0.6
"""Own evidence, as the mean of the last three own turns, is high from this value (`significant` on the judge's scale)."""
HIGH_CONVICTION = 0.7
"""A debater with a higher conviction may choose to defend its position."""
RECENTLY_PERSUADED = 0.4
"""An opponent whose last three received persuasions have a higher mean was recently persuaded."""


def pick_strategy(
    states: Mapping[str, DebaterState], speaker: str, opponents: Iterable[str] | None = None
) -> StrategyPick:
    """The strategy for `speaker`'s next turn, with its reason; a pure function of the states.

    In this order: an opponent with conviction below 0.5 while own evidence is high -> aggressive; own conviction above
    0.7 while behind on attack (the mean attack dealt is less than what the opponents dealt) -> defensive; an opponent
    recently persuaded -> empathetic; else analytical. `opponents` None means all others; those who surrendered do not
    count. A speaker that the states do not know is analytical.
    """
    own = states.get(speaker)
    names = [name for name in (states if opponents is None else opponents) if name != speaker and name in states]
    others = [states[name] for name in names if not states[name].surrendered]
    if own is None or not others:
        return StrategyPick(name="analytical", reason="No opponent is left to answer, so only reasons count.")
    return _try_aggressive(own, others) or _try_defensive(own, others) or _try_empathetic(others) or _default_strategy()


def _try_aggressive(own: DebaterState, others: list[DebaterState]) -> StrategyPick | None:
    evidence = strip_float_noise(mean(own.evidence_shown[-RECENT_EFFECTS:]))
    wavering = min(others, key=lambda state: (state.conviction, state.name))
    if strip_float_noise(wavering.conviction) >= LOW_CONVICTION or evidence < HIGH_EVIDENCE:
        return None
    reason = f"{wavering.name}'s conviction is down to {wavering.conviction:.2f} and own evidence is strong ({evidence:.2f})."
    return StrategyPick(name="aggressive", reason=reason)


def _try_defensive(own: DebaterState, others: list[DebaterState]) -> StrategyPick | None:
    dealt = strip_float_noise(mean(own.attack_dealt))
    against = strip_float_noise(mean(attack for state in others for attack in state.attack_dealt))
    if strip_float_noise(own.conviction) <= HIGH_CONVICTION or dealt >= against:
        return None
    reason = f"Own conviction is firm ({own.conviction:.2f}) but the others attack harder ({against:.2f} against {dealt:.2f})."
    return StrategyPick(name="defensive", reason=reason)


def _try_empathetic(others: list[DebaterState]) -> StrategyPick | None:
    moved = max(others, key=lambda state: (strip_float_noise(mean(state.persuasion[-RECENT_EFFECTS:])), state.name))
    recent = strip_float_noise(mean(moved.persuasion[-RECENT_EFFECTS:]))
    if recent <= RECENTLY_PERSUADED:
        return None
    return StrategyPick(name="empathetic", reason=f"{moved.name} was recently persuaded ({recent:.2f} on average).")


def _default_strategy() -> StrategyPick:
    return StrategyPick(name="analytical", reason="No other strategy applies.")
