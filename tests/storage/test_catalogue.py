"""The catalogue of a folder: the quick look tells what the careful one tells, and nothing that is not so."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from render_support import START, debate, structured_assessment, unscored
from storage_support import small_debate

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import JudgingOpened
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.errors import UsageError
from debate_cli.storage.journal import Journal
from debate_cli.storage.lock import lock_debate
from debate_cli.storage.redact import Redactor
from debate_cli.storage.transcript import to_transcript, write_transcript
from debate_cli.storage.transcript_index import (
    IndexEntry,
    UnreadableFile,
    build_index_entry,
    list_index_entries,
    load_index_entry,
    read_index_entry,
)
from debate_cli.systems.scoring import score


def saved(path: Path, told: Debate) -> Path:
    """A transcript with the verdicts of every run."""
    write_transcript(path, to_transcript(told, score(told, runs="all")), Redactor())
    return path


def found(path: Path) -> IndexEntry:
    """The card of a file that can be used."""
    item = load_index_entry(path)
    assert isinstance(item, IndexEntry)
    return item


def journalled(path: Path, count: int) -> Path:
    """A journal of the first events of a small debate."""
    Journal.create(path, small_debate()[:count], Redactor()).close()
    return path


def changed(path: Path, **fields: Any) -> Path:
    """The transcript with some of its fields changed."""
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))
    return path


def rejudged() -> Debate:
    """The debate with a second run of structured, in which its first judgement is kept."""
    told = debate().apply(JudgingOpened(at=START, run="r2", judging=JudgingConfig()))
    return told.with_assessments([*told.assessments, structured_assessment().model_copy(update={"run": "r2"})])


def test_a_card_says_what_the_transcript_says(tmp_path: Path) -> None:
    """All in one line: when, what, who, with which outcome, for how much."""
    item = found(saved(tmp_path / "a.json", debate()))
    assert (item.id, item.topic, item.state, item.turns) == ("microservices-0001", debate().topic, "complete", 6)
    assert (item.started_at, item.models, item.cost_usd) == ("2026-03-01T09:00:00Z", ("mock/debater",), 0.022)
    assert [(one.system, one.outcome, one.decides) for one in item.conclusions] == [
        ("structured", "Bo", True),
        ("moderator", "Bo", False),
    ]


@pytest.mark.parametrize("written", ["2026-03-01T11:00:00+02:00", "2026-03-01T09:00:00"])
def test_the_start_is_told_in_utc(tmp_path: Path, written: str) -> None:
    """Whatever offset a transcript was written with; so it can be sorted by its text."""
    item = found(changed(saved(tmp_path / "a.json", debate()), started_at=written))
    assert item.started_at == "2026-03-01T09:00:00Z"


@pytest.mark.parametrize("told", [debate(), unscored(), rejudged()], ids=["judged", "unjudged", "judged twice"])
def test_the_quick_look_tells_what_the_careful_one_does(tmp_path: Path, told: Debate) -> None:
    """Of a transcript that we wrote, all of it."""
    path = saved(tmp_path / "a.json", told)
    quick = read_index_entry(path)
    assert quick is not None
    assert quick == build_index_entry(path)


def test_per_system_the_newest_run_counts(tmp_path: Path) -> None:
    """Structured of r2, moderator of r1."""
    item = found(saved(tmp_path / "a.json", rejudged()))
    assert {one.system: one.run for one in item.conclusions} == {"structured": "r2", "moderator": "r1"}


def test_a_run_that_came_to_nothing_takes_nobodys_place(tmp_path: Path) -> None:
    """Its judges could not be asked: the card shows what `score` shows, the verdict before it."""
    told = debate().apply(JudgingOpened(at=START, run="r2", judging=JudgingConfig()))
    item = found(saved(tmp_path / "a.json", told))
    assert {one.run for one in item.conclusions} == {"r1"}
    assert build_index_entry(tmp_path / "a.json") == item


def test_a_journal_is_an_unfinished_debate(tmp_path: Path) -> None:
    """With what was said so far."""
    item = found(journalled(tmp_path / "a.jsonl", 3))
    assert (item.state, item.turns, item.conclusions) == ("unfinished", 2, ())


def test_a_debate_that_is_held_is_running(tmp_path: Path) -> None:
    """For as long as the process that holds it lives."""
    path = journalled(tmp_path / "a.jsonl", 3)
    with lock_debate(path):
        assert found(path).state == "running"
    path.with_suffix(".lock").write_text(f"{2**22 + os.getpid()}\n")
    assert found(path).state == "unfinished"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"schema_version": 1, "id": ', "is cut off"),
        ("[]", "is not a transcript"),
        ('{"schema_version": 99}', "newer version"),
        ('{"schema_version": 1, "id": NaN}', "NaN"),
        ("[" * 100_000, "nested too deep"),
        ("", ""),
    ],
)
def test_what_cannot_be_used_is_said_as_by_every_command(tmp_path: Path, text: str, said: str) -> None:
    """One sentence that begins with the file."""
    path = tmp_path / "bad.json"
    path.write_text(text)
    item = load_index_entry(path)
    assert isinstance(item, UnreadableFile)
    assert item.message.startswith(f"{path}: ")
    assert said in item.message


@pytest.mark.parametrize(
    "fields",
    [{"topic": 3}, {"usage": {"cost_usd": "much"}}, {"participants": [{"model": None}]}, {"verdicts": [{"system": 1}]}],
    ids=lambda fields: next(iter(fields)),
)
def test_a_field_of_the_wrong_type_is_not_shown(tmp_path: Path, fields: dict[str, Any]) -> None:
    """The file is told as unreadable, with the field."""
    item = load_index_entry(changed(saved(tmp_path / "a.json", debate()), **fields))
    assert isinstance(item, UnreadableFile)
    assert next(iter(fields)) in item.message


def test_a_folder_is_read_by_name(tmp_path: Path) -> None:
    """Transcripts and journals without one; schemas, hidden and other files are passed over."""
    for name in ("b.json", "a.json", ".hidden.json", "transcript.schema.json"):
        saved(tmp_path / name, debate())
    journalled(tmp_path / "c.jsonl", 3)
    (tmp_path / "notes.md").write_text("-")
    assert [Path(item.path).name for item in list_index_entries(tmp_path)] == ["a.json", "b.json", "c.jsonl"]


def test_debates_come_as_they_are_read(tmp_path: Path) -> None:
    """The first one is there before the second was looked at."""
    saved(tmp_path / "a.json", debate())
    shutil.copy(tmp_path / "a.json", tmp_path / "b.json")
    items = list_index_entries(tmp_path)
    assert isinstance(next(items), IndexEntry)
    (tmp_path / "b.json").write_text("damaged meanwhile")
    assert isinstance(next(items), UnreadableFile)


@pytest.mark.parametrize("name", ["missing", "a-file"])
def test_what_is_no_folder_is_said(tmp_path: Path, name: str) -> None:
    """At once."""
    (tmp_path / "a-file").write_text("-")
    with pytest.raises(UsageError, match=name):
        list_index_entries(tmp_path / name)
