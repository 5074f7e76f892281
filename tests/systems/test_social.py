"""The influence graph and the social context vectors."""

import pytest
from scoring_support import CON, PRO, build_debate, opening_event, speech

from debate_cli.systems.persuasion.effects import (
    CONTEXT_DIMENSIONS,
    build_influence_graph,
    cosine_similarity,
    outgoing_influence,
    social_context_vectors,
)
from debate_cli.systems.persuasion.settings import PersuasionSettings
from debate_cli.systems.persuasion.stance import DebaterState
from debate_cli.systems.persuasion.state_machine import compute_state_curve

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
influence_graph = build_influence_graph(effect for point in CURVE for effect in point.effects)
"""Ada persuades Ben by 0.6, Ben Ada by 0.9, then Ada Ben by nothing."""


def test_the_influence_graph_holds_mean_persuasion() -> None:
    """An edge is the mean persuasion of one debater by another, and influence is the mean of the outgoing edges."""
    assert influence_graph == pytest.approx({(PRO, CON): 0.3, (CON, PRO): 0.9})
    assert outgoing_influence(influence_graph) == pytest.approx({PRO: 0.3, CON: 0.9})


def test_social_context_is_a_deterministic_unit_vector() -> None:
    """The social context is 128 numbers of Euclidean length 1, equal at every call."""
    one, other = (social_context_vectors(CURVE[-1].states, influence_graph) for _ in range(2))
    assert one == other
    assert {len(vector) for vector in one.values()} == {CONTEXT_DIMENSIONS}
    assert [sum(value * value for value in vector) for vector in one.values()] == pytest.approx([1, 1])


def test_similarity_follows_the_states() -> None:
    """Debaters with similar stances have more similar contexts than debaters with opposite stances."""
    found = social_context_vectors(
        {name: DebaterState(name, s, s, 0.7) for name, s in (("a", 0.8), ("b", 0.7), ("c", -0.8))}, {}
    )
    assert cosine_similarity(found["a"], found["a"]) == pytest.approx(1)
    assert cosine_similarity(found["a"], found["b"]) > cosine_similarity(found["a"], found["c"])
