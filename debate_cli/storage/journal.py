"""The journal: the events of a debate, one JSON object per line.

Each line ends in a checksum, the CRC-32 of all lines so far. Journals of debate-cli 0.1 have no checksums.
"""

import itertools
import os
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self

import jiter
from pydantic import ValidationError

from debate_cli.domain.events import EVENT_ADAPTER, DebateOpened, DebateResumed, Event, JudgingOpened
from debate_cli.domain.lost_events import keep_costs
from debate_cli.domain.message_text import quote_path
from debate_cli.errors import StorageError, TranscriptError
from debate_cli.regular_file import read_regular_file, shorten_path
from debate_cli.storage.atomic_write import atomic_write, friendly_os_errors, write_all
from debate_cli.storage.plain_data import is_mapping
from debate_cli.storage.serialization import Redact, config_to_json, dump_json, providers_to_json
from debate_cli.storage.upgrades import SCHEMA_VERSION, check_version

MAX_JOURNAL_BYTES = 256 * 1024 * 1024
_VERSION_KEY = "schema_version"
_CHECKSUM = re.compile(rb',"crc32":"([0-9a-f]{8})"\}$')
"""Matches the checksum at the end of a line: the CRC-32 of this and all earlier lines, without their checksums."""
_DAMAGED_SUFFIX = ".damaged"


class JournalMirror(Protocol):
    """Stores a copy of each line of a journal. Every method may raise DebateError, which stops the debate."""

    def replace(self, lines: Sequence[bytes]) -> None:
        """Replace all stored lines with `lines`."""
        ...

    def append(self, line: bytes) -> None:
        """Store `line` after the stored lines."""
        ...

    async def sync(self) -> None:
        """Wait until all lines so far are stored."""
        ...


class JournalContents(NamedTuple):
    """The events of a journal file."""

    events: tuple[Event, ...]
    incomplete_line_warning: str | None
    """Warning about an incomplete last line, which is ignored; None if all lines are complete."""
    length: int
    """Size of the complete lines in bytes, including one newline per line."""
    version: int
    """Version of the schema that the file follows."""
    checksum: int | None
    """Checksum of the last complete line; None for a journal without checksums."""


class _Damage(NamedTuple):
    line_number: int
    reason: str
    lines: Sequence[bytes]
    """The damaged line and all later lines."""

    @property
    def lost_lines(self) -> str:
        """The number of lines, speeches and judgements after the damaged line, in words. Empty if no line follows."""
        return _describe_lines(self.lines[1:])


class Journal:
    """A journal open for writing. Use it in a `with` statement, or `close` it."""

    def __init__(
        self, path: Path, length: int, checksum: int, redact: Redact, mirror: JournalMirror | None = None
    ) -> None:
        """Open the file at `path`, and cut it to its first `length` bytes. Raises StorageError."""
        self.path = path
        self._mirror = mirror
        self._length = length
        self._checksum = checksum
        self._synced = length, checksum
        """The part of the file that is certainly on the disk: its length in bytes, and its checksum."""
        self._redact = redact
        if path.is_symlink():
            raise StorageError(
                f"{path}: is a link, which may lead out of its folder; give the path of the journal itself"
            )
        with friendly_os_errors(path, "written"):
            self._fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW)
            try:
                if os.fstat(self._fd).st_size < length:  # the last line is complete but lacks its newline
                    os.write(self._fd, b"\n")
                else:
                    os.ftruncate(self._fd, length)
            except OSError:
                self.close()
                raise

    @classmethod
    def create(
        cls,
        path: Path,
        events: Sequence[Event],
        redact: Redact,
        *,
        overwrite: bool = False,
        mirror: JournalMirror | None = None,
    ) -> Self:
        """Create a journal with `events`. The first event must be DebateOpened.

        Raises StorageError if the file cannot be written, or exists and `overwrite` is false.
        """
        checksum = 0
        lines: list[bytes] = []
        for event in events:
            line, checksum = _format_event(event, redact, checksum)
            lines.append(line)
        data = b"".join(lines)
        atomic_write(path, data, overwrite=overwrite)
        if mirror is not None:
            mirror.replace(lines)
        return cls(path, len(data), checksum, redact, mirror)

    @classmethod
    def open_existing(cls, path: Path, redact: Redact, *, mirror: JournalMirror | None = None) -> Self:
        """Open a journal for appending, and remove an incomplete last line.

        Raises TranscriptError if the file cannot be read, and StorageError if it cannot be written.
        """
        contents = read_journal(path)
        if contents.version < SCHEMA_VERSION or contents.checksum is None:
            return cls.create(path, contents.events, redact, overwrite=True, mirror=mirror)
        return cls(path, contents.length, contents.checksum, redact, mirror)

    @property
    def is_on_disk(self) -> bool:
        """Whether the file is open and has not been deleted."""
        return self._fd >= 0 and os.fstat(self._fd).st_nlink > 0

    @property
    def is_at_path(self) -> bool:
        """Whether the open file is the file at `path`. False if the file or its folder was moved or removed."""
        try:
            return self._fd >= 0 and os.path.samestat(os.fstat(self._fd), self.path.stat())
        except OSError:
            return False

    def append(self, event: Event) -> None:
        """Write `event`. The event is safe from a power failure only after `sync`.

        Raises StorageError if the event cannot be written; the file is then unchanged.
        """
        data, checksum = _format_event(event, self._redact, self._checksum)
        with friendly_os_errors(self.path, "written"):
            if not self.is_on_disk:
                raise StorageError(
                    f"{self.path}: the journal was removed while the debate ran; nothing more can be saved to it"
                )
            try:
                write_all(self._fd, data)
            except OSError:
                self._truncate()
                raise
        self._length += len(data)
        self._checksum = checksum
        if self._mirror is not None:
            self._mirror.append(data)

    async def sync(self) -> None:
        """Fsync the file. If this fails, remove the events since the last sync and raise StorageError."""
        import asyncio  # slow, and commands that only read journals need no event loop

        written = self._length, self._checksum
        with friendly_os_errors(self.path, "written"):
            try:
                await asyncio.to_thread(os.fsync, self._fd)
            except OSError:
                self._length, self._checksum = self._synced
                self._truncate()
                raise
        self._synced = written
        if self._mirror is not None:
            await self._mirror.sync()

    def close(self) -> None:
        """Close the file. Unlike `remove`, keep it on disk."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def remove(self) -> None:
        """Close and delete the file. Call this when a transcript contains the events."""
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


def read_journal(path: Path) -> JournalContents:
    """Read the journal at `path`.

    Raises TranscriptError if a line is damaged, if a newer version wrote the file, or if the file has no events.
    """
    contents, damage = _scan(path)
    if damage is not None:
        command = f"debate run --resume {quote_path(path)} --up-to-damage"
        lost = f"this line and {damage.lost_lines} are" if damage.lost_lines else "this line is"
        raise TranscriptError(
            f"{path}:{damage.line_number}: {damage.reason}; {lost} lost; to resume from the line before, run: {command}"
        )
    return contents


def read_before_damage(path: Path) -> JournalContents:
    """Read the events of the journal at `path` that `cut_at_damage` would keep.

    Raises TranscriptError if a newer version wrote the file, or if no event precedes the damage.
    """
    contents, damage = _scan(path)
    return contents if damage is None else contents._replace(events=(*contents.events, *_lost_costs(damage)))


def _lost_costs(damage: _Damage) -> tuple[Event, ...]:
    return tuple(keep_costs(_readable_events(damage.lines)))


def cut_at_damage(path: Path) -> str | None:
    """Remove the first damaged line of the journal and all later lines. A copy of the old journal is kept.

    What was paid for the removed lines still counts for the budget: new lines store the usage of all removed lines that
    can be read, and the usage reserved for requests in flight.

    The caller must hold the debate's lock. Return a message about the removed lines; None if no line is damaged.
    Raises TranscriptError if no event precedes the damage, and StorageError if a file cannot be written.
    """
    contents, damage = _scan(path)
    if damage is None:
        return None
    names = (f"{path.name}{_DAMAGED_SUFFIX}{f'-{number}' if number > 1 else ''}" for number in itertools.count(1))
    copy = next(candidate for candidate in map(path.with_name, names) if not candidate.exists())
    costs = _lost_costs(damage)
    atomic_write(copy, path.read_bytes())
    Journal.create(path, (*contents.events, *costs), lambda text: text, overwrite=True).close()
    lost = f" and {damage.lost_lines} were" if damage.lost_lines else " was"
    still = "; their cost still counts for the budget" if costs else ""
    return (
        f"{path}: line {damage.line_number}{lost} cut off, because {damage.reason}{still}; "
        f"the original is kept as {copy}"
    )


def _scan(path: Path) -> tuple[JournalContents, _Damage | None]:
    try:
        data = read_regular_file(path, MAX_JOURNAL_BYTES)
    except OSError as error:
        raise TranscriptError(
            f"{shorten_path(path)}: cannot be read ({error.strerror}); give the path of a journal"
        ) from error
    if len(data) > MAX_JOURNAL_BYTES:
        limit = f"{MAX_JOURNAL_BYTES // 1024**2} MiB"
        raise TranscriptError(f"{path}: is too large for a journal (more than {limit}); give the path of a journal")
    lines = data.removesuffix(b"\n").split(b"\n")
    incomplete_line_warning: str | None = None
    events: list[Event] = []
    length = version = 0
    checksum: int | None = 0
    damage: _Damage | None = None
    for number, line in enumerate(lines, start=1):
        fields, found = _parse_line(line, checksum, is_first=number == 1)
        if fields is None and number == len(lines) and not data.endswith(b"\n"):
            incomplete_line_warning = f"{path}:{number}: the last line is incomplete and ignored; its event is lost"
            break
        if number == 1:
            if fields is None:
                raise TranscriptError(f"{path}:1: the line is damaged, so the debate cannot be read; restore the file")
            is_opening = fields.get("type") == "opened"
            version = check_version(fields.get(_VERSION_KEY) if is_opening else None, f"{path}:1", "journal")
        event = _parse_event(fields, is_first=number == 1)
        if isinstance(event, str):
            damage = _Damage(number, event, lines[number - 1 :])
            break
        events.append(event)
        checksum = found
        length += len(line) + 1
    if not events:
        problem = f":1: {damage.reason}; restore the file" if damage else ": contains no events; remove the file"
        raise TranscriptError(f"{path}{problem}")
    return JournalContents(tuple(events), incomplete_line_warning, length, version, checksum), damage


def _readable_events(lines: Iterable[bytes]) -> Iterator[Event]:
    for line in lines:
        fields = _parse_object(_CHECKSUM.sub(b"}", line))
        event = _parse_event(fields, is_first=False)
        if not isinstance(event, str):
            yield event


def _describe_lines(lines: Sequence[bytes]) -> str:
    if not lines:
        return ""
    kinds = Counter((_parse_object(line) or {}).get("type") for line in lines)
    count = "1 line" if len(lines) == 1 else f"{len(lines)} lines"
    return f"{count} after it (speeches: {kinds['turned']}, judgements: {kinds['assessed']})"


def _parse_line(line: bytes, previous: int | None, *, is_first: bool) -> tuple[dict[str, Any] | None, int | None]:
    found = _CHECKSUM.search(line)
    if found is None:
        return (_parse_object(line) if is_first or previous is None else None), None
    if previous is None:
        return None, None
    body = line[: found.start()]
    checksum = zlib.crc32(body, previous)
    return (_parse_object(body + b"}") if checksum == int(found[1], 16) else None), checksum


def _parse_object(line: bytes) -> dict[str, Any] | None:
    try:
        fields: Any = jiter.from_json(line, catch_duplicate_keys=True)
    except ValueError:
        return None
    return fields if is_mapping(fields) else None


def _parse_event(fields: dict[str, Any] | None, *, is_first: bool) -> Event | str:
    if fields is None:
        return "the line is damaged"
    try:
        event = EVENT_ADAPTER.validate_python({key: value for key, value in fields.items() if key != _VERSION_KEY})
    except (ValidationError, RecursionError):
        return "the event on this line is not valid"
    return event if isinstance(event, DebateOpened) == is_first else "a second debate begins in this line"


def _format_event(event: Event, redact: Redact, previous: int) -> tuple[bytes, int]:
    data = event.model_dump(mode="json")
    if isinstance(event, DebateOpened):
        data["config"] = config_to_json(event.config)
        data = {_VERSION_KEY: SCHEMA_VERSION, **data}
    elif isinstance(event, DebateResumed) and event.config is not None:
        data["config"] = config_to_json(event.config)
    elif isinstance(event, JudgingOpened):
        data["providers"] = providers_to_json(event.providers)
    body = dump_json(data, redact).removesuffix(b"}\n")
    checksum = zlib.crc32(body, previous)
    return b'%s,"crc32":"%08x"}\n' % (body, checksum), checksum
