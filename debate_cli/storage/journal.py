"""The journal: a debate's events, one JSON object a line, each on the disk before it counts.

The first line carries the schema version of transcripts. `storage.transcript_store` decides whether the journal or the
transcript is read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

from pydantic import ValidationError

from debate_cli.domain.events import EVENT_ADAPTER, DebateOpened, Event, JudgingOpened, TaskStarted
from debate_cli.errors import NewerVersionError, StorageError, TranscriptError
from debate_cli.storage.atomic_write import atomic_write, friendly_os_errors, open_regular_file, write_all
from debate_cli.storage.plain import is_mapping
from debate_cli.storage.serialization import Redact, config_to_json, dump_json_line, providers_to_json
from debate_cli.storage.upgrades import SCHEMA_VERSION

MAX_JOURNAL_BYTES = 256 * 1024 * 1024
_VERSION_KEY = "schema_version"
_VERSION_CHARS = 20


class JournalContents(NamedTuple):
    """The events of a journal file."""

    events: tuple[Event, ...]
    torn_line_warning: str | None
    """One sentence about a torn last line, which is not among the events; None if all lines are whole."""
    length: int
    """Bytes of the whole lines."""
    version: int
    """Schema version of the file."""


class Journal:
    """A journal open for writing. Use it in a `with` statement, or `close` it."""

    def __init__(self, path: Path, opened: int, length: int, redact: Redact) -> None:
        self.path = path
        self._fd = opened
        self._length = length
        self._redact = redact

    @classmethod
    def create(cls, path: Path, events: Sequence[Event], redact: Redact, *, overwrite: bool = False) -> Self:
        """Create a journal with `events`, of which the first is DebateOpened. The file appears with all of them or not at all.

        Raises StorageError, also if the file exists and `overwrite` is not set.
        """
        data = b"".join(_format_event(event, redact) for event in events)
        atomic_write(path, data, overwrite=overwrite)
        return cls._open(path, len(data), redact)

    @classmethod
    def open_existing(cls, path: Path, redact: Redact) -> tuple[Self, JournalContents]:
        """Open an existing journal for appending, cut off a torn last line, and return its contents too.

        A journal of an older version is first rewritten, atomically, as one of the newest.

        Raises TranscriptError if it cannot be read (the file is not changed then), StorageError if it cannot be written.
        """
        contents = read_journal(path)
        if contents.version < SCHEMA_VERSION:
            return cls.create(path, contents.events, redact, overwrite=True), contents
        journal = cls._open(path, contents.length, redact)
        try:
            journal._truncate()
            journal._end_line()
        except StorageError:
            journal.close()
            raise
        return journal, contents

    @classmethod
    def _open(cls, path: Path, length: int, redact: Redact) -> Self:
        with friendly_os_errors(path, "written"):
            return cls(path, os.open(path, os.O_RDWR | os.O_APPEND), length, redact)

    def append(self, event: Event) -> None:
        """Write `event`. It is on the disk when this returns; nothing of it is if this raises StorageError.

        TaskStarted is written without fsync: it survives the death of the process, and a power failure could only lose
        the hint that a call may have been billed. The fsync of the next event covers it.
        """
        data = _format_event(event, self._redact)
        with friendly_os_errors(self.path, "written"):
            if os.fstat(self._fd).st_nlink == 0:
                raise StorageError(
                    f"{self.path}: the journal was removed while the debate ran; nothing more can be saved to it"
                )
            try:
                write_all(self._fd, data)
                if not isinstance(event, TaskStarted):
                    os.fsync(self._fd)
            except OSError:
                self._truncate()
                raise
        self._length += len(data)

    def close(self) -> None:
        """Close the file and keep it."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def remove(self) -> None:
        """Close and delete the file, once a transcript holds its events."""
        self.close()
        with friendly_os_errors(self.path, "removed"):
            self.path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _truncate(self) -> None:
        with friendly_os_errors(self.path, "written"):
            os.ftruncate(self._fd, self._length)

    def _end_line(self) -> None:
        """Add a newline to a whole last line that lacks it, as the process died before writing it."""
        with friendly_os_errors(self.path, "written"):
            if self._length and os.pread(self._fd, 1, self._length - 1) != b"\n":
                write_all(self._fd, b"\n")
                self._length += 1
            os.fsync(self._fd)


def read_journal(path: Path) -> JournalContents:
    """The events of the journal at `path`. The file is not changed.

    Raises TranscriptError, with file and line, for a damaged line before the last one, an invalid event, a newer version,
    and a file without events.
    """
    data = _read_bytes(path)
    lines = data.split(b"\n")
    whole_to = len(lines) - 1 if lines[-1] == b"" else len(lines)
    events: list[Event] = []
    length = version = 0
    torn: str | None = None
    for number, line in enumerate(lines[:whole_to], start=1):
        fields = _parse_line(line)
        if fields is None and number == whole_to:
            torn = f"{path}:{number}: the last line is incomplete and ignored; its event is lost"
            break
        if fields is None:
            raise TranscriptError(f"{path}:{number}: the line is damaged; restore the file from a backup")
        found = fields.pop(_VERSION_KEY, None)
        if number == 1:
            version = _check_version(path, found, fields)
        events.append(_parse_event(path, number, fields))
        length = min(length + len(line) + 1, len(data))
    if not events:
        raise TranscriptError(f"{path}: contains no events; remove the file")
    return JournalContents(tuple(events), torn, length, version)


def _read_bytes(path: Path) -> bytes:
    try:
        with os.fdopen(open_regular_file(path), "rb") as file:
            data = file.read(MAX_JOURNAL_BYTES + 1)
    except OSError as error:
        raise TranscriptError(f"{path}: cannot be read ({error.strerror}); name a journal") from error
    if len(data) > MAX_JOURNAL_BYTES:
        raise TranscriptError(f"{path}: larger than {MAX_JOURNAL_BYTES // 1024**2} MiB; not a journal")
    return data


def _parse_line(line: bytes) -> dict[str, Any] | None:
    """The JSON object on a line; None if it is not one."""
    try:
        fields: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return fields if is_mapping(fields) else None


def _check_version(path: Path, version: object, fields: dict[str, Any]) -> int:
    """The schema version that the first line of a journal names, if this program knows it. Raises TranscriptError."""
    if isinstance(version, bool) or not isinstance(version, int) or version < 1 or fields.get("type") != "opened":
        raise TranscriptError(f"{path}:1: not a journal of debate-cli; name another file")
    if version > SCHEMA_VERSION:
        needed = f"it needs a debate-cli that knows schema_version {str(version)[:_VERSION_CHARS]}"
        raise NewerVersionError(f"{path}:1: written by a newer version; {needed} (this one knows {SCHEMA_VERSION})")
    return version


def _parse_event(path: Path, number: int, fields: dict[str, Any]) -> Event:
    """The event in `fields`. The first, and only the first, must be DebateOpened."""
    try:
        event = EVENT_ADAPTER.validate_python(fields)
    except (ValidationError, RecursionError) as error:
        raise TranscriptError(f"{path}:{number}: the event on this line is not valid; restore the file") from error
    if isinstance(event, DebateOpened) != (number == 1):
        raise TranscriptError(f"{path}:{number}: a second debate begins in this line; restore the file")
    return event


def _format_event(event: Event, redact: Redact) -> bytes:
    data = event.model_dump(mode="json")
    if isinstance(event, DebateOpened):
        data["config"] = config_to_json(event.config)
        if not event.kept_verdicts:
            del data["kept_verdicts"]
        data = {_VERSION_KEY: SCHEMA_VERSION, **data}
    elif isinstance(event, JudgingOpened):
        data["providers"] = providers_to_json(event.providers)
    return dump_json_line(data, redact)
