"""Effects of a turn on the other debaters: by keywords, by weighted factors, or by a judge's ratings."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.turn import Turn
from debate_cli.systems.aggregation import clamp_mark, mean
from debate_cli.systems.persuasion.settings import PersuasionFactors
from debate_cli.systems.persuasion.stance import DebaterState, Effect
from debate_cli.systems.persuasion.strategies import pick_strategy

RATED_CRITERIA = ("persuasion", "attack", "evidence")
KEYWORD_PHRASES: dict[str, tuple[float, tuple[str, ...]]] = {
    "persuasion": (0.3, ("however", "consider", "but", "think about", "understand")),
    "attack": (0.4, ("wrong", "flawed", "incorrect", "mistaken", "fallacious")),
    "evidence": (0.35, ("research", "data", "study", "evidence", "statistics")),
}
"""Criterion -> points for each phrase that occurs, and the phrases."""


def _whole_word_pattern(phrase: str) -> re.Pattern[str]:
    return re.compile(r"\b" + r"\s+".join(phrase.split()) + r"\b", re.IGNORECASE)


_PATTERNS = {criterion: tuple(map(_whole_word_pattern, phrases)) for criterion, (_, phrases) in KEYWORD_PHRASES.items()}


@lru_cache(maxsize=1024)
def keyword_scores(text: str) -> tuple[float, float, float]:
    """(persuasion, attack, evidence) of a text, each 0-1. A phrase counts once, as whole words, ignoring case."""
    return _keyword_score(text, "persuasion"), _keyword_score(text, "attack"), _keyword_score(text, "evidence")


def _keyword_score(text: str, criterion: str) -> float:
    found = sum(pattern.search(text) is not None for pattern in _PATTERNS[criterion])
    return min(1.0, KEYWORD_PHRASES[criterion][0] * found)


def keyword_effects(turn: Turn, targets: Iterable[str]) -> tuple[Effect, ...]:
    """Compute the effect of a turn from its keywords; it is the same for every target."""
    persuasion, attack, evidence = keyword_scores(turn.text)
    return tuple(Effect(turn.index, turn.speaker, target, persuasion, attack, evidence) for target in targets)


def factor_effects(
    turn: Turn, targets: Iterable[str], states: Mapping[str, DebaterState], influence: float, factors: PersuasionFactors
) -> tuple[Effect, ...]:
    """Keyword effects with persuasion replaced by the weighted sum of persuasion, strategy fit, evidence and influence.

    `states` are those before the turn; `influence` (0-1) is the speaker's mean persuasion so far. The strategy fits a
    target if an adaptive debater would pick it against that target alone.
    """
    found: list[Effect] = []
    for effect in keyword_effects(turn, targets):
        fits = (
            turn.strategy is not None
            and turn.strategy.name == pick_strategy(states, turn.speaker, (effect.target,)).name
        )
        persuasion = (
            factors.persuasion * effect.persuasion
            + factors.strategy_fit * fits
            + factors.evidence * effect.evidence
            + factors.social_influence * influence
        )
        bounded = min(1.0, persuasion)
        found.append(Effect(turn.index, turn.speaker, effect.target, bounded, effect.attack, effect.evidence))
    return tuple(found)


EffectRatings = Mapping[tuple[int, str], Mapping[str, float]]
"""(turn, target) -> criterion -> rating 0-1, averaged over the judges."""


def average_ratings(given: Iterable[Assessment]) -> EffectRatings:
    """Average the judges' ratings of single turns."""
    found: dict[tuple[int, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for assessment in given:
        if assessment.subject.moment != "turn" or len(assessment.subject.turns) != 1:
            continue
        for mark in assessment.marks:
            if mark.participant is not None and mark.criterion in RATED_CRITERIA:
                found[assessment.subject.turns[0], mark.participant][mark.criterion].append(clamp_mark(mark, 0, 1))
    return {key: {criterion: mean(values) for criterion, values in of.items()} for key, of in found.items()}


def judge_effects(turn: Turn, targets: Iterable[str], rated: EffectRatings) -> tuple[Effect, ...]:
    """The rated effects; there is none on a target without ratings of persuasion and attack."""
    found: list[Effect] = []
    for target in targets:
        of = rated.get((turn.index, target), {})
        if "persuasion" in of and "attack" in of:
            evidence = of.get("evidence", 0.0)
            found.append(Effect(turn.index, turn.speaker, target, of["persuasion"], of["attack"], evidence))
    return tuple(found)
