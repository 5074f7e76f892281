"""Judges of a panel that are late from the first vote on."""

from __future__ import annotations

from scoring_support import CON, NOON, PRO, ballot, begun, judged, speech

from debate_cli.domain.events import Failure, TaskFailed
from debate_cli.systems.panel.score import score_run
from debate_cli.systems.panel.settings import PanelJudge, PanelSettings

SETTINGS = PanelSettings(
    judges=tuple(PanelJudge(id=name, persona=name, weight=1) for name in "abc"), dimensions=("logic",)
)


def test_a_judge_late_in_the_first_vote_is_late_and_stays_without_a_vote() -> None:
    """It is among the late, and each round says why it has no vote."""
    given = [
        ballot(name, "PASS" if name == "a" else "FAIL", 2, revision=number) for number in (0, 1) for name in ("a", "b")
    ]
    debate = judged(begun(SETTINGS), [speech(0, PRO), speech(1, CON)], given)
    failure = Failure(task=ballot("c", "PASS").brief, who="c", cause="late", message="c was late", final=True)
    found = score_run(debate.apply(TaskFailed(at=NOON, failure=failure)), "r1", SETTINGS)
    assert found.notes["late"] == ["c"]
    assert found.notes["missing"] == [
        "c did not vote in the first vote (late).",
        "c did not vote in deliberation round 1 (late).",
        "a did not vote in deliberation round 2; its last vote stands.",
        "b did not vote in deliberation round 2; its last vote stands.",
        "c did not vote in deliberation round 2 (late).",
    ]
