"""One debater's state in the persuasion system, and how effects move it: the arithmetic of stance and conviction.

What a turn's effects are, and in which order turns act, is decided in `effects` and `dynamics`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from debate_cli.domain.participant import Participant
from debate_cli.systems.aggregation import mean, strip_float_noise
from debate_cli.systems.persuasion.settings import VictoryConditions

HISTORY_LENGTH = 10
"""How many of the last effects a history holds."""
RECENT_EFFECTS = 3
"""How many of them count as recent."""
PERSUASION_THRESHOLD = 0.6
"""Persuasion above this moves a stance."""
ATTACK_THRESHOLD = 0.3
"""Attack above this, after conviction has absorbed its part, hardens a stance."""

StancePosition = Literal["Supportive", "Opposed", "Neutral"]
SurrenderReason = Literal["persuaded", "neutral", "worn_down"]
"""persuaded: strong recent persuasion met little conviction; neutral: no stance is left to defend; worn_down: every
recent turn persuaded."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What one turn did to one debater; each 0-1."""

    turn: int
    speaker: str
    target: str
    persuasion: float
    attack: float
    evidence: float


@dataclass(frozen=True, slots=True)
class DebaterState:
    """Where a debater stands after some turn."""

    name: str
    starting_stance: float
    stance: float
    """-1 (wholly opposed) to 1 (wholly supportive)."""
    conviction: float
    """0-1."""
    persuasion: tuple[float, ...] = ()
    """Persuasion received, the last ten."""
    attack: tuple[float, ...] = ()
    """Attack received, the last ten."""
    surrendered: bool = False
    surrender_reason: SurrenderReason | None = None
    evidence_shown: tuple[float, ...] = ()
    """Evidence that the debater's own turns brought, the last ten."""
    attack_dealt: tuple[float, ...] = ()
    """Attack that the debater dealt, over all its turns and targets."""

    @property
    def position(self) -> StancePosition:
        """Supportive above 0.2, Opposed below -0.2, else Neutral."""
        stance = strip_float_noise(self.stance)
        if stance > 0.2:  # noqa: PLR2004 - the rules as written
            return "Supportive"
        return "Opposed" if stance < -0.2 else "Neutral"  # noqa: PLR2004 - the same


def starting_state(participant: Participant) -> DebaterState:
    """The state before the first turn."""
    return DebaterState(
        name=participant.name,
        starting_stance=participant.starting_stance,
        stance=participant.starting_stance,
        conviction=participant.starting_conviction,
    )


def apply_effect(state: DebaterState, effect: Effect, conditions: VictoryConditions) -> DebaterState:
    """`state` after `effect`; one that has surrendered is not moved any more.

    With p, a received and c the conviction before: p > 0.6 turns the stance by p(1-c)0.3 towards 0 and conviction to
    0.85 of itself; then e = max(0, a - 0.8c) > 0.3 turns the stance by 0.2e away from 0, within -1 to 1, and conviction
    to 1.1 of itself, at most 1. Surrender is looked for after both.
    """
    if state.surrendered:
        return state
    before, stance, conviction = state.conviction, state.stance, state.conviction
    if strip_float_noise(effect.persuasion) > PERSUASION_THRESHOLD:
        stance *= 1 - effect.persuasion * (1 - before) * 0.3
        conviction *= 0.85
    sting = max(0.0, effect.attack - 0.8 * before)
    if strip_float_noise(sting) > ATTACK_THRESHOLD:
        stance = max(-1.0, min(1.0, stance * (1 + 0.2 * sting)))
        conviction = min(1.0, 1.1 * conviction)
    moved = replace(
        state,
        stance=stance,
        conviction=conviction,
        persuasion=(*state.persuasion, effect.persuasion)[-HISTORY_LENGTH:],
        attack=(*state.attack, effect.attack)[-HISTORY_LENGTH:],
    )
    reason = find_surrender_reason(moved, conditions)
    return replace(moved, surrendered=reason is not None, surrender_reason=reason)


def find_surrender_reason(state: DebaterState, conditions: VictoryConditions) -> SurrenderReason | None:
    """Why a debater in this state gives up; None while it stands.

    Any of: the mean of the last three persuasions above 0.6 with conviction below the surrender threshold; a stance
    nearer to 0 than the neutral threshold with conviction below 0.5, for one that did not start there; the last n
    persuasions (n as configured, all of them there) each above 0.5.
    """
    conviction, neutral = strip_float_noise(state.conviction), conditions.stance_neutral_threshold
    if (
        strip_float_noise(mean(state.persuasion[-RECENT_EFFECTS:])) > PERSUASION_THRESHOLD
        and conviction < conditions.surrender_threshold
    ):
        return "persuaded"
    if abs(strip_float_noise(state.stance)) < neutral <= abs(state.starting_stance) and conviction < 0.5:  # noqa: PLR2004 - as written
        return "neutral"
    last = state.persuasion[-conditions.consecutive_persuasion :]
    if len(last) == conditions.consecutive_persuasion and all(strip_float_noise(value) > 0.5 for value in last):  # noqa: PLR2004
        return "worn_down"
    return None


def record_turn(state: DebaterState, effects: tuple[Effect, ...]) -> DebaterState:
    """The speaker's own state after its turn had `effects`: what it showed and dealt is remembered."""
    if not effects:
        return state
    evidence = mean(effect.evidence for effect in effects)
    return replace(
        state,
        evidence_shown=(*state.evidence_shown, evidence)[-HISTORY_LENGTH:],
        attack_dealt=(*state.attack_dealt, *(effect.attack for effect in effects)),
    )
