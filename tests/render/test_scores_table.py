"""Verdicts of many files as rows."""

from __future__ import annotations

import csv
import io
import json

import pytest
from render_support import debate, scores_view, shown, unscored

from debate_cli.app.score import CheckedFile, ScoredFile
from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.render import theme
from debate_cli.render.agreement import build_agreement_table
from debate_cli.render.html.index import render_index
from debate_cli.render.score_rows import (
    SCORE_COLUMNS,
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


def test_a_long_path_keeps_its_end() -> None:
    """The end tells files apart."""
    path = "transcripts/" + "a-very-long-motion-" * 12 + "0001.json"
    told = shown(scores_view([scored(path, debate())])[0], 120)
    assert "…" in told
    assert "-long-motion-0001.json " in told


def narrow(width: int) -> str:
    """Scores and summary of two files of debaters with longer names, as a window of that width shows them."""
    names = {"Ada": "Adalbert", "Bo": "Bartholomew"}
    told = [
        item.model_copy(
            update={"winner": "Bartholomew", "scores": {names[who]: score for who, score in item.scores.items()}}
        )
        for item in score(debate())
    ]
    files = [ScoredFile(path, "x", "A motion", "complete", tuple(told)) for path in ("a.json", "b.json")]
    return "".join(shown(part, width) for part in scores_view(files))


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_winner_margin_and_scores_are_in_every_window(width: int) -> None:
    """A narrow window lists what a wide one puts into columns; no line is longer than the window."""
    told = narrow(width)
    words = told.split()
    assert words.count("Bartholomew") >= 8
    for verdict in score(debate()):
        assert verdict.margin is not None
        assert words.count(theme.format_number(verdict.margin)) >= 3
    assert max(len(line.rstrip()) for line in told.splitlines()) <= width


@pytest.mark.parametrize("width", [40, 80, 120])
def test_the_highest_score_comes_first(width: int) -> None:
    """However the scores are stored."""
    marks = {"Bartholomew": 6.5, "Wilhelmina": 5.9, "Adalbert": 8.6}
    verdicts = tuple(item.model_copy(update={"winner": "Adalbert", "scores": marks}) for item in score(debate()))
    told = shown(scores_view([ScoredFile("transcripts/a.json", "x", "A motion", "complete", verdicts)])[0], width)
    assert told.count("transcripts/a.json") == 1
    assert told.index("8.6") < told.index("6.5") < told.index("5.9")


def evenly(verdict: Verdict) -> Verdict:
    """The verdict, had it been a draw."""
    return verdict.model_copy(
        update={"winner": None, "victory": "draw", "margin": 0.0, "scores": {"A": 7.0, "Bo": 7.0}}
    )


def test_a_draw_is_named_as_the_winner() -> None:
    """A dash means undetermined."""
    told = shown(
        scores_view([ScoredFile("a.json", "x", "A motion", "complete", (evenly(score(debate())[0]),))])[0], 120
    )
    assert "a.json structured draw draw 0.0 of 10" in " ".join(told.split())
    assert "—" not in told


def test_a_draw_stands_there_too_where_verdicts_are_compared() -> None:
    """In the sheet beside each other, and on the page of many files."""
    verdicts = tuple(map(evenly, score(debate())))
    sheet = build_agreement_table(verdicts)
    assert sheet is not None
    assert [row[1] for row in sheet.rows if row is not None] == ["draw"] * len(verdicts)
    page = render_index([CheckedFile(ScoredFile("a.json", "x", "A motion", "complete", verdicts))])
    assert '<td data-head="winner" data-sort="draw">draw</td>' in page
