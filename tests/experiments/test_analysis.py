"""The analysis of an experiment, on rows that are made by hand."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("scipy", reason="needs the extra [experiments]")

from debate_cli.errors import UsageError
from debate_cli.experiments.analysis import analyze
from debate_cli.experiments.rating_file import read_rating_file
from debate_cli.experiments.results import JudgementRow
from debate_cli.render.content.experiment_report import leaderboard_table, report_tables
from debate_cli.systems.tables import Interval

TEMPLATE: dict[str, Any] = {
    "experiment": "x", "debate": "d", "path": "debates/d.json", "topic": "Motion", "tags": "", "repeat": 1,
    "first_model": "mock/a", "second_model": "mock/b", "judge_model": "mock/j", "own_model": False,
    "system": "structured", "decides": True, "run": "r2", "rules": 1, "weight": 0.5, "victory": "clear",
    "cost_usd": 0.5, "tokens": 10, "seconds": 1.0, "first_cost_usd": 1.0, "second_cost_usd": None,
    "first_tokens": 100, "second_tokens": 200, "first_seconds": 2.0, "second_seconds": 4.0,
    "first_words": 300, "second_words": 200, "closed": "complete", "axes": {},
}  # fmt: skip


def _row(motion: int, first: str, second: str, judge: str, result: str, **changes: object) -> JudgementRow:
    lead = {"first": 2.0, "second": -2.0}.get(result, 0.0)
    winner = {"first": first, "second": second}.get(result)
    columns: dict[str, Any] = {
        **TEMPLATE,
        "cell": f"m{motion}-{first}-{second}",
        "motion": f"m{motion}",
        "first": first,
        "second": second,
        "judge": judge,
        "result": result,
        "winner": winner,
        "margin": abs(lead),
        "first_score": 5 + lead / 2,
        "second_score": 5 - lead / 2,
        **changes,
    }
    return JudgementRow(**columns)


def _both_orders(motions: int, judge: str, first_order: str, second_order: str) -> Iterator[JudgementRow]:
    for motion in range(motions):
        yield _row(motion, "ann", "bob", judge, first_order)
        yield _row(motion, "bob", "ann", judge, second_order)


def test_stronger_player_leads_and_sides_are_kept_apart() -> None:
    """Ann wins both orders before one judge and draws before the other: 75 % on both sides, and no side bias."""
    rows = [*_both_orders(6, "fair", "first", "second"), *_both_orders(6, "mild", "draw", "draw")]
    (found,) = analyze(rows, resamples=50).systems
    ann, bob = found.by_result.ratings
    assert (ann.name, bob.name, ann.share) == ("ann", "bob", 0.75)
    assert found.by_result.side.value == pytest.approx(0, abs=1e-6)
    assert (found.players[0].as_first.value, found.players[0].as_second.value) == (0.75, 0.75)
    assert found.pairs[0].share.value == 0.75
    assert found.margin_scale == 2.0


def _varied_motions(motions: int) -> list[JudgementRow]:
    """Both orders on each motion. The results of the first motion are not those of the others."""
    return [*_both_orders(motions, "fair", "first", "draw"), *_both_orders(1, "mild", "second", "first")]


@pytest.mark.parametrize(("motions", "words"), [(1, "need at least two clusters"), (2, "come from a bootstrap")])
def test_one_motion_has_no_intervals(motions: int, words: str) -> None:
    """The report says whether there are intervals, and names their level only if there are."""
    (found,) = analyze(_varied_motions(motions), resamples=50).systems
    table = leaderboard_table(found.by_result, "leaderboard")
    assert any(words in remark for remark in table.remarks)
    assert ("Elo-like (95 %)" in table.heads, "interval" in table.heads) == (motions > 1, motions > 1)


@pytest.mark.parametrize(("motions", "is_warned"), [(1, False), (2, True), (9, True), (10, False)])
def test_few_motions_are_remarked(motions: int, is_warned: bool) -> None:
    """Intervals from fewer than ten motions come with a warning; a single motion has no intervals."""
    (found,) = analyze(_varied_motions(motions), resamples=50).systems
    remarks = leaderboard_table(found.by_result, "leaderboard").remarks
    assert any("these intervals are usually too narrow" in remark for remark in remarks) == is_warned


@pytest.mark.parametrize(("other", "is_shown"), [("first", False), ("draw", True)])
def test_a_leaderboard_claims_no_interval_that_it_does_not_have(other: str, is_shown: bool) -> None:
    """Ann wins every debate: her strength has no interval. The table has intervals only if another strength has one."""
    rows = [_row(motion, "ann", "bob", "fair", "first") for motion in range(3)]
    rows += [_row(motion, "cid", "dee", "fair", other if motion else "first") for motion in range(3)]
    (found,) = analyze(rows, resamples=50).systems
    table = leaderboard_table(found.by_result, "leaderboard")
    remarks = " ".join(table.remarks)
    assert ("interval" in table.heads, "intervals come from a bootstrap" in remarks) == (is_shown, is_shown)
    assert "Values without an interval are the same in all of the bootstrap's resamples" in remarks
    assert "need at least two clusters" not in remarks
    cells = {row[0]: row[1] for row in table.rows if row is not None}
    assert ["(" in str(cells[name]) for name in ("ann", "cid")] == [False, is_shown]


def test_judge_of_sides_is_shown_as_one() -> None:
    """A judge that always names the side for the motion gives it 100 %, and each swapped pair another winner."""
    rows = [*_both_orders(6, "sided", "first", "first"), *_both_orders(6, "fair", "first", "second")]
    (found,) = analyze(rows, resamples=50).systems
    sided, fair = found.judges
    assert (sided.first_share.value, sided.swapped.value) == (1.0, 1.0)
    assert (fair.first_share.value, fair.swapped.value) == (0.5, 0.0)
    assert found.agreements[0].share.value == 0.5
    table = next(table for table in report_tables(analyze(rows, resamples=50)) if table.title == "agreement")
    assert table.rows == (("sided and fair", "50 % (50 to 50)", Interval(0.5, 0.5, 0.5, 0, 1), "0.00 (0.00 to 0.00)"),)


@pytest.mark.parametrize("judge_model", ["mock/a", "openrouter/mock/a"])
def test_self_preference_is_measured_against_the_other_judges(judge_model: str) -> None:
    """A judge that gives its own model every win, where another judge calls draws, prefers it by 50 points of 100."""
    own = [
        row._replace(judge_model=judge_model, own_model=True, first_model="mock/a" if row.first == "ann" else "mock/b")
        for row in _both_orders(6, "own", "first", "second")
    ]
    rows = [*own, *_both_orders(6, "other", "draw", "draw")]
    (found,) = analyze(rows, resamples=50).systems
    assert found.judges[0].self_preference.value == pytest.approx(0.5)
    assert found.judges[1].self_preference.value is None


def test_debates_of_the_judges_model_against_itself_show_no_preference() -> None:
    """A debate in which both players have the judge's model is left out of its self-preference."""
    own = [
        row._replace(judge_model="mock/a", own_model=True, first_model="mock/a", second_model="mock/a")
        for row in _both_orders(6, "own", "first", "first")
    ]
    (found,) = analyze([*own, *_both_orders(6, "other", "draw", "draw")], resamples=50).systems
    assert found.judges[0].self_preference.value is None


def test_one_sided_motions_come_first() -> None:
    """A motion that the side for it always wins is one-sided; one that is even is not."""
    rows = [_row(0, "ann", "bob", "j", "first", cell=f"c{number}") for number in range(12)]
    rows += [_row(1, "ann", "bob", "j", ("first", "second")[number % 2], cell=f"e{number}") for number in range(12)]
    (found,) = analyze(rows, resamples=0).systems
    assert [(record.motion, record.is_one_sided) for record in found.motions] == [("m0", True), ("m1", False)]


def test_results_that_do_not_count_are_left_out_and_counted() -> None:
    """Judgements of weight 0 are in no rating, and one unknown price makes the sum of costs unknown."""
    rows = [*_both_orders(4, "j", "first", "second"), _row(9, "ann", "bob", "j", "undetermined", weight=0.0)]
    found = analyze(rows, resamples=0)
    assert found.undetermined == 1
    assert found.systems[0].by_result.results == 8
    assert [(spent.name, spent.count, spent.cost_usd) for spent in found.players] == [
        ("ann", 9, None),
        ("bob", 9, None),
    ]
    assert {table.title for table in report_tables(found)} >= {"leaderboard", "judges", "motions", "spent on speeches"}


def test_players_that_only_meet_themselves_have_no_rating() -> None:
    """If no two different players met, the report says that there is nothing to rate."""
    (found,) = analyze([_row(motion, "ann", "ann", "j", "first") for motion in range(3)], resamples=50).systems
    assert found.by_result.ratings == ()
    assert found.by_result.notes == ("No two different players met, so there is nothing to rate.",)


def test_file_of_results_is_read_by_column_name(tmp_path: Path) -> None:
    """Columns may have any order, margins are scaled by the largest, and `side` says who had the first place."""
    path = tmp_path / "results.csv"
    path.write_text("margin,right,left,side,cluster\n4,bob,ann,left,m1\n-2,bob,ann,right,m1\n1,bob,ann,none,m2\n")
    found = read_rating_file(path)
    assert found.margin_scale == 4.0
    assert [(each.left, each.score, each.weight, each.cluster) for each in found.results] == [
        ("ann", 1.0, 1.0, "m1"),
        ("bob", 0.75, 1.0, "m1"),
        ("ann", 0.625, 0.5, "m2"),
        ("bob", 0.375, 0.5, "m2"),
    ]


def test_one_of_two_result_columns_may_be_empty(tmp_path: Path) -> None:
    """A file may have the columns `score` and `margin`, if one of them is empty."""
    path = tmp_path / "results.csv"
    path.write_text("left,right,score,margin\na,b,,4\na,b,,-2\n")
    assert [each.score for each in read_rating_file(path).results] == [1.0, 0.25]


def test_rows_without_a_cluster_share_no_weight(tmp_path: Path) -> None:
    """Judges of one cluster share its weight. Each row without a cluster has its full weight."""
    path = tmp_path / "results.csv"
    path.write_text("left,right,score,judge,cluster\na,b,1,j1,m\na,b,0,j2,m\na,b,1,j1,\na,b,0,j2,\n")
    assert [each.weight for each in read_rating_file(path).results] == [0.5, 0.5, 1.0, 1.0]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("left,right,points\na,b,1\n", "unknown column 'points'; remove it, or rename it to one of left, right"),
        ("left,score\na,1\n", "has no column `right`"),
        ("left,right\na,b\n", "has no column `score` or `margin`"),
        ("left,right,score\na,b,2\n", "results.csv:2: `score` must be a number from 0 to 1, not '2'"),
        ("left,right,score\na,a,1\n", "results.csv:2: the row needs two different players"),
        ("left,right,margin\na,b,0\n", "every margin is 0"),
        ("left,right,score\n", "no results below its header"),
        ("left,right,score,side\na,b,1,top\n", "`side` must be `left`, `right` or `none`"),
        ("left,right,score,margin\na,b,1,3\n", "results.csv:2: the row has both a `score` and a `margin`"),
        ("left,right,margin\na,b,x\n", "results.csv:2: `margin` must be a number, not 'x'"),
        ("left,right,score\na,b,1\na,b,\n", "results.csv:3: the row has no result; write a number in `score`"),
        ("left,right,margin,score\na,b,,\n", "the row has no result; write a number in `score` or `margin`"),
        ("left,right,score,score\na,b,1,0\n", "results.csv: two columns are named 'score'"),
        ("left,right,score\na,b,0,5\n", "results.csv: line 2 has more values than the 3 columns"),
        ("left,right,score\n" + "x" * 200_000 + ",b,1\n", "results.csv: not valid CSV at line 2"),
    ],
)
def test_wrong_files_are_named(tmp_path: Path, text: str, sentence: str) -> None:
    """An error in a file of results is one sentence with the column or the line."""
    path = tmp_path / "results.csv"
    path.write_text(text)
    with pytest.raises(UsageError) as error:
        read_rating_file(path)
    assert sentence in str(error.value)
