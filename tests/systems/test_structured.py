"""The structured scorer; expected numbers are computed by hand."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import ValidationError
from scoring_support import (
    CON,
    PRO,
    argument_marks,
    assessment,
    build_debate,
    opening,
    opening_event,
)

from debate_cli.domain.assessment import Mark
from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_config import JudgingConfig, SystemSettings, Thresholds
from debate_cli.domain.verdict import Verdict, Victory
from debate_cli.systems.charts import Chart
from debate_cli.systems.moderator.settings import ModeratorSettings
from debate_cli.systems.registry import get_system
from debate_cli.systems.structured.findings import Fallacy
from debate_cli.systems.structured.score import StructuredNotes, score_run
from debate_cli.systems.structured.settings import (
    DEFAULT_CRITERIA,
    Criterion,
    StructuredJudge,
    StructuredSettings,
    StructuredWeights,
)
from debate_cli.systems.structured.tables import charts, tables
from debate_cli.systems.tables import Number

Row = tuple[float, float, float, float]
"""Logic, evidence, responsiveness, honesty."""


@dataclass(frozen=True)
class Case:
    """Marks per argument of each side, and the expected result."""

    name: str
    pro: tuple[Row, ...]
    con: tuple[Row, ...]
    scores: tuple[float, float]
    margin: float
    victory: Victory
    settings: dict[str, Any] = field(default_factory=dict[str, Any])
    fallacies: tuple[str, ...] = ()
    """Items of fallacies."""


def even(value: float) -> Row:
    """The same mark for all four criteria, which is also the argument's score."""
    return (value, value, value, value)


CASES = (
    # 0.3*8 + 0.4*7 + 0.2*6 + 0.1*9 = 2.4 + 2.8 + 1.2 + 0.9 = 7.3, against 5
    Case("the four weights", ((8, 7, 6, 9),), (even(5),), (7.3, 5), 2.3, "narrow"),
    # 0.3*4 + 0.7*7 = 6.1, and 7 - 6.1 = 0.9
    Case("just below a draw's end", (even(7),), ((4, 7, 7, 7),), (7, 6.1), 0.9, "draw"),
    Case("a gap of 1 is narrow", (even(7),), (even(6),), (7, 6), 1, "narrow"),
    Case("a gap of 3 is narrow", (even(9),), (even(6),), (9, 6), 3, "narrow"),
    # 0.9*6 + 0.1*5 = 5.9, and 9 - 5.9 = 3.1
    Case("above 3 is clear", (even(9),), ((6, 6, 6, 5),), (9, 5.9), 3.1, "clear"),
    # (8 + 6) / 2 = 7
    Case("a mean over arguments", (even(8), even(6)), (even(7),), (7, 7), 0, "draw"),
    # 20/3 - 17/3 = 1, which floats make 0.9999999999999991
    Case("float errors do not change the victory",
         (even(7), even(7), even(6)), (even(6), even(6), even(5)), (20 / 3, 17 / 3), 1, "narrow"),
    # Weights 2 and 2 of 4: (8 + 6) / 2 = 7 against (5 + 5) / 2 = 5; the other criteria weigh nothing
    Case("weights are normalised", ((8, 6, 1, 1),), ((5, 5, 10, 10),), (7, 5), 2, "narrow",
         {"weights": StructuredWeights(logic=2, evidence=2, responsiveness=0, honesty=0)}),
    # Two fallacies of 1.5 in one argument of 8: 8 - 3 = 5
    Case("a penalty for each fallacy", (even(8),), (even(5),), (5, 5), 0, "draw", {"fallacy_penalty": 1.5}, ("PRO-1", "PRO-1")),
    # 2 - 5 would be -3: clamped to 1. (1 + 9) / 2 = 5
    Case("no score below 1", (even(2), even(9)), (even(5),), (5, 5), 0, "draw", {"fallacy_penalty": 5}, ("PRO-1",)),
    # 9 - 2 = 7 is a mean of (7 + 9) / 2 = 8: the penalty is the argument's, not the side's
    Case("a penalty is the argument's", (even(9), even(9)), (even(8),), (8, 8), 0, "draw", {"fallacy_penalty": 2}, ("PRO-2",)),
    Case("fallacies cost nothing by default", (even(8),), (even(5),), (8, 5), 3, "narrow", {}, ("PRO-1",)),
    Case("a fallacy of an unknown argument", (even(8),), (even(5),), (8, 5), 3, "narrow", {"fallacy_penalty": 2}, ("PRO-9",)),
    # 1 to 10 is the scale: -7 counts as 1, 0.3*1 + 0.7*10 = 7.3
    Case("marks are clamped to their scale", ((-7, 10, 10, 10),), (even(10),), (7.3, 10), 2.7, "narrow"),
    Case("thresholds are settings", (even(7),), (even(5),), (7, 5), 2, "clear", {"thresholds": Thresholds(draw=1, clear=1.5)}),
    Case("equal scores are a draw for any threshold", (even(7),), (even(7),), (7, 7), 0, "draw",
         {"thresholds": Thresholds(draw=0, clear=1)}),
)  # fmt: skip


def debate_of(case: Case, settings: StructuredSettings) -> Debate:
    """A debate of both openings and one judge's marks."""
    ids = {PRO: [f"PRO-{n + 1}" for n in range(len(case.pro))], CON: [f"CON-{n + 1}" for n in range(len(case.con))]}
    rows = [*zip(ids[PRO], case.pro, strict=True), *zip(ids[CON], case.con, strict=True)]
    given = [mark for item, row in rows for mark in argument_marks(PRO if item in ids[PRO] else CON, item, *row)]
    found = [Fallacy(participant=PRO, item=item, name="straw man") for item in case.fallacies]
    turns = [opening(0, PRO, *ids[PRO]), opening(1, CON, *ids[CON])]
    return build_debate(opening_event(settings), turns, [assessment("structured", given, *found)])


@pytest.mark.parametrize(
    ("items", "sentence"),
    [
        ((), "marked 2 of 2 arguments"),
        (("PRO-1",), "marked 2 of 2 arguments, found 1 fallacy: straw man in PRO-1"),
        (("PRO-1", None), f"marked 2 of 2 arguments, found 2 fallacies: straw man in PRO-1, straw man by {PRO}"),
    ],
)
def test_the_report_of_a_running_debate_names_the_fallacies(items: tuple[str | None, ...], sentence: str) -> None:
    """Each fallacy has the argument that contains it or, if the judge named none, the debater."""
    found = [Fallacy(participant=PRO, item=item, name="straw man") for item in items]
    given = assessment(
        "structured", [*argument_marks(PRO, "PRO-1", *even(8)), *argument_marks(CON, "CON-1", *even(5))], *found
    )
    debate = build_debate(
        opening_event(StructuredSettings()), [opening(0, PRO, "PRO-1"), opening(1, CON, "CON-1")], [given]
    )
    assert get_system("structured").live_report(given, debate).sentences == (sentence,)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_scores_margin_and_victory(case: Case) -> None:
    """Each case has the scores, the margin and the victory of the rules."""
    settings = StructuredSettings(**case.settings)
    found = score_run(debate_of(case, settings), "r1", settings)
    assert (found.scores[PRO], found.scores[CON]) == pytest.approx(case.scores)
    assert found.margin == pytest.approx(case.margin)
    assert found.victory == case.victory
    higher = PRO if case.scores[0] > case.scores[1] else CON
    assert found.winner == (None if case.victory == "draw" else higher)


def verdict_on(*given: Any, judges: int = 1, settings: StructuredSettings | None = None) -> Verdict:
    """The verdict on one argument of each side."""
    chosen = settings or StructuredSettings(judges=judges)
    turns = [opening(0, PRO, "PRO-1"), opening(1, CON, "CON-1")]
    return score_run(build_debate(opening_event(chosen), turns, given), "r1", chosen)


def marks_of(pro: float, con: float) -> list[Mark]:
    """Even marks of both arguments."""
    return [*argument_marks(PRO, "PRO-1", *even(pro)), *argument_marks(CON, "CON-1", *even(con))]


def argument_chart(pro: int) -> Chart | None:
    """The chart of the arguments' scores, if Pro has `pro` arguments and Con has one; None if there is no such chart."""
    case = Case("", (even(8),) * pro, (even(5.5),), (8, 5.5), 2.5, "narrow")
    found = score_run(debate_of(case, StructuredSettings()), "r1", StructuredSettings())
    return next(
        (chart for chart in charts(found) if chart.title == "Score of each argument" and not chart.is_empty), None
    )


def test_a_chart_shows_the_score_of_each_argument() -> None:
    """Each argument has one bar, in the colour of its debater."""
    chart = argument_chart(2)
    assert chart is not None
    assert chart.labels == ("PRO-1 · 8.0", "PRO-2 · 8.0", "CON-1 · 5.5")
    points = {
        line.participant: [None if point is None else point.value for point in line.points] for line in chart.series
    }
    assert points == {PRO: [8, 8, None], CON: [None, None, 5.5]}


def test_more_than_40_arguments_have_no_chart() -> None:
    """The table has their scores."""
    assert argument_chart(39) is not None
    assert argument_chart(40) is None


CLARITY = Criterion(name="clarity", description="1 = obscure, 10 = plain", weight=3)
COST = Criterion(name="cost", description="1 = not named, 10 = named", weight=1)


def own_marks(*rows: tuple[str, str, float, float]) -> list[Mark]:
    """Marks of clarity and cost: participant, argument and the two numbers of each row."""
    return [
        Mark(participant=name, item=item, criterion=criterion, value=value, out_of=10)
        for name, item, *values in rows
        for criterion, value in zip(("clarity", "cost"), values, strict=True)
    ]


def test_own_criteria_replace_the_default_ones() -> None:
    """Weights 3 and 1 of 4 give 0.75*8 + 0.25*4 = 7 and 0.75*4 + 0.25*8 = 5. Marks of logic are ignored."""
    settings = StructuredSettings(criteria=(CLARITY, COST))
    marks = own_marks((PRO, "PRO-1", 8, 4), (CON, "CON-1", 4, 8))
    found = verdict_on(assessment("structured", [*marks, *marks_of(1, 10)]), settings=settings)
    assert (found.scores, found.notes["weights"]) == ({PRO: 7, CON: 5}, {"clarity": 0.75, "cost": 0.25})


def test_marks_and_penalty_are_weighted_by_judge() -> None:
    """(3*8 + 4) / 4 = 7 less 2 * 3/4 is 5.5, and (3*6 + 2) / 4 = 5. The spread is the highest minus the lowest mark."""
    listed = (StructuredJudge(id="strict", weight=3), StructuredJudge(id="kind"))
    found = verdict_on(
        assessment("structured", marks_of(8, 6), Fallacy(participant=PRO, item="PRO-1", name="x"), assessor="strict"),
        assessment("structured", marks_of(4, 2), assessor="kind"),
        settings=StructuredSettings(judges=listed, fallacy_penalty=2),
    )
    notes = found.notes
    assert isinstance(notes, StructuredNotes)
    assert (found.scores, notes.arguments[0].spread) == ({PRO: 5.5, CON: 5}, dict.fromkeys(DEFAULT_CRITERIA, 4.0))
    assert notes.judge_weights == {"strict": 0.75, "kind": 0.25}


def test_a_penalty_that_is_a_fraction_is_shown_with_three_digits() -> None:
    """One judge of three finds a fallacy, so the penalty is a third of a point."""
    found = verdict_on(
        assessment("structured", marks_of(8, 6), Fallacy(participant=PRO, item="PRO-1", name="x"), assessor="judge-1"),
        *(assessment("structured", marks_of(8, 6), assessor=f"judge-{number}") for number in (2, 3)),
        settings=StructuredSettings(judges=3, fallacy_penalty=1),
    )
    scores = next(iter(tables(found)))
    assert "7.67 (−0.333)" in (scores.rows[0] or ())


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"criteria": [CLARITY, CLARITY]}, "criteria.1.name: an earlier criterion has this name"),
        ({"criteria": [CLARITY], "weights": {"logic": 1}}, "weights: has no effect together with `criteria`"),
        ({"judges": [{"id": "a"}, {"id": "A"}]}, "judges.1: an earlier judge has this id"),
        ({"fallacies": ["straw man", "Straw man"]}, "fallacies.1.name: an earlier fallacy has this name"),
    ],
)
def test_contradictory_settings_are_named(settings: dict[str, Any], words: str) -> None:
    """A fault has the key path and says what to do."""
    (found,) = StructuredSettings.model_validate(settings).problems()
    assert f"{'.'.join(map(str, found[0]))}: {found[1]}".startswith(words)


@pytest.mark.parametrize(
    ("name", "description", "words"),
    [
        ("spread", "x", "`spread` is a reserved name"),
        ("a b", "x", "must consist of at most 40 letters"),
        ("cost", " ", "should have at least 1 character"),
    ],
)
def test_a_criterion_has_a_usable_name_and_a_description(name: str, description: str, words: str) -> None:
    """Transcripts are checked as well, so that no name breaks a form or a verdict."""
    with pytest.raises(ValidationError, match=words):
        Criterion(name=name, description=description)


@pytest.mark.parametrize("judges", ["x", [], {"id": "a"}, True])
def test_judges_are_a_number_or_a_list(judges: object) -> None:
    """Any other value is one error, which names both forms."""
    with pytest.raises(ValidationError, match="must be a number from 1 to 25, or a list of judges"):
        StructuredSettings.model_validate({"judges": judges})


def test_a_missing_mark_leaves_an_argument_without_a_score() -> None:
    """The side of the argument has no score either, and the missing mark is named."""
    given = [mark for mark in marks_of(8, 4) if (mark.item, mark.criterion) != ("CON-1", "honesty")]
    found = verdict_on(assessment("structured", given))
    assert (found.victory, found.scores) == ("undetermined", {PRO: 8.0})
    assert found.notes["missing"] == ["judge gave no mark for honesty of CON-1."]


def test_a_criterion_of_weight_zero_needs_no_mark() -> None:
    """With weight 0 for honesty, an argument without a mark for honesty has a score."""
    given = [mark for mark in marks_of(8, 4) if mark.criterion != "honesty"]
    found = verdict_on(
        assessment("structured", given), settings=StructuredSettings(weights=StructuredWeights(honesty=0))
    )
    assert found.scores == {PRO: 8.0, CON: 4.0}


def test_invalid_marks_are_ignored() -> None:
    """Marks of an unknown argument, an unknown criterion or another debater's argument do not count."""
    strange = [
        Mark(participant=PRO, item="PRO-7", criterion="logic", value=1, out_of=10),
        Mark(participant=PRO, item="PRO-1", criterion="charm", value=1, out_of=10),
        Mark(participant=CON, item="PRO-1", criterion="logic", value=1, out_of=10),
    ]
    assert verdict_on(assessment("structured", strange + marks_of(8, 4))).scores == {PRO: 8.0, CON: 4.0}


def test_the_notes_list_each_argument() -> None:
    """The notes have marks, penalty and score of each argument, the means and the label."""
    notes = verdict_on(assessment("structured", marks_of(8, 8))).notes
    assert notes["label"] == "evenly matched"
    assert notes["means"] == {
        name: dict.fromkeys(("logic", "evidence", "responsiveness", "honesty"), 8.0) for name in (PRO, CON)
    }
    assert notes["arguments"] == [
        {
            "id": item,
            "participant": name,
            **dict.fromkeys(("logic", "evidence", "responsiveness", "honesty"), 8.0),
            "penalty": 0.0,
            "score": 8.0,
        }
        for name, item in ((PRO, "PRO-1"), (CON, "CON-1"))
    ]


@pytest.mark.parametrize(
    ("judges", "titles"), [(1, ["structured: scores"]), (2, ["structured: scores", "spread between judges"])]
)
def test_the_spread_is_a_table_if_several_judges_marked(judges: int, titles: list[str]) -> None:
    """The table has the highest minus the lowest mark of each argument and criterion."""
    names = ("judge",) if judges == 1 else ("judge-1", "judge-2")
    given = [assessment("structured", marks_of(8 - place, 4), assessor=name) for place, name in enumerate(names)]
    found = [table for table in tables(verdict_on(*given, judges=judges)) if table.rows]
    assert [table.title for table in found] == titles
    if judges > 1:
        assert found[1].rows[0] == ("PRO-1", *[Number(1.0, 1)] * 4)


def weighted(**weights: Any) -> StructuredSettings:
    """Settings of structured with these weights."""
    return StructuredSettings(weights=StructuredWeights(**weights))


@pytest.mark.parametrize(
    ("settings", "notices"),
    [
        (weighted(), ()),
        (weighted(logic=0.1, evidence=0.2, responsiveness=0.3, honesty=0.4), ()),
        (
            weighted(logic=2, evidence=1, responsiveness=1, honesty=0),
            (
                (
                    "weights sum to 4 (logic 2, evidence 1, responsiveness 1, honesty 0), "
                    "so they are scaled to logic 0.5, evidence 0.25, responsiveness 0.25, honesty 0"
                ),
            ),
        ),
        (
            weighted(evidence=0.7),
            (
                (
                    "weights sum to 1.3 (logic 0.3 by default, evidence 0.7, responsiveness 0.2 by default, honesty 0.1 by "
                    "default), so they are scaled to logic 0.231, evidence 0.538, responsiveness 0.154, honesty 0.0769"
                ),
            ),
        ),
    ],
    ids=["default", "sum of 1", "sum of 4", "sum with defaults"],
)
def test_settings_with_a_side_effect_are_listed(settings: SystemSettings, notices: tuple[str, ...]) -> None:
    """A notice has the key path of weights that do not sum to 1."""
    config = JudgingConfig(systems=(ModeratorSettings(), settings))
    assert config.notices() == tuple(f"judging.systems.1.{notice}" for notice in notices)
