"""The moderator's scorer, worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest
from scoring_support import CON, PRO, THIRD, THREE, assessment, begun, judged, marks, speech

from debate_cli.domain.assessment import Assessment, Mark
from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_config import Thresholds
from debate_cli.domain.verdict import Verdict, Victory
from debate_cli.systems.moderator.score import CLAIMED_TOTAL_CRITERION, FINAL_CATEGORIES, ROUND_CRITERIA, score_run
from debate_cli.systems.moderator.settings import ModeratorSettings

NAMES = (PRO, CON)


def round_marks(number: int, *rows: tuple[float, float, float], judge: str = "judge") -> Assessment:
    """Three marks for each debater in one round."""
    given = [mark for name, row in zip(NAMES, rows, strict=False) for mark in marks(name, ROUND_CRITERIA, row)]
    return assessment("moderator", given, moment="round", round=number, assessor=judge)


def final_marks(*losses: float | Mapping[str, float], judge: str = "judge", rationale: str = "") -> Assessment:
    """The final evaluation: each debater has full marks less a loss in `relevance`, or in the criteria named."""
    given: list[Mark] = []
    for name, loss in zip(NAMES, losses, strict=False):
        less: Mapping[str, float] = loss if isinstance(loss, Mapping) else {"relevance": loss}
        given += marks(
            name, FINAL_CATEGORIES, [highest - less.get(key, 0) for key, highest in FINAL_CATEGORIES.items()]
        )
    return assessment("moderator", given, assessor=judge, rationale=rationale)


def chaired(*given: Assessment, rounds: int = 1, judges: int = 1) -> Debate:
    """A debate of so many rounds, two speeches each."""
    turns = [speech(index, NAMES[index % 2]) for index in range(2 * rounds)]
    return judged(begun(ModeratorSettings(judges=judges)), turns, given)


@dataclass(frozen=True)
class Case:
    """Round sums and final losses of both, and what they come to."""

    name: str
    rounds: tuple[tuple[tuple[float, float, float], tuple[float, float, float]], ...]
    losses: tuple[float, float]
    scores: tuple[float, float]
    victory: Victory


FULL, HALF, NONE = (10, 10, 10), (5, 5, 5), (0, 0, 0)
CASES = (
    # 30*0.25 + 100*0.75 = 82.5
    Case("the most there is", ((FULL, FULL),), (0, 0), (82.5, 82.5), "draw"),
    # 15*0.25 = 3.75 less than 7.5
    Case("rounds weigh a quarter", ((FULL, HALF),), (0, 0), (82.5, 78.75), "narrow"),
    # 95*0.75 = 71.25, and 7.5 to it
    Case("the evaluation weighs three quarters", ((FULL, FULL),), (0, 5), (82.5, 78.75), "narrow"),
    # (30 + 0)/2 = 15 against (15 + 15)/2
    Case("round sums are averaged", ((FULL, HALF), (NONE, HALF)), (0, 0), (78.75, 78.75), "draw"),
    # 28*0.25 = 7: a margin of 0.5
    Case("below 1 is a draw", ((FULL, (8, 10, 10)),), (0, 0), (82.5, 82.0), "draw"),
    # 26*0.25 = 6.5: a margin of 1
    Case("1 is narrow", ((FULL, (6, 10, 10)),), (0, 0), (82.5, 81.5), "narrow"),
    # 10*0.25 = 2.5: a margin of 5
    Case("5 is clear", ((FULL, (10, 0, 0)),), (0, 0), (82.5, 77.5), "clear"),
    # 11*0.25 = 2.75: a margin of 4.75
    Case("below 5 is narrow", ((FULL, (10, 1, 0)),), (0, 0), (82.5, 77.75), "narrow"),
    # 0*0.25 against 7.5; 100*0.75 against 90*0.75 = 67.5: both 75
    Case("one makes up for the other", ((NONE, FULL),), (0, 10), (75, 75), "draw"),
    # (30 + 29 + 29)/3 = 29 1/3: 7 1/3 + 75
    Case(
        "thirds", (((10, 10, 10), FULL), ((9, 10, 10), FULL), ((10, 9, 10), FULL)), (0, 0), (75 + 88 / 12, 82.5), "draw"
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_cases_worked_by_hand(case: Case) -> None:
    """A quarter of the mean round sum and three quarters of the final total."""
    given = [round_marks(number, *rows) for number, rows in enumerate(case.rounds, 1)]
    found = score_run(chaired(*given, final_marks(*case.losses), rounds=len(given)), "r1", ModeratorSettings())
    assert [found.scores[name] for name in NAMES] == pytest.approx(list(case.scores))
    assert found.margin == pytest.approx(abs(case.scores[0] - case.scores[1]))
    higher = PRO if case.scores[0] > case.scores[1] else CON
    assert (found.victory, found.winner) == (case.victory, None if case.victory == "draw" else higher)


def test_thirteen_categories_make_a_hundred() -> None:
    """The scale is that of the rules: thirteen categories, 100 points; three criteria, 30."""
    assert (len(FINAL_CATEGORIES), sum(FINAL_CATEGORIES.values()), sum(ROUND_CRITERIA.values())) == (13, 100, 30)


def test_marks_are_held_to_their_category() -> None:
    """8 of 5 for clarity counts as 5: no more than 82.5 can be reached."""
    found = score_run(chaired(round_marks(1, FULL, FULL), final_marks({"clarity": -3}, 0)), "r1", ModeratorSettings())
    assert found.scores[PRO] == 82.5


def test_several_chairs_are_averaged() -> None:
    """Rounds of 30 and 0 make 15; evaluations of 100 and 90 make 95: 3.75 + 71.25 = 75."""
    found = score_run(
        chaired(
            round_marks(1, FULL, FULL, judge="judge-1"),
            round_marks(1, NONE, FULL, judge="judge-2"),
            final_marks(0, 0, judge="judge-1"),
            final_marks(10, 0, judge="judge-2"),
            judges=2,
        ),
        "r1",
        ModeratorSettings(judges=2),
    )
    assert found.scores == {PRO: 75.0, CON: 82.5}


def test_thresholds_are_settings() -> None:
    """A margin of 3.75 is clear where clear begins at 3."""
    debate = chaired(round_marks(1, FULL, HALF), final_marks(0, 0))
    assert score_run(debate, "r1", ModeratorSettings(thresholds=Thresholds(draw=1, clear=3))).victory == "clear"


def missing(found: Verdict) -> Sequence[object]:
    """What the verdict says is missing."""
    sentences = found.notes["missing"]
    assert isinstance(sentences, list)
    return sentences


def test_without_the_evaluation_nothing_is_determined() -> None:
    """Rounds alone are a quarter of a score, which is no score."""
    found = score_run(chaired(round_marks(1, FULL, HALF)), "r1", ModeratorSettings())
    assert (found.victory, found.scores, missing(found)) == (
        "undetermined",
        {},
        ["The debate was not assessed by judge."],
    )


def test_without_any_round_nothing_is_determined() -> None:
    """The evaluation alone is not the whole formula."""
    found = score_run(chaired(final_marks(0, 0)), "r1", ModeratorSettings())
    assert (found.victory, missing(found)) == ("undetermined", ["Round 1 was not assessed by judge."])


def test_a_round_that_was_not_judged_is_named_and_left_out() -> None:
    """The mean is over the rounds that were judged."""
    found = score_run(chaired(round_marks(2, HALF, FULL), final_marks(0, 0), rounds=2), "r1", ModeratorSettings())
    assert (found.scores[PRO], missing(found)) == (78.75, ["Round 1 was not assessed by judge."])


def test_a_category_without_a_mark_leaves_its_debater_unscored() -> None:
    """Twelve of thirteen categories are no total."""
    final = final_marks(0, 0)
    fewer = tuple(mark for mark in final.marks if (mark.participant, mark.criterion) != (CON, "clarity"))
    found = score_run(
        chaired(round_marks(1, FULL, FULL), final.model_copy(update={"marks": fewer})), "r1", ModeratorSettings()
    )
    assert (found.victory, found.scores) == ("undetermined", {PRO: 82.5})
    assert missing(found) == ["judge gave Ben no mark for clarity in the debate."]


@pytest.mark.parametrize(("claimed", "listed"), [(100, False), (99.5, False), (99.4, True), (90, True)])
def test_a_claimed_total_is_shown_where_it_differs(claimed: float, listed: bool) -> None:
    """More than 0.5 from our sum of 100 is listed; it never counts."""
    final = final_marks(0, 0)
    claim = Mark(participant=PRO, criterion=CLAIMED_TOTAL_CRITERION, value=claimed, out_of=100)
    debate = chaired(round_marks(1, FULL, FULL), final.model_copy(update={"marks": (*final.marks, claim)}))
    found = score_run(debate, "r1", ModeratorSettings())
    assert found.scores[PRO] == 82.5
    expected = {"assessor": "judge", "participant": PRO, "round": None, "claimed": claimed, "ours": 100.0}
    assert found.notes["claimed"] == ([expected] if listed else [])


def test_the_notes_hold_rounds_and_evaluation() -> None:
    """Sums per round, categories, totals, the share of 82.5 and the reasoning."""
    found = score_run(
        chaired(round_marks(1, HALF, FULL), final_marks(0, 0, rationale="Even.")), "r1", ModeratorSettings()
    )
    rounds, final = found.notes["rounds"], found.notes["final"]
    assert isinstance(rounds, list)
    assert isinstance(final, list)
    assert rounds[0] == {
        "round": 1,
        "participant": PRO,
        "marks": dict.fromkeys(ROUND_CRITERIA, 5.0),
        "reasons": {},
        "sum": 15.0,
    }
    assert final[0] == {
        "participant": PRO,
        "categories": FINAL_CATEGORIES,
        "total": 100.0,
        "round_mean": 15.0,
        "score": 78.75,
        "share": pytest.approx(78.75 / 82.5),
        "reasons": [],
    }
    assert found.notes["reasoning"] == [{"assessor": "judge", "text": "Even."}]


def test_marks_on_strangers_are_ignored() -> None:
    """Who did not take part has no row and no score."""
    stranger = round_marks(1, FULL, FULL).model_copy(update={"marks": tuple(marks("Zoe", ROUND_CRITERIA, FULL))})
    found = score_run(chaired(stranger, final_marks(0, 0)), "r1", ModeratorSettings())
    assert found.notes["rounds"] == []


def test_one_who_has_not_spoken_is_named_and_does_not_hinder() -> None:
    """Two of three spoke and were scored: they are compared, the third is named."""
    turns = [speech(0, PRO), speech(1, CON)]
    debate = judged(begun(ModeratorSettings(), debaters=THREE), turns, [round_marks(1, FULL, HALF), final_marks(0, 0)])
    found = score_run(debate, "r1", ModeratorSettings())
    assert (found.winner, missing(found)) == (PRO, ["Cem has not spoken."])


def test_one_who_has_not_spoken_cannot_win() -> None:
    """Marks that a judge gave a silent debater all the same are shown, and are no score."""
    turns = [speech(0, PRO), speech(1, CON)]
    silent = [*marks(THIRD, ROUND_CRITERIA, FULL)], [*marks(THIRD, FINAL_CATEGORIES, FINAL_CATEGORIES.values())]
    given = [
        item.model_copy(update={"marks": (*item.marks, *more)})
        for item, more in zip((round_marks(1, FULL, HALF), final_marks(5, 10)), silent, strict=True)
    ]
    found = score_run(judged(begun(ModeratorSettings(), debaters=THREE), turns, given), "r1", ModeratorSettings())
    assert (found.winner, sorted(found.scores)) == (PRO, sorted((PRO, CON)))
