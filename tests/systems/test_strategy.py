"""The strategy that an adaptive debater picks."""

from dataclasses import replace
from typing import Any

import pytest
from scoring_support import CON, PRO, build_debate, opening_event, speech

from debate_cli.domain.tasks import Cue
from debate_cli.domain.turn import StrategyPick
from debate_cli.systems.panel.settings import PanelSettings
from debate_cli.systems.persuasion.score import score_run
from debate_cli.systems.persuasion.settings import PersuasionSettings
from debate_cli.systems.persuasion.stance import DebaterState, RoundPersuasion
from debate_cli.systems.persuasion.strategies import pick_strategy
from debate_cli.systems.persuasion.system import SYSTEM


def state(name: str, **fields: Any) -> DebaterState:
    """A debater with stance 0.8 and conviction 0.7 by default."""
    return replace(DebaterState(name, starting_stance=0.8, stance=0.8, conviction=0.7), **fields)


def rounds(*persuasion: float) -> tuple[RoundPersuasion, ...]:
    """The strongest persuasion in round 1, 2, ..."""
    return tuple(RoundPersuasion(number, value) for number, value in enumerate(persuasion, start=1))


LAST_ROUNDS = {"round_persuasion": rounds(0.41, 0.41)}


@pytest.mark.parametrize(
    ("own", "other", "expected"),
    [
        # Nothing is tried and no situation holds: the first in the order
        ({}, {}, ("aggressive", 0.3)),
        # Conviction below 0.5 and own evidence of 0.6 over the last three speeches
        ({"evidence_shown": (0.0, 0.6, 0.6, 0.6)}, {"conviction": 0.49}, ("aggressive", 0.5)),
        # Below 0.6 it is also not firm
        ({"evidence_shown": (0.59,)}, {"conviction": 0.49}, ("persuasive", 0.5)),
        # Own conviction above 0.7
        ({"conviction": 0.71}, {}, ("defensive", 0.5)),
        # The target's stance below 0.5
        ({}, {"stance": -0.49}, ("persuasive", 0.5)),
        ({}, {"stance": -0.5}, ("aggressive", 0.3)),
        # Strongest persuasion of the last rounds above 0.4
        ({}, {"round_persuasion": rounds(0.41)}, ("empathetic", 0.5)),
        ({}, {"round_persuasion": rounds(0.9, 0.3, 0.3, 0.3)}, ("aggressive", 0.3)),
        # Two situations hold: the first in the order
        ({"conviction": 0.9}, {"stance": 0.1, **LAST_ROUNDS}, ("defensive", 0.5)),
        # What worked counts: mean (0.9 + 0.5)/2 with analytical, 0.2 + 0.2 with empathetic
        (
            {"persuasion_dealt": {(CON, "analytical"): (1.4, 2), (CON, "empathetic"): (0.2, 1)}},
            LAST_ROUNDS,
            ("analytical", 0.7),
        ),
        # Effects on others and speeches without a strategy do not count
        ({"persuasion_dealt": {("Cem", "analytical"): (0.9, 1), (CON, None): (0.9, 1)}}, {}, ("aggressive", 0.3)),
    ],
)
def test_the_highest_predicted_effect_wins(
    own: dict[str, Any], other: dict[str, Any], expected: tuple[str, float]
) -> None:
    """The pick has the highest prediction: mean persuasion so far, 0.3 if untried, plus 0.2 if its situation holds."""
    pick = pick_strategy({PRO: state(PRO, **own), CON: state(CON, **other)}, PRO)
    assert (pick.name, pick.predicted) == (expected[0], pytest.approx(expected[1]))


def test_several_targets_count_by_their_mean() -> None:
    """The prediction for several targets is the mean of the predictions for each target."""
    states = {PRO: state(PRO), CON: state(CON, **LAST_ROUNDS), "Cem": state("Cem")}
    pick = pick_strategy(states, PRO)
    assert (pick.name, pick.predicted) == ("balanced", pytest.approx(0.5))
    only = pick_strategy({PRO: state(PRO), CON: state(CON, stance=0.1)}, PRO, (CON,))
    assert only.reason == ("Highest predicted effect, 0.50, because the position of Ben is not firm.")


def test_a_surrendered_debater_is_not_a_target() -> None:
    """If every opponent has surrendered, the pick is `analytical`, without a prediction."""
    states = {PRO: state(PRO), CON: state(CON, surrendered=True)}
    assert (pick_strategy(states, PRO).name, pick_strategy(states, PRO).predicted) == ("analytical", None)


def test_the_pick_follows_the_turns() -> None:
    """A strategy that persuaded an opponent by 0.9 is expected to do so again."""
    debate = build_debate(
        opening_event(PersuasionSettings()),
        [speech(0, PRO, "However, consider and understand it.", strategy="aggressive"), speech(1, CON)],
    )
    pick = SYSTEM.pick_strategy(debate, Cue(index=2, round=2, phase="speech", speaker=PRO))
    assert (pick.name, pick.predicted) == ("aggressive", pytest.approx(0.9))


def test_without_the_persuasion_system_there_are_always_opponents() -> None:
    """Persuasive speeches in three rounds leave an opponent to persuade, because no debater can surrender."""
    turns = [
        speech(index, (PRO, CON)[index % 2], "However, consider it." if index % 2 == 0 else "") for index in range(6)
    ]
    debate = build_debate(opening_event(PanelSettings()), turns)
    pick = SYSTEM.pick_strategy(debate, Cue(index=6, round=4, phase="speech", speaker=PRO))
    assert (pick.name, pick.predicted) == ("empathetic", pytest.approx(0.5))


def test_the_notes_hold_predicted_and_actual_effect() -> None:
    """The notes have the predicted and the actual effect of each turn with a strategy."""
    first = speech(0, PRO, "However, consider it.", strategy="balanced")
    picked = StrategyPick(name="persuasive", reason="so", predicted=0.5)
    second = speech(1, CON, "But why?").model_copy(update={"strategy": picked})
    debate = build_debate(opening_event(PersuasionSettings()), [first, second, speech(2, PRO)])
    assert score_run(debate, "r1", PersuasionSettings()).notes["strategies"] == [
        {"turn": 0, "speaker": PRO, "strategy": "balanced", "predicted": None, "actual": pytest.approx(0.6)},
        {"turn": 1, "speaker": CON, "strategy": "persuasive", "predicted": 0.5, "actual": pytest.approx(0.3)},
    ]
