"""The persuasion scorer and its state machine, worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from scoring_support import CON, PRO, THREE, TWO, assessment, begun, judged, marks, speech

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.systems import Factors, Persuasion, VictoryConditions
from debate_cli.domain.verdict import Victory
from debate_cli.scoring.effects import keywords
from debate_cli.scoring.persuasion import StatePoint, current_states, states, surrendered, verdict
from debate_cli.scoring.social import DIMENSIONS, influence, influence_graph, social_context
from debate_cli.scoring.stance import DebaterState, Effect, Position, received, surrender_reason

CALM = "So it is."
P6, P9 = "However, consider it.", "However, consider that I understand."
"""Texts of persuasion 0.6 and 0.9."""
A4, A8, A10 = "Wrong.", "Wrong and flawed.", "Wrong, flawed and mistaken."
"""Texts of attack 0.4, 0.8 and 1."""
SCALE = {"persuasion": 1.0, "attack": 1.0, "evidence": 1.0}


def said(*texts: str, debaters: Any = TWO, settings: Persuasion | None = None) -> Debate:
    """A debate of these speeches, by turns."""
    names = [debater["name"] for debater in debaters]
    turns = [speech(index, names[index % len(names)], text) for index, text in enumerate(texts)]
    return judged(begun(settings or Persuasion(), debaters=debaters), turns)


def starting(pro: dict[str, Any] | None = None, con: dict[str, Any] | None = None) -> tuple[dict[str, Any], ...]:
    """Two debaters with settings of their own."""
    return ({**TWO[0], **(pro or {})}, {**TWO[1], **(con or {})})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", (0, 0, 0)),
        ("However, I think about it.", (0.6, 0, 0)),
        # A phrase counts once
        ("But, but, but.", (0.3, 0, 0)),
        # Whole words: button, data-less Database and wrongly are none
        ("A button of the database is wrongly understood.", (0, 0, 0)),
        ("HOWEVER wrong", (0.3, 0.4, 0)),
        ("Think\n  about it", (0.3, 0, 0)),
        # Five phrases of 0.3 are held at 1
        ("however consider but think about understand", (1, 0, 0)),
        ("wrong flawed incorrect mistaken fallacious", (0, 1, 0)),
        ("Wrong and flawed", (0, 0.8, 0)),
        ("research data", (0, 0, 0.7)),
        ("research data study evidence statistics", (0, 0, 1)),
    ],
)
def test_keywords_worked_by_hand(text: str, expected: tuple[float, float, float]) -> None:
    """0.3, 0.4 and 0.35 for each phrase found, at most 1."""
    assert keywords(text) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("persuasion", "attack", "conviction", "stance", "expected_stance", "expected_conviction"),
    [
        # p = 0.6 is not above 0.6, and e = 0.8 - 0.56 = 0.24 is not above 0.3
        (0.6, 0.8, 0.7, 0.8, 0.8, 0.7),
        # 0.8*(1 - 0.9*0.3*0.3) = 0.8*0.919, 0.85*0.7
        (0.9, 0, 0.7, 0.8, 0.7352, 0.595),
        (0.9, 0, 0.7, -0.8, -0.7352, 0.595),
        # With full conviction the stance does not move, conviction still does
        (1, 0, 1, 0.8, 0.8, 0.85),
        # e = 1 - 0.56 = 0.44: 0.8*1.088, 1.1*0.7
        (0, 1, 0.7, 0.8, 0.8704, 0.77),
        # e = 0.8 - 0.5 = 0.3 is not above 0.3
        (0, 0.8, 0.625, 0.8, 0.8, 0.625),
        # e = 0.8 - 0.48 = 0.32: 0.8*1.064, 1.1*0.6
        (0, 0.8, 0.6, 0.8, 0.8512, 0.66),
        # Held at -1 and at 1: e = 1 - 0.08 = 0.92, 0.95*1.184 > 1
        (0, 1, 0.1, -0.95, -1, 0.11),
        # Conviction 0.55 leaves e = 0.56, and at most 1 after 1.1 times it: here 0.605
        (0, 1, 0.55, 0.5, 0.556, 0.605),
        # Both, with the conviction from before: p: 1 - 0.9*0.6*0.3 = 0.838, 0.85*0.4 = 0.34; e = 1 - 0.32 = 0.68:
        # 0.8*0.838*1.136, 1.1*0.34
        (0.9, 1, 0.4, 0.8, 0.7615744, 0.374),
    ],
)
def test_one_effect_worked_by_hand(
    persuasion: float,
    attack: float,
    conviction: float,
    stance: float,
    expected_stance: float,
    expected_conviction: float,
) -> None:
    """Persuasion softens, an attack that conviction does not absorb hardens."""
    before = DebaterState("X", starting_stance=stance, stance=stance, conviction=conviction)
    after = received(before, Effect(0, "Y", "X", persuasion, attack, 0), VictoryConditions())
    assert (after.stance, after.conviction) == pytest.approx((expected_stance, expected_conviction))


def test_histories_keep_the_last_ten() -> None:
    """Of twelve effects the first two are forgotten."""
    state = DebaterState("X", 0.8, 0.8, 1.0)
    for number in range(12):
        state = received(state, Effect(number, "Y", "X", number / 100, number / 50, 0), VictoryConditions())
    assert state.persuasion == pytest.approx([number / 100 for number in range(2, 12)])
    assert state.attack == pytest.approx([number / 50 for number in range(2, 12)])


@pytest.mark.parametrize(
    ("stance", "conviction", "start", "persuasion", "expected"),
    [
        # The mean of the last three above 0.6 and conviction below 0.4
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
        # Three in a row, each above 0.5
        (0.8, 0.9, 0.8, (0.51, 0.6, 0.55), "worn_down"),
        (0.8, 0.9, 0.8, (0.5, 0.6, 0.55), None),
        (0.8, 0.9, 0.8, (0.6, 0.6), None),
        (0.8, 0.9, 0.8, (0.1, 0.6, 0.6, 0.6), "worn_down"),
    ],
)
def test_surrender_worked_by_hand(
    stance: float, conviction: float, start: float, persuasion: tuple[float, ...], expected: str | None
) -> None:
    """The three conditions, each at and beside its bounds."""
    state = DebaterState("X", start, stance, conviction, persuasion=persuasion)
    assert surrender_reason(state, VictoryConditions()) == expected


def test_victory_conditions_are_settings() -> None:
    """Two in a row are enough where two are asked for."""
    state = DebaterState("X", 0.8, 0.8, 0.9, persuasion=(0.6, 0.6))
    assert surrender_reason(state, VictoryConditions(consecutive_persuasion=2)) == "worn_down"


FIRM = 0.8 * 0.7 * 30 + 0.7 * 20  # 16.8 + 14 = 30.8: an untouched debater at whom turns were directed
PRESSED: dict[str, Any] = {"conviction": 0.4}


@pytest.mark.parametrize(
    ("texts", "debaters", "pro", "con", "victory"),
    [
        ((CALM, CALM), TWO, FIRM, FIRM, "draw"),
        # p = 0.6 moves nothing but is worth 6 to Ada
        ((P6, CALM), TWO, FIRM + 6, FIRM, "narrow"),
        # p = 0.9: Ben falls to 0.7352*0.595*30 + 0.595*20 = 13.12332 + 11.9
        ((P9, CALM), TWO, FIRM + 9, 25.02332, "narrow"),
        # Mean of 0.9 and 0 is 0.45; nothing more moves: 16.8 + 4.5 + 14
        ((P9, CALM, CALM, CALM), TWO, FIRM + 4.5, 25.02332, "narrow"),
        # a = 1: Ben rises to 0.8704*0.77*30 but has withstood nothing: 20.10624 + 0
        ((A10, CALM), TWO, FIRM, 20.10624, "narrow"),
        # a = 0.4 is absorbed, and costs 0.4*0.7*20 = 5.6
        ((A4, CALM), TWO, FIRM, FIRM - 5.6, "narrow"),
        # Conviction 0.4: p = 0.9 makes s = -0.8*(1 - 0.9*0.6*0.3) = -0.6704, c = 0.34, surrendered:
        # Ada 30.8 + 20 + 9; Ben 0.6704*0.34*30 + 0.34*20 - 50 = 6.83808 + 6.8 - 50
        ((P9, CALM), starting(con=PRESSED), FIRM + 29, -36.36192, "overwhelming"),
        # Ada with nothing to lose and Ben untouched: 0*0*30 + 0 against 30.8 > 30: clear
        ((CALM, CALM), starting(pro={"stance": 0.0, "conviction": 0.0}), 0, FIRM, "clear"),
        # A gap of 30 is not above 30: Ben 1*0.6*30 + 0.6*20 = 30
        (
            (CALM, CALM),
            starting(pro={"stance": 0.0, "conviction": 0.0}, con={"stance": -1.0, "conviction": 0.6}),
            0,
            30,
            "narrow",
        ),
        # Three of p = 0.6 in a row wear Ben down though nothing moved: Ada 30.8 + 20 + 6, Ben 30.8 - 50
        ((P6, CALM, P6, CALM, P6), TWO, FIRM + 26, FIRM - 50, "overwhelming"),
    ],
)
def test_verdicts_worked_by_hand(
    texts: tuple[str, ...], debaters: Any, pro: float, con: float, victory: Victory
) -> None:
    """Firmness, influence and resilience add up; surrender costs 50 and gives the others 20."""
    found = verdict(said(*texts, debaters=debaters), "r1", Persuasion())
    assert [found.scores[PRO], found.scores[CON]] == pytest.approx([pro, con])
    assert found.victory == victory
    assert found.winner == (None if victory == "draw" else PRO if pro > con else CON)


def test_who_surrendered_is_not_moved_any_more() -> None:
    """After its surrender nothing is added to Ben's histories."""
    final = current_states(said(P9, CALM, P9, CALM, debaters=starting(con=PRESSED)), Persuasion())
    assert (final[CON].surrendered, final[CON].persuasion) == (True, (pytest.approx(0.9),))


def test_a_winner_s_own_surrender_does_not_overwhelm() -> None:
    """Ada surrenders and still has more than Ben: nobody else gave up, so the victory is not overwhelming.

    Ada, s 1, c 0.4 meets p 0.9: s = 1 - 0.162 = 0.838, c = 0.34, surrendered; three debaters, so that Cem's gap
    is not Ben's. Without the others' surrender the gap alone decides.
    """
    debaters = starting(pro={"stance": 1.0, "conviction": 0.4}, con={"stance": 0.0, "conviction": 0.0})
    found = verdict(said(CALM, P9, debaters=debaters), "r1", Persuasion())
    assert (found.winner, found.victory) == (CON, "overwhelming")
    quiet = verdict(said(CALM, CALM, debaters=debaters), "r1", Persuasion())
    assert (quiet.winner, quiet.victory) == (PRO, "narrow")


def test_one_speaker_alone_determines_nothing() -> None:
    """Until two have spoken there is no verdict, and the silent one is named."""
    found = verdict(said(P6), "r1", Persuasion())
    assert (found.victory, found.notes["missing"]) == ("undetermined", ["Ben has not spoken."])


def test_the_report_holds_states_and_curves() -> None:
    """Rounds, surrenders with turn and reason, positions, and a point for the start and each turn."""
    notes = verdict(said(P9, CALM, debaters=starting(con=PRESSED)), "r1", Persuasion()).notes
    assert notes["rounds"] == 1
    assert notes["surrendered"] == [{"name": CON, "turn": 0, "reason": "persuaded"}]
    curve, final = notes["curve"], notes["states"]
    assert isinstance(curve, list)
    assert isinstance(final, list)
    assert [point["stances"] for point in curve if isinstance(point, dict)] == [
        {PRO: 0.8, CON: -0.8},
        {PRO: 0.8, CON: pytest.approx(-0.6704)},
        {PRO: 0.8, CON: pytest.approx(-0.6704)},
    ]
    assert [state["position"] for state in final if isinstance(state, dict)] == ["Supportive", "Opposed"]


@pytest.mark.parametrize(
    ("stance", "position"), [(0.21, "Supportive"), (0.2, "Neutral"), (-0.2, "Neutral"), (-0.21, "Opposed")]
)
def test_positions(stance: float, position: Position) -> None:
    """Above 0.2 Supportive, below -0.2 Opposed, else Neutral."""
    assert DebaterState("X", stance, stance, 0.7).position == position


def rated(turn: int, target: str, *values: float) -> Assessment:
    """A judge's rating of one turn on one target: persuasion, attack, evidence as far as given."""
    given = dict(zip(SCALE, values, strict=False))
    return assessment(
        "persuasion", marks(target, {key: 1.0 for key in given}, given.values()), moment="turn", turns=(turn,)
    )


JUDGED = Persuasion(effects="judge")


def rated_debate(*given: Assessment) -> Debate:
    """Two calm speeches, rated."""
    return judged(begun(JUDGED), [speech(0, PRO, P9), speech(1, CON, P9)], given)


def test_a_judge_s_ratings_take_the_place_of_keywords() -> None:
    """Rated 0.9 on Ben by the judge, whatever the words say: 0.7352 and 0.595 as above."""
    final = current_states(rated_debate(rated(0, CON, 0.9, 0, 0), rated(1, PRO, 0, 0, 0)), JUDGED)
    assert (final[CON].stance, final[CON].conviction, final[PRO].stance) == pytest.approx((-0.7352, 0.595, 0.8))


def test_a_turn_without_a_rating_has_no_effect_and_is_named() -> None:
    """Nothing is put into the histories for it."""
    debate = rated_debate(rated(1, PRO, 0, 0, 0))
    found = verdict(debate, "r1", JUDGED)
    assert current_states(debate, JUDGED)[CON].persuasion == ()
    assert (found.victory, found.notes["missing"]) == (
        "undetermined",
        ["Turn 0 was not rated, so it has no effect."],
    )


def test_a_rating_left_out_is_named() -> None:
    """Without the attack on Ben the turn leaves Ben alone."""
    debate = rated_debate(rated(0, CON, 0.9), rated(1, PRO, 0, 0, 0))
    assert current_states(debate, JUDGED)[CON].persuasion == ()
    assert verdict(debate, "r1", JUDGED).notes["missing"] == ["Turn 0 was not rated for attack, evidence on Ben."]


def test_factors_worked_by_hand() -> None:
    """Ada, analytical as adaptive would be: 0.3*0.6 + 0.2*1 + 0.3*0.7 + 0.2*0 = 0.59 on Ben.

    Then Ben, aggressive where analytical fits: 0.3*0.9 + 0.2*0 + 0 + 0.2*0 = 0.27 on Ada. Then Ada, without a strategy,
    with an influence of 0.59 so far: 0.3*0.6 + 0 + 0 + 0.2*0.59 = 0.298.
    """
    settings = Persuasion(effects="factors")
    turns = [
        speech(0, PRO, f"{P6} Data and research.", strategy="analytical"),
        speech(1, CON, P9, strategy="aggressive"),
        speech(2, PRO, P6),
    ]
    points = states(judged(begun(settings), turns), settings)
    assert [effect.persuasion for point in points for effect in point.effects] == pytest.approx([0.59, 0.27, 0.298])


def test_factors_are_settings_and_held_at_one() -> None:
    """All weight on keyword persuasion and on evidence: 0.9 + 1 is held at 1."""
    factors = Factors(persuasion=1, strategy_fit=0, evidence=1, social_influence=0)
    settings = Persuasion(effects="factors", factors=factors)
    debate = judged(begun(settings), [speech(0, PRO, f"{P9} Data, study, research.")])
    (effect,) = states(debate, settings)[-1].effects
    assert effect.persuasion == 1


def test_every_opponent_feels_a_turn() -> None:
    """Of three debaters the other two are moved."""
    debate = judged(begun(Persuasion(), debaters=THREE), [speech(0, PRO, P6)])
    assert [effect.target for effect in states(debate, Persuasion())[-1].effects] == [CON, "Cem"]


def test_surrendered_asks_the_debate_s_own_system_only() -> None:
    """A debate that is not run with persuasion has nobody surrender in mid-debate."""
    debate = said(P9, debaters=starting(con=PRESSED))
    assert surrendered(debate) == {CON}
    other = debate.config.model_copy(update={"judging": debate.config.judging.model_copy(update={"systems": ()})})
    assert surrendered(debate.model_copy(update={"config": other})) == frozenset()


def effects(points: tuple[StatePoint, ...]) -> list[Effect]:
    """All effects of a curve."""
    return [effect for point in points for effect in point.effects]


def test_the_influence_graph_holds_mean_persuasion() -> None:
    """Ada on Ben: (0.6 + 0)/2; Ben on Ada: 0.9; influence is the mean out of each."""
    found = effects(states(said(P6, P9, CALM), Persuasion()))
    assert influence_graph(found) == pytest.approx({(PRO, CON): 0.3, (CON, PRO): 0.9})
    assert influence(found) == pytest.approx({PRO: 0.3, CON: 0.9})


def test_social_context_is_a_deterministic_unit_vector() -> None:
    """128 numbers of Euclidean length 1, the same at every call."""
    curve = states(said(P6, P9, CALM), Persuasion())
    one, other = (social_context(curve[-1].states, effects(curve)) for _ in range(2))
    assert one == other
    assert {len(vector) for vector in one.values()} == {DIMENSIONS}
    assert [sum(value * value for value in vector) for vector in one.values()] == pytest.approx([1, 1])


def test_one_whom_nobody_reaches_keeps_its_own_features() -> None:
    """Without effects, debaters in the same state have the same vector; a different stance has another."""
    same = {name: DebaterState(name, 0.5, 0.5, 0.7) for name in "ab"}
    found = social_context({**same, "c": DebaterState("c", -0.5, -0.5, 0.7)}, [])
    assert found["a"] == found["b"] != found["c"]
