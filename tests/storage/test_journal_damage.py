"""A small journal, damaged at one byte: whole events are read, or there is one clear error; the file is unchanged."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from storage_support import AT, opened, turn

from debate_cli.domain.events import DebateClosed, DebateResumed, Event, TurnCompleted
from debate_cli.errors import TranscriptError
from debate_cli.storage.journal import Journal, read_journal
from debate_cli.storage.redact import Redactor

EVERY = 1 if os.environ.get("SOAK") else 11
"""Damage every byte in `make soak`, some in CI."""
EVENTS: list[Event] = [
    opened(),
    TurnCompleted(at=AT, turn=turn(0, "Grün 🙂")),
    TurnCompleted(at=AT, turn=turn(1)),
    DebateResumed(at=AT),
]
DAMAGES: dict[str, Callable[[int], int]] = {
    "a bit": lambda byte: byte ^ 1,
    "the high bit": lambda byte: byte ^ 0x80,
    "a zero": lambda _: 0,
    "a newline": lambda _: ord("\n"),
    "a quote": lambda _: ord('"'),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The undamaged journal."""
    path = tmp_path_factory.mktemp("whole") / "a.jsonl"
    Journal.create(path, EVENTS, Redactor()).close()
    return path.read_bytes()


def outcome(path: Path) -> tuple[list[Event] | None, str | None]:
    """The events that a journal holds, or the error that it gives."""
    try:
        return list(read_journal(path).events), None
    except TranscriptError as error:
        return None, str(error)


@pytest.mark.parametrize("damage", DAMAGES)
def test_one_wrong_byte_is_an_error_or_harmless(tmp_path: Path, whole: bytes, damage: str) -> None:
    """Anywhere: an error of one line that names the file, or a debate.

    Lines before the damage are read as they were written.
    """
    path = tmp_path / "a.jsonl"
    told = 0
    for place, byte in list(enumerate(whole))[::EVERY]:
        data = whole[:place] + bytes([DAMAGES[damage](byte)]) + whole[place + 1 :]
        path.write_bytes(data)
        events, problem = outcome(path)
        assert events is None or events[: whole[:place].count(b"\n")] == EVENTS[: whole[:place].count(b"\n")], place
        assert problem is None or (problem.startswith(str(path)) and "\n" not in problem), place
        assert path.read_bytes() == data, place
        told += problem is not None
    assert told


def test_a_journal_cut_within_its_first_line_is_an_error(tmp_path: Path, whole: bytes) -> None:
    """There is nothing to resume; the file is unchanged."""
    path = tmp_path / "a.jsonl"
    for length in range(0, whole.index(b"\n"), EVERY):
        path.write_bytes(whole[:length])
        with pytest.raises(TranscriptError, match="contains no events"):
            Journal.open_existing(path, Redactor())
        assert path.read_bytes() == whole[:length]


def test_a_block_of_zeros_is_an_error_or_harmless(tmp_path: Path, whole: bytes) -> None:
    """Within a line or across lines, as a failing disk leaves it."""
    path = tmp_path / "a.jsonl"
    told = 0
    for start in range(0, len(whole), 7):
        data = whole[:start] + bytes(64) + whole[start + 64 :]
        path.write_bytes(data)
        events, problem = outcome(path)
        assert events is None or events[: whole[:start].count(b"\n")] == EVENTS[: whole[:start].count(b"\n")], start
        assert problem is None or "a.jsonl" in problem, start
        assert path.read_bytes() == data, start
        told += problem is not None
    assert told


@pytest.mark.parametrize("keep", range(1, len(EVENTS) + 1))
def test_a_journal_with_a_torn_line_can_be_appended_to(tmp_path: Path, whole: bytes, keep: int) -> None:
    """It then reads as the whole lines and the appended event."""
    lines = whole.splitlines(keepends=True)
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join(lines[:keep]) + b'{"type": "turned", "at\x00\xff')
    journal, contents = Journal.open_existing(path, Redactor())
    with journal:
        journal.append(DebateClosed(at=AT, reason="failed"))
    assert contents.torn_line_warning
    assert list(read_journal(path).events) == [*EVENTS[:keep], DebateClosed(at=AT, reason="failed")]
