"""The argument with the lowest score: its choice and the reasons shown for it."""

import pytest
from render_support import debate, render_text, structured_assessment, unjudged, with_assessment, with_second_judging
from rich.console import Group

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.render.html.page import render_html
from debate_cli.render.terminal.report import details
from debate_cli.render.text.markdown import format_markdown
from debate_cli.render.text.plain import details_lines
from debate_cli.systems.scoring import score
from debate_cli.systems.structured.findings import Fallacy, Standing, Trace
from debate_cli.systems.trace import LowestScore, find_lowest_score, score_arguments

PRAISE = "Specific, sourced, and never answered."
CRITERIA = ("logic", "evidence", "responsiveness", "honesty")
IDS = ("PRO-1", "PRO-2", "CON-1", "CON-2")
GIVEN = structured_assessment()


def assessed(
    standings: dict[str, Standing], marks: dict[str, tuple[float, ...]] | None = None, reason: str | None = None
) -> Assessment:
    """Return the structured assessment with these standings, marks and reasons of standings."""
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
    """Return the debate with a changed structured assessment."""
    return with_assessment(debate(), assessed(*args, **changes))  # pyright: ignore[reportArgumentType]


def all_standing(standing: Standing) -> dict[str, Standing]:
    """Return one standing for every argument."""
    return dict.fromkeys(IDS, standing)


def lowest(shown: Debate) -> LowestScore:
    """Return the argument of `shown` with the lowest score."""
    argument = find_lowest_score(shown, score(shown))
    assert argument is not None
    return argument


def test_the_argument_with_the_lowest_score_is_found() -> None:
    """Without scores there is none, even if standings differ."""
    argument = lowest(debate())
    assert (argument.row.id, argument.score, argument.row.standing) == ("PRO-1", 5.7, "REFUTED")
    assert find_lowest_score(debate(), ()) is None


def test_of_equal_scores_the_one_with_the_worst_standing_counts() -> None:
    """An uncertain claim is worse than an upheld one."""
    shown = judged({**all_standing("UPHELD"), "CON-1": "UNCERTAIN"}, dict.fromkeys(IDS, (8, 8, 8, 8)))
    assert lowest(shown).row.id == "CON-1"


@pytest.mark.parametrize(
    "shown",
    [
        unjudged(),
        judged(all_standing("UPHELD"), dict.fromkeys(IDS, (8, 8, 8, 8))),
        judged(all_standing("REFUTED"), dict.fromkeys(IDS, (8, 8, 8, 8))),
    ],
    ids=["unjudged", "all upheld", "all refuted"],
)
def test_arguments_that_are_not_distinguished_have_no_lowest_score(shown: Debate) -> None:
    """No argument is chosen if none is judged, or if all have equal scores and standings."""
    assert find_lowest_score(shown, score(shown)) is None


@pytest.mark.parametrize(
    ("standing", "reason"),
    [
        ("UPHELD", "The claim was nevertheless upheld."),
        *((item, PRAISE) for item in ("REFUTED", "UNCERTAIN", "PARTIALLY_UPHELD")),
    ],
)
def test_the_reason_of_the_standing_is_last(standing: Standing, reason: str) -> None:
    """The reason for upholding a claim is praise, so a sentence on the standing replaces it."""
    assert lowest(judged(all_standing(standing), reason=PRAISE)).reasons[-1] == reason


@pytest.mark.parametrize(
    ("marks", "sentence"),
    [
        ((6, 5, 6, 7), "Costliest mark: evidence 5 of 10, 40% of the score."),
        ((3, 6, 6, 7), "Costliest mark: logic 3 of 10, 30% of the score."),
        ((6, 7, 8, 8), "Costliest mark: logic 6 of 10, 30% of the score."),
        ((9, 8, 2, 2), "Costliest mark: responsiveness 2 of 10, 20% of the score."),
        ((9, 9.5, 8, 2), "Costliest mark: honesty 2 of 10, 10% of the score."),
    ],
)
def test_the_costliest_mark_takes_most_off_the_score(marks: tuple[float, ...], sentence: str) -> None:
    """Missing points count with their weight; if two marks cost the same, the lower one is named."""
    shown = judged({}, {**dict.fromkeys(IDS, (10.0, 10.0, 10.0, 10.0)), "PRO-1": marks})
    assert lowest(shown).reasons[0] == sentence


def test_full_marks_have_no_costliest_mark() -> None:
    """Only the standing tells these arguments apart."""
    shown = judged({**all_standing("UPHELD"), "PRO-1": "REFUTED"}, dict.fromkeys(IDS, (10, 10, 10, 10)), PRAISE)
    assert "Costliest" not in " ".join(lowest(shown).reasons)


def test_the_fallacies_of_the_argument_are_named_once() -> None:
    """Fallacies of other arguments are left out."""
    found = [("PRO-1", "straw man"), ("PRO-1", "straw man"), ("PRO-1", "slippery slope"), ("CON-1", "false dilemma")]
    fallacies = tuple(Fallacy(participant="Ada", item=item, name=name) for item, name in found)
    kept = tuple(item for item in GIVEN.findings if not isinstance(item, Fallacy))
    shown = with_assessment(debate(), GIVEN.model_copy(update={"findings": (*kept, *fallacies)}))
    assert lowest(shown).reasons[1] == "Fallacies: straw man, slippery slope."


def test_the_reasons_are_in_every_report() -> None:
    """Page, Markdown, plain lines and terminal have the sentences of one list."""
    shown, verdicts = debate(), score(debate())
    reasons = lowest(shown).reasons
    assert reasons[:2] == ("Costliest mark: evidence 5 of 10, 40% of the score.", "Fallacy: appeal to authority.")
    reports = [
        render_html(shown, verdicts),
        format_markdown(shown, verdicts),
        "\n".join(details_lines(shown, verdicts)),
        render_text(Group(*details(shown, verdicts)), 160),
    ]
    assert all(reason in report for report in reports for reason in reasons)


def test_scores_are_those_of_the_newest_run() -> None:
    """Scores of arguments come from the newest run, in any order of the verdicts."""
    again = with_second_judging("structured", assessed({}, dict.fromkeys(IDS, (9, 9, 9, 9))))
    verdicts = score(again, runs="all")
    assert set(score_arguments(again, verdicts).by_argument.values()) == {9.0}
    assert score_arguments(again, verdicts[::-1]) == score_arguments(again, verdicts)
