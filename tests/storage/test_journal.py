"""The journal: no appended event is lost, damage is an error, and nothing is overwritten."""

import asyncio
import errno
import os
import re
from pathlib import Path

import pytest
from cli_support import files_limited_to
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from storage_support import AT, EXCHANGE, event_lists, opening_event, sent_request, small_debate, turn

from debate_cli.domain.debate import fold
from debate_cli.domain.events import DebateResumed, Event, TurnCompleted
from debate_cli.errors import StorageError, TranscriptError
from debate_cli.llm.redaction import Redactor
from debate_cli.storage.journal import Journal, cut_at_damage, read_journal

PLAIN = Redactor()
EVERY = 1 if os.environ.get("SOAK") else 7
"""Torn at every byte in `make soak`, at some and around each end of a line in CI."""
SHORT: list[Event] = [opening_event(), TurnCompleted(at=AT, turn=turn(0, "Grün 🙂 \u2028")), DebateResumed(at=AT)]


def written(path: Path, events: list[Event]) -> Path:
    """A journal of these events, each appended by itself."""
    with Journal.create(path, events[:1], PLAIN, overwrite=True) as journal:
        for event in events[1:]:
            journal.append(event)
    return path


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(event_lists())
def test_appended_events_are_read_back(tmp_path: Path, events: list[Event]) -> None:
    """Any list of events is read back unchanged."""
    contents = read_journal(written(tmp_path / "a.jsonl", events))
    assert (list(contents.events), contents.incomplete_line_warning) == (events, None)


def test_a_journal_torn_at_any_byte_keeps_the_whole_lines(tmp_path: Path) -> None:
    """All events before the torn line are kept, and events can be appended."""
    data = written(tmp_path / "a.jsonl", SHORT).read_bytes()
    first = data.index(b"\n")
    torn = tmp_path / "torn.jsonl"
    near = {min(end + more, len(data)) for end in ends(data) for more in (0, 1, 2)}
    for length in sorted({*range(first, len(data) + 1, EVERY), *near, len(data)}):
        torn.write_bytes(data[:length])
        whole = sum(length >= end for end in ends(data))
        contents = read_journal(torn)
        with Journal.open_existing(torn, PLAIN) as journal:
            journal.append(DebateResumed(at=AT))
        assert list(contents.events) == SHORT[:whole], length
        assert (contents.incomplete_line_warning is None) == (
            length in {*ends(data), *(end + 1 for end in ends(data))}
        ), length
        assert list(read_journal(torn).events) == [*SHORT[:whole], DebateResumed(at=AT)], length


def ends(data: bytes) -> list[int]:
    """Return the position of each newline."""
    return [place for place, byte in enumerate(data) if byte == ord("\n")]


def test_a_link_is_not_appended_to(tmp_path: Path) -> None:
    """A downloaded folder may hold a link to a journal elsewhere, which stays as it is."""
    target = written(tmp_path / "target.jsonl", SHORT)
    target.write_bytes(data := target.read_bytes() + b"torn")
    link = tmp_path / "a.jsonl"
    link.symlink_to(target)
    with pytest.raises(StorageError, match="is a link"):
        Journal.open_existing(link, PLAIN)
    assert target.read_bytes() == data


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=30).filter(lambda data: b"\n" not in data), st.integers(1, 9))
def test_a_damaged_line_in_the_middle_is_an_error(tmp_path: Path, damage: bytes, number: int) -> None:
    """The error names file and line; the file is unchanged."""
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
        (b'{"type": "opened"}\n', ":1: is not a journal"),
        (b'{"a": 1}\n', ":1: is not a journal"),
        (b'{"schema_version": 99, "type": "opened"}\n', ":1: written by a newer version .schema_version 99; "),
        (b'{"schema_version": 1, "type": "opened"}\n', ":1: the event on this line is not valid"),
        (b'{"schema_version": 1, "type": "opened", "a": ' + b"[" * 9999 + b"\n{}\n", ":1: the line is damaged"),
        (b"[]\n[]\n", ":1: the line is damaged"),
    ],
)
def test_a_file_that_is_no_journal_is_an_error(tmp_path: Path, data: bytes, words: str) -> None:
    """The error is one line that names the file."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(data)
    with pytest.raises(TranscriptError, match=f"a.jsonl{words}|a.jsonl: {words}"):
        read_journal(path)


def test_a_line_that_is_missing_is_an_error(tmp_path: Path) -> None:
    """A missing line is noticed, because each checksum covers the lines before it."""
    path = written(tmp_path / "a.jsonl", small_debate())
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], *lines[3:]]))
    with pytest.raises(TranscriptError, match=":3: the line is damaged"):
        read_journal(path)


def test_damage_names_what_is_lost_and_how_to_resume(tmp_path: Path) -> None:
    """The error counts the lines after the damage and gives the command that resumes."""
    path = written(tmp_path / "a.jsonl", [*SHORT, TurnCompleted(at=AT, turn=turn(1))])
    path.write_bytes(path.read_bytes().replace("Grün".encode(), b"Grau", 1))
    with pytest.raises(TranscriptError) as caught:
        read_journal(path)
    lost = "this line and 2 lines after it (speeches: 1, judgements: 0) are lost"
    command = f"debate run --resume {path} --up-to-damage"
    assert str(caught.value) == f"{path}:2: the line is damaged; {lost}; to resume from the line before, run: {command}"


def test_a_damaged_journal_is_cut_and_its_original_kept(tmp_path: Path) -> None:
    """A journal that was cut before its damage can be continued."""
    path = written(tmp_path / "a.jsonl", SHORT)
    data = path.read_bytes()
    path.write_bytes(damaged := data.replace(b"resumed", b"resumee"))
    assert str(cut_at_damage(path)).startswith(f"{path}: line 3 was cut off, because the line is damaged")
    assert (tmp_path / "a.jsonl.damaged").read_bytes() == damaged
    contents = read_journal(path)
    with Journal.open_existing(path, PLAIN) as journal:
        journal.append(SHORT[2])
    assert (list(contents.events), path.read_bytes(), cut_at_damage(path)) == (SHORT[:2], data, None)


@pytest.mark.parametrize("checksums", [True, False], ids=["with checksums", "of 0.1"])
def test_a_cut_journal_keeps_the_cost_of_the_lines_that_can_be_read(tmp_path: Path, checksums: bool) -> None:
    """The speeches after the damage are lost; their usage stays, and so does a reservation without an answer."""
    speeches = [TurnCompleted(at=AT, turn=turn(index)) for index in range(4)]
    path = written(tmp_path / "a.jsonl", [opening_event(), *speeches, sent_request(4)])
    whole = fold(read_journal(path).events)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b'"turned"', b'"turn\0d"')
    data = b"".join(lines)
    path.write_bytes(data if checksums else re.sub(rb',"crc32":"\w+"', b"", data))
    message = cut_at_damage(path)
    assert message is not None
    assert "line 3 and 3 lines after it (speeches: 2, judgements: 0) were cut off" in message
    assert "their cost still counts for the budget" in message
    cut = fold(read_journal(path).events)
    assert [item.index for item in cut.turns] == [0]
    assert [item.task.key for item in cut.reservations] == ["turn/4"]
    lost = EXCHANGE.usage.input_tokens
    assert cut.usage.input_tokens == whole.usage.input_tokens - lost, "only the unreadable line"


def test_a_journal_without_checksums_is_read_and_gets_them(tmp_path: Path) -> None:
    """A journal of 0.1 gets checksums when it is opened for writing."""
    path = written(tmp_path / "a.jsonl", SHORT)
    data = path.read_bytes()
    path.write_bytes(re.sub(rb',"crc32":"\w+"', b"", data))
    assert list(read_journal(path).events) == SHORT
    Journal.open_existing(path, PLAIN).close()
    assert path.read_bytes() == data


def test_secrets_never_reach_the_disk(tmp_path: Path) -> None:
    """They are redacted by value, in any spelling, and by pattern."""
    secret = 'zq"Hush\\7391'
    said = f"I saw {secret}\nsk-abcdefgh12345678 and Bearer abcdefgh12345678."
    path = tmp_path / "a.jsonl"
    with Journal.create(path, [opening_event(background=said)], Redactor([secret])) as journal:
        journal.append(TurnCompleted(at=AT, turn=turn(0, said)))
    text = path.read_text()
    assert "7391" not in text
    assert "abcdefgh" not in text
    assert "I saw [redacted]\n[redacted] and Bearer [redacted]" in fold(read_journal(path).events).turns[0].text


def test_a_full_disk_keeps_the_events_so_far(tmp_path: Path) -> None:
    """An event that does not fit is an error, leaves no partial line, and the next one may fit again."""
    path = tmp_path / "a.jsonl"
    with Journal.create(path, [opening_event()], PLAIN) as journal:
        before = path.read_bytes()
        with files_limited_to(len(before) + 10), pytest.raises(StorageError, match="cannot be written"):
            journal.append(TurnCompleted(at=AT, turn=turn(0)))
        assert path.read_bytes() == before
        journal.append(TurnCompleted(at=AT, turn=turn(0)))
    assert len(read_journal(path).events) == 2


def test_events_that_reach_no_disk_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed fsync leaves the events up to the last one that succeeded, and the checksums still fit."""
    path = tmp_path / "a.jsonl"
    with Journal.create(path, [opening_event()], PLAIN) as journal:
        journal.append(TurnCompleted(at=AT, turn=turn(0)))
        asyncio.run(journal.sync())
        before = path.read_bytes()
        journal.append(TurnCompleted(at=AT, turn=turn(1)))
        with monkeypatch.context() as patch:
            patch.setattr("os.fsync", _fail)
            with pytest.raises(StorageError, match="cannot be written"):
                asyncio.run(journal.sync())
        assert path.read_bytes() == before
        journal.append(TurnCompleted(at=AT, turn=turn(1)))
    assert len(read_journal(path).events) == 3


def _fail(_opened: int) -> None:
    raise OSError(errno.EIO, "Input/output error")


def test_an_existing_journal_is_not_overwritten(tmp_path: Path) -> None:
    """Creating a journal again without `overwrite` is an error."""
    path = written(tmp_path / "a.jsonl", SHORT)
    before = path.read_bytes()
    with pytest.raises(StorageError, match="exists already"):
        Journal.create(path, [opening_event()], PLAIN)
    assert path.read_bytes() == before


@pytest.mark.parametrize("line", [b'{"type":"exploded"}\n', b"OPENED"])
def test_a_foreign_last_line_is_an_error(tmp_path: Path, line: bytes) -> None:
    """A wrong last line with a newline is damaged, not torn."""
    path = written(tmp_path / "a.jsonl", SHORT)
    data = path.read_bytes()
    path.write_bytes(data + line.replace(b"OPENED", data[: data.index(b"\n") + 1]))
    with pytest.raises(TranscriptError, match=":4: the line is damaged"):
        read_journal(path)


def test_appending_to_a_deleted_journal_is_an_error(tmp_path: Path) -> None:
    """An event is not written to a deleted file, where it would be lost."""
    with Journal.create(tmp_path / "a.jsonl", [opening_event()], PLAIN) as journal:
        (tmp_path / "a.jsonl").unlink()
        with pytest.raises(StorageError, match="was removed while the debate ran"):
            journal.append(DebateResumed(at=AT))


def test_a_moved_journal_is_no_longer_at_its_path(tmp_path: Path) -> None:
    """Its folder was renamed, so a message must not name its old path. Events can still be appended."""
    folder = tmp_path / "out"
    folder.mkdir()
    with Journal.create(folder / "a.jsonl", SHORT[:1], PLAIN) as journal:
        assert (journal.is_at_path, journal.is_on_disk) == (True, True)
        folder.rename(tmp_path / "moved")
        journal.append(SHORT[1])
        assert (journal.is_at_path, journal.is_on_disk) == (False, True)
    assert list(read_journal(tmp_path / "moved" / "a.jsonl").events) == SHORT[:2]


def test_a_torn_line_is_reported(tmp_path: Path) -> None:
    """The warning names file and line; reading does not change the file."""
    path = written(tmp_path / "a.jsonl", SHORT)
    torn = path.read_bytes()[:-9]
    path.write_bytes(torn)
    assert str(read_journal(path).incomplete_line_warning).startswith(f"{path}:3: the last line is incomplete")
    assert path.read_bytes() == torn
