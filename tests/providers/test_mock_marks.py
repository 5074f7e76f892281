"""The sentences of the mock's judges agree with the marks they give."""

import json
from typing import Any

import pytest
from rehearsal_support import config_of, run_debate

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.llm.model import Message, OutputSchema, Request
from debate_cli.providers.mock.answers import write_answer
from debate_cli.providers.mock.sentences import TIED, find_leader, load_sentence_bank
from debate_cli.systems.live.findings import Narrative
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


@pytest.fixture(scope="module")
def live() -> list[Debate]:
    """Debates of two mocks under a live judge, one per seed; the narrative of the last one has no winner."""
    return [
        run_debate(config_of(seed=seed, format={"arguments": 1}, judging={"systems": ["live"]}))
        for seed in (*range(1, 9), 13)
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


@pytest.mark.parametrize("seed", range(4))
def test_no_side_is_praised_if_the_marks_are_close(seed: int) -> None:
    """With totals one point apart no side gets the momentum, and the sentences name no side."""
    entries: list[dict[str, Any]] = [
        {
            "type": "object",
            "properties": {"participant": {"const": name}, "total": {"const": total}},
            "required": ["participant", "total"],
        }
        for name, total in (("Pro", 70), ("Con", 71))
    ]
    words = {"type": "string"}
    properties: dict[str, Any] = {
        "momentum_toward": {"enum": [*SIDES, "even"]},
        "momentum_why": words,
        "evaluation": words,
        "scores": {"type": "array", "prefixItems": entries, "minItems": 2, "maxItems": 2},
    }
    answer = _judge_answer({"type": "object", "properties": properties, "required": list(properties)}, seed)
    assert answer["momentum_toward"] == "even"
    assert not [name for name in SIDES if name in answer["evaluation"] + answer["momentum_why"]]


def test_the_momentum_of_a_round_follows_its_marks(moderated: list[Debate]) -> None:
    """The momentum goes to the side with the higher total; the reason agrees."""
    for assessment in (item for debate in moderated for item in _rounds(debate)):
        totals = {mark.participant: mark.value for mark in assessment.marks if mark.criterion == "claimed_total"}
        momentum = next(item.momentum for item in assessment.findings if isinstance(item, Summary))
        ahead = max(SIDES, key=lambda name: totals[name]) if totals["Pro"] != totals["Con"] else None
        assert isinstance(momentum, Momentum)
        assert momentum.toward == ahead
        assert ahead is None or f"back at {ahead}" not in momentum.why


def test_the_reason_fits_the_mark(moderated: list[Debate]) -> None:
    """Sentences of praise need eight of ten points, sentences of blame at most five."""
    strong, weak = (
        [text.split("{")[0] for text in load_sentence_bank().judge[f"reason.{how}"]] for how in ("strong", "weak")
    )
    marks = [mark for debate in moderated for item in _rounds(debate) for mark in item.marks]
    reasons = [(mark.value, mark.reason) for mark in marks if mark.reason]
    assert [value for value, reason in reasons if value >= 8 and reason.startswith(tuple(filter(None, strong)))]
    assert not [value for value, reason in reasons if value >= 6 and reason.startswith(tuple(filter(None, weak)))]
    assert not [value for value, reason in reasons if value <= 7 and reason.startswith(tuple(filter(None, strong)))]


def test_a_narrative_praises_its_winner(live: list[Debate]) -> None:
    """The reasoning finds no fault with its winner, and names no side where there is no winner."""
    faults = ("leaves out the middle", "too general", "more often than", "nobody could look", "asserts rather")
    findings = [finding for debate in live for item in debate.assessments for finding in item.findings]
    stories = [finding for finding in findings if isinstance(finding, Narrative)]
    won, open_ended = ([each.reasoning for each in stories if bool(each.winner) is named] for named in (True, False))
    assert won
    assert open_ended
    assert not [text for text in won for fault in faults if fault in text]
    assert not [text for text in open_ended if text.startswith(SIDES)]


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


def _judge_answer(schema: dict[str, Any], seed: int) -> dict[str, Any]:
    """The answer of a mock judge to `schema`."""
    debaters = json.dumps([{"name": "Pro", "side": "for"}, {"name": "Con", "side": "against"}])
    asked = Request(
        system="Rules.",
        messages=(Message("user", f'Motion: "Tea is better"\nDEBATERS: {debaters}\nGo.'),),
        purpose="judge.moderator.final",
        max_output_tokens=400,
        schema=OutputSchema("any", schema),
        rung="native",
    )
    return dict(json.loads(write_answer(asked, str(seed))))
