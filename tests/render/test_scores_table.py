"""Verdicts of many files as rows."""

from __future__ import annotations

import csv
import io
import json

import pytest
from render_support import debate, scores_view, shown, unscored

from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.render import theme
from debate_cli.render.agreement import build_agreement_table
from debate_cli.render.html.index import render_index
from debate_cli.render.score_rows import (
    SCORE_COLUMNS,
    CheckedFile,
    ScoredFile,
    csv_header,
    drop_notes,
    dump_file_csv,
    dump_jsonl,
    dump_scores_json,
    score_rows,
    summarize_systems,
)
from debate_cli.systems.scoring import score


def scored(path: str, told: Debate) -> ScoredFile:
    """A file with the verdicts of `told`."""
    return ScoredFile(path, told.id, told.topic, told.status, score(told))


FILES = (scored("a.json", debate()), scored("b.json", unscored()), scored("c.json", debate()))


def test_documents_are_as_promised() -> None:
    """One object per file with whole verdicts, in one JSON array."""
    found = json.loads("".join(dump_scores_json(FILES)))
    assert [list(item) for item in found] == [["path", "id", "topic", "status", "verdicts"]] * 3
    assert [item["path"] for item in found] == ["a.json", "b.json", "c.json"]
    assert found[0]["verdicts"][0] == score(debate())[0].model_dump(mode="json")


def test_no_file_is_an_empty_document() -> None:
    """JSON of nothing is an empty array."""
    assert json.loads("".join(dump_scores_json([]))) == []


def test_a_table_needs_no_notes() -> None:
    """What is kept of many files tells the same rows."""
    assert list(score_rows([drop_notes(file) for file in FILES])) == list(score_rows(FILES))


def test_a_row_per_verdict() -> None:
    """Rows have exactly the columns; the deciding verdict of each file comes first."""
    found = list(score_rows(FILES))
    assert all(set(row) == set(SCORE_COLUMNS) for row in found)
    assert [(row["path"], row["system"], row["winner"], row["decides"]) for row in found[:3]] == [
        ("a.json", "structured", "Bo", True),
        ("a.json", "moderator", "Bo", False),
        ("b.json", "structured", None, True),
    ]


def test_json_lines_are_the_rows() -> None:
    """Each line is one row."""
    assert [json.loads(line) for line in dump_jsonl(FILES)] == list(score_rows(FILES))


def test_csv_is_the_rows() -> None:
    """What a reader of CSV finds is what the rows say."""
    found = list(csv.DictReader(io.StringIO(csv_header() + "".join(map(dump_file_csv, FILES)))))
    assert [item["system"] for item in found] == [row["system"] for row in score_rows(FILES)]
    assert json.loads(found[0]["scores"]) == next(score_rows(FILES))["scores"]
    assert (found[0]["margin"], found[2]["margin"], found[0]["decides"]) == (
        str(next(score_rows(FILES))["margin"]),
        "",
        "true",
    )


def test_csv_runs_no_formula() -> None:
    """A topic that a spreadsheet would run is quoted."""
    told = debate(topic='=HYPERLINK("http://evil")')
    (first, *_) = csv.DictReader(io.StringIO(csv_header() + dump_file_csv(scored("x", told))))
    assert first["topic"].startswith("'=")


def test_the_summary_counts_wins_and_what_is_undetermined() -> None:
    """Two of three files are won by Bo, the third was not judged."""
    (structured, moderator) = summarize_systems(FILES)
    assert (structured.wins, structured.draws, structured.undetermined) == ({"Bo": 2}, 0, 1)
    assert structured.mean_margin == score(debate())[0].margin
    assert moderator.verdicts == 3


def test_a_summary_of_nothing_determined_has_no_margin() -> None:
    """A mean over nothing is not 0."""
    assert summarize_systems(FILES[1:2])[0].mean_margin is None


def test_the_table_shows_files_and_summary() -> None:
    """On a terminal, every file and the wins."""
    told = "".join(shown(part, 120) for part in scores_view(FILES))
    assert all(word in told for word in ("a.json", "b.json", "c.json", "Bo 2", "undetermined", "3 files"))


@pytest.mark.parametrize("width", [80, 120, 200])
def test_a_long_path_keeps_its_end(width: int) -> None:
    """A path that leaves no room stands above its verdicts, whole or from its end; a line per verdict in every window."""
    path = "transcripts/" + "a-very-long-motion-" * 12 + "0001.json"
    lines = shown(scores_view([scored(path, debate())])[0], width).rstrip().splitlines()
    assert lines[4].startswith("…")
    assert lines[4].rstrip().endswith("-a-very-long-motion-0001.json")
    assert [line.split()[0] for line in lines[5:]] == ["structured", "moderator"]


@pytest.mark.parametrize("width", [120, 200])
def test_a_short_path_stands_beside_its_verdicts(width: int) -> None:
    """In a row of the table."""
    lines = shown(scores_view([scored("a.json", debate())])[0], width).rstrip().splitlines()
    assert lines[4].split()[0] == "a.json"
    assert "structured" in lines[4]


def narrowed(width: int) -> list[str]:
    """Scores and summary of two files of longer names, as a window of that width shows them."""
    names = {"Ada": "Adalbert", "Bo": "Bartholomew"}
    told = [
        item.model_copy(
            update={"winner": "Bartholomew", "scores": {names[who]: score for who, score in item.scores.items()}}
        )
        for item in score(debate())
    ]
    files = [ScoredFile(path, "x", "A motion", "complete", tuple(told)) for path in ("a.json", "b.json")]
    return [shown(part, width) for part in scores_view(files)]


@pytest.mark.parametrize("width", [28, 40, 60, 80, 120])
def test_who_won_and_the_margin_are_whole_in_every_window(width: int) -> None:
    """In each row and in the summary; no line is longer than the window."""
    rows, summed = ([word.strip(",:") for word in part.split()] for part in narrowed(width))
    assert rows.count("Bartholomew") >= 4
    for verdict in score(debate()):
        assert verdict.margin is not None
        assert rows.count(theme.format_number(verdict.margin)) == 2
        assert theme.format_number(verdict.margin) in summed
    assert "Bartholomew" in summed
    assert max(len(line.rstrip()) for part in narrowed(width) for line in part.splitlines()) <= width


@pytest.mark.parametrize("width", [28, 40])
def test_where_verdicts_are_stacked_nothing_is_cut(width: int) -> None:
    """Victory and scores are whole too."""
    told = shown(scores_view([scored("a.json", debate())])[0], width)
    assert "…" not in told
    assert "Bo 7.45 · Ada 6.35" in told


def of_three(width: int) -> str:
    """The scores of a debate of three, the winner last, in a window of that width."""
    marks = {"Bartholomew": 6.5, "Wilhelmina": 5.9, "Adalbert": 8.6}
    won = {"winner": "Adalbert", "scores": marks}
    verdicts = tuple(item.model_copy(update=won) for item in score(debate()))
    return shown(scores_view([ScoredFile("transcripts/a.json", "x", "A motion", "complete", verdicts)])[0], width)


@pytest.mark.parametrize("width", [28, 40, 60, 80, 120])
def test_the_highest_score_comes_first(width: int) -> None:
    """However the scores are stored."""
    told = of_three(width)
    assert told.index("Adalbert 8.6") < told.index("Bartholomew 6.5") < told.index("Wilhelmina 5.9")


@pytest.mark.parametrize("width", [28, 40, 60, 80, 120])
def test_the_scores_of_three_are_whole_in_every_window(width: int) -> None:
    """They take a second line before one is cut, each on a line with its name."""
    told = of_three(width)
    found = [told.count(pair) for pair in ("Adalbert 8.6", "Bartholomew 6.5", "Wilhelmina 5.9", "…")]
    assert found == [2, 2, 2, 0]


def test_a_path_stands_above_scores_of_several_lines_once() -> None:
    """Their further lines belong to no other file."""
    assert of_three(80).count("transcripts/a.json") == 1


def evenly(verdict: Verdict) -> Verdict:
    """The verdict, had it been a draw."""
    return verdict.model_copy(
        update={"winner": None, "victory": "draw", "margin": 0.0, "scores": {"A": 7.0, "Bo": 7.0}}
    )


@pytest.mark.parametrize(
    ("width", "said"), [(120, "a.json structured draw draw 0.0"), (40, "structured: draw, margin 0.0")]
)
def test_a_draw_stands_in_the_place_of_the_winner(width: int, said: str) -> None:
    """A dash there is for what is undetermined; where verdicts are stacked it is said once."""
    told = shown(
        scores_view([ScoredFile("a.json", "x", "A motion", "complete", (evenly(score(debate())[0]),))])[0], width
    )
    assert said in " ".join(told.split())
    assert "—" not in told


def test_a_draw_stands_there_too_where_verdicts_are_compared() -> None:
    """In the sheet beside each other, and on the page of many files."""
    verdicts = tuple(map(evenly, score(debate())))
    sheet = build_agreement_table(verdicts)
    assert sheet is not None
    assert [row[1] for row in sheet.rows if row is not None] == ["draw"] * len(verdicts)
    page = render_index([CheckedFile(ScoredFile("a.json", "x", "A motion", "complete", verdicts))])
    assert '<td data-head="winner" data-sort="draw">draw</td>' in page
