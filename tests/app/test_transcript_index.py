"""The index of a folder: what each entry says of its debate, and files that are no debates."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from render_support import START, debate, structured_assessment
from storage_support import small_debate

from debate_cli.app.transcript_index import IndexEntry, UnreadableFile, list_index_entries, load_index_entry
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import JudgingOpened
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.errors import UsageError
from debate_cli.llm.redaction import Redactor
from debate_cli.storage.folder import list_debate_files
from debate_cli.storage.journal import Journal
from debate_cli.storage.lock import lock_debate
from debate_cli.storage.transcript import to_transcript, write_transcript
from debate_cli.systems.scoring import score


def saved(path: Path, value: Debate) -> Path:
    """Write a transcript with the verdicts of every run."""
    write_transcript(path, to_transcript(value, score(value, runs="all")), Redactor())
    return path


def found(path: Path) -> IndexEntry:
    """The index entry of a readable file."""
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
    """Return the debate with a second run of structured beside its first one."""
    value = debate().apply(JudgingOpened(at=START, run="r2", judging=JudgingConfig()))
    return value.with_assessments([*value.assessments, structured_assessment().model_copy(update={"run": "r2"})])


def test_an_entry_summarises_the_transcript(tmp_path: Path) -> None:
    """An entry has date, topic, models, outcomes and cost."""
    item = found(saved(tmp_path / "a.json", debate()))
    assert (item.id, item.topic, item.state, item.turns) == ("microservices-0001", debate().topic, "complete", 6)
    assert (item.started_at, item.models, item.cost_usd) == ("2026-03-01T09:00:00Z", ("mock/debater",), 0.022)
    assert [(one.system, one.outcome, one.decides) for one in item.conclusions] == [
        ("structured", "Bo", True),
        ("moderator", "Bo", False),
    ]


def test_the_newest_run_of_each_system_counts(tmp_path: Path) -> None:
    """The verdict of each system is that of its newest run."""
    item = found(saved(tmp_path / "a.json", rejudged()))
    assert {one.system: one.run for one in item.conclusions} == {"structured": "r2", "moderator": "r1"}


def test_a_run_without_assessments_does_not_count(tmp_path: Path) -> None:
    """A run without assessments does not hide the verdict of the run before."""
    value = debate().apply(JudgingOpened(at=START, run="r2", judging=JudgingConfig()))
    item = found(saved(tmp_path / "a.json", value))
    assert {one.run for one in item.conclusions} == {"r1"}


def test_a_journal_is_an_unfinished_debate(tmp_path: Path) -> None:
    """The entry of a journal has the turns so far."""
    item = found(journalled(tmp_path / "a.jsonl", 3))
    assert (item.state, item.turns, item.conclusions) == ("unfinished", 2, ())


def test_a_locked_debate_is_running(tmp_path: Path) -> None:
    """A debate is `running` while the process that locked it lives."""
    path = journalled(tmp_path / "a.jsonl", 3)
    with lock_debate(path):
        assert found(path).state == "running"
    path.with_suffix(".lock").write_text(f"{2**22 + os.getpid()}\n")
    assert found(path).state == "unfinished"


def test_an_unreadable_file_has_one_sentence(tmp_path: Path) -> None:
    """The sentence on an unreadable file begins with its name."""
    path = tmp_path / "bad.json"
    path.write_text("[]")
    item = load_index_entry(path)
    assert isinstance(item, UnreadableFile)
    assert item.message.startswith(f"{path}: is not a transcript")


def test_a_link_into_a_forbidden_folder_hides_no_other_debate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other debates of a folder are listed beside a link into a forbidden folder."""
    for name in ("forbidden", "other"):
        (tmp_path / f"{name}.json").write_text("{}")
    is_file = Path.is_file

    def refuse(path: Path) -> bool:
        if path.stem == "forbidden":
            raise PermissionError(13, "Permission denied")
        return is_file(path)

    monkeypatch.setattr(Path, "is_file", refuse)
    assert list_debate_files(tmp_path) == [tmp_path / "forbidden.json", tmp_path / "other.json"]


def test_debates_are_read_one_by_one(tmp_path: Path) -> None:
    """The first entry is available before the second file is read."""
    saved(tmp_path / "a.json", debate())
    shutil.copy(tmp_path / "a.json", tmp_path / "b.json")
    items = list_index_entries(tmp_path)
    assert isinstance(next(items), IndexEntry)
    (tmp_path / "b.json").write_text("damaged meanwhile")
    assert isinstance(next(items), UnreadableFile)


@pytest.mark.parametrize("name", ["missing", "a-file"])
def test_a_missing_folder_is_an_error(tmp_path: Path, name: str) -> None:
    """A missing folder is an error before the first entry is read."""
    (tmp_path / "a-file").write_text("-")
    with pytest.raises(UsageError, match=name):
        list_index_entries(tmp_path / name)
