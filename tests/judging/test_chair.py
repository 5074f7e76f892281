"""The chair's rules for what goes wrong in a debate: each is in what a judge is told, and what it makes of it in the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from judging_support import FillingModel, played

from debate_cli.systems.scoring import score

PLAIN = "a short text"
"""What the judge writes where nothing is to be noted."""


@dataclass(frozen=True)
class Case:
    """What the chair is told, what it then gives one debater, and what that costs of 82.5 beside the other."""

    name: str
    told: str
    """In the request of the final evaluation, or of the rounds where marks of rounds change."""
    marks: Mapping[str, int] = field(default_factory=dict[str, int])
    """Category -> mark in the final evaluation; others are the middle of their scale."""
    rounds: Mapping[str, int] = field(default_factory=dict[str, int])
    """Criterion -> mark in every round; others are 5."""
    noted: str = PLAIN
    """In the reasoning on the debater."""
    evaluation: str = PLAIN
    cost: float = 0


CASES = (
    # relevance 5 - 1 = 4; 4 x 0.75
    Case("off the topic", "Going off the topic lowers relevance, and is noted", {"relevance": 1},
         noted="Con spoke of salaries.", cost=3),
    # no mark is touched
    Case("a fallacy let pass", "without giving it a name; it costs nothing if the opponent let it pass",
         noted="Con went from one case to all.", cost=0),
    # precision and framing_control 5 - 0: 10 x 0.75, and nothing is given back
    Case("unequal sides", "Do not make up for sides of unequal strength", {"precision": 0, "framing_control": 0}, cost=7.5),
    # precision 5 - 1, counter_evidence 2 - 0: 6 x 0.75
    Case("no engagement", "Who does not engage loses in precision and counter_evidence",
         {"precision": 1, "counter_evidence": 0}, cost=4.5),
    # and comprehensiveness 5 - 0: 11 x 0.75
    Case("never any engagement", "who never engages, in comprehensiveness too",
         {"precision": 1, "counter_evidence": 0, "comprehensiveness": 0}, cost=8.25),
    # rebuttal 5 - 1 = 4 in every round; 4 x 0.25
    Case("no engagement in the rounds", "Who does not engage gets little for rebuttal",
         rounds={"rebuttal_effectiveness": 1}, cost=1),
    # evidence_based_claims 5 - 2 = 3; 3 x 0.75
    Case("poor sources", "Poor or misrepresented sources lower evidence_based_claims", {"evidence_based_claims": 2},
         noted="The survey of Con says the opposite.", cost=2.25),
    # accuracy 2 - 0 and evidence_based_claims 5 - 0: 7 x 0.75
    Case("invented evidence", "Evidence that was invented is named in the evaluation",
         {"accuracy": 0, "evidence_based_claims": 0}, evaluation="Con cited a study that does not exist.", cost=5.25),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_the_chair_is_told_reaches_the_verdict(case: Case) -> None:
    """The rule is in the request; marks given by it cost what the formula says, and the words stand in the notes."""

    def change(form: dict[str, Any]) -> None:
        other = form["scores"][1]
        if "evaluation" in form:
            other.update(case.marks, reasoning=case.noted)
            form["evaluation"] = case.evaluation
        else:
            other.update(case.rounds)

    model = FillingModel(change)
    (verdict,) = score(played("moderator", model=model))
    assert any(case.told in request.messages[0].content for request in model.requests)
    assert verdict.scores["Pro"] - verdict.scores["Con"] == pytest.approx(case.cost)
    notes: Any = verdict.notes
    assert case.noted in notes["final"][1]["reasons"]
    assert [row["text"] for row in notes["reasoning"]] == [case.evaluation]
