"""Margins, scores and the comparison of verdicts in words."""

from dataclasses import dataclass

import pytest

from debate_cli.domain.verdict import Verdict, Victory
from debate_cli.systems.explanation import describe_agreement
from debate_cli.systems.scales import describe_answer, format_margin, format_ranked_scores, format_scale


def verdict(system: str, margin: float | None, **scores: float) -> Verdict:
    """A verdict in favour of Ada; undetermined without a margin."""
    winner, victory = ("Ada", "narrow") if margin is not None else (None, "undetermined")
    return Verdict(system=system, run="r1", winner=winner, victory=victory, margin=margin, scores=scores)


@pytest.mark.parametrize(
    ("given", "margin", "scale"),
    [
        (verdict("structured", 1.5, Ada=7.5, Bo=6.0), "1.5 of 10 points", "10 points"),
        (verdict("live", 9.0, Ada=70, Bo=61), "9.0 of 100 points", "100 points"),
        (verdict("persuasion", 2.0, Ada=30, Bo=28, Cy=1), "2.0 of 110 points", "110 points"),
        # with a negative score, the margin may exceed the highest score
        (verdict("persuasion", 81.04, Ada=54.89, Bo=-26.15), "81.04 points", "80 points"),
        (verdict("panel", 0.65, Ada=0.65, Bo=0.0), "65% of the weight", "1 (weight)"),
        (verdict("sources", 0.19, Ada=0.79, Bo=0.6), "19% of the credit", "1 (credit)"),
        # `jury` is not installed, so neither its scale nor its unit is known; the largest score, 1, is no scale
        (verdict("jury", 1.0, Ada=1.0, Bo=0.0), "1.0", ""),
    ],
    ids=lambda item: item.system if isinstance(item, Verdict) else "",
)
def test_a_margin_and_a_scale_have_the_unit_of_the_system(given: Verdict, margin: str, scale: str) -> None:
    """The highest score and the unit come from the judging system."""
    assert (format_margin(given), format_scale([given])) == (margin, scale)


def test_different_scales_of_one_system_are_all_named() -> None:
    """The highest score of `persuasion` depends on the number of debaters."""
    two, three = verdict("persuasion", 2.0, Ada=30, Bo=28), verdict("persuasion", 2.0, Ada=30, Bo=28, Cy=1)
    assert format_scale([three, two, three]) == "80 or 110 points"
    assert format_scale([]) == ""


def test_scores_have_a_scale_where_the_answer_has_none() -> None:
    """With a margin, the margin names the scale."""
    won, open_ = verdict("structured", 1.5, Bo=6.0, Ada=7.5), verdict("sources", None, Ada=0.0, Bo=0.5)
    assert f"{describe_answer(won, None)} {format_ranked_scores(won)}" == (
        "Ada wins narrowly, by 1.5 of 10 points. (Ada 7.5, Bo 6.0)"
    )
    assert format_ranked_scores(open_) == "(Bo 0.5, Ada 0.0 of the credit)"
    assert format_ranked_scores(verdict("jury", None, Ada=2.0, Bo=3.0)) == "(Bo 3.0, Ada 2.0)"


def test_the_scores_of_a_vote_name_the_votes_for_no_debater() -> None:
    """The margin of a vote is the difference between its two largest shares, so both are shown."""
    won = verdict("panel", 0.45, Ada=0.725, Bo=0.0).model_copy(
        update={"notes": {"option": "PASS", "weights": {"PASS": 0.725, "CONDITIONAL": 0.275, "FAIL": 0.0}}}
    )
    assert f"{format_margin(won)} {format_ranked_scores(won)}" == (
        "45% of the weight (Ada 0.72, CONDITIONAL 0.28, Bo 0.0)"
    )


def decided(system: str, victory: Victory, winner: str | None = None, run: str = "r1") -> Verdict:
    """A verdict without details."""
    return Verdict(system=system, run=run, winner=winner, victory=victory, margin=None, scores={})


@dataclass(frozen=True, slots=True)
class Case:
    """Verdicts, and the sentences on their differences."""

    name: str
    verdicts: tuple[Verdict, ...]
    sentences: tuple[str, ...]


CASES = (
    Case("same outcome", (decided("structured", "clear", "A"), decided("live", "clear", "A")), ("They agree.",)),
    Case("both draws", (decided("structured", "draw"), decided("live", "draw")), ("They agree.",)),
    Case("other degree of victory", (decided("structured", "clear", "A"), decided("live", "narrow", "A")),
         sentences=("They differ on how clearly A wins: structured says clearly; live says narrowly.",)),
    Case("other winner", (decided("structured", "clear", "A"), decided("live", "narrow", "B")),
         sentences=("They differ on the outcome: structured says A wins; live says B wins.",)),
    Case("three against one",
         (*(decided(system, "clear", "A") for system in ("structured", "moderator", "panel")), decided("live", "draw")),
         sentences=("They differ on the outcome: structured, moderator and panel say A wins; live says it is a draw.",)),
    Case("two runs", (decided("live", "draw"), decided("live", "clear", "A", run="r2")),
         sentences=("They differ on the outcome: live r1 says it is a draw; live r2 says A wins.",)),
    Case("conditional and draw", (decided("panel", "conditional"), decided("live", "draw")),
         sentences=("They differ on the outcome: panel says the verdict is conditional; live says it is a draw.",)),
    Case("one undetermined", (decided("structured", "draw"), decided("live", "undetermined")),
         sentences=("No verdict from live: too little was assessed.",)),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_verdicts_are_compared(case: Case) -> None:
    """Each difference of outcome or clarity is one sentence. Verdicts without one agree."""
    assert describe_agreement(case.verdicts) == case.sentences
