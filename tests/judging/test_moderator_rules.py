"""The moderator's rules on faults in a debate: each is in the prompt, and the marks given by it reach the verdict."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from judging_support import FillingModel, play_and_judge

from debate_cli.systems.scoring import score

PLAIN = "a short text"
"""The judge's note on a debater without a fault."""


@dataclass(frozen=True)
class Case:
    """A rule, the marks of one debater that follow from it, and their cost out of 82.5 against the other debater."""

    name: str
    rule: str
    """Words of the prompt: of the final evaluation, or of the rounds if the marks of rounds change."""
    marks: Mapping[str, int] = field(default_factory=dict[str, int])
    """Category -> mark in the final evaluation; others are the middle of their scale."""
    rounds: Mapping[str, int] = field(default_factory=dict[str, int])
    """Criterion -> mark in every round; others are 5."""
    noted: str = PLAIN
    """The reasoning on the debater."""
    evaluation: str = PLAIN
    cost: float = 0


CASES = (
    # relevance 5 - 1 = 4; 4 x 0.75
    Case("off topic", "Straying from the motion lowers relevance. Say so", {"relevance": 1},
         noted="Con spoke of salaries.", cost=3),
    # no mark is touched
    Case("an unchallenged fallacy", "without its name. It costs nothing if the opponents let it pass",
         noted="Con went from one case to all.", cost=0),
    # precision and framing_control 5 - 0: 10 x 0.75, and nothing is given back
    Case("unequal sides", "Do not compensate for sides of unequal strength", {"precision": 0, "framing_control": 0}, cost=7.5),
    # precision 5 - 1, counter_evidence 2 - 0: 6 x 0.75
    Case("no engagement", "does not engage with the others loses precision and counter_evidence",
         {"precision": 1, "counter_evidence": 0}, cost=4.5),
    # and comprehensiveness 5 - 0: 11 x 0.75
    Case("never any engagement", "and comprehensiveness as well if this is constant",
         {"precision": 1, "counter_evidence": 0, "comprehensiveness": 0}, cost=8.25),
    # rebuttal 5 - 1 = 4 in every round; 4 x 0.25
    Case("no engagement in the rounds", "does not engage with the others gets a low rebuttal_effectiveness",
         rounds={"rebuttal_effectiveness": 1}, cost=1),
    # evidence_based_claims 5 - 2 = 3; 3 x 0.75
    # argument_quality 5 - 2 = 3 in every round; 3 x 0.25
    Case("poor sources in the rounds", "Poor, invented or misrepresented sources lower argument_quality. Name them",
         rounds={"argument_quality": 2}, cost=0.75),
    Case("poor sources", "Poor or misrepresented sources lower evidence_based_claims", {"evidence_based_claims": 2},
         noted="The survey of Con says the opposite.", cost=2.25),
    # accuracy 2 - 0 and evidence_based_claims 5 - 0: 7 x 0.75
    Case("invented evidence", "Name invented evidence in the evaluation",
         {"accuracy": 0, "evidence_based_claims": 0}, evaluation="Con cited a study that does not exist.", cost=5.25),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_rule_of_the_moderator_reaches_the_verdict(case: Case) -> None:
    """The prompt has the rule, the score its cost, the notes the judge's reasons."""

    def change(form: dict[str, Any]) -> None:
        other = form["scores"][1]
        if "evaluation" in form:
            other.update(case.marks, argument_quality_reason=case.noted)
            form["evaluation"] = case.evaluation
        else:
            other.update(case.rounds)

    model = FillingModel(change)
    (verdict,) = score(play_and_judge("moderator", model=model))
    assert any(case.rule in request.messages[0].content for request in model.requests)
    assert verdict.scores["Pro"] - verdict.scores["Con"] == pytest.approx(case.cost)
    notes: Any = verdict.notes
    assert case.noted in notes["final"][1]["reasons"]
    assert [row["text"] for row in notes["reasoning"]] == [case.evaluation]
