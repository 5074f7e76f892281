"""The state of one debater in the persuasion system, and how speeches change stance and conviction."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal, NamedTuple, Self, get_args

from debate_cli.domain.participant import Participant
from debate_cli.domain.turn import Turn
from debate_cli.systems.aggregation import mean, strip_float_noise
from debate_cli.systems.persuasion.settings import MAX_CONSECUTIVE, VictoryConditions

Band = Literal["minimal", "slight", "moderate", "significant", "strong"]
ResistanceRating = Literal["Excellent", "Good", "Average", "Poor"]
RESISTANCE_RATINGS: tuple[ResistanceRating, ...] = get_args(ResistanceRating)
HISTORY_LENGTH = 10
"""Number of latest speeches whose effects a debater's state keeps."""
RECENT_ROUNDS = 3
"""`DebaterState.recent_persuasion` is a mean over at most this number of rounds: the latest rounds in which a speech
affected the debater."""
RECENT_SPEECHES = 3
"""The strategy `aggressive` needs strong evidence: the mean of `evidence_shown` over this number of the speaker's
latest speeches must be at least 0.6."""
PERSUASION_THRESHOLD = 0.6
"""A speech whose persuasion (0-1) is above this value moves the stance of the persuaded debater towards 0."""
ATTACK_THRESHOLD = 0.3
"""An attack makes the attacked debater more extreme if a - 0.8c is above this value: the stance moves away from 0, and
the conviction rises. a: strength of the attack, 0-1. c: conviction of the debater before the attack, 0-1."""

BANDS: dict[Band, float] = {"minimal": 0.2, "slight": 0.4, "moderate": 0.6, "significant": 0.8, "strong": math.inf}
"""Maps each band of persuasion to its upper bound, which does not belong to the band. The last band has no bound."""

StancePosition = Literal["Supportive", "Opposed", "Neutral"]
SurrenderReason = Literal["persuaded", "neutral", "worn_down"]
"""Why a debater surrendered. `persuaded`: persuasion was strong in the last rounds, and conviction is low. `neutral`:
the stance is close to 0, and conviction is low. `worn_down`: persuasion was strong in several consecutive rounds."""


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of one turn on one debater. Each number is 0-1."""

    turn: Turn
    target: str
    persuasion: float
    attack: float
    evidence: float


class RoundPersuasion(NamedTuple):
    """The strongest persuasion that a debater received in one round."""

    round: int
    """Number of the round."""
    persuasion: float
    """The strongest persuasion in the round, 0-1."""


@dataclass(frozen=True, slots=True)
class DebaterState:
    """A debater's state before the first turn or after a turn."""

    name: str
    starting_stance: float
    stance: float
    """From -1 (fully against the motion) to 1 (fully for it)."""
    conviction: float
    """How firmly the debater holds the stance, 0-1."""
    persuasion: tuple[float, ...] = ()
    """How much each speech persuaded the debater, 0-1. Covers the last ten speeches that affected the debater."""
    attack: tuple[float, ...] = ()
    """How hard each speech attacked the debater, 0-1. Covers the last ten speeches that affected the debater."""
    round_persuasion: tuple[RoundPersuasion, ...] = ()
    """One entry for each of the latest rounds in which a speech affected the debater."""
    surrendered: bool = False
    surrender_reason: SurrenderReason | None = None
    evidence_shown: tuple[float, ...] = ()
    """How much evidence each of the debater's last ten speeches gives, 0-1."""
    persuasion_dealt: Mapping[tuple[str, str | None], tuple[float, int]] = field(
        default_factory=dict[tuple[str, str | None], tuple[float, int]]
    )
    """Maps (target, strategy) to (sum of persuasion, number of turns): how much this debater's turns with this strategy
    persuaded the target, another debater."""

    @classmethod
    def at_start(cls, participant: Participant) -> Self:
        """Return the state before the first turn."""
        stance = participant.starting_stance
        return cls(participant.name, stance, stance, participant.starting_conviction)

    @property
    def recent_persuasion(self) -> float:
        """Mean of the strongest persuasion in each recent round, 0-1; 0 if there are no such rounds.

        The recent rounds are the last three rounds in which a speech affected the debater.
        """
        return strip_float_noise(mean(item.persuasion for item in self.round_persuasion[-RECENT_ROUNDS:]))

    @property
    def influence(self) -> float:
        """How much this debater persuaded the other debaters on average, 0-1; 0 if no turn affected another debater.

        First the persuasion of each target is averaged over the turns that affected this target. Then these averages
        are averaged over the targets.
        """
        sums, counts = defaultdict[str, float](float), Counter[str]()
        for (target, _), (total, count) in self.persuasion_dealt.items():
            sums[target] += total
            counts[target] += count
        return mean(sums[target] / count for target, count in counts.items())

    @property
    def position(self) -> StancePosition:
        """`Supportive` for a stance above 0.2, `Opposed` for a stance below -0.2, otherwise `Neutral`."""
        stance = strip_float_noise(self.stance)
        if stance > 0.2:  # noqa: PLR2004 - the documented rule
            return "Supportive"
        return "Opposed" if stance < -0.2 else "Neutral"  # noqa: PLR2004 - the documented rule

    @property
    def persuasion_band(self) -> Band | None:
        """The mean persuasion received, in one word, e.g. `slight`. None if no speech had an effect on the debater."""
        return persuasion_band(mean(self.persuasion)) if self.persuasion else None

    @property
    def resistance(self) -> ResistanceRating | None:
        """Grade of the debater's resistance, e.g. `Good`. None if no speech had an effect on the debater.

        The attacks received give one grade, and the conviction gives another. The worse grade is the result.
        """
        if not self.attack:
            return None
        attack, conviction = strip_float_noise(mean(self.attack)), strip_float_noise(self.conviction)
        of_attack = (attack >= 0.3) + (attack >= 0.5) + (attack > 0.7)  # noqa: PLR2004 - the documented rule
        of_conviction = (conviction <= 0.7) + (conviction < 0.5) + (conviction < 0.3)  # noqa: PLR2004
        return RESISTANCE_RATINGS[max(of_attack, of_conviction)]


def persuasion_band(persuasion: float) -> Band:
    """Return `persuasion`, a number 0-1, in one word, e.g. `slight`."""
    return next(band for band, bound in BANDS.items() if strip_float_noise(persuasion) < bound)


def apply_effect(state: DebaterState, effect: Effect) -> DebaterState:
    """Return the state after `effect`. The state of a debater who has surrendered does not change.

    With p = persuasion, a = attack, c = conviction before the effect, and e = a - 0.8c:

    - p > 0.6: the stance is multiplied by 1 - 0.3p(1 - c), the conviction by 0.85.
    - e > 0.3: the stance is multiplied by 1 + 0.2e, the conviction by 1.1.

    The stance stays between -1 and 1, the conviction at most 1.
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
    rounds = (*state.round_persuasion, RoundPersuasion(effect.turn.round, effect.persuasion))[-MAX_CONSECUTIVE:]
    if len(rounds) > 1 and rounds[-2].round == effect.turn.round:
        rounds = (*rounds[:-2], max(rounds[-2:]))
    return replace(
        state,
        stance=stance,
        conviction=conviction,
        persuasion=(*state.persuasion, effect.persuasion)[-HISTORY_LENGTH:],
        attack=(*state.attack, effect.attack)[-HISTORY_LENGTH:],
        round_persuasion=rounds,
    )


def end_round(
    states: Mapping[str, DebaterState], conditions: VictoryConditions, bystander_effect: float
) -> dict[str, DebaterState]:
    """Return all states after the end of a round, at which debaters may surrender.

    If a debater surrenders, each other stance of the same sign (for or against) loses the share `bystander_effect`
    (0-1) of its distance to 0. A stance moves only once per round, even if several debaters surrender.
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
    """Return the first rule by which a debater in `state` surrenders; None if no rule applies.

    - `persuaded`: recent persuasion is above 0.6, and conviction is below `surrender_threshold`.
    - `neutral`: the stance moved closer to 0 than `stance_neutral_threshold`, and conviction is below 0.5.
    - `worn_down`: persuasion was above 0.5 in `consecutive_persuasion` consecutive rounds. A round in which no speech
      affected the debater ends the series.
    """
    conviction, neutral = strip_float_noise(state.conviction), conditions.stance_neutral_threshold
    if state.recent_persuasion > PERSUASION_THRESHOLD and conviction < conditions.surrender_threshold:
        return "persuaded"
    if abs(strip_float_noise(state.stance)) < neutral <= abs(state.starting_stance) and conviction < 0.5:  # noqa: PLR2004 - the documented rule
        return "neutral"
    last = state.round_persuasion[-conditions.consecutive_persuasion :]
    are_consecutive = all(after.round == before.round + 1 for before, after in pairwise(last))
    if (
        len(last) == conditions.consecutive_persuasion
        and are_consecutive
        and all(strip_float_noise(item.persuasion) > 0.5 for item in last)  # noqa: PLR2004 - the documented rule
    ):
        return "worn_down"
    return None


def record_speech(state: DebaterState, effects: tuple[Effect, ...], strategy: str | None) -> DebaterState:
    """Return the speaker's state after a speech.

    `state`: the speaker's state before the speech. `effects`: the effects on the other debaters. `strategy`: the
    speaker's strategy in the speech.
    """
    if not effects:
        return state
    dealt = dict(state.persuasion_dealt)
    for effect in effects:
        total, count = dealt.get((effect.target, strategy), (0.0, 0))
        dealt[effect.target, strategy] = (total + effect.persuasion, count + 1)
    evidence = mean(effect.evidence for effect in effects)
    return replace(state, evidence_shown=(*state.evidence_shown, evidence)[-HISTORY_LENGTH:], persuasion_dealt=dealt)
