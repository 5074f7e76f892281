"""Use case `import`: turns files with debates that were held elsewhere into transcripts."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from debate_cli.app.judge_request import GENERATOR
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Origin
from debate_cli.errors import TranscriptError, UsageError
from debate_cli.importing.debate import ImportChoices, ImportedDebate, build_debate
from debate_cli.importing.formats import READERS, SUFFIXES, TABLE_FORMATS, detect_format
from debate_cli.importing.speeches import UnreadableDebateError, decode_text
from debate_cli.regular_file import is_inside, read_regular_file
from debate_cli.storage.folder import MAX_ID_LENGTH, TRANSCRIPT_SUFFIX, slugify, validate_id
from debate_cli.storage.lock import lock_debate
from debate_cli.storage.redact import Redactor
from debate_cli.storage.transcript import to_transcript, write_transcript

MAX_FILE_BYTES = 20_000_000
"""Maximum size of a file to import."""


_NUMBER_CHARS = 6
"""Characters reserved for a number at the end of an id."""


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """Options of `debate import`."""

    format: str | None = None
    """Name of the format; None detects it."""
    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    """Field -> name of its column, for tables."""
    choices: ImportChoices = field(default_factory=ImportChoices)


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """A file that was read, and its transcript."""

    source: Path
    target: Path
    format: str
    encoding: str
    imported: ImportedDebate

    def with_debate(self, debate: Debate) -> ImportedFile:
        """The same file with `debate` as its transcript."""
        return replace(self, imported=replace(self.imported, debate=debate))


def find_import_files(paths: Sequence[Path]) -> tuple[list[Path], int]:
    """The files of `paths` (those in folders sorted by name), and the number of other files in these folders.

    Raises UsageError for a folder without a file that can be imported.
    """
    found: list[Path] = []
    others = 0
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        inside = sorted(_visible_files(path))
        files = [file for file in inside if file.suffix.lower() in SUFFIXES and is_inside(file, [path])]
        if not files:
            raise UsageError(f"{path}: holds no file to import; name a folder with {', '.join(sorted(SUFFIXES))} files")
        others += len(inside) - len(files)
        found += files
    return list(dict.fromkeys(found)), others


def _visible_files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(place, name) for name in names if not name.startswith("."))


def choose_targets(files: Sequence[Path], out: Path | None, folder: Path) -> list[Path]:
    """The file for the transcript of each debate: `out` if it names a file, else one in the folder `out` or `folder`.

    A transcript in a folder is named after the imported file. Raises UsageError if `out` is one file for several
    debates.
    """
    if out is not None and out.suffix == TRANSCRIPT_SUFFIX:
        if len(files) > 1:
            raise UsageError(f"--out {out}: names one file for {len(files)} debates; name a folder")
        validate_id(out.stem)
        return [out]
    names = DebateIds()
    return [(out or folder) / f"{names.choose(file.stem)}{TRANSCRIPT_SUFFIX}" for file in files]


class DebateIds:
    """Gives each debate of one import a different id."""

    def __init__(self) -> None:
        self._used: Counter[str] = Counter()

    def choose(self, name: str) -> str:
        """An id made from `name`; a number is added if the id was used before."""
        base = slugify(name, MAX_ID_LENGTH - _NUMBER_CHARS) or "debate"
        found = base
        while self._used[found]:
            self._used[base] += 1
            found = f"{base}-{self._used[base]}"
        self._used[found] += 1
        return found


def read_import_file(path: Path, target: Path, request: ImportRequest, at: datetime) -> ImportedFile:
    """Read the debate of a file. Raises TranscriptError with one sentence if there is none."""
    data = read_bytes(path)
    try:
        text, encoding = decode_text(data)
        name = request.format or detect_format(text, path.name)
        if request.columns and name not in TABLE_FORMATS:
            raise UsageError(f"--map names columns of a table, but {path} is in the format {name}; leave it out")
        origin = Origin(file=path.name, sha256=hashlib.sha256(data).hexdigest(), format=name)
        found = READERS[name](text, request.columns)
        imported = build_debate(found, origin, request.choices, target.stem, GENERATOR, at)
    except UnreadableDebateError as error:
        raise TranscriptError(f"{path}: {error}") from error
    return ImportedFile(path, target, name, encoding, imported)


def save_import(file: ImportedFile, *, force: bool) -> None:
    """Write the transcript. Raises StorageError if that fails, or if the file exists and `force` is not set."""
    with lock_debate(file.target):
        write_transcript(file.target, to_transcript(file.imported.debate), Redactor(), overwrite=force)


def read_bytes(path: Path, most: int = MAX_FILE_BYTES) -> bytes:
    """The content of a file of at most `most` bytes. Raises TranscriptError."""
    try:
        data = read_regular_file(path, most)
    except FileNotFoundError as error:
        raise TranscriptError(f"{path}: no such file; name a file with a debate") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a file name"
        raise TranscriptError(f"{path}: cannot be read ({reason}); make it readable") from error
    if len(data) > most:
        raise TranscriptError(f"{path}: larger than {most // 1_000_000} MB; split it")
    return data
