"""What the mock's judges write follows the marks that they give."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rehearsal_support import config_of, hold

from debate_cli.domain.assessment import Assessment, Momentum, Narrative, Resolution, Summary, Vote
from debate_cli.domain.debate import Debate
from debate_cli.llm.model import Message, OutputSchema, Request
from debate_cli.providers.mock.forms import write
from debate_cli.providers.mock_dice import Dice
from debate_cli.providers.mock_marks import NO_ONE, first, share
from debate_cli.providers.mock_opinions import OPINIONS
from debate_cli.systems.scoring import score

SEEDS = range(12)
SIDES = ("Pro", "Con")


@pytest.fixture(scope="module")
def moderated() -> list[Debate]:
    """Debates of two mocks under a moderator, one a seed."""
    return [hold(config_of(seed=seed, format={"arguments": 1}, judging={"systems": ["moderator"]})) for seed in SEEDS]


def _finals(debate: Debate) -> list[Assessment]:
    return [item for item in debate.assessments if item.subject.moment == "debate"]


def _rounds(debate: Debate) -> list[Assessment]:
    return [item for item in debate.assessments if item.subject.moment == "round"]


def _praised(text: str) -> str | None:
    """Who an evaluation says did better; None where it says that of nobody."""
    praise = ("made the better case", "kept to what can be checked")
    return next((name for name in SIDES for words in praise if f"{name} {words}" in text), None)


def test_the_moderator_praises_whom_its_marks_put_first(moderated: list[Debate]) -> None:
    """An evaluation that says who did better names the winner of the verdict, in every debate of a dozen that says so."""
    told = [(_praised(_finals(debate)[0].rationale), score(debate)[0].winner) for debate in moderated]
    named = [(praised, winner) for praised, winner in told if praised is not None]
    assert named
    assert [praised for praised, _ in named] == [winner for _, winner in named]


@pytest.mark.parametrize("seed", range(4))
def test_nobody_is_praised_where_the_marks_are_close(seed: int) -> None:
    """A point apart: nobody has the momentum, and no side is said to have done better or gained ground."""
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
        "momentum_toward": {"enum": [*SIDES, "nobody"]},
        "momentum_why": words,
        "evaluation": words,
        "scores": {"type": "array", "prefixItems": entries, "minItems": 2, "maxItems": 2},
    }
    answer = _answered({"type": "object", "properties": properties, "required": list(properties)}, seed)
    assert answer["momentum_toward"] == "nobody"
    assert not [name for name in SIDES if name in answer["evaluation"] + answer["momentum_why"]]


def test_the_momentum_of_a_round_goes_to_whom_its_marks_put_first(moderated: list[Debate]) -> None:
    """Nobody gets it where the totals are close, and then no side is said to have gained."""
    for assessment in (item for debate in moderated for item in _rounds(debate)):
        totals = {mark.participant: mark.value for mark in assessment.marks if mark.criterion == "claimed_total"}
        momentum = next(item.momentum for item in assessment.findings if isinstance(item, Summary))
        ahead = max(SIDES, key=lambda name: totals[name]) if totals["Pro"] != totals["Con"] else None
        assert isinstance(momentum, Momentum)
        assert momentum.toward == ahead
        assert ahead is None or f"back at {ahead}" not in momentum.why


def test_the_reason_for_a_mark_is_as_good_as_the_mark(moderated: list[Debate]) -> None:
    """Praise begins at eight of ten, and blame ends at five."""
    strong, weak = ([text.split("{")[0] for text in OPINIONS[f"reason.{how}"]] for how in ("strong", "weak"))
    marks = [mark for debate in moderated for item in _rounds(debate) for mark in item.marks]
    reasons = [(mark.value, mark.reason) for mark in marks if mark.reason]
    assert [value for value, reason in reasons if value >= 8 and reason.startswith(tuple(filter(None, strong)))]
    assert not [value for value, reason in reasons if value >= 6 and reason.startswith(tuple(filter(None, weak)))]
    assert not [value for value, reason in reasons if value <= 7 and reason.startswith(tuple(filter(None, strong)))]


def test_a_story_praises_whom_it_names() -> None:
    """Its reasoning finds no fault with its winner, and names no side where it names no winner."""
    faults = ("leaves out the middle", "too general", "more often than", "nobody could look", "asserts rather")
    debates = [hold(config_of(seed=seed, format={"arguments": 1}, judging={"systems": ["live"]})) for seed in range(6)]
    findings = [finding for debate in debates for item in debate.assessments for finding in item.findings]
    stories = [finding for finding in findings if isinstance(finding, Narrative)]
    won, open_ended = ([each.reasoning for each in stories if bool(each.winner) is named] for named in (True, False))
    assert won
    assert open_ended
    assert not [text for text in won for fault in faults if fault in text]
    assert not [text for text in open_ended if text.startswith(SIDES)]


def test_two_readings_are_reconciled_in_favour_of_those_they_name() -> None:
    """Who did slightly better point by point is the winner by the scorecard; nobody did where that is a draw."""
    told: list[tuple[str, str | None]] = []
    for seed in range(12):
        debate = hold(config_of(seed=seed, format={"arguments": 1}, judging={"systems": ["live"]}))
        found = [finding for item in debate.assessments for finding in item.findings if isinstance(finding, Resolution)]
        told += [(resolution.explanation, score(debate)[0].winner) for resolution in found]
    better = [(winner, text) for text, winner in told if "did slightly better" in text]
    assert better
    assert not [text for winner, text in better if f"{winner} did slightly better" not in text]


def test_a_vote_on_a_document_changes_for_a_reason_that_fits() -> None:
    """To FAIL for what the document lacks, to PASS for what it has."""
    plan: dict[str, Any] = {"topic": "PLAN.md", "background": "We move the service to one region.", "debaters": []}
    debates = [hold(config_of(**plan, seed=seed, judging={"systems": ["panel"]})) for seed in range(12)]
    votes = [vote for debate in debates for item in debate.assessments for vote in item.findings]
    changed = [(vote.option, vote.changed_because) for vote in votes if isinstance(vote, Vote) and vote.changed_because]
    praise, blame = "more fully than I had given it credit for", "weaker than it first seemed"
    assert {option for option, _ in changed} == {"PASS", "FAIL", "CONDITIONAL"}
    assert not [why for option, why in changed if option != "PASS" and praise in why]
    assert not [why for option, why in changed if option != "FAIL" and blame in why]


@pytest.mark.parametrize(
    ("around", "leader"),
    [
        ({"winner": "Con"}, "Con"),
        ({"winner": "nobody"}, NO_ONE),
        ({"logic": "Pro", "rhetoric": "Con", "tactics": "Pro"}, "Pro"),
        ({"logic": "Pro", "rhetoric": "Con", "tactics": "draw"}, NO_ONE),
        ({"scores": [{"participant": "Pro", "total": 60}, {"participant": "Con", "total": 70}]}, "Con"),
        ({"scores": [{"participant": "Pro", "total": 69}, {"participant": "Con", "total": 70}]}, NO_ONE),
        ({"scores": [{"participant": "Pro", "total": 69}]}, None),
        ({"scores": "many", "logic": 30}, None),
    ],
)
def test_who_comes_first_is_read_from_choices_then_from_totals(around: dict[str, Any], leader: str | None) -> None:
    """Nobody does where they are even; where nothing is said of it, that is not the same."""
    assert first(around, SIDES) == leader


def test_a_reason_is_given_for_the_number_it_is_named_after() -> None:
    """Any other sentence speaks of all the numbers together, as shares of their scales."""
    scale = {"minimum": 0, "maximum": 10}
    properties = {"logic": scale, "wit": scale, "total": {"minimum": 0, "maximum": 20}, "why": {}}
    filled = {"logic": 8, "wit": 4, "total": 12, "why": "so"}
    assert [share(name, filled, properties) for name in ("wit_reason", "reasoning")] == [0.4, 0.6]
    assert share("reasoning", {"why": "so"}, properties) is None


def _answered(schema: dict[str, Any], seed: int) -> dict[str, Any]:
    """What a judge of the mock's writes into `schema`."""
    debaters = json.dumps([{"name": "Pro", "side": "for"}, {"name": "Con", "side": "against"}])
    asked = Request(
        system="Rules.",
        messages=(Message("user", f'Motion: "Tea is better"\nDEBATERS: {debaters}\nGo.'),),
        purpose="judge.moderator.final",
        max_output_tokens=400,
        schema=OutputSchema("any", schema),
        rung="native",
    )
    return dict(json.loads(write(asked, Dice(str(seed)))))
