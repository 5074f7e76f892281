"""Keyword scores, the effect of a turn on a debater, and surrender; expected numbers are computed by hand."""

import pytest
from scoring_support import speech

from debate_cli.systems.persuasion.effects import keyword_scores
from debate_cli.systems.persuasion.settings import Keywords, PersuasionSettings, VictoryConditions
from debate_cli.systems.persuasion.stance import (
    DebaterState,
    Effect,
    StancePosition,
    apply_effect,
    end_round,
    find_surrender_reason,
    persuasion_band,
)


@pytest.mark.parametrize(
    ("text", "substring", "words"),
    [
        ("", (0, 0, 0), (0, 0, 0)),
        ("However, I think about it.", (0.6, 0, 0), (0.6, 0, 0)),
        # A phrase counts once
        ("But, but, but.", (0.3, 0, 0), (0.3, 0, 0)),
        # button, database, wrongly and understood contain but, data, wrong and none
        ("A button of the database is wrongly understood.", (0.3, 0.4, 0.35), (0, 0, 0)),
        ("HOWEVER wrong", (0.3, 0.4, 0), (0.3, 0.4, 0)),
        # The speech contains no "think about" with one space; as words it may break over lines
        ("Think\n  about it", (0, 0, 0), (0.3, 0, 0)),
        # Five phrases of 0.3 are clamped to 1
        ("however consider but think about understand", (1, 0, 0), (1, 0, 0)),
        ("wrong flawed incorrect mistaken fallacious", (0, 1, 0), (0, 1, 0)),
        ("Wrong and flawed", (0, 0.8, 0), (0, 0.8, 0)),
        ("research data", (0, 0, 0.7), (0, 0, 0.7)),
        ("research data study evidence statistics", (0, 0, 1), (0, 0, 1)),
    ],
)
def test_keyword_scores(text: str, substring: tuple[float, float, float], words: tuple[float, float, float]) -> None:
    """0.3, 0.4 and 0.35 for each phrase found, at most 1, anywhere in the speech or as whole words."""
    assert keyword_scores(text, PersuasionSettings()) == pytest.approx(substring)
    assert keyword_scores(text, PersuasionSettings(matching="words")) == pytest.approx(words)


def test_keywords_are_settings() -> None:
    """Phrases of another language; one that is listed twice, in other case, counts once."""
    keywords = Keywords(persuasion=("jedoch", "Jedoch", "aber"), attack=(), evidence=("(laut)",))
    found = [
        keyword_scores("Jedoch wrong, aber (LAUT) data.", PersuasionSettings(keywords=keywords, matching=matching))
        for matching in ("substring", "words")
    ]
    assert found == [pytest.approx((0.6, 0, 0.35))] * 2


def effect_of(persuasion: float, attack: float = 0.0, number: int = 1) -> Effect:
    """An effect on X, in a round of its own."""
    return Effect(speech(0, "Y").model_copy(update={"round": number}), "X", persuasion, attack, 0)


def test_histories_keep_the_last_ten() -> None:
    """Of twelve effects the first two are dropped."""
    state = DebaterState("X", 0.8, 0.8, 1.0)
    for number in range(12):
        state = apply_effect(state, effect_of(number / 100, number / 50, number))
    assert state.persuasion == pytest.approx([number / 100 for number in range(2, 12)])
    assert state.attack == pytest.approx([number / 50 for number in range(2, 12)])

    assert len(state.round_persuasion) == 12


def test_a_round_counts_its_strongest_persuasion() -> None:
    """0.2, 0.9 and 0.5 in round 1, then 0.3 in round 2; the history of speeches keeps all."""
    state = DebaterState("X", 0.8, 0.8, 1.0)
    for number, persuasion in ((1, 0.2), (1, 0.9), (1, 0.5), (2, 0.3)):
        state = apply_effect(state, effect_of(persuasion, number=number))
    assert (state.round_persuasion, state.persuasion) == ((0.9, 0.3), (0.2, 0.9, 0.5, 0.3))


@pytest.mark.parametrize(
    ("stance", "conviction", "start", "persuasion", "expected"),
    [
        # The mean over the last up to three rounds above 0.6 and conviction below 0.4
        (0.8, 0.39, 0.8, (0.9,), "persuaded"),
        (0.8, 0.4, 0.8, (0.9,), None),
        (0.8, 0.39, 0.8, (0.6,), None),
        (0.8, 0.39, 0.8, (1, 0.3, 0.7, 0.7), None),
        (0.8, 0.39, 0.8, (0, 0.5, 0.7, 0.7), "persuaded"),
        # A stance below 0.2 with conviction below 0.5, unless it began there
        (0.19, 0.49, 0.8, (), "neutral"),
        (-0.19, 0.49, -0.2, (), "neutral"),
        (0.2, 0.49, 0.8, (), None),
        (0.19, 0.5, 0.8, (), None),
        (0.1, 0.49, 0.19, (), None),
        (0.0, 0.49, 0.0, (), None),
        # Three rounds in a row, each above 0.5
        (0.8, 0.9, 0.8, (0.51, 0.6, 0.55), "worn_down"),
        (0.8, 0.9, 0.8, (0.5, 0.6, 0.55), None),
        (0.8, 0.9, 0.8, (0.6, 0.6), None),
        (0.8, 0.9, 0.8, (0.1, 0.6, 0.6, 0.6), "worn_down"),
    ],
)
def test_surrender_conditions(
    stance: float, conviction: float, start: float, persuasion: tuple[float, ...], expected: str | None
) -> None:
    """Each of the three conditions at and beside its bounds."""
    state = DebaterState("X", start, stance, conviction, round_persuasion=persuasion)
    assert find_surrender_reason(state, VictoryConditions()) == expected


def fold(*, bystander_effect: float, **stances: float) -> dict[str, DebaterState]:
    """The end of a round in which all whose names begin with L surrender; the others are firm."""
    states = {
        name: DebaterState(name, 1.0, stance, 0.3 if name.startswith("L") else 0.9, round_persuasion=(0.9,))
        for name, stance in stances.items()
    }
    return end_round(states, VictoryConditions(), bystander_effect)


def test_bystanders_move_once_per_round() -> None:
    """Two losers above 0 move F by a quarter once; the other side, 0 and the losers themselves stay."""
    found = fold(bystander_effect=0.25, L=0.8, L2=0.4, F=0.6, G=-0.6, H=0.0)
    assert [state.stance for state in found.values()] == pytest.approx([0.8, 0.4, 0.45, -0.6, 0.0])
    assert [name for name, state in found.items() if state.surrendered] == ["L", "L2"]


def test_bystanders_stay_by_default() -> None:
    """The setting is 0, and a bystander's move causes no surrender in the same round."""
    assert PersuasionSettings().bystander_effect == 0
    moved = fold(bystander_effect=1, L=0.8, F=0.6)
    assert (moved["F"].stance, moved["F"].surrendered) == (0, False)


@pytest.mark.parametrize(
    ("stance", "position"), [(0.21, "Supportive"), (0.2, "Neutral"), (-0.2, "Neutral"), (-0.21, "Opposed")]
)
def test_positions(stance: float, position: StancePosition) -> None:
    """Above 0.2 Supportive, below -0.2 Opposed, else Neutral."""
    assert DebaterState("X", stance, stance, 0.7).position == position


@pytest.mark.parametrize(
    ("attack", "conviction", "rating"),
    [
        (0.29, 0.71, "Excellent"),
        (0.3, 0.71, "Good"),
        (0.49, 0.71, "Good"),
        (0.5, 0.71, "Average"),
        (0.7, 0.71, "Average"),
        (0.71, 0.71, "Poor"),
        # Conviction alone: above 0.7, from 0.5, from 0.3, less
        (0.0, 0.7, "Good"),
        (0.0, 0.5, "Good"),
        (0.0, 0.49, "Average"),
        (0.0, 0.3, "Average"),
        (0.0, 0.29, "Poor"),
        (0.6, 0.2, "Poor"),
    ],
)
def test_resistance_is_the_worse_of_two_grades(attack: float, conviction: float, rating: str) -> None:
    """By mean attack and by conviction."""
    assert DebaterState("X", 0.8, 0.8, conviction, attack=(attack,)).resistance == rating


def test_a_debater_that_no_speech_reached_has_no_rating() -> None:
    """A speech without an attack is a record, too."""
    assert DebaterState("X", 0.8, 0.8, 0.9).resistance is None
    assert apply_effect(DebaterState("X", 0.8, 0.8, 0.9), effect_of(0)).resistance == "Excellent"


@pytest.mark.parametrize(
    ("persuasion", "band"),
    [
        (0.19, "minimal"),
        (0.2, "slight"),
        (0.4, "moderate"),
        (0.6, "significant"),
        (0.79, "significant"),
        (0.8, "strong"),
    ],
)
def test_bands_of_persuasion(persuasion: float, band: str) -> None:
    """Below 0.2, 0.4, 0.6, 0.8, and strong from 0.8 on."""
    assert persuasion_band(persuasion) == band
