"""The persuasion scorer and its state machine; expected numbers are computed by hand."""

from typing import Any

import pytest
from scoring_support import CON, NOON, PRO, THIRD, THREE, TWO, assessment, build_debate, marks, opening_event, speech

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import DebateClosed
from debate_cli.domain.verdict import Victory
from debate_cli.systems.persuasion.effects import (
    CONTEXT_DIMENSIONS,
    build_influence_graph,
    cosine_similarity,
    outgoing_influence,
    social_context_vectors,
)
from debate_cli.systems.persuasion.score import score_run
from debate_cli.systems.persuasion.settings import PersuasionSettings
from debate_cli.systems.persuasion.stance import DebaterState
from debate_cli.systems.persuasion.state_machine import compute_state_curve

CALM = "So it is."
P6, P9 = "However, consider it.", "However, consider that I understand."
"""Texts of persuasion 0.6 and 0.9."""
A4, A8, A10 = "Wrong.", "Wrong and flawed.", "Wrong, flawed and mistaken."
"""Texts of attack 0.4, 0.8 and 1."""
SCALE = {"persuasion": 1.0, "attack": 1.0, "evidence": 1.0}


def current_states(debate: Debate, settings: PersuasionSettings, *, due_round: int | None = None) -> Any:
    """Return every debater's state after the last turn."""
    return compute_state_curve(debate, settings, due_round=due_round)[-1].states


def debate_of(*texts: str, debaters: Any = TWO, settings: PersuasionSettings | None = None) -> Debate:
    """Return a debate of these speeches, in turn order."""
    names = [debater["name"] for debater in debaters]
    turns = [speech(index, names[index % len(names)], text) for index, text in enumerate(texts)]
    return build_debate(opening_event(settings or PersuasionSettings(), debaters=debaters), turns)


def starting(pro: dict[str, Any] | None = None, con: dict[str, Any] | None = None) -> tuple[dict[str, Any], ...]:
    """Return two debaters with changed settings."""
    return ({**TWO[0], **(pro or {})}, {**TWO[1], **(con or {})})


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
        # p = 0.6 in three rounds wears Ben down though nothing moved: Ada 30.8 + 20 + 6, Ben 30.8 - 50
        ((P6, CALM, P6, CALM, P6, CALM), TWO, FIRM + 26, FIRM - 50, "overwhelming"),
        # The third round is not over
        ((P6, CALM, P6, CALM, P6), TWO, FIRM + 6, FIRM, "narrow"),
    ],
)
def test_scores_and_victory(texts: tuple[str, ...], debaters: Any, pro: float, con: float, victory: Victory) -> None:
    """Scores and victory equal the numbers that are worked out beside each row."""
    found = score_run(debate_of(*texts, debaters=debaters), "r1", PersuasionSettings())
    assert [found.scores[PRO], found.scores[CON]] == pytest.approx([pro, con])
    assert found.victory == victory
    assert found.winner == (None if victory == "draw" else PRO if pro > con else CON)


def closed(debate: Debate) -> Debate:
    """Return the debate, closed after its last turn."""
    return debate.apply(DebateClosed(at=NOON, reason="complete"))


@pytest.mark.parametrize(
    ("debate", "expected"),
    [
        (debate_of(P9, debaters=starting(con=PRESSED)), False),
        # Followed by another round, complete, or the debate is closed
        (debate_of(P9, CALM, debaters=starting(con=PRESSED)), True),
        (closed(debate_of(P9, debaters=starting(con=PRESSED))), True),
        (build_debate(opening_event(PersuasionSettings(), debaters=starting(con=PRESSED)), [speech(0, PRO, P9), speech(2, PRO)]), True),
    ],
    ids=["under way", "complete", "closed", "followed"],
)  # fmt: skip
def test_surrender_is_checked_when_a_round_is_over(debate: Debate, expected: bool) -> None:
    """A debater with low conviction surrenders only when the round is complete, followed by another, or the debate is closed."""
    assert current_states(debate, PersuasionSettings())[CON].surrendered == expected


def test_surrender_in_silence_loses() -> None:
    """A debater who surrendered before its first speech has lost, and nothing is missing."""
    found = score_run(closed(debate_of(P9, debaters=starting(con=PRESSED))), "r1", PersuasionSettings())
    assert (found.winner, found.victory, found.notes["missing"]) == (PRO, "overwhelming", [])


def test_one_speech_does_not_end_a_debate_of_three() -> None:
    """One strong speech makes the debater with low conviction surrender and only moves the third debater."""
    debaters = (TWO[0], {**TWO[1], "stance": -0.4}, {**THREE[2], "stance": -0.4, "conviction": 0.39})
    settings = PersuasionSettings(bystander_effect=0.1)
    turns = [item.model_copy(update={"round": 1}) for item in (speech(0, PRO, P9), speech(1, CON), speech(2, THIRD))]
    final = current_states(build_debate(opening_event(settings, debaters=debaters), turns), settings)
    assert [name for name, state in final.items() if state.surrendered] == [THIRD]
    assert final[CON].stance == pytest.approx(-0.4 * (1 - 0.9 * 0.3 * 0.3) * 0.9)


def test_words_of_another_language_are_a_hint() -> None:
    """The verdict names `effects: judge` if no speech contains a keyword."""
    assert "effects: judge" in str(score_run(debate_of("Ja.", "Nein."), "r1", PersuasionSettings()).notes["hint"])
    assert score_run(debate_of("Ja.", "Nein, but."), "r1", PersuasionSettings()).notes["hint"] == ""


def test_the_notes_hold_states_and_curves() -> None:
    """The notes have rounds, surrenders, positions, and a point for the start and for each turn."""
    notes = score_run(debate_of(P9, CALM, debaters=starting(con=PRESSED)), "r1", PersuasionSettings()).notes
    assert notes["rounds"] == 1
    assert notes["surrendered"] == [{"name": CON, "round": 1, "turn": 1, "reason": "persuaded"}]
    curve, final = notes["curve"], notes["states"]
    assert isinstance(curve, list)
    assert isinstance(final, list)
    assert [point["stances"] for point in curve if isinstance(point, dict)] == [
        {PRO: 0.8, CON: -0.8},
        {PRO: 0.8, CON: pytest.approx(-0.6704)},
        {PRO: 0.8, CON: pytest.approx(-0.6704)},
    ]
    assert [state["position"] for state in final if isinstance(state, dict)] == ["Supportive", "Opposed"]


def rating(turn: int, target: str, *values: float) -> Assessment:
    """Return a judge's rating of one turn on one target: persuasion, attack and evidence."""
    given = dict(zip(SCALE, values, strict=False))
    return assessment(
        "persuasion", marks(target, dict.fromkeys(given, 1.0), given.values()), moment="turn", turns=(turn,)
    )


JUDGED = PersuasionSettings(effects="judge")


def rated_debate(*given: Assessment) -> Debate:
    """Return a debate of two speeches with these ratings."""
    return build_debate(opening_event(JUDGED), [speech(0, PRO, P9), speech(1, CON, P9)], given)


def test_ratings_replace_keywords() -> None:
    """With `effects: judge` the ratings move stance and conviction, and keywords do not."""
    final = current_states(rated_debate(rating(0, CON, 0.9, 0, 0), rating(1, PRO, 0, 0, 0)), JUDGED)
    assert (final[CON].stance, final[CON].conviction, final[PRO].stance) == pytest.approx((-0.7352, 0.595, 0.8))


def test_a_missing_rating_has_no_effect_and_is_named() -> None:
    """The verdict names the turn that no judge rated."""
    debate = rated_debate(rating(1, PRO, 0, 0, 0))
    assert current_states(debate, JUDGED)[CON].persuasion == ()
    assert score_run(debate, "r1", JUDGED).notes["missing"] == ["Turn 1 was not rated, so it has no effect."]


@pytest.mark.parametrize(("unrated", "surrendered"), [(None, True), (4, False)])
def test_a_turn_without_a_rating_interrupts_a_row_of_rounds(unrated: int | None, surrendered: bool) -> None:
    """Persuasion above 0.5 in rounds 1, 2 and 4 does not wear a debater down."""
    turns = [speech(index, (PRO, CON)[index % 2]) for index in range(8)]
    rated = {index: rating(index, (CON, PRO)[index % 2], (0.55, 0)[index % 2], 0, 0) for index in range(8)}
    given = [item for index, item in rated.items() if index != unrated]
    assert current_states(build_debate(opening_event(JUDGED), turns, given), JUDGED)[CON].surrendered == surrendered


def test_persuasion_of_weighted_factors() -> None:
    """With `effects: factors` persuasion is the weighted sum of keywords, strategy fit, evidence and influence."""
    settings = PersuasionSettings(effects="factors")
    turns = [
        speech(0, PRO, f"{P6} Data and research.", strategy="aggressive"),
        speech(1, CON, P9, strategy="balanced"),
        speech(2, PRO, P6),
    ]
    points = compute_state_curve(build_debate(opening_event(settings), turns), settings)
    assert [effect.persuasion for point in points for effect in point.effects] == pytest.approx([0.59, 0.27, 0.298])


CURVE = compute_state_curve(
    build_debate(
        opening_event(PersuasionSettings()),
        [
            speech(0, PRO, "However, consider it."),
            speech(1, CON, "However, consider that I understand."),
            speech(2, PRO),
        ],
    ),
    PersuasionSettings(),
)
INFLUENCE_GRAPH = build_influence_graph(effect for point in CURVE for effect in point.effects)
"""Ada persuades Ben by 0.6, Ben Ada by 0.9, then Ada Ben by nothing."""


def test_the_influence_graph_holds_mean_persuasion() -> None:
    """An edge is the mean persuasion of one debater by another, and influence is the mean of the outgoing edges."""
    assert pytest.approx({(PRO, CON): 0.3, (CON, PRO): 0.9}) == INFLUENCE_GRAPH
    assert outgoing_influence(INFLUENCE_GRAPH) == pytest.approx({PRO: 0.3, CON: 0.9})


def test_social_context_is_a_deterministic_unit_vector() -> None:
    """The social context is 128 numbers of Euclidean length 1, equal at every call."""
    one, other = (social_context_vectors(CURVE[-1].states, INFLUENCE_GRAPH) for _ in range(2))
    assert one == other
    assert {len(vector) for vector in one.values()} == {CONTEXT_DIMENSIONS}
    assert [sum(value * value for value in vector) for vector in one.values()] == pytest.approx([1, 1])


def test_debaters_who_persuade_each_other_keep_different_contexts() -> None:
    """Each of two steps takes the mean of the neighbours only, so two debaters have their own features again after two."""
    alone = social_context_vectors(CURVE[-1].states, {})
    found = social_context_vectors(CURVE[-1].states, INFLUENCE_GRAPH)
    assert {name: pytest.approx(vector) for name, vector in alone.items()} == found
    assert cosine_similarity(found[PRO], found[CON]) < 0.99


def test_a_debater_whom_nobody_reached_keeps_its_features() -> None:
    """If only Ada persuades Ben, both have Ada's features: Ada keeps them, and Ben takes them over."""
    alone = social_context_vectors(CURVE[-1].states, {})
    found = social_context_vectors(CURVE[-1].states, {(PRO, CON): 0.6})
    assert found == {PRO: pytest.approx(alone[PRO]), CON: pytest.approx(alone[PRO])}


def test_similarity_follows_the_states() -> None:
    """Debaters with similar stances have more similar contexts than debaters with opposite stances."""
    found = social_context_vectors(
        {name: DebaterState(name, s, s, 0.7) for name, s in (("a", 0.8), ("b", 0.7), ("c", -0.8))}, {}
    )
    assert cosine_similarity(found["a"], found["a"]) == pytest.approx(1)
    assert cosine_similarity(found["a"], found["b"]) > cosine_similarity(found["a"], found["c"])
