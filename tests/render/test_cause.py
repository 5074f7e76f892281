"""Why a judgement is missing, as verdicts say it."""

from __future__ import annotations

import pytest
from judging_support import FillingModel, debated, settle

from debate_cli import errors
from debate_cli.judging.schedule import owed_briefs
from debate_cli.render.report import DebateReport
from debate_cli.systems.scoring import score


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (errors.ModelTimeoutError("x"), "timed out"),
        (errors.UnreachableError("x"), "unreachable"),
        (errors.BudgetError("x"), "budget reached"),
        (errors.RefusedError("x"), "abstained"),
    ],
)
def test_a_judge_who_did_not_answer_is_told_in_words(error: Exception, why: str) -> None:
    """The verdict keeps the name that the failure has; people read words."""
    debate = debated("structured")
    (verdict,) = score(settle(debate, owed_briefs(debate), FillingModel(raising=error)))
    missing = DebateReport.missing(verdict)
    assert any(f"({why})" in sentence for sentence in missing)
    assert "Error" not in str(missing)


def test_a_judge_who_abstained_from_the_comparison_of_beginning_and_end_is_said_to_have() -> None:
    """As of every other part of live that is missing."""
    debate = debated({"kind": "live", "feedback": False}, form={"kind": "free_flowing", "turns": 10})
    (verdict,) = score(settle(debate, owed_briefs(debate), FillingModel(raising=errors.RefusedError("x"))))
    assert "The first and the last turns were not compared (abstained)." in str(verdict.notes["missing"])
