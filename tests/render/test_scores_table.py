"""Verdicts of many files as table, JSON, JSON lines and CSV."""

from __future__ import annotations

import csv
import io
import json

import pytest
from render_support import debate, render_tables, scored_file, unjudged

from debate_cli.app.score import CheckedFile, ScoredFile
from debate_cli.domain.verdict import Verdict
from debate_cli.render import theme
from debate_cli.render.agreement import build_agreement_table
from debate_cli.render.html.index import render_index
from debate_cli.render.score_rows import (
    SCORE_COLUMNS,
    build_score_tables,
    csv_header,
    drop_notes,
    dump_file_csv,
    dump_jsonl,
    dump_scores_json,
    score_rows,
    summarize_systems,
)
from debate_cli.systems.scoring import score

FILES = (scored_file(debate()), scored_file(unjudged(), "b.json"), scored_file(debate(), "c.json"))


def table(*files: ScoredFile, width: int = 120) -> str:
    """The tables of the files on a terminal."""
    return render_tables(build_score_tables(files), width)


def with_verdicts(verdicts: tuple[Verdict, ...], path: str = "a.json") -> ScoredFile:
    """A file with these verdicts."""
    return ScoredFile(path, "x", "A motion", "complete", verdicts)


def test_json_is_an_array_of_files_with_whole_verdicts() -> None:
    """Without files it is empty."""
    found = json.loads("".join(dump_scores_json(FILES)))
    assert [list(item) for item in found] == [["path", "id", "topic", "status", "verdicts"]] * 3
    assert [item["path"] for item in found] == ["a.json", "b.json", "c.json"]
    assert found[0]["verdicts"][0] == score(debate())[0].model_dump(mode="json")
    assert json.loads("".join(dump_scores_json([]))) == []


def test_there_is_a_row_per_verdict() -> None:
    """The deciding verdict of each file is first; JSON lines are the rows; rows do not need notes."""
    found = list(score_rows(FILES))
    assert all(set(row) == set(SCORE_COLUMNS) for row in found)
    assert [(row["path"], row["system"], row["winner"], row["decides"]) for row in found[:3]] == [
        ("a.json", "structured", "Bo", True),
        ("a.json", "moderator", "Bo", False),
        ("b.json", "structured", None, True),
    ]
    assert [json.loads(line) for line in dump_jsonl(FILES)] == found
    assert list(score_rows([drop_notes(file) for file in FILES])) == found


def test_csv_has_the_rows() -> None:
    """An unknown margin is an empty cell."""
    rows = list(score_rows(FILES))
    found = list(csv.DictReader(io.StringIO(csv_header() + "".join(map(dump_file_csv, FILES)))))
    assert [item["system"] for item in found] == [row["system"] for row in rows]
    assert json.loads(found[0]["scores"]) == rows[0]["scores"]
    assert (found[0]["margin"], found[2]["margin"], found[0]["decides"]) == (str(rows[0]["margin"]), "", "true")


def test_csv_quotes_spreadsheet_formulas() -> None:
    """A topic is not evaluated by a spreadsheet."""
    attacked = scored_file(debate(topic='=HYPERLINK("http://evil")'))
    (first, *_) = csv.DictReader(io.StringIO(csv_header() + dump_file_csv(attacked)))
    assert first["topic"].startswith("'=")


def test_the_summary_counts_wins_and_undetermined_verdicts() -> None:
    """The mean margin covers determined verdicts only; without any it is unknown."""
    (structured, moderator) = summarize_systems(FILES)
    assert (structured.wins, structured.draws, structured.undetermined) == ({"Bo": 2}, 0, 1)
    assert structured.mean_margin == score(debate())[0].margin
    assert moderator.verdicts == 3
    assert summarize_systems(FILES[1:2])[0].mean_margin is None
    assert all(text in table(*FILES) for text in ("a.json", "b.json", "c.json", "Bo 2", "undetermined", "3 files"))


def test_a_long_path_keeps_its_end() -> None:
    """The end distinguishes files."""
    shown = table(scored_file(debate(), "transcripts/" + "a-very-long-motion-" * 12 + "0001.json"))
    assert "…" in shown
    assert "-long-motion-0001.json " in shown


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_winner_margin_and_scores_are_shown_at_every_width(width: int) -> None:
    """A narrow window has a list instead of columns."""
    names = {"Ada": "Adalbert", "Bo": "Bartholomew"}
    verdicts = tuple(
        item.model_copy(update={"winner": names["Bo"], "scores": {names[who]: x for who, x in item.scores.items()}})
        for item in score(debate())
    )
    shown = table(with_verdicts(verdicts), with_verdicts(verdicts, "b.json"), width=width)
    words = shown.split()
    assert words.count("Bartholomew") >= 8
    assert all(words.count(theme.format_number(verdict.margin or 0)) >= 3 for verdict in verdicts)
    assert max(len(line.rstrip()) for line in shown.splitlines()) <= width


@pytest.mark.parametrize("width", [40, 80, 120])
def test_scores_are_sorted_from_the_highest(width: int) -> None:
    """The stored order has no effect; the path is shown once."""
    marks = {"Bartholomew": 6.5, "Wilhelmina": 5.9, "Adalbert": 8.6}
    verdicts = tuple(item.model_copy(update={"winner": "Adalbert", "scores": marks}) for item in score(debate()))
    shown = table(with_verdicts(verdicts, "transcripts/a.json"), width=width).partition("summary")[0]
    assert shown.count("transcripts/a.json") == 1
    assert shown.index("8.6") < shown.index("6.5") < shown.index("5.9")


def test_a_draw_is_shown_in_the_winners_column() -> None:
    """In the score table, the agreement table and the index. A dash means undetermined."""
    changes = {"winner": None, "victory": "draw", "margin": 0.0, "scores": {"A": 7.0, "Bo": 7.0}}
    verdicts = tuple(item.model_copy(update=changes) for item in score(debate()))
    assert "a.json structured draw draw 0.0 of 10" in " ".join(table(with_verdicts(verdicts[:1])).split())
    agreement = build_agreement_table(verdicts)
    assert agreement is not None
    assert [row[1] for row in agreement.rows if row is not None] == ["draw"] * len(verdicts)
    page = render_index([CheckedFile(with_verdicts(verdicts))])
    assert '<td data-head="winner" data-sort="draw">draw</td>' in page
