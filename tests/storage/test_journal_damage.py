"""A small journal, damaged at one byte: whole events are read, or there is one clear error; the file is unchanged."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from storage_support import AT, opening_event, turn

from debate_cli.domain.events import DebateResumed, Event, TurnCompleted
from debate_cli.errors import TranscriptError
from debate_cli.llm.redaction import Redactor
from debate_cli.storage.journal import Journal, read_journal

EVERY = 1 if os.environ.get("SOAK") else 11
"""Damage every byte in `make soak`, some in CI."""
EVENTS: list[Event] = [
    opening_event(),
    TurnCompleted(at=AT, turn=turn(0, "Grün 🙂")),
    TurnCompleted(at=AT, turn=turn(1)),
    DebateResumed(at=AT),
]
DAMAGES: dict[str, tuple[Callable[[bytes], bytes], int]] = {
    "a bit": (lambda old: bytes([old[0] ^ 1]), 1),
    "the high bit": (lambda old: bytes([old[0] ^ 0x80]), 1),
    "a zero": (lambda _: b"\0", 1),
    "a newline": (lambda _: b"\n", 1),
    "a quote": (lambda _: b'"', 1),
    "a block of zeros": (lambda old: bytes(len(old)), 64),
}
"""Name -> (the damaged bytes, their number)."""


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_an_error_or_harmless(tmp_path: Path, whole: bytes, damage: str) -> None:
    """Damage at any position gives an error that names the file, or the events as written."""
    path = tmp_path / "a.jsonl"
    change, size = DAMAGES[damage]
    errors = 0
    for start in range(0, len(whole), EVERY):
        data = whole[:start] + change(whole[start : start + size]) + whole[start + size :]
        path.write_bytes(data)
        events, problem = outcome(path)
        assert events is None or events in (EVENTS, EVENTS[:-1]), start
        assert problem is None or (problem.startswith(str(path)) and "\n" not in problem), start
        assert path.read_bytes() == data, start
        errors += problem is not None
    assert errors


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


def test_a_journal_cut_within_its_first_line_is_an_error(tmp_path: Path, whole: bytes) -> None:
    """A journal without a whole event is an error, and the file is unchanged."""
    path = tmp_path / "a.jsonl"
    for length in range(0, whole.index(b"\n"), EVERY):
        path.write_bytes(whole[:length])
        with pytest.raises(TranscriptError, match="contains no events"):
            Journal.open_existing(path, Redactor())
        assert path.read_bytes() == whole[:length]
