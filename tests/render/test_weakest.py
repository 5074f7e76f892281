"""The weakest argument: which it is, and that what is said of it is what made it so."""

from __future__ import annotations

import re
from typing import Any

import pytest
from render_support import START, debate, events, shown, structured_assessment, unscored

from debate_cli.domain.assessment import Mark
from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.events import AssessmentCompleted, JudgingOpened
from debate_cli.render.html.page import render_html
from debate_cli.render.markdown import format_markdown
from debate_cli.render.plain import details_lines
from debate_cli.render.terminal_summary import details
from debate_cli.systems.scoring import score
from debate_cli.systems.structured.findings import Fallacy, Standing, Trace
from debate_cli.systems.structured.weakest import WeakestArgument, argument_scores, find_weakest_argument

PRAISE = "Specific, sourced, and never answered."
FALLACY = "Fallacy found in it: appeal to authority."


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
        [
            *(item for item in events() if not isinstance(item, AssessmentCompleted)),
            AssessmentCompleted(at=START, assessment=changed),
        ]
    )


def found(told: Debate) -> WeakestArgument:
    """Its weakest argument."""
    argument = find_weakest_argument(told, score(told))
    assert argument is not None
    return argument


def test_it_has_the_lowest_score() -> None:
    """With its score and its standing."""
    argument = found(debate())
    assert (argument.row.id, argument.score, argument.row.standing) == ("PRO-1", 5.7, "REFUTED")


def test_without_scores_the_standing_tells() -> None:
    """What is refuted is weaker than what is upheld in part."""
    argument = find_weakest_argument(debate(), ())
    assert argument is not None
    assert (argument.row.id, argument.score, argument.main_deduction) == ("PRO-1", None, "")


def test_without_judges_there_is_none() -> None:
    """Nobody is blamed for what nobody judged."""
    assert find_weakest_argument(unscored(), score(unscored())) is None


@pytest.mark.parametrize("standing", ["UPHELD", "REFUTED"])
def test_where_all_are_alike_there_is_none(standing: Standing) -> None:
    """Equal scores and equal standings tell nothing apart."""
    alike = judged(standing, dict.fromkeys(("PRO-1", "PRO-2", "CON-1", "CON-2"), (8, 8, 8, 8)))
    assert find_weakest_argument(alike, score(alike)) is None


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
    assert found(judged(marks={"PRO-1": marks, **others})).main_deduction == told


def test_fallacies_that_cost_more_than_any_mark_are_named() -> None:
    """The one of PRO-1, at three points."""
    told = debate(judging={"systems": [{"kind": "structured", "fallacy_penalty": 3}]})
    assert found(told).main_deduction == "Fallacies take 3 off its score."


def test_a_claim_that_was_upheld_is_not_blamed_in_the_words_that_praise_it() -> None:
    """Its mark alone tells why it is the lowest, and the line says that every claim stood."""
    told = judged("UPHELD")
    (line,) = [line for line in details_lines(told, score(told)) if "[PRO-1] by Ada, upheld" in line]
    assert line.startswith("Lowest score, though every claim was upheld: [PRO-1]")
    assert line.endswith(f"(Costliest mark: evidence 5 of 10, 40% of the score. {FALLACY})")


def upheld_beside_refuted() -> Debate:
    """The debate; PRO-1 is upheld with the lowest marks, PRO-2 is refuted."""
    (given,) = [item for item in debate().assessments if item.system == "structured"]
    standings: dict[str, Standing] = {"PRO-1": "UPHELD", "PRO-2": "REFUTED"}
    findings = tuple(
        item.model_copy(update={"standing": standings.get(item.item, item.standing)})
        if isinstance(item, Trace)
        else item
        for item in given.findings
    )
    return debate().with_assessments([given.model_copy(update={"findings": findings})])


def forms(told: Debate) -> dict[str, str]:
    """What each form tells of a debate, without frames, markup and line breaks."""
    drawn = "\n".join(shown(part, 160) for part in details(told, score(told), only="verdict"))
    found = {
        "terminal": drawn.replace("┃", " "),
        "plain": "\n".join(details_lines(told, score(told))),
        "markdown": format_markdown(told, score(told)).replace("**", ""),
        "html": re.sub(r"<[^>]+>", "", render_html(told, score(told))),
    }
    return {form: " ".join(words.split()) for form, words in found.items()}


@pytest.mark.parametrize("form", ["terminal", "plain", "markdown", "html"])
def test_a_claim_that_was_upheld_is_not_called_weak_without_a_word(form: str) -> None:
    """The briefing says to rely on it: every form says that it stood, and that its score alone is low."""
    assert "upheld, though with the lowest score, 5.7 of 10" in forms(upheld_beside_refuted())[form]


@pytest.mark.parametrize("form", ["terminal", "plain", "markdown", "html"])
def test_the_fallacy_in_it_is_named(form: str) -> None:
    """In every form, beside the mark that cost it most."""
    assert f"40% of the score. {FALLACY}" in forms(debate())[form]


def test_fallacies_in_it_are_named_once_each() -> None:
    """Those of other arguments are not, nor one that two judges found twice over."""
    (given,) = [item for item in debate().assessments if item.system == "structured"]
    (fallacy,) = [item for item in given.findings if isinstance(item, Fallacy)]
    others = (fallacy, fallacy.model_copy(update={"name": "straw man"}))
    elsewhere = fallacy.model_copy(update={"name": "red herring", "item": "CON-1", "participant": "Bo"})
    told = debate().with_assessments([given.model_copy(update={"findings": (*given.findings, *others, elsewhere)})])
    assert "Fallacies found in it: appeal to authority, straw man." in found(told).because


def test_without_a_fallacy_none_is_named() -> None:
    """The reasons are the mark and the judge's words."""
    (given,) = [item for item in debate().assessments if item.system == "structured"]
    kept = tuple(item for item in given.findings if not isinstance(item, Fallacy))
    told = debate().with_assessments([given.model_copy(update={"findings": kept})])
    assert not any("allac" in reason for reason in found(told).because)


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
    assert (argument.row.id, argument.all_upheld, argument.title) == ("PRO-1", False, "Weakest argument")


@pytest.mark.parametrize("standing", ["REFUTED", "UNCERTAIN", "PARTIALLY_UPHELD"])
def test_what_did_not_stand_is_told_in_the_judges_words_too(standing: Standing) -> None:
    """After the mark and the fallacy."""
    argument = found(judged(standing))
    assert (argument.all_upheld, argument.because) == (False, (argument.main_deduction, FALLACY, PRAISE))


def test_scores_are_of_the_judging_whose_standings_are_told() -> None:
    """After a second one by the same system that is the newest, in whatever order the verdicts come."""
    told = debate().apply(JudgingOpened(at=START, run="r2", judging=debate().config.judging))
    second = structured_assessment()
    marks = tuple(mark.model_copy(update={"value": 9.0}) for mark in second.marks)
    told = told.apply(AssessmentCompleted(at=START, assessment=second.model_copy(update={"run": "r2", "marks": marks})))
    verdicts = score(told, runs="all")
    assert set(argument_scores(told, verdicts).values()) == {9.0}
    assert argument_scores(told, verdicts[::-1]) == argument_scores(told, verdicts)


def test_beside_another_systems_verdict_it_says_whose_score_it_has() -> None:
    """The scale and the marks are not those of the verdict above it."""
    verdicts = score(debate())
    other = [verdict for verdict in verdicts if verdict.system != "structured"]
    told = find_weakest_argument(
        debate(), [*other, *(verdict for verdict in verdicts if verdict.system == "structured")]
    )
    assert other
    assert told is not None
    assert told.marked == "5.7 of 10 by structured"
    assert found(debate()).marked == "5.7 of 10"
