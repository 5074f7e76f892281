"""The sentences of the mock's judges agree with the marks they give."""

from typing import Any

import pytest
from rehearsal_support import config_of, run_debate

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.providers.mock.sentences import TIED, find_leader
from debate_cli.systems.moderator.findings import Momentum, Summary
from debate_cli.systems.scoring import score

SEEDS = range(8)
SIDES = ("Pro", "Con")


@pytest.fixture(scope="module")
def moderated() -> list[Debate]:
    """Debates of two mocks under a moderator, one per seed."""
    return [
        run_debate(config_of(seed=seed, format={"arguments": 1}, judging={"systems": ["moderator"]})) for seed in SEEDS
    ]


def _finals(debate: Debate) -> list[Assessment]:
    return [item for item in debate.assessments if item.subject.moment == "debate"]


def _rounds(debate: Debate) -> list[Assessment]:
    return [item for item in debate.assessments if item.subject.moment == "round"]


def _praised_side(text: str) -> str | None:
    """The side that an evaluation calls better, or None."""
    praise = ("made the better case", "kept to what can be checked")
    return next((name for name in SIDES for words in praise if f"{name} {words}" in text), None)


def test_the_moderator_praises_the_winner(moderated: list[Debate]) -> None:
    """An evaluation that calls one side better names the winner of the verdict."""
    texts = [(_praised_side(_finals(debate)[0].rationale), score(debate)[0].winner) for debate in moderated]
    named = [(praised, winner) for praised, winner in texts if praised is not None]
    assert named
    assert [praised for praised, _ in named] == [winner for _, winner in named]


def test_the_momentum_of_a_round_follows_its_marks(moderated: list[Debate]) -> None:
    """The momentum goes to the side with the higher total; the reason agrees."""
    for assessment in (item for debate in moderated for item in _rounds(debate)):
        totals = {mark.participant: mark.value for mark in assessment.marks if mark.criterion == "claimed_total"}
        momentum = next(item.momentum for item in assessment.findings if isinstance(item, Summary))
        ahead = max(SIDES, key=lambda name: totals[name]) if totals["Pro"] != totals["Con"] else None
        assert isinstance(momentum, Momentum)
        assert momentum.toward == ahead
        assert ahead is None or f"back at {ahead}" not in momentum.why


@pytest.mark.parametrize(
    ("around", "leader"),
    [
        ({"winner": "Con"}, "Con"),
        ({"winner": "even"}, TIED),
        ({"logic": "Pro", "rhetoric": "Con", "tactics": "Pro"}, "Pro"),
        ({"logic": "Pro", "rhetoric": "Con", "tactics": "draw"}, TIED),
        ({"scores": [{"participant": "Pro", "total": 60}, {"participant": "Con", "total": 70}]}, "Con"),
        ({"scores": [{"participant": "Pro", "total": 69}, {"participant": "Con", "total": 70}]}, TIED),
        ({"scores": [{"participant": "Pro", "total": 69}]}, None),
        ({"scores": "many", "logic": 30}, None),
    ],
)
def test_the_leader_is_found_in_choices_then_in_totals(around: dict[str, Any], leader: str | None) -> None:
    """Equal choices or close totals are a tie; without both there is no leader."""
    assert find_leader(around, SIDES) == leader
