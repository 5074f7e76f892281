"""Comparison of the verdicts of several systems or runs."""

from dataclasses import dataclass

import pytest

from debate_cli.domain.verdict import Verdict, Victory
from debate_cli.systems.explanation import describe_agreement


def verdict(system: str, victory: Victory, winner: str | None = None, run: str = "r1") -> Verdict:
    """A verdict without details."""
    return Verdict(system=system, run=run, winner=winner, victory=victory, margin=None, scores={})


@dataclass(frozen=True, slots=True)
class Case:
    """Verdicts, and the sentences on their differences."""

    name: str
    verdicts: tuple[Verdict, ...]
    sentences: tuple[str, ...]


CASES = (
    Case("same outcome", (verdict("structured", "clear", "A"), verdict("live", "clear", "A")), ("They agree.",)),
    Case("both draws", (verdict("structured", "draw"), verdict("live", "draw")), ("They agree.",)),
    Case("other degree of victory", (verdict("structured", "clear", "A"), verdict("live", "narrow", "A")),
         sentences=("They differ on how clearly A wins: structured says clearly; live says narrowly.",)),
    Case("other winner", (verdict("structured", "clear", "A"), verdict("live", "narrow", "B")),
         sentences=("They differ on the outcome: structured says A wins; live says B wins.",)),
    Case("three against one",
         (*(verdict(system, "clear", "A") for system in ("structured", "moderator", "panel")), verdict("live", "draw")),
         sentences=("They differ on the outcome: structured, moderator and panel say A wins; live says it is a draw.",)),
    Case("two runs", (verdict("live", "draw"), verdict("live", "clear", "A", run="r2")),
         sentences=("They differ on the outcome: live r1 says it is a draw; live r2 says A wins.",)),
    Case("conditional and draw", (verdict("panel", "conditional"), verdict("live", "draw")),
         sentences=("They differ on the outcome: panel says the verdict is conditional; live says it is a draw.",)),
    Case("one undetermined", (verdict("structured", "draw"), verdict("live", "undetermined")),
         sentences=("No verdict from live: too little was assessed.",)),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_verdicts_are_compared(case: Case) -> None:
    """Each difference of outcome or clarity is one sentence. Verdicts without one agree."""
    assert describe_agreement(case.verdicts) == case.sentences
