"""Statistics of repeated judgings: one sentence per system."""

import pytest

from debate_cli.domain.verdict import Verdict
from debate_cli.render.content.agreement import build_agreement_table, describe_repeat_stats


def verdict(run: str, winner: str | None, margin: float | None, **scores: float) -> Verdict:
    """A structured verdict."""
    victory = "undetermined" if margin is None else "draw" if winner is None else "narrow"
    return Verdict(system="structured", run=run, winner=winner, victory=victory, margin=margin, scores=scores)


def vote(run: str, option: str, **weights: float) -> Verdict:
    """A panel's verdict without a winner."""
    return Verdict(
        system="panel", run=run, winner=None, victory="clear", margin=0.5, scores={},
        notes={"option": option, "weights": {**weights}},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("verdicts", "sentences"),
    [
        (
            [
                verdict("r1", "Ada", 0.5, Ada=7.0, Bo=6.5),
                verdict("r2", None, 0.1, Ada=6.5, Bo=6.6),
                verdict("r3", "Ada", 1.25, Ada=7.5, Bo=6.25),
            ],
            ["structured in 3 runs: Ada wins in 2, a draw in 1; margin 0.1 to 1.25."],
        ),
        (
            [verdict(run, "Ada", 1.0, Ada=7.0, Bo=6.0) for run in ("r1", "r2")],
            ["structured in 2 runs: Ada wins in 2; margin 1.0."],
        ),
        (
            [verdict("r1", "Ada", 1.0, Ada=7.0), verdict("r2", None, None)],
            ["structured in 2 runs: Ada wins in 1, undetermined in 1; margin 1.0."],
        ),
        (
            [vote("r1", "PASS", PASS=1.0), vote("r2", "FAIL", PASS=0.25, FAIL=0.75)],
            ["panel in 2 runs: PASS in 1, FAIL in 1; margin 0.5."],
        ),
        ([verdict("r1", "Ada", 1.0), vote("r1", "PASS", PASS=1.0)], []),
    ],
    ids=["ranges", "constant", "undetermined run", "votes", "one run per system"],
)
def test_wins_have_counts_and_margins_a_range(verdicts: list[Verdict], sentences: list[str]) -> None:
    """The most frequent winner is first; a system with one run has no statistics."""
    assert list(describe_repeat_stats(verdicts)) == sentences


def test_the_agreement_table_ends_with_the_statistics() -> None:
    """The sentence about agreement follows, and one if none of the verdicts decides."""
    pair = [verdict("r1", "Ada", 1.0, Ada=7.0, Bo=6.0), verdict("r2", "Ada", 2.0, Ada=8.0, Bo=6.0)]
    tables = [build_agreement_table([pair[0].model_copy(update={"decides": flag}), pair[1]]) for flag in (True, False)]
    remarks = (
        "structured in 2 runs: Ada wins in 2; margin 1.0 to 2.0.",
        "They agree.",
    )
    assert [table and table.remarks for table in tables] == [remarks, (*remarks, "None of these verdicts decides.")]
