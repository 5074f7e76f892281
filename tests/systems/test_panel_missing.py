"""What a panel's verdict says of votes that were not cast."""

from __future__ import annotations

from panel_support import bench, voted, votes

from debate_cli.systems.panel.score import score_run


def test_fewer_votes_than_the_least_are_undetermined() -> None:
    """One vote where two are the least: no verdict, and the silent judge is named."""
    settings = bench(1, 1)
    found = score_run(voted(settings, *votes("PASS")), "r1", settings)
    assert (found.victory, found.winner, found.margin) == ("undetermined", None, None)
    assert found.notes["missing"] == [
        "b did not vote in the first vote.",
        "1 of 2 votes are in; a verdict takes 2.",
        *_unmarked("a"),
    ]


def _unmarked(*judges: str) -> list[str]:
    return [f"{judge} gave no mark for logic, evidence, rebuttal, risk." for judge in judges]


def test_a_deliberation_that_nobody_took_part_in_is_missing() -> None:
    """The budget or the network ended the panel while it was divided: the verdict does not pass for its last word."""
    settings = bench(1, 1)
    found = score_run(voted(settings, *votes("PASS", "FAIL")), "r1", settings)
    assert found.notes["missing"] == [
        *(f"{judge} did not vote in deliberation round 1; its last vote stands." for judge in ("a", "b")),
        *_unmarked("a", "b"),
    ]


def test_an_agreed_panel_misses_no_deliberation() -> None:
    """It would not have deliberated."""
    settings = bench(1, 1)
    assert score_run(voted(settings, *votes("PASS", "PASS")), "r1", settings).notes["missing"] == _unmarked("a", "b")


def test_a_stricter_rubric_makes_nobody_absent() -> None:
    """Who was to be asked is a fact of the run: by its own threshold the panel had agreed enough."""
    held = bench(1, 1, convergence_threshold=0.1)
    stricter = held.model_copy(update={"convergence_threshold": 1.0})
    debate = voted(held, *votes("PASS", "FAIL"))
    assert score_run(debate, "r1", stricter).notes["missing"] == _unmarked("a", "b")
