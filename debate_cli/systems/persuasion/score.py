"""Computes the verdict of the persuasion system from the debaters' states at the end of the debate."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any, cast

from pydantic import field_validator

from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.verdict import Notes, Verdict, Victory
from debate_cli.systems.aggregation import (
    describe_unanswered,
    get_run_id,
    mean,
    speaker_names,
    stored_settings,
    strip_float_noise,
)
from debate_cli.systems.base import turn_briefs
from debate_cli.systems.outcome import UNDETERMINED_OUTCOME, ScoreOutcome, build_verdict, decide_outcome
from debate_cli.systems.persuasion.effects import (
    build_influence_graph,
    cosine_similarity,
    keyword_scores,
    outgoing_influence,
    social_context_vectors,
)
from debate_cli.systems.persuasion.settings import PersuasionSettings
from debate_cli.systems.persuasion.stance import (
    Band,
    DebaterState,
    ResistanceRating,
    StancePosition,
    SurrenderReason,
    persuasion_band,
)
from debate_cli.systems.persuasion.state_machine import StatePoint, compute_state_curve


class _NoiseFree(FrozenModel):
    @field_validator("*")
    @classmethod
    def _strip_noise(cls, value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(cls._strip_noise, cast("tuple[object, ...]", value)))
        if isinstance(value, dict):
            return {key: cls._strip_noise(item) for key, item in cast("dict[str, object]", value).items()}
        return strip_float_noise(value) if isinstance(value, float) else value


class ScoreParts(_NoiseFree):
    """The four parts of a debater's score, in points."""

    name: str
    """Name of the debater."""
    stance: float
    """Points for the stance: 30 x |stance| x conviction."""
    persuasion: float
    """Points for the persuasion of the other debaters, summed over all other debaters.

    p: mean of `FinalState.persuasion` of another debater, 0-1. The mean covers the last ten speeches that affected this
    other debater, no matter who spoke. The other debater adds 10 x p, and 20 more after a surrender.
    """
    resistance: float
    """Points for resistance: 20 x conviction x (1 - mean attack received); 0 if no speech affected the debater."""
    penalty: float
    """-50 if the debater surrendered, else 0."""

    @property
    def total(self) -> float:
        """The sum of the four parts of the score."""
        return self.stance + self.persuasion + self.resistance + self.penalty


SCORE_PARTS = ("stance", "persuasion", "resistance", "penalty")


class FinalState(_NoiseFree):
    """A debater's state at the end of the debate."""

    name: str
    """Name of the debater."""
    stance: float
    """From -1 (fully against the motion) to 1 (fully for it)."""
    conviction: float
    """How firmly the debater holds the stance, 0-1."""
    position: StancePosition
    """The stance in one word, e.g. `Supportive`."""
    persuasion: tuple[float, ...]
    """How much each speech persuaded the debater, 0-1. Covers the last ten speeches that affected the debater."""
    persuasion_band: Band | None
    """The mean persuasion received, in one word, e.g. `slight`. None if no speech had an effect on the debater."""
    attack: tuple[float, ...]
    """How hard each speech attacked the debater, 0-1. Covers the last ten speeches that affected the debater."""
    resistance: ResistanceRating | None
    """Grade of the debater's resistance to attacks, e.g. `Good`. None if no speech had an effect on the debater."""
    surrendered: bool
    """Whether the debater surrendered."""


class Surrender(FrozenModel):
    """A debater's surrender."""

    name: str
    """Name of the debater."""
    round: int
    """Number of the round after which the debater surrendered."""
    turn: int
    """Index of the turn after which the debater surrendered."""
    reason: SurrenderReason
    """The rule by which the debater surrendered: `persuaded`, `neutral` or `worn_down` (see `find_surrender_reason`)."""


class CurvePoint(_NoiseFree):
    """Stance and conviction of every debater before the first turn or after a turn."""

    turn: int | None
    """Index of the turn; None if the values are those before the first turn."""
    speaker: str | None
    """Name of the debater who spoke in the turn; None if `turn` is None."""
    stances: dict[str, float]
    """Maps each debater to a stance, -1 to 1."""
    convictions: dict[str, float]
    """Maps each debater to a conviction, 0-1."""


class StrategyUse(_NoiseFree):
    """The strategy of one turn, with the predicted and the actual persuasion."""

    turn: int
    """Index of the turn, from 0."""
    speaker: str
    """Name of the debater."""
    strategy: str
    """Name of the strategy."""
    predicted: float | None
    """How much the strategy was expected to persuade the opponents on average, 0-1.2. None if the configuration sets the
    strategy, or if all opponents had surrendered."""
    actual: float | None
    """How much the turn persuaded the opponents on average, 0-1. None if the turn affected no opponent: all opponents
    had surrendered, or the judge did not rate the turn."""


class InfluenceEdge(_NoiseFree):
    """How strongly the debater `source` persuaded the debater `target` on average, 0-1."""

    source: str
    """Name of the debater who persuades."""
    target: str
    """Name of the debater who is persuaded."""
    weight: float
    """Mean persuasion, 0-1."""
    band: Band
    """`weight` in one word, e.g. `slight`."""


class ContextSimilarity(_NoiseFree):
    """How similar the vectors of two debaters are. The vectors are in `PersuasionNotes.social_context`."""

    names: tuple[str, str]
    """The two debaters."""
    cosine: float
    """Cosine similarity, -1 to 1, of the two debaters' vectors in `PersuasionNotes.social_context`; 1 if both vectors
    have the same direction."""


NO_KEYWORDS_HINT = (
    "No speech contains any of the keywords. The debate may be in another language or style. Set `keywords`, or let a "
    "model rate the speeches with `effects: judge`."
)
RULES = 3
"""Version of the scoring rules."""
MIN_SCORE = -50.0
"""Lowest possible score: the score of a debater who surrendered, if all other parts of the score are 0."""


class PersuasionNotes(Notes, _NoiseFree):
    """Notes of a verdict of the judging system `persuasion`."""

    effects: str
    """The setting `effects`: `keywords`, `factors` or `judge`."""
    rounds: int
    """Number of the last round with a speech."""
    surrendered: tuple[Surrender, ...]
    """All surrenders, earliest first."""
    hint: str = ""
    """Advice on the setting `keywords`. Empty if no advice is needed.

    Advice is given if speeches are rated by keywords and no speech contains a keyword.
    """
    parts: tuple[ScoreParts, ...]
    """The parts of each debater's score."""
    states: tuple[FinalState, ...]
    """The state of each debater at the end of the debate."""
    curve: tuple[CurvePoint, ...]
    """Stance and conviction before the first turn and after each turn."""
    strategies: tuple[StrategyUse, ...]
    """One entry for each turn that has a strategy."""
    graph: tuple[InfluenceEdge, ...]
    """How strongly each debater persuaded each other debater on average."""
    influence: dict[str, float]
    """Maps each debater to how much the debater persuaded the others on average, 0-1."""
    social_context: dict[str, tuple[float, ...]]
    """Maps each debater to a unit vector of 128 numbers. The vector combines the states of the debaters who affected the
    debater (see `social_context_vectors`)."""
    likeness: tuple[ContextSimilarity, ...]
    """For each pair of debaters, the cosine similarity of their vectors in `social_context`."""


def score_run(debate: Debate, run: JudgingRun | str, settings: PersuasionSettings) -> Verdict:
    """Return the verdict of one judging run, with notes of the class `PersuasionNotes`.

    The verdict is undetermined if no debater surrendered and fewer than two debaters had an effect on another.
    """
    curve = compute_state_curve(debate, settings, run)
    final, effects = curve[-1].states, [effect for point in curve for effect in point.effects]
    parts = [score_parts(name, final) for name in final]
    scores = {of.name: of.total for of in parts}
    is_judged = len({effect.turn.speaker for effect in effects}) > 1 or any(item.surrendered for item in final.values())
    graph = build_influence_graph(effects)
    contexts = social_context_vectors(final, graph)
    spoken = debate.turns if settings.effects != "judge" else ()
    is_foreign = bool(spoken) and not any(any(keyword_scores(turn.text, settings)) for turn in spoken)
    notes = PersuasionNotes(
        effects=settings.effects,
        rounds=max((turn.round for turn in debate.turns), default=0),
        surrendered=tuple(_surrenders(curve)),
        hint=NO_KEYWORDS_HINT if is_foreign else "",
        parts=tuple(parts),
        states=tuple(FinalState.model_validate(state, from_attributes=True) for state in final.values()),
        curve=tuple(map(_curve_point, curve)),
        strategies=tuple(_strategy_uses(curve)),
        graph=tuple(
            InfluenceEdge(source=source, target=target, weight=weight, band=persuasion_band(weight))
            for (source, target), weight in sorted(graph.items())
        ),
        influence=dict(sorted(outgoing_influence(graph).items())),
        social_context=contexts,
        likeness=tuple(
            ContextSimilarity(names=(one, other), cosine=cosine_similarity(vector, another))
            for (one, vector), (other, another) in combinations(contexts.items(), 2)
        ),
        missing=tuple(_missing(debate, run, settings, curve)),
    )
    outcome = _outcome(scores, final, settings) if is_judged else UNDETERMINED_OUTCOME
    return build_verdict("persuasion", run, outcome, scores, notes).model_copy(update={"rules": RULES})


def score_parts(name: str, final: Mapping[str, DebaterState]) -> ScoreParts:
    """Return the four parts of a debater's score."""
    own = final[name]
    others = [other for other in final.values() if other.name != name]
    withstood = (1 - mean(own.attack)) * own.conviction * 20 if own.attack else 0.0
    return ScoreParts(
        name=name,
        stance=abs(own.stance) * own.conviction * 30,
        persuasion=math.fsum((20 if other.surrendered else 0) + 10 * mean(other.persuasion) for other in others),
        resistance=withstood,
        penalty=MIN_SCORE if own.surrendered else 0.0,
    )


def max_score(debaters: int) -> float:
    """Return the highest possible score of a debater: 50, plus 30 for each other debater."""
    return 50.0 + 30.0 * max(0, debaters - 1)


def _outcome(
    scores: Mapping[str, float], final: Mapping[str, DebaterState], settings: PersuasionSettings
) -> ScoreOutcome:
    best = max(scores, key=lambda name: strip_float_noise(scores[name]))
    others_surrendered = any(state.surrendered for state in final.values() if state.name != best)

    def kind(margin: float) -> Victory:
        if others_surrendered:
            return "overwhelming"
        return "clear" if margin > settings.clear_margin else "narrow"

    return decide_outcome(scores, kind)


def _surrenders(curve: Sequence[StatePoint]) -> Iterator[Surrender]:
    for before, point in pairwise(curve):
        for name, state in point.states.items():
            reason = None if before.states[name].surrendered else state.surrender_reason
            if point.turn is not None and reason is not None:
                yield Surrender(name=name, round=point.turn.round, turn=point.turn.index, reason=reason)


def _curve_point(point: StatePoint) -> CurvePoint:
    return CurvePoint(
        turn=None if point.turn is None else point.turn.index,
        speaker=None if point.turn is None else point.turn.speaker,
        stances={name: state.stance for name, state in point.states.items()},
        convictions={name: state.conviction for name, state in point.states.items()},
    )


def _strategy_uses(curve: Sequence[StatePoint]) -> Iterator[StrategyUse]:
    for point in curve:
        if point.turn is not None and point.turn.strategy is not None:
            yield StrategyUse(
                turn=point.turn.index,
                speaker=point.turn.speaker,
                strategy=point.turn.strategy.name,
                predicted=point.turn.strategy.predicted,
                actual=mean(effect.persuasion for effect in point.effects) if point.effects else None,
            )


def _missing(
    debate: Debate, run: JudgingRun | str, settings: PersuasionSettings, curve: Sequence[StatePoint]
) -> Iterator[str]:
    speakers, final = speaker_names(debate), curve[-1].states
    for item in debate.participants:
        if item.name not in speakers and not final[item.name].surrendered:
            yield f"{item.name} has not spoken."
    if settings.effects == "judge":
        asked = stored_settings(debate, run, settings)
        briefs = turn_briefs(get_run_id(run), asked, [point.turn.index for point in curve if point.turn is not None])
        unrated = ((brief, f"Turn {brief.subject.turns[0] + 1} was not rated, so it has no effect") for brief in briefs)
        yield from describe_unanswered(debate, unrated)
