"""How far several judgings of one debate lie apart, in a sentence a system."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from debate_cli.domain.verdict import Verdict
from debate_cli.render.agreement import build_agreement_table, describe_repeat_stats


def verdict(run: str, winner: str | None, margin: float | None, system: str = "structured", **scores: float) -> Verdict:
    """What one run came to."""
    victory = "undetermined" if margin is None else "draw" if winner is None else "narrow"
    return Verdict(system=system, run=run, winner=winner, victory=victory, margin=margin, scores=scores)


def vote(run: str, option: str, **weights: float) -> Verdict:
    """A panel's verdict in which nobody wins."""
    return Verdict(
        system="panel", run=run, winner=None, victory="clear", margin=0.5, scores={},
        notes={"option": option, "weights": {**weights}},
    )  # fmt: skip


def test_wins_scores_and_margins_of_all_runs_are_in_one_sentence() -> None:
    """Each winner with how often, the most frequent first; from the lowest to the highest, the better debater first."""
    runs = [
        verdict("r1", "Ada", 0.5, Ada=7.0, Bo=6.5),
        verdict("r2", None, 0.1, Ada=6.5, Bo=6.6),
        verdict("r3", "Ada", 1.25, Ada=7.5, Bo=6.25),
    ]
    assert describe_repeat_stats(runs) == (
        "structured in 3 runs: Ada wins 2, a draw 1; Ada 6.5 to 7.5, Bo 6.25 to 6.6; margin 0.1 to 1.25.",
    )


def test_what_never_varied_is_told_once() -> None:
    """As where the model's answers do not vary."""
    assert describe_repeat_stats([verdict(run, "Ada", 1.0, Ada=7.0, Bo=6.0) for run in ("r1", "r2")]) == (
        "structured in 2 runs: Ada wins 2; Ada 7.0, Bo 6.0; margin 1.0.",
    )


def test_a_system_that_judged_once_has_no_spread() -> None:
    """Nor has a debate whose systems each judged once."""
    assert describe_repeat_stats([verdict("r1", "Ada", 1.0), verdict("r1", "Ada", 1.0, "live")]) == ()


def test_a_run_that_determined_nothing_is_counted_and_has_no_margin() -> None:
    """It tells how often one can rely on the judge at all."""
    assert describe_repeat_stats([verdict("r1", "Ada", 1.0, Ada=7.0), verdict("r2", None, None)]) == (
        "structured in 2 runs: Ada wins 1, undetermined 1; Ada 7.0; margin 1.0.",
    )


def test_an_option_that_nobody_voted_for_has_no_part_of_the_weight() -> None:
    """So its shares begin at nothing."""
    assert describe_repeat_stats([vote("r1", "PASS", PASS=1.0), vote("r2", "FAIL", PASS=0.25, FAIL=0.75)]) == (
        "panel in 2 runs: PASS 1, FAIL 1; PASS 0.25 to 1.0, FAIL 0.0 to 0.75; margin 0.5.",
    )


def test_the_verdicts_side_by_side_end_with_it() -> None:
    """Before what is said of their agreement."""
    sheet = build_agreement_table(
        [verdict("r1", "Ada", 1.0, Ada=7.0, Bo=6.0), verdict("r2", "Ada", 2.0, Ada=8.0, Bo=6.0)]
    )
    assert sheet is not None
    assert sheet.remarks == (
        "structured in 2 runs: Ada wins 2; Ada 7.0 to 8.0, Bo 6.0; margin 1.0 to 2.0.",
        "They agree.",
    )


@given(st.lists(st.sampled_from(["Ada", "Bo", None]), min_size=2, max_size=20))
def test_every_run_is_counted_once(winners: list[str | None]) -> None:
    """The counts add up to the runs."""
    told = describe_repeat_stats([verdict(f"r{place}", winner, 1.0) for place, winner in enumerate(winners)])[0]
    counts = told.partition(": ")[2].partition(";")[0].split(", ")
    assert sum(int(part.rpartition(" ")[2]) for part in counts) == len(winners)
