"""Keyword scores, the effect of a turn on a debater, and surrender; expected numbers are computed by hand."""

from collections.abc import Mapping

import pytest
from scoring_support import speech

from debate_cli.systems.persuasion.effects import keyword_scores
from debate_cli.systems.persuasion.settings import Keywords, PersuasionSettings, VictoryConditions
from debate_cli.systems.persuasion.stance import (
    DebaterState,
    Effect,
    RoundPersuasion,
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
        # The speech contains no "think about" with one space; as words it may break over lines
        ("Think\n  about it", (0, 0, 0), (0.3, 0, 0)),
        # Five phrases of 0.3 are clamped to 1
        ("however consider but think about understand", (1, 0, 0), (1, 0, 0)),
        ("Wrong and flawed", (0, 0.8, 0), (0, 0.8, 0)),
    ],
)
def test_keyword_scores(text: str, substring: tuple[float, float, float], words: tuple[float, float, float]) -> None:
    """Each phrase adds 0.3, 0.4 or 0.35 up to 1, found anywhere in the speech or as whole words."""
    assert keyword_scores(text, PersuasionSettings()) == pytest.approx(substring)
    assert keyword_scores(text, PersuasionSettings(matching="words")) == pytest.approx(words)


def test_keywords_are_settings() -> None:
    """Configured phrases replace the default ones, and a phrase that is listed twice counts once."""
    keywords = Keywords(persuasion=("jedoch", "Jedoch", "aber"), attack=(), evidence=("(laut)",))
    found = [
        keyword_scores("Jedoch wrong, aber (LAUT) data.", PersuasionSettings(keywords=keywords, matching=matching))
        for matching in ("substring", "words")
    ]
    assert found == [pytest.approx((0.6, 0, 0.35))] * 2


def effect_of(persuasion: float, attack: float = 0.0, number: int = 1) -> Effect:
    """Return an effect on X in the round `number`."""
    return Effect(speech(0, "Y").model_copy(update={"round": number}), "X", persuasion, attack, 0)


def rounds(persuasion: Mapping[int, float]) -> tuple[RoundPersuasion, ...]:
    """The strongest persuasion in these rounds."""
    return tuple(RoundPersuasion(number, value) for number, value in persuasion.items())


def test_histories_keep_the_last_ten() -> None:
    """The histories of persuasion and attack keep the last ten of twelve effects, and rounds keep all."""
    state = DebaterState("X", 0.8, 0.8, 1.0)
    for number in range(12):
        state = apply_effect(state, effect_of(number / 100, number / 50, number))
    assert state.persuasion == pytest.approx([number / 100 for number in range(2, 12)])
    assert state.attack == pytest.approx([number / 50 for number in range(2, 12)])
    assert len(state.round_persuasion) == 12


def test_a_round_counts_its_strongest_persuasion() -> None:
    """Of the speeches of a round, only the strongest persuasion counts for surrender."""
    state = DebaterState("X", 0.8, 0.8, 1.0)
    for number, persuasion in ((1, 0.2), (1, 0.9), (1, 0.5), (2, 0.3)):
        state = apply_effect(state, effect_of(persuasion, number=number))
    assert (state.round_persuasion, state.persuasion) == (rounds({1: 0.9, 2: 0.3}), (0.2, 0.9, 0.5, 0.3))


@pytest.mark.parametrize(
    ("stance", "conviction", "start", "persuasion", "expected"),
    [
        # The mean over the last up to three rounds above 0.6 and conviction below 0.4
        (0.8, 0.39, 0.8, {1: 0.9}, "persuaded"),
        (0.8, 0.4, 0.8, {1: 0.9}, None),
        (0.8, 0.39, 0.8, {1: 0.6}, None),
        (0.8, 0.39, 0.8, {1: 1, 2: 0.3, 3: 0.7, 4: 0.7}, None),
        (0.8, 0.39, 0.8, {1: 0, 2: 0.5, 3: 0.7, 4: 0.7}, "persuaded"),
        # Rounds without persuasion are left out of the mean
        (0.8, 0.39, 0.8, {1: 0.5, 3: 0.7, 6: 0.7}, "persuaded"),
        # A stance below 0.2 with conviction below 0.5, unless it began there
        (0.19, 0.49, 0.8, {}, "neutral"),
        (0.2, 0.49, 0.8, {}, None),
        (0.19, 0.5, 0.8, {}, None),
        (0.1, 0.49, 0.19, {}, None),
        # Three rounds in a row, each above 0.5
        (0.8, 0.9, 0.8, {1: 0.51, 2: 0.6, 3: 0.55}, "worn_down"),
        (0.8, 0.9, 0.8, {1: 0.5, 2: 0.6, 3: 0.55}, None),
        (0.8, 0.9, 0.8, {1: 0.1, 2: 0.6, 3: 0.6, 4: 0.6}, "worn_down"),
        # A round without persuasion interrupts the row
        (0.8, 0.9, 0.8, {1: 0.6, 2: 0.6, 4: 0.6}, None),
        (0.8, 0.9, 0.8, {1: 0.6, 3: 0.6, 4: 0.6, 5: 0.6}, "worn_down"),
    ],
)
def test_surrender_conditions(
    stance: float, conviction: float, start: float, persuasion: Mapping[int, float], expected: str | None
) -> None:
    """Each of the three conditions of surrender holds on one side of its bounds only."""
    state = DebaterState("X", start, stance, conviction, round_persuasion=rounds(persuasion))
    assert find_surrender_reason(state, VictoryConditions()) == expected


def fold(*, bystander_effect: float, **stances: float) -> dict[str, DebaterState]:
    """Return the states after a round in which the debaters whose names begin with L surrender."""
    states = {
        name: DebaterState(name, 1.0, stance, 0.3 if name.startswith("L") else 0.9, round_persuasion=rounds({1: 0.9}))
        for name, stance in stances.items()
    }
    return end_round(states, VictoryConditions(), bystander_effect)


def test_bystanders_move_once_per_round() -> None:
    """Two surrenders on one side of 0 move a bystander on this side by a quarter, once."""
    found = fold(bystander_effect=0.25, L=0.8, L2=0.4, F=0.6, G=-0.6, H=0.0)
    assert [state.stance for state in found.values()] == pytest.approx([0.8, 0.4, 0.45, -0.6, 0.0])
    assert [name for name, state in found.items() if state.surrendered] == ["L", "L2"]


def test_bystanders_stay_by_default() -> None:
    """The default bystander effect is 0, and a bystander who moves does not surrender in this round."""
    assert PersuasionSettings().bystander_effect == 0
    moved = fold(bystander_effect=1, L=0.8, F=0.6)
    assert (moved["F"].stance, moved["F"].surrendered) == (0, False)


@pytest.mark.parametrize(
    ("stance", "position"), [(0.21, "Supportive"), (0.2, "Neutral"), (-0.2, "Neutral"), (-0.21, "Opposed")]
)
def test_positions(stance: float, position: StancePosition) -> None:
    """The position is Supportive above 0.2, Opposed below -0.2, else Neutral."""
    assert DebaterState("X", stance, stance, 0.7).position == position


@pytest.mark.parametrize(
    ("attack", "conviction", "rating"),
    [
        (0.29, 0.71, "Excellent"),
        (0.3, 0.71, "Good"),
        (0.5, 0.71, "Average"),
        (0.71, 0.71, "Poor"),
        # Conviction alone: above 0.7, from 0.5, from 0.3, less
        (0.0, 0.7, "Good"),
        (0.0, 0.49, "Average"),
        (0.0, 0.29, "Poor"),
        (0.6, 0.2, "Poor"),
    ],
)
def test_resistance_is_the_worse_of_two_grades(attack: float, conviction: float, rating: str) -> None:
    """The resistance rating is the worse of two grades, by mean attack and by conviction."""
    assert DebaterState("X", 0.8, 0.8, conviction, attack=(attack,)).resistance == rating


def test_a_debater_that_no_speech_reached_has_no_rating() -> None:
    """A debater has a resistance rating only after a speech of an opponent, even if this speech attacks no one."""
    assert DebaterState("X", 0.8, 0.8, 0.9).resistance is None
    assert apply_effect(DebaterState("X", 0.8, 0.8, 0.9), effect_of(0)).resistance == "Excellent"


@pytest.mark.parametrize(
    ("persuasion", "band"),
    [
        (0.19, "minimal"),
        (0.2, "slight"),
        (0.4, "moderate"),
        (0.6, "significant"),
        (0.8, "strong"),
    ],
)
def test_bands_of_persuasion(persuasion: float, band: str) -> None:
    """The bands of persuasion begin at 0, 0.2, 0.4, 0.6 and 0.8."""
    assert persuasion_band(persuasion) == band
