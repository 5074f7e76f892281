"""The state of one debater in the persuasion system, and how effects change its stance and conviction.

`effects` computes the effects of a turn; `state_machine` applies them in the order of the turns.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from debate_cli.domain.participant import Participant
from debate_cli.systems.aggregation import mean, strip_float_noise
from debate_cli.systems.persuasion.settings import VictoryConditions

HISTORY_LENGTH = 10
"""Number of effects that a history keeps."""
RECENT_EFFECTS = 3
"""Number of effects that count as recent."""
PERSUASION_THRESHOLD = 0.6
"""Persuasion above this moves the stance towards 0."""
ATTACK_THRESHOLD = 0.3
"""Attack above this, after conviction absorbed a part of it, moves the stance away from 0."""

StancePosition = Literal["Supportive", "Opposed", "Neutral"]
SurrenderReason = Literal["persuaded", "neutral", "worn_down"]
"""persuaded: strong recent persuasion and low conviction; neutral: the stance came close to 0; worn_down: every recent
turn persuaded."""


@dataclass(frozen=True, slots=True)
class Effect:
    """Effect of one turn on one debater; each value 0-1."""

    turn: int
    speaker: str
    target: str
    persuasion: float
    attack: float
    evidence: float


@dataclass(frozen=True, slots=True)
class DebaterState:
    """State of a debater after a turn."""

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
    """Evidence in the debater's own turns, the last ten."""
    attack_dealt: tuple[float, ...] = ()
    """Attack by the debater, over all its turns and targets."""

    @property
    def position(self) -> StancePosition:
        """Supportive above 0.2, Opposed below -0.2, else Neutral."""
        stance = strip_float_noise(self.stance)
        if stance > 0.2:  # noqa: PLR2004 - the documented rule
            return "Supportive"
        return "Opposed" if stance < -0.2 else "Neutral"  # noqa: PLR2004 - the documented rule


def starting_state(participant: Participant) -> DebaterState:
    """The state before the first turn."""
    return DebaterState(
        name=participant.name,
        starting_stance=participant.starting_stance,
        stance=participant.starting_stance,
        conviction=participant.starting_conviction,
    )


def apply_effect(state: DebaterState, effect: Effect, conditions: VictoryConditions) -> DebaterState:
    """The state after `effect`. A debater who has surrendered does not change.

    p: persuasion, a: attack, c: conviction before the effect. If p > 0.6, the stance is multiplied by 1 - 0.3p(1 - c) and
    conviction by 0.85. Then, with e = max(0, a - 0.8c) > 0.3, the stance is multiplied by 1 + 0.2e, within -1..1, and
    conviction by 1.1, at most 1. Surrender is checked after both.
    """
    if state.surrendered:
        return state
    before, stance, conviction = state.conviction, state.stance, state.conviction
    if strip_float_noise(effect.persuasion) > PERSUASION_THRESHOLD:
        stance *= 1 - effect.persuasion * (1 - before) * 0.3
        conviction *= 0.85
    felt_attack = max(0.0, effect.attack - 0.8 * before)
    if strip_float_noise(felt_attack) > ATTACK_THRESHOLD:
        stance = max(-1.0, min(1.0, stance * (1 + 0.2 * felt_attack)))
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
    """Why a debater in this state surrenders, by the first rule that applies; None if it does not surrender.

    - `persuaded`: the mean of the last three persuasions is above 0.6 and conviction is below the surrender threshold.
    - `neutral`: the stance is closer to 0 than the neutral threshold, did not start there, and conviction is below 0.5.
    - `worn_down`: the last `consecutive_persuasion` persuasions are each above 0.5.
    """
    conviction, neutral = strip_float_noise(state.conviction), conditions.stance_neutral_threshold
    if (
        strip_float_noise(mean(state.persuasion[-RECENT_EFFECTS:])) > PERSUASION_THRESHOLD
        and conviction < conditions.surrender_threshold
    ):
        return "persuaded"
    if abs(strip_float_noise(state.stance)) < neutral <= abs(state.starting_stance) and conviction < 0.5:  # noqa: PLR2004 - the documented rule
        return "neutral"
    last = state.persuasion[-conditions.consecutive_persuasion :]
    if len(last) == conditions.consecutive_persuasion and all(strip_float_noise(value) > 0.5 for value in last):  # noqa: PLR2004
        return "worn_down"
    return None


def record_turn(state: DebaterState, effects: tuple[Effect, ...]) -> DebaterState:
    """The speaker's own state with the evidence and the attacks of its turn added."""
    if not effects:
        return state
    evidence = mean(effect.evidence for effect in effects)
    return replace(
        state,
        evidence_shown=(*state.evidence_shown, evidence)[-HISTORY_LENGTH:],
        attack_dealt=(*state.attack_dealt, *(effect.attack for effect in effects)),
    )
