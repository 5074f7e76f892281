"""The weakest argument: its choice and the reasons shown for it."""

import re

import pytest
from render_support import debate, render_text, structured_assessment, unjudged, with_assessment, with_second_judging

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.render.html.page import render_html
from debate_cli.render.terminal.report import details
from debate_cli.render.text.markdown import format_markdown
from debate_cli.render.text.plain import details_lines
from debate_cli.systems.scoring import score
from debate_cli.systems.structured.findings import Standing, Trace
from debate_cli.systems.weakest import WeakestArgument, find_weakest_argument, score_arguments

PRAISE = "Specific, sourced, and never answered."
CRITERIA = ("logic", "evidence", "responsiveness", "honesty")
IDS = ("PRO-1", "PRO-2", "CON-1", "CON-2")
GIVEN = structured_assessment()


def assessed(
    standings: dict[str, Standing], marks: dict[str, tuple[float, ...]] | None = None, reason: str | None = None
) -> Assessment:
    """The structured assessment with these standings, marks and reasons of standings."""
    findings = tuple(
        item.model_copy(update={"standing": standings.get(item.item, item.standing), "reason": reason or item.reason})
        if isinstance(item, Trace)
        else item
        for item in GIVEN.findings
    )
    changed = tuple(
        mark.model_copy(update={"value": marks[mark.item or ""][CRITERIA.index(mark.criterion)]}) if marks else mark
        for mark in GIVEN.marks
    )
    return GIVEN.model_copy(update={"findings": findings, "marks": changed})


def judged(*args: object, **changes: object) -> Debate:
    """The debate with a changed structured assessment."""
    return with_assessment(debate(), assessed(*args, **changes))  # pyright: ignore[reportArgumentType]


def all_standing(standing: Standing) -> dict[str, Standing]:
    """One standing for every argument."""
    return dict.fromkeys(IDS, standing)


def weakest(shown: Debate) -> WeakestArgument:
    """The weakest argument."""
    argument = find_weakest_argument(shown, score(shown))
    assert argument is not None
    return argument


def test_the_argument_with_the_lowest_score_is_the_weakest() -> None:
    """Without scores it is the one with the worst standing."""
    argument = weakest(debate())
    assert (argument.row.id, argument.score, argument.row.standing) == ("PRO-1", 5.7, "REFUTED")
    unscored = find_weakest_argument(debate(), ())
    assert unscored is not None
    assert (unscored.row.id, unscored.score) == ("PRO-1", None)


@pytest.mark.parametrize(
    "shown",
    [
        unjudged(),
        judged(all_standing("UPHELD"), dict.fromkeys(IDS, (8, 8, 8, 8))),
        judged(all_standing("REFUTED"), dict.fromkeys(IDS, (8, 8, 8, 8))),
    ],
    ids=["unjudged", "all upheld", "all refuted"],
)
def test_arguments_that_are_not_distinguished_have_no_weakest(shown: Debate) -> None:
    """Equal scores and standings, or none, distinguish nothing."""
    assert find_weakest_argument(shown, score(shown)) is None


def test_an_upheld_argument_is_shown_without_the_judges_praise() -> None:
    """The heading says that every claim stood."""
    shown = judged(all_standing("UPHELD"), reason=PRAISE)
    (line,) = [line for line in details_lines(shown, score(shown)) if line.startswith("Because: ")]
    assert line == "Because: Every claim was upheld."


@pytest.mark.parametrize("standing", ["REFUTED", "UNCERTAIN", "PARTIALLY_UPHELD"])
def test_an_argument_that_was_not_upheld_has_the_judges_reason(standing: Standing) -> None:
    """It says why the claim does not stand."""
    argument = weakest(judged(all_standing(standing), reason=PRAISE))
    assert (argument.all_upheld, argument.because) == (False, (PRAISE,))


def forms(shown: Debate) -> dict[str, str]:
    """The output of each form without frames, markup and line breaks."""
    drawn = "\n".join(render_text(part, 160) for part in details(shown, score(shown), only="verdict"))
    found = {
        "terminal": drawn.replace("┃", " "),
        "plain": "\n".join(details_lines(shown, score(shown))),
        "markdown": format_markdown(shown, score(shown)).replace("**", ""),
        "html": re.sub(r"<[^>]+>", "", render_html(shown, score(shown))),
    }
    return {form: " ".join(text.split()) for form, text in found.items()}


def test_every_form_qualifies_an_upheld_argument() -> None:
    """An upheld argument beside a refuted one has a low score only."""
    for form, text in forms(judged({"PRO-1": "UPHELD", "PRO-2": "REFUTED"})).items():
        assert "upheld, though with the lowest score, 5.7 of 10" in text, form


def test_an_unjudged_argument_was_not_upheld() -> None:
    """`all_upheld` is false although every judged argument was upheld."""
    given = assessed(all_standing("UPHELD"))
    findings = tuple(item for item in given.findings if not (isinstance(item, Trace) and item.item == "PRO-2"))
    marks = tuple(mark for mark in given.marks if mark.item != "PRO-2")
    argument = weakest(with_assessment(debate(), given.model_copy(update={"findings": findings, "marks": marks})))
    assert (argument.row.id, argument.all_upheld, argument.title) == ("PRO-1", False, "Weakest argument")


def test_scores_are_those_of_the_newest_run() -> None:
    """The order of the verdicts has no effect."""
    again = with_second_judging("structured", assessed({}, dict.fromkeys(IDS, (9, 9, 9, 9))))
    verdicts = score(again, runs="all")
    assert set(score_arguments(again, verdicts).by_argument.values()) == {9.0}
    assert score_arguments(again, verdicts[::-1]) == score_arguments(again, verdicts)


def test_beside_another_systems_verdict_the_score_names_its_system() -> None:
    """Scale and marks differ from those of the verdict above."""
    argument = find_weakest_argument(debate(), score(debate())[::-1])
    assert argument is not None
    assert (argument.marked, weakest(debate()).marked) == ("5.7 of 10 by structured", "5.7 of 10")
