"""The weakest argument: its choice and the reasons shown for it."""

import pytest
from render_support import debate, structured_assessment, unjudged, with_assessment, with_second_judging

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.systems.scoring import score
from debate_cli.systems.structured.findings import Standing, Trace
from debate_cli.systems.trace import WeakestArgument, find_weakest_argument, score_arguments

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


def weakest(shown: Debate) -> WeakestArgument:
    """Return the weakest argument of `shown`."""
    argument = find_weakest_argument(shown, score(shown))
    assert argument is not None
    return argument


def test_the_argument_with_the_lowest_score_is_the_weakest() -> None:
    """The weakest argument has the lowest score, or without scores the worst standing."""
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
    """No argument is the weakest if none is judged, or if all have equal scores and standings."""
    assert find_weakest_argument(shown, score(shown)) is None


@pytest.mark.parametrize(
    ("standing", "shown"),
    [
        ("UPHELD", ("Lowest score", ())),
        *((item, ("Weakest argument", (PRAISE,))) for item in ("REFUTED", "UNCERTAIN", "PARTIALLY_UPHELD")),
    ],
)
def test_only_an_argument_that_was_not_upheld_is_called_weak(
    standing: Standing, shown: tuple[str, tuple[str, ...]]
) -> None:
    """It is shown with the judge's reason; an upheld one is shown without, because the reason is praise."""
    argument = weakest(judged(all_standing(standing), reason=PRAISE))
    assert (argument.title, argument.reasons) == shown


def test_scores_are_those_of_the_newest_run() -> None:
    """Scores of arguments come from the newest run, in any order of the verdicts."""
    again = with_second_judging("structured", assessed({}, dict.fromkeys(IDS, (9, 9, 9, 9))))
    verdicts = score(again, runs="all")
    assert set(score_arguments(again, verdicts).by_argument.values()) == {9.0}
    assert score_arguments(again, verdicts[::-1]) == score_arguments(again, verdicts)
