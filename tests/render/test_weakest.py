"""The weakest argument: which it is, and that what is said of it is what made it so."""

from __future__ import annotations

from typing import Any

import pytest
from render_support import START, debate, events, structured_assessment, unscored

from debate_cli.domain.assessment import Mark, Standing, Trace
from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.events import Assessed, JudgingOpened
from debate_cli.render.plain.summary import summary_lines
from debate_cli.render.weakest import Weakest, argument_scores, weakest
from debate_cli.scoring import score

PRAISE = "Specific, sourced, and never answered."


def judged(standing: Standing | None = None, marks: dict[str, tuple[float, ...]] | None = None) -> Debate:
    """The debate; where given, with that standing of every claim and a judge's praise of it, and with those marks."""
    given = structured_assessment()
    findings: list[Any] = []
    for finding in given.findings:
        changed = {} if standing is None else {"standing": standing, "reason": PRAISE}
        findings.append(finding.model_copy(update=changed) if isinstance(finding, Trace) else finding)
    criteria = ("logic", "evidence", "responsiveness", "honesty")
    kept: tuple[Mark, ...] = given.marks
    if marks is not None:
        kept = tuple(
            mark.model_copy(update={"value": marks[mark.item or ""][criteria.index(mark.criterion)]}) for mark in kept
        )
    changed = given.model_copy(update={"findings": tuple(findings), "marks": kept})
    return fold(
        [*(item for item in events() if not isinstance(item, Assessed)), Assessed(at=START, assessment=changed)]
    )


def found(told: Debate) -> Weakest:
    """Its weakest argument."""
    argument = weakest(told, score(told))
    assert argument is not None
    return argument


def test_it_has_the_lowest_score() -> None:
    """With its score and its standing."""
    argument = found(debate())
    assert (argument.row.id, argument.score, argument.row.standing) == ("PRO-1", 5.7, "REFUTED")


def test_without_scores_the_standing_tells() -> None:
    """What is refuted is weaker than what is upheld in part."""
    argument = weakest(debate(), ())
    assert argument is not None
    assert (argument.row.id, argument.score, argument.costliest) == ("PRO-1", None, "")


def test_without_judges_there_is_none() -> None:
    """Nobody is blamed for what nobody judged."""
    assert weakest(unscored(), score(unscored())) is None


@pytest.mark.parametrize("standing", ["UPHELD", "REFUTED"])
def test_where_all_are_alike_there_is_none(standing: Standing) -> None:
    """Equal scores and equal standings tell nothing apart."""
    alike = judged(standing, dict.fromkeys(("PRO-1", "PRO-2", "CON-1", "CON-2"), (8, 8, 8, 8)))
    assert weakest(alike, score(alike)) is None


@pytest.mark.parametrize(
    ("marks", "told"),
    [
        ((6, 5, 6, 7), "Costliest mark: evidence 5 of 10, 40% of the score."),
        ((3, 6, 6, 7), "Costliest mark: logic 3 of 10, 30% of the score."),
        ((6, 7, 8, 8), "Costliest mark: logic 6 of 10, 30% of the score."),
        ((9, 8, 2, 2), "Costliest mark: responsiveness 2 of 10, 20% of the score."),
    ],
)
def test_the_mark_that_costs_most_is_named(marks: tuple[float, ...], told: str) -> None:
    """By what it takes off the score, that is by its weight too."""
    others = dict.fromkeys(("PRO-2", "CON-1", "CON-2"), (10.0, 10.0, 10.0, 10.0))
    assert found(judged(marks={"PRO-1": marks, **others})).costliest == told


def test_fallacies_that_cost_more_than_any_mark_are_named() -> None:
    """The one of PRO-1, at three points."""
    told = debate(judging={"systems": [{"kind": "structured", "fallacy_penalty": 3}]})
    assert found(told).costliest == "Fallacies take 3 off its score."


def test_a_claim_that_was_upheld_is_not_blamed_in_the_words_that_praise_it() -> None:
    """Its mark alone tells why it is the lowest, and the line says that every claim stood."""
    told = judged("UPHELD")
    (line,) = [line for line in summary_lines(told, score(told)) if "[PRO-1] by Ada, upheld" in line]
    assert line.startswith("Lowest score, though every claim stood: [PRO-1]")
    assert line.endswith("(Costliest mark: evidence 5 of 10, 40% of the score.)")


def test_a_claim_that_nobody_judged_did_not_stand() -> None:
    """The others were upheld, but not every claim was."""
    (given,) = [item for item in judged("UPHELD").assessments if item.system == "structured"]
    without = given.model_copy(
        update={
            "findings": tuple(
                item for item in given.findings if not (isinstance(item, Trace) and item.item == "PRO-2")
            ),
            "marks": tuple(mark for mark in given.marks if mark.item != "PRO-2"),
        }
    )
    argument = found(judged("UPHELD").with_assessments([without]))
    assert (argument.row.id, argument.stood, argument.title) == ("PRO-1", False, "Weakest argument")


@pytest.mark.parametrize("standing", ["REFUTED", "UNCERTAIN", "PARTIALLY_UPHELD"])
def test_what_did_not_stand_is_told_in_the_judges_words_too(standing: Standing) -> None:
    """After the mark."""
    argument = found(judged(standing))
    assert (argument.stood, argument.because) == (False, (argument.costliest, PRAISE))


def test_scores_are_of_the_judging_whose_standings_are_told() -> None:
    """After a second one by the same system that is the newest, in whatever order the verdicts come."""
    told = debate().apply(JudgingOpened(at=START, run="r2", judging=debate().config.judging))
    second = structured_assessment()
    marks = tuple(mark.model_copy(update={"value": 9.0}) for mark in second.marks)
    told = told.apply(Assessed(at=START, assessment=second.model_copy(update={"run": "r2", "marks": marks})))
    verdicts = score(told, runs="all")
    assert set(argument_scores(told, verdicts).values()) == {9.0}
    assert argument_scores(told, verdicts[::-1]) == argument_scores(told, verdicts)
