"""Verdicts of many files as table, JSON, JSON lines and CSV."""

import csv
import io
import json

import pytest
from render_support import CONFIG, debate, render_tables, scored_file, unjudged

from debate_cli.app.score import CheckedFile, ScoredFile
from debate_cli.app.score_records import argument_records, flatten_record, verdict_records
from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.render.content.agreement import build_agreement_table
from debate_cli.render.html.index import render_index
from debate_cli.render.records import dump_csv, dump_jsonl
from debate_cli.render.score_rows import (
    build_score_tables,
    build_summary_table,
    dump_scores_json,
)
from debate_cli.render.theme import format_cell
from debate_cli.systems.scoring import score
from debate_cli.systems.structured.settings import DEFAULT_CRITERIA
from debate_cli.systems.tables import Number, format_number

DEBATES = (debate(), unjudged(), debate())
FILES = tuple(
    scored_file(shown_debate, name) for shown_debate, name in zip(DEBATES, ("a.json", "b.json", "c.json"), strict=True)
)


def table(*files: ScoredFile, width: int = 120) -> str:
    """The tables of the files on a terminal."""
    return render_tables(build_score_tables(files), width)


def with_verdicts(verdicts: tuple[Verdict, ...], path: str = "a.json") -> ScoredFile:
    """A file with these verdicts."""
    return ScoredFile(path, "x", "A motion", "complete", verdicts)


def test_json_is_an_array_of_files_with_whole_verdicts() -> None:
    """Without files it is empty."""
    found = json.loads("".join(dump_scores_json(FILES)))
    assert [list(item) for item in found] == [["path", "id", "topic", "status", "verdicts", "sources"]] * 3
    assert [item["path"] for item in found] == ["a.json", "b.json", "c.json"]
    assert found[0]["verdicts"][0] == score(debate())[0].model_dump(mode="json")
    assert json.loads("".join(dump_scores_json([]))) == []


def test_there_is_a_row_per_verdict() -> None:
    """The deciding verdict of each file is first; JSON lines are the rows."""
    records = [
        record
        for file, shown_debate in zip(FILES, DEBATES, strict=True)
        for record in verdict_records(file, shown_debate)
    ]
    assert [(record.path, record.system, record.winner, record.decides) for record in records[:3]] == [
        ("a.json", "structured", "Bo", True),
        ("a.json", "moderator", "Bo", False),
        ("b.json", "structured", None, True),
    ]
    rows = [json.loads(line) for line in dump_jsonl(map(flatten_record, records))]
    assert [(row["system"], row["debater_1"], row["model_2"]) for row in rows] == [
        (record.system, record.debaters[0].debater, record.debaters[1].model) for record in records
    ]


def csv_rows(*debates: Debate) -> list[dict[str, str]]:
    """The rows of these debates, read from CSV."""
    records = [
        record for shown_debate in debates for record in verdict_records(scored_file(shown_debate), shown_debate)
    ]
    return list(csv.DictReader(io.StringIO("".join(dump_csv(map(flatten_record, records), ["path"])))))


def test_an_unknown_number_is_an_empty_cell() -> None:
    """The margin and the scores of a debate that was not judged."""
    (judged, _, undetermined, *_) = csv_rows(debate(), unjudged())
    assert float(judged["margin"]) == score(debate())[0].margin
    assert json.loads(judged["scores"]) == {
        judged["debater_1"]: float(judged["score_1"]),
        "Bo": float(judged["score_2"]),
    }
    assert (undetermined["margin"], undetermined["score_1"]) == ("", "")


def test_csv_has_columns_for_the_debate_with_most_debaters() -> None:
    """In a debate with fewer the cells are empty."""
    (two, _, three, *_) = csv_rows(debate(), debate(debaters=[*CONFIG["debaters"], {"name": "Cy", "side": "neutral"}]))
    assert (two["debater_3"], three["debater_3"]) == ("", "Cy")


def test_csv_quotes_spreadsheet_formulas() -> None:
    """A topic is not evaluated by a spreadsheet."""
    assert csv_rows(debate(topic='=HYPERLINK("http://evil")'))[0]["topic"].startswith("'=")


def test_arguments_have_a_row_per_criterion() -> None:
    """The weighted marks of an argument sum to its score."""
    records = [*argument_records(FILES[0], DEBATES[0])]
    assert {record.system for record in records} == {"structured"}
    first = [record for record in records if record.argument == records[0].argument]
    assert [record.criterion for record in first] == list(DEFAULT_CRITERIA)
    assert sum((record.mark or 0) * record.weight for record in first) == pytest.approx(first[0].argument_score)


def summary(*files: ScoredFile) -> dict[object, tuple[object, ...]]:
    """Per system: wins, draws, split, undetermined, mean margin and its scale."""
    return {
        row[0]: tuple(cell.value if isinstance(cell, Number) else format_cell(cell) for cell in row[1:])
        for row in build_summary_table(files).rows
        if row is not None
    }


def test_the_summary_counts_wins_and_undetermined_verdicts() -> None:
    """The mean margin covers determined verdicts only; without any it is unknown."""
    assert summary(*FILES)["structured"] == ("Bo 2", 0, 0, 1, score(debate())[0].margin, "10 points")
    assert summary(FILES[1])["structured"] == ("—", 0, 0, 1, None, "—")
    assert all(text in table(*FILES) for text in ("a.json", "b.json", "c.json", "Bo 2", "undetermined", "3 files"))


@pytest.mark.parametrize(
    ("winners", "wins", "draws", "split"),
    [(("Bo", "Bo"), "Bo 1", 0, 0), (("Bo", "Ada"), "—", 0, 1), (("Bo", None), "—", 0, 1), ((None, None), "—", 1, 0)],
)
def test_the_summary_counts_debates(winners: tuple[str | None, ...], wins: str, draws: int, split: int) -> None:
    """Judging runs of one debate count once; with different winners they are split. The margin is their mean."""
    first = score(debate())[0]
    runs = [
        first.model_copy(update={"run": f"r{number}", "winner": winner, "margin": number})
        for number, winner in enumerate(winners, 1)
    ]
    assert summary(with_verdicts(tuple(runs)))["structured"] == (wins, draws, split, 0, 1.5, "10 points")


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_winner_margin_and_scores_are_shown_at_every_width(width: int) -> None:
    """A narrow window has a list instead of columns. The summary has each winner once per system."""
    names = {"Ada": "Adalbert", "Bo": "Bartholomew"}
    verdicts = tuple(
        item.model_copy(update={"winner": names["Bo"], "scores": {names[who]: x for who, x in item.scores.items()}})
        for item in score(debate())
    )
    shown = table(with_verdicts(verdicts), with_verdicts(verdicts, "b.json"), width=width)
    words = shown.split()
    assert words.count("Bartholomew") >= 6
    assert all(words.count(format_number(verdict.margin or 0)) >= 3 for verdict in verdicts)
    assert max(len(line.rstrip()) for line in shown.splitlines()) <= width


@pytest.mark.parametrize(("width", "has_file_column"), [(160, True), (100, False), (80, False), (60, False)])
def test_the_score_table_keeps_its_columns(width: int, has_file_column: bool) -> None:
    """If the window is too narrow for the paths, each path is in a line above its rows, with the topic of the debate."""
    path = "transcripts/a-debate-about-trams.json"
    file = ScoredFile(path, "x", "Should our city make trams free?", "complete", score(debate()))
    lines = [line.rstrip() for line in table(file, width=width).splitlines()]
    head, start = lines[2].split(), lines[2].index("winner")
    assert head == [
        *(["file"] if has_file_column else []),
        "system",
        "winner",
        "victory",
        "margin",
        "out",
        "of",
        "scores",
    ]
    assert [line[start:].split()[0] for line in lines[-2:] if "moderator" in line] == ["Bo"]
    assert has_file_column or path in lines[4]
    assert all(words in "\n".join(lines) for words in ("Should our city make trams free?", "Bo 65.33", "Ada 49.67"))


@pytest.mark.parametrize("width", [40, 80, 120])
def test_scores_are_sorted_from_the_highest(width: int) -> None:
    """In the score table and the agreement table. The stored order has no effect; the path is shown once."""
    marks = {"Bartholomew": 6.5, "Wilhelmina": 5.9, "Adalbert": 8.6}
    verdicts = tuple(item.model_copy(update={"winner": "Adalbert", "scores": marks}) for item in score(debate()))
    shown = table(with_verdicts(verdicts, "transcripts/a.json"), width=width).partition("summary")[0]
    assert shown.count("transcripts/a.json") == 1
    agreement = build_agreement_table(verdicts)
    assert agreement is not None
    for drawn in (shown, render_tables([agreement], width)):
        assert drawn.index("8.6") < drawn.index("6.5") < drawn.index("5.9")


def test_a_draw_is_shown_once_in_the_winners_column() -> None:
    """In the score table, the agreement table and the index. A dash means undetermined."""
    changes = {"winner": None, "victory": "draw", "margin": 0.0, "scores": {"A": 7.0, "Bo": 7.0}}
    verdicts = tuple(item.model_copy(update=changes) for item in score(debate()))
    shown = " ".join(table(with_verdicts(verdicts[:1])).split())
    assert "a.json · A motion structured draw 0.0 10 points A 7.0 · Bo 7.0" in shown
    agreement = build_agreement_table(verdicts)
    assert agreement is not None
    assert "victory" not in agreement.heads
    assert [row[1] for row in agreement.rows if row is not None] == ["draw"] * len(verdicts)
    page = render_index([CheckedFile(with_verdicts(verdicts))])
    assert '<td data-head="winner" data-sort="draw">draw</td>' in page
