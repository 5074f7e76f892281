"""The state of one debater in the persuasion system, and how effects change its stance and conviction.

`effects` computes the effects of a turn; `state_machine` applies them in the order of the turns.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, Self, get_args

from debate_cli.domain.participant import Participant
from debate_cli.domain.turn import Turn
from debate_cli.systems.aggregation import mean, strip_float_noise
from debate_cli.systems.persuasion.settings import MAX_CONSECUTIVE, VictoryConditions

Band = Literal["minimal", "slight", "moderate", "significant", "strong"]
ResistanceRating = Literal["Excellent", "Good", "Average", "Poor"]
RESISTANCE_RATINGS: tuple[ResistanceRating, ...] = get_args(ResistanceRating)
HISTORY_LENGTH = 10
"""Maximum number of entries in a history."""
RECENT_ROUNDS = 3
"""Number of rounds that count as recent."""
RECENT_SPEECHES = 3
"""Number of own speeches that count as recent."""
PERSUASION_THRESHOLD = 0.6
"""Persuasion above this moves the stance towards 0."""
ATTACK_THRESHOLD = 0.3
"""An attack above this, after subtracting what conviction absorbs, moves the stance away from 0."""

BANDS: dict[Band, float] = {"minimal": 0.2, "slight": 0.4, "moderate": 0.6, "significant": 0.8, "strong": math.inf}
"""Maps bands to upper bounds of persuasion. A persuasion equal to a bound is in the next band."""

StancePosition = Literal["Supportive", "Opposed", "Neutral"]
SurrenderReason = Literal["persuaded", "neutral", "worn_down"]
"""persuaded: strong recent persuasion and low conviction; neutral: the stance came close to 0; worn_down: persuaded in
several consecutive rounds."""


@dataclass(frozen=True, slots=True)
class Effect:
    """Effect of one turn on one debater; each number 0-1."""

    turn: Turn
    target: str
    persuasion: float
    attack: float
    evidence: float


@dataclass(frozen=True, slots=True)
class DebaterState:
    """State of a debater at the start or after a turn."""

    name: str
    starting_stance: float
    stance: float
    """Stance, from -1 (fully opposed) to 1 (fully supportive)."""
    conviction: float
    """Conviction, 0-1."""
    persuasion: tuple[float, ...] = ()
    """Persuasion received from each of the last ten speeches."""
    attack: tuple[float, ...] = ()
    """Attack received from each of the last ten speeches."""
    round_persuasion: tuple[float, ...] = ()
    """Strongest persuasion received in each round that had any. The last round may be unfinished."""
    last_round: int | None = None
    """Round of the last entry of `round_persuasion`."""
    surrendered: bool = False
    surrender_reason: SurrenderReason | None = None
    evidence_shown: tuple[float, ...] = ()
    """Evidence in each of the debater's own last ten speeches."""
    persuasion_dealt: Mapping[tuple[str, str | None], tuple[float, int]] = field(
        default_factory=dict[tuple[str, str | None], tuple[float, int]]
    )
    """Maps (target, strategy) to (sum, number) of the persuasion effects that this debater had."""

    @classmethod
    def at_start(cls, participant: Participant) -> Self:
        """Return the state before the first turn."""
        stance = participant.starting_stance
        return cls(participant.name, stance, stance, participant.starting_conviction)

    @property
    def recent_persuasion(self) -> float:
        """Mean of the strongest persuasion in each of the last three rounds that had any; 0 without such a round."""
        return strip_float_noise(mean(self.round_persuasion[-RECENT_ROUNDS:]))

    @property
    def influence(self) -> float:
        """The debater's mean persuasion of each target, averaged over the targets; 0 without targets."""
        sums, counts = defaultdict[str, float](float), Counter[str]()
        for (target, _), (total, count) in self.persuasion_dealt.items():
            sums[target] += total
            counts[target] += count
        return mean(sums[target] / count for target, count in counts.items())

    @property
    def position(self) -> StancePosition:
        """Supportive above 0.2, Opposed below -0.2, else Neutral."""
        stance = strip_float_noise(self.stance)
        if stance > 0.2:  # noqa: PLR2004 - the documented rule
            return "Supportive"
        return "Opposed" if stance < -0.2 else "Neutral"  # noqa: PLR2004 - the documented rule

    @property
    def persuasion_band(self) -> Band | None:
        """Band of the mean persuasion received; None if no speech reached the debater."""
        return persuasion_band(mean(self.persuasion)) if self.persuasion else None

    @property
    def resistance(self) -> ResistanceRating | None:
        """The worse of two grades, for the mean attack received and for conviction; None if no attack is recorded."""
        if not self.attack:
            return None
        attack, conviction = strip_float_noise(mean(self.attack)), strip_float_noise(self.conviction)
        of_attack = (attack >= 0.3) + (attack >= 0.5) + (attack > 0.7)  # noqa: PLR2004 - the documented rule
        of_conviction = (conviction <= 0.7) + (conviction < 0.5) + (conviction < 0.3)  # noqa: PLR2004
        return RESISTANCE_RATINGS[max(of_attack, of_conviction)]


def persuasion_band(persuasion: float) -> Band:
    """Return the band of a persuasion from 0 to 1."""
    return next(band for band, bound in BANDS.items() if strip_float_noise(persuasion) < bound)


def apply_effect(state: DebaterState, effect: Effect) -> DebaterState:
    """Return the state after `effect`. A debater who has surrendered does not change.

    p: persuasion, a: attack, c: conviction before the effect. If p > 0.6, the stance is multiplied by 1 - 0.3p(1 - c)
    and conviction by 0.85. Then, if e = max(0, a - 0.8c) is above 0.3, the stance is multiplied by 1 + 0.2e, within
    -1..1, and conviction by 1.1, at most 1.
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
    rounds = (*state.round_persuasion, effect.persuasion)[-MAX_CONSECUTIVE:]
    if state.last_round == effect.turn.round:
        rounds = (*rounds[:-2], max(rounds[-2:]))
    return replace(
        state,
        stance=stance,
        conviction=conviction,
        persuasion=(*state.persuasion, effect.persuasion)[-HISTORY_LENGTH:],
        attack=(*state.attack, effect.attack)[-HISTORY_LENGTH:],
        round_persuasion=rounds,
        last_round=effect.turn.round,
    )


def end_round(
    states: Mapping[str, DebaterState], conditions: VictoryConditions, bystander_effect: float
) -> dict[str, DebaterState]:
    """Return the states after a round: first all surrenders of the round, then their effect on bystanders.

    A bystander has not surrendered, and is on the same side of 0 as a debater who surrendered in this round. Its stance
    moves towards 0 by the share `bystander_effect`, once per round, without another check for surrender.
    """
    reasons = {
        name: reason
        for name, state in states.items()
        if not state.surrendered and (reason := find_surrender_reason(state, conditions))
    }
    sides = {states[name].stance > 0 for name in reasons if states[name].stance}
    found = dict(states)
    for name, state in states.items():
        if name in reasons:
            found[name] = replace(state, surrendered=True, surrender_reason=reasons[name])
        elif not state.surrendered and state.stance and (state.stance > 0) in sides:
            found[name] = replace(state, stance=state.stance * (1 - bystander_effect))
    return found


def find_surrender_reason(state: DebaterState, conditions: VictoryConditions) -> SurrenderReason | None:
    r"""Return why a debater in this state surrenders: the first rule that applies; None if no rule applies.

    - `persuaded`: the recent persuasion is above 0.6 and conviction is below the surrender threshold.
    - `neutral`: the stance is closer to 0 than the neutral threshold, did not start there, and conviction is below 0.5.
    - `worn_down`: the strongest persuasion of each of the last `consecutive_persuasion` rounds is above 0.5.
    """
    conviction, neutral = strip_float_noise(state.conviction), conditions.stance_neutral_threshold
    if state.recent_persuasion > PERSUASION_THRESHOLD and conviction < conditions.surrender_threshold:
        return "persuaded"
    if abs(strip_float_noise(state.stance)) < neutral <= abs(state.starting_stance) and conviction < 0.5:  # noqa: PLR2004 - the documented rule
        return "neutral"
    last = state.round_persuasion[-conditions.consecutive_persuasion :]
    if len(last) == conditions.consecutive_persuasion and all(strip_float_noise(value) > 0.5 for value in last):  # noqa: PLR2004
        return "worn_down"
    return None


def record_speech(state: DebaterState, effects: tuple[Effect, ...], strategy: str | None) -> DebaterState:
    """Add the evidence and the persuasion of a speech to the speaker's own state."""
    if not effects:
        return state
    dealt = dict(state.persuasion_dealt)
    for effect in effects:
        total, count = dealt.get((effect.target, strategy), (0.0, 0))
        dealt[effect.target, strategy] = (total + effect.persuasion, count + 1)
    evidence = mean(effect.evidence for effect in effects)
    return replace(state, evidence_shown=(*state.evidence_shown, evidence)[-HISTORY_LENGTH:], persuasion_dealt=dealt)
