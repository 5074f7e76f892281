"""The journal: nothing that was appended is lost, nothing that is damaged is guessed at, nothing is overwritten."""

from __future__ import annotations

import json
import resource
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from storage_support import AT, event_lists, opened, small_debate, turn

from debate_cli.domain.debate import fold
from debate_cli.domain.events import DebateResumed, Event, TurnCompleted
from debate_cli.errors import StorageError, TranscriptError
from debate_cli.storage.journal import Journal, read_journal
from debate_cli.storage.redact import Redactor

PLAIN = Redactor()
SHORT: list[Event] = [opened(), TurnCompleted(at=AT, turn=turn(0, "Grün 🙂 \u2028")), DebateResumed(at=AT)]


def written(path: Path, events: list[Event]) -> Path:
    """A journal of these events, each appended by itself."""
    with Journal.create(path, events[:1], PLAIN, overwrite=True) as journal:
        for event in events[1:]:
            journal.append(event)
    return path


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(event_lists())
def test_what_was_appended_is_read_back(tmp_path: Path, events: list[Event]) -> None:
    """Any list of events survives the disk as it was."""
    contents = read_journal(written(tmp_path / "a.jsonl", events))
    assert (list(contents.events), contents.torn_line_warning) == (events, None)


def test_a_journal_made_of_events_is_the_same_file(tmp_path: Path) -> None:
    """Events given at the creation and events appended make the same bytes."""
    Journal.create(tmp_path / "b.jsonl", SHORT, PLAIN).close()
    assert (tmp_path / "b.jsonl").read_bytes() == written(tmp_path / "a.jsonl", SHORT).read_bytes()


def test_a_journal_torn_at_any_byte_keeps_the_whole_lines(tmp_path: Path) -> None:
    """Wherever the last write broke off, all events before it are there and the journal can be gone on with."""
    data = written(tmp_path / "a.jsonl", SHORT).read_bytes()
    first = data.index(b"\n")
    torn = tmp_path / "torn.jsonl"
    for length in range(first, len(data) + 1):
        torn.write_bytes(data[:length])
        whole = sum(length >= end for end in ends(data))
        journal, contents = Journal.open_existing(torn, PLAIN)
        with journal:
            journal.append(DebateResumed(at=AT))
        assert list(contents.events) == SHORT[:whole], length
        assert (contents.torn_line_warning is None) == (length in {*ends(data), *(end + 1 for end in ends(data))}), (
            length
        )
        assert list(read_journal(torn).events) == [*SHORT[:whole], DebateResumed(at=AT)], length


def ends(data: bytes) -> list[int]:
    """Where each line ends, its newline not counted."""
    return [place for place, byte in enumerate(data) if byte == ord("\n")]


def test_a_torn_line_is_reported(tmp_path: Path) -> None:
    """The report names file and line."""
    path = written(tmp_path / "a.jsonl", SHORT)
    path.write_bytes(path.read_bytes()[:-9])
    assert str(read_journal(path).torn_line_warning).startswith(f"{path}:3: the last line is incomplete")


def test_reading_changes_nothing(tmp_path: Path) -> None:
    """A torn line is cut off only when the journal is gone on with."""
    path = written(tmp_path / "a.jsonl", SHORT)
    torn = path.read_bytes()[:-9]
    path.write_bytes(torn)
    read_journal(path)
    assert path.read_bytes() == torn


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=30).filter(lambda data: b"\n" not in data), st.integers(1, 9))
def test_a_damaged_line_in_the_middle_is_an_error(tmp_path: Path, damage: bytes, number: int) -> None:
    """The error names file and line, and the file stays as it is."""
    path = written(tmp_path / "a.jsonl", small_debate())
    lines = path.read_bytes().split(b"\n")
    lines[number] = damage
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(TranscriptError, match=f"a.jsonl:{number + 1}: "):
        Journal.open_existing(path, PLAIN)
    assert path.read_bytes() == b"\n".join(lines)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "contains no events"),
        (b"\x00\x00", "contains no events"),
        (b'{"type": "opened"}\n', ":1: not a journal"),
        (b'{"a": 1}\n', ":1: not a journal"),
        (b'{"schema_version": 99, "type": "opened"}\n', ":1: written by a newer version; it needs .* 99"),
        (b'{"schema_version": 1, "type": "opened"}\n', ":1: the event on this line is not valid"),
        (b'{"schema_version": 1, "type": "opened", "a": ' + b"[" * 9999 + b"\n{}\n", ":1: the line is damaged"),
        (b"[]\n[]\n", ":1: the line is damaged"),
    ],
)
def test_what_is_no_journal_is_said_plainly(tmp_path: Path, data: bytes, words: str) -> None:
    """One line that names the file, whatever the file is."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(data)
    with pytest.raises(TranscriptError, match=f"a.jsonl{words}|a.jsonl: {words}"):
        read_journal(path)


def test_an_event_that_makes_no_sense_is_an_error_even_at_the_end(tmp_path: Path) -> None:
    """A whole line is not torn: what it says is not thrown away."""
    path = written(tmp_path / "a.jsonl", SHORT)
    path.write_bytes(path.read_bytes() + b'{"type":"exploded"}\n')
    with pytest.raises(TranscriptError, match=":4: the event on this line is not valid"):
        read_journal(path)


def test_a_second_debate_in_one_file_is_an_error(tmp_path: Path) -> None:
    """`opened` stands on the first line alone."""
    path = written(tmp_path / "a.jsonl", [opened(), opened()])
    with pytest.raises(TranscriptError, match=":2: a second debate begins"):
        read_journal(path)


def test_an_existing_journal_is_not_overwritten(tmp_path: Path) -> None:
    """Unless it is told to be."""
    path = written(tmp_path / "a.jsonl", SHORT)
    before = path.read_bytes()
    with pytest.raises(StorageError, match="exists already"):
        Journal.create(path, [opened()], PLAIN)
    assert path.read_bytes() == before


def test_the_configuration_keeps_what_was_written_as_null(tmp_path: Path) -> None:
    """`api_key_env: null` and no `api_key_env` are two things, on a resumed debate too."""
    providers = {"lab": {"base_url": "http://a/v1", "api_key_env": None}, "other": {"kind": "openai"}}
    contents = read_journal(written(tmp_path / "a.jsonl", [opened(providers=providers)]))
    specs = fold(contents.events).config.providers
    assert {name: spec.model_fields_set for name, spec in specs.items()} == {
        "lab": {"base_url", "api_key_env"},
        "other": {"kind"},
    }


def test_secrets_never_reach_the_disk(tmp_path: Path) -> None:
    """By value in any spelling, and by pattern."""
    secret = 'zq"Hush\\7391'
    said = f"I saw {secret}\nsk-abcdefgh12345678 and Bearer abcdefgh12345678."
    path = tmp_path / "a.jsonl"
    with Journal.create(path, [opened(background=said)], Redactor([secret])) as journal:
        journal.append(TurnCompleted(at=AT, turn=turn(0, said)))
    text = path.read_text()
    assert "7391" not in text
    assert "abcdefgh" not in text
    assert "I saw [redacted]\n[redacted] and Bearer [redacted]" in fold(read_journal(path).events).turns[0].text


def test_lines_are_compact_json_with_a_version(tmp_path: Path) -> None:
    """One object a line, in UTF-8; the first carries the schema version."""
    lines = written(tmp_path / "a.jsonl", SHORT).read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[0])["schema_version"] == 1
    assert "🙂" in lines[1]


def test_permissions_are_those_of_ordinary_files(tmp_path: Path) -> None:
    """Files 0644 in folders 0755, as far as the umask lets."""
    path = written(tmp_path / "new" / "a.jsonl", SHORT)
    assert path.stat().st_mode & 0o777 == 0o644
    assert path.parent.stat().st_mode & 0o777 == 0o755


@contextmanager
def files_limited_to(size: int) -> Generator[None]:
    """No file can grow beyond `size` bytes: the nearest thing to a full disk that a test can have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_leaves_the_debate_so_far(tmp_path: Path) -> None:
    """An event that does not fit is an error, leaves no part of itself, and the next one may fit again."""
    path = tmp_path / "a.jsonl"
    with Journal.create(path, [opened()], PLAIN) as journal:
        before = path.read_bytes()
        with files_limited_to(len(before) + 10), pytest.raises(StorageError, match="cannot be written"):
            journal.append(TurnCompleted(at=AT, turn=turn(0)))
        assert path.read_bytes() == before
        journal.append(TurnCompleted(at=AT, turn=turn(0)))
    assert len(read_journal(path).events) == 2


def test_a_journal_that_vanished_is_an_error(tmp_path: Path) -> None:
    """What is appended to a file that nobody can find again does not count."""
    with Journal.create(tmp_path / "a.jsonl", [opened()], PLAIN) as journal:
        (tmp_path / "a.jsonl").unlink()
        with pytest.raises(StorageError, match="was removed while the debate ran"):
            journal.append(DebateResumed(at=AT))


def test_a_folder_that_cannot_be_is_an_error(tmp_path: Path) -> None:
    """A file stands where the folder should."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be created"):
        Journal.create(tmp_path / "file" / "a.jsonl", [opened()], PLAIN)


def test_a_removed_journal_is_gone(tmp_path: Path) -> None:
    """After its debate is in a transcript."""
    Journal.create(tmp_path / "a.jsonl", [opened()], PLAIN).remove()
    assert list(tmp_path.iterdir()) == []
