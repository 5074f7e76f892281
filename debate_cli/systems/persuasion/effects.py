"""Effects of a turn on the other debaters: by keywords, by weighted factors, or by a judge's ratings."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.turn import Turn
from debate_cli.systems.aggregation import clamp_mark, mean
from debate_cli.systems.persuasion.settings import Matching, PersuasionSettings
from debate_cli.systems.persuasion.stance import DebaterState, Effect
from debate_cli.systems.persuasion.strategies import pick_strategy

RATED_CRITERIA = ("persuasion", "attack", "evidence")
KEYWORD_POINTS = {"persuasion": 0.3, "attack": 0.4, "evidence": 0.35}
"""Criterion -> points for each of its phrases that occurs."""


class KeywordScores(NamedTuple):
    """What the phrases in a text amount to; each value 0-1."""

    persuasion: float
    attack: float
    evidence: float


def keyword_scores(text: str, settings: PersuasionSettings) -> KeywordScores:
    """The scores of a text. A phrase counts once, whatever the case."""
    counts = {
        criterion: _count_phrases(text, tuple(getattr(settings.keywords, criterion)), settings.matching)
        for criterion in KEYWORD_POINTS
    }
    return KeywordScores(**{name: min(1.0, KEYWORD_POINTS[name] * count) for name, count in counts.items()})


@lru_cache(maxsize=4096)
def _count_phrases(text: str, phrases: tuple[str, ...], matching: Matching) -> int:
    lowered = text.lower()
    distinct = dict.fromkeys(phrase.lower() for phrase in phrases)
    if matching == "words":
        return sum(_whole_word_pattern(phrase).search(lowered) is not None for phrase in distinct)
    return sum(phrase in lowered for phrase in distinct)


@lru_cache(maxsize=1024)
def _whole_word_pattern(phrase: str) -> re.Pattern[str]:
    return re.compile(r"(?<!\w)" + r"\s+".join(map(re.escape, phrase.split())) + r"(?!\w)")


def has_keyword(turns: Iterable[Turn], settings: PersuasionSettings) -> bool:
    """Whether any of the phrases occurs in the turns."""
    return any(any(keyword_scores(turn.text, settings)) for turn in turns)


def keyword_effects(turn: Turn, targets: Iterable[str], settings: PersuasionSettings) -> tuple[Effect, ...]:
    """Compute the effect of a turn from its keywords; it is the same for every target."""
    scores = keyword_scores(turn.text, settings)
    return tuple(Effect(turn.index, turn.round, turn.speaker, target, *scores) for target in targets)


def factor_effects(
    turn: Turn, targets: Iterable[str], states: Mapping[str, DebaterState], settings: PersuasionSettings
) -> tuple[Effect, ...]:
    """Keyword effects with persuasion replaced by the weighted sum of persuasion, strategy fit, evidence and influence.

    `states` are those before the turn. The strategy fits a target if an adaptive debater would pick it against that
    target alone. Influence is the speaker's mean persuasion so far.
    """
    found: list[Effect] = []
    factors, influence = settings.factors, states[turn.speaker].influence
    for effect in keyword_effects(turn, targets, settings):
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
        found.append(replace(effect, persuasion=min(1.0, persuasion)))
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
            found.append(Effect(turn.index, turn.round, turn.speaker, target, of["persuasion"], of["attack"], evidence))
    return tuple(found)
