"""Several verdicts side by side."""

from __future__ import annotations

import pytest

from debate_cli.domain.verdict import Verdict, Victory
from debate_cli.systems.agreement import compare_verdicts


def concluded(system: str, victory: Victory, winner: str | None = None, run: str = "r1") -> Verdict:
    """A verdict without details."""
    return Verdict(system=system, run=run, winner=winner, victory=victory, margin=None, scores={})


@pytest.mark.parametrize(
    ("verdicts", "agree"),
    [
        ([concluded("structured", "clear", "A"), concluded("live", "clear", "A")], True),
        ([concluded("structured", "clear", "A"), concluded("live", "narrow", "A")], True),
        ([concluded("structured", "clear", "A"), concluded("live", "clear", "B")], False),
        ([concluded("structured", "clear", "A"), concluded("live", "draw")], False),
        ([concluded("panel", "conditional"), concluded("live", "draw")], False),
        ([concluded("structured", "draw"), concluded("live", "draw")], True),
        ([concluded("structured", "clear", "A"), concluded("live", "undetermined")], None),
    ],
)
def test_verdicts_agree_on_the_outcome_or_not(verdicts: list[Verdict], agree: bool | None) -> None:
    """The same winner, or the same kind of none; what is undetermined has no say."""
    found = compare_verdicts(verdicts)
    assert found is not None
    assert found.agree is agree


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([concluded("structured", "clear", "A"), concluded("live", "clear", "A")], ()),
        (
            [concluded("structured", "clear", "A"), concluded("live", "narrow", "B")],
            ("They differ on the outcome: structured says a win of A; live says a win of B.",),
        ),
        (
            [concluded("structured", "clear", "A"), concluded("live", "narrow", "A")],
            ("They differ on how far a win of A goes: structured says clear; live says narrow.",),
        ),
        (
            [
                *(concluded(system, "clear", "A") for system in ("structured", "moderator", "panel")),
                concluded("live", "draw"),
            ],
            ("They differ on the outcome: structured, moderator and panel say a win of A; live says a draw.",),
        ),
        (
            [concluded("structured", "draw"), concluded("live", "undetermined")],
            ("No verdict from live: too little was assessed.",),
        ),
        (
            [concluded("live", "draw"), concluded("live", "clear", "A", run="r2")],
            ("They differ on the outcome: live r1 says a draw; live r2 says a win of A.",),
        ),
    ],
)
def test_differences_are_said_in_words(verdicts: list[Verdict], expected: tuple[str, ...]) -> None:
    """One sentence for each way in which they differ."""
    found = compare_verdicts(verdicts)
    assert found is not None
    assert found.differences == expected


def test_one_verdict_has_nothing_to_agree_with() -> None:
    """Fewer than two give no comparison."""
    assert compare_verdicts([concluded("live", "draw")]) is None
