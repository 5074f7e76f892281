"""What was in flight when a run ended, in words."""

from __future__ import annotations

import pytest
from storage_support import AT, assessment, opening_event, turn

from debate_cli.app.resume import describe_in_flight_calls
from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.events import AssessmentCompleted, DebateClosed, JudgingOpened, TurnCompleted
from debate_cli.domain.judging_config import JudgingConfig

HELD = fold(
    [
        opening_event(),
        *(TurnCompleted(at=AT, turn=turn(index)) for index in range(6)),
        DebateClosed(at=AT, reason="complete"),
    ]
)
BEGUN = fold([opening_event()])
AGAIN = HELD.apply(JudgingOpened(at=AT, run="r2", judging=JudgingConfig.model_validate({"systems": ["moderator"]})))


@pytest.mark.parametrize(
    ("debate", "key", "words"),
    [
        (BEGUN, "turn/1", "Con (opening, round 1)"),
        (HELD, "r1/moderator/judge/round/2/0", "moderator (round 2)"),
        (HELD, "r1/moderator/judge/debate/all/0", "moderator (the debate)"),
        (HELD, "r1/panel/qa_evaluator/debate/all/0", "panel/qa_evaluator (the debate)"),
        (AGAIN, "r2/moderator/judge/round/1/0", "moderator r2 (round 1)"),
    ],
    ids=["a speech", "a round", "the debate", "a vote", "of a later judging run"],
)
def test_who_was_asked_for_what(debate: Debate, key: str, words: str) -> None:
    """By names and moments, not by keys; of several judging runs, with the run."""
    assert describe_in_flight_calls(debate, [key]) == (
        f"the call to {words} was in flight when the run ended: it may have been billed, and is made again"
    )


JUDGES = ("technical_architect", "compliance_auditor", "security_analyst", "domain_expert", "qa_evaluator")


@pytest.mark.parametrize(
    ("count", "whom"),
    [
        (2, "panel/technical_architect (the debate) and panel/compliance_auditor (the debate)"),
        (
            5,
            "panel/technical_architect (the debate), panel/compliance_auditor (the debate), panel/security_analyst (the debate) and 2 more",
        ),
    ],
)
def test_many_are_told_in_one_sentence(count: int, whom: str) -> None:
    """The first by their names, the others by how many they are."""
    keys = [f"r1/panel/{judge}/debate/all/0" for judge in JUDGES[:count]]
    assert describe_in_flight_calls(HELD, keys) == (
        f"calls to {whom} were in flight when the run ended: they may have been billed, and are made again"
    )


def test_what_is_not_asked_again_is_not_told() -> None:
    """What was answered since, and what is no key of anything due."""
    answered = HELD.apply(AssessmentCompleted(at=AT, assessment=assessment(system="moderator", round_number=1)))
    assert describe_in_flight_calls(answered, ["r1/moderator/judge/round/1/0", "turn/0", "odd"]) is None
