"""Lists the files in a folder of debates. Creates and checks the ids in file names."""

import random
import re
from collections.abc import Callable, Collection
from datetime import datetime
from itertools import chain, count
from pathlib import Path

from debate_cli.domain.text_normalization import ascii_slug
from debate_cli.errors import UsageError

TRANSCRIPT_SUFFIX, JOURNAL_SUFFIX = ".json", ".jsonl"
_DEBATE_SUFFIXES = {TRANSCRIPT_SUFFIX, JOURNAL_SUFFIX}
_SCHEMA_SUFFIX = ".schema.json"


def list_debate_files(folder: Path) -> list[Path]:
    """Return the transcripts in `folder`, and the journals without a transcript, sorted by name. Raises OSError.

    An entry with the name of such a file is returned even if it cannot be opened as a debate, e.g. a FIFO or a folder
    without debates.
    """
    transcripts: dict[str, Path] = {}
    journals: dict[str, Path] = {}
    for path in folder.iterdir():
        stem, suffix = path.stem, path.suffix
        if suffix not in _DEBATE_SUFFIXES or stem.startswith(".") or contains_debates(path):
            continue
        if suffix == JOURNAL_SUFFIX:
            journals[stem] = path
        elif not is_schema_file(path.name):
            transcripts[stem] = path
    whole = {stem: path for stem, path in transcripts.items() if stem not in journals or _is_file(path)}
    return sorted((journals | whole).values())


def contains_debates(path: Path) -> bool:
    """Return whether `path` is a folder that contains debates, and whose name ends like a transcript or journal.

    The callers skip such a folder, e.g. `study.json/`, because only its name looks like the file of a debate. Returns
    False if the folder cannot be read.
    """
    try:
        return (
            path.suffix in _DEBATE_SUFFIXES
            and path.is_dir()
            and any(file.suffix in _DEBATE_SUFFIXES and file.is_file() for file in path.iterdir())
        )
    except OSError:
        return False


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def is_schema_file(name: str) -> bool:
    """Whether a file with this name contains a JSON Schema."""
    return name.endswith(_SCHEMA_SUFFIX)


MAX_ID_LENGTH = 80
_ID_PATTERN = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
_TOPIC_LENGTH = 32
_RANDOM_CHARS = "0123456789abcdefghijklmnopqrstuvwxyz"
_RANDOM_LENGTH = 4


def new_id(topic: str, now: datetime, chance: random.Random, redact: Callable[[str], str]) -> str:
    """Create an id: the redacted topic, the date and time, and four random characters."""
    tail = "".join(chance.choice(_RANDOM_CHARS) for _ in range(_RANDOM_LENGTH))
    return f"{slugify(redact(topic)) or 'debate'}-{now:%Y%m%d-%H%M%S}-{tail}"


def slugify(text: str, length: int = _TOPIC_LENGTH) -> str:
    """Convert `text` to words of [a-z0-9] joined by `-`, at most `length` characters. May return an empty text."""
    words = ascii_slug(text)
    if len(words) <= length:
        return words
    cut = words[: length + 1]
    return (cut.rpartition("-")[0] or cut[:length]).strip("-")


def free_name(name: str, taken: Collection[str], separator: str = "-") -> str:
    """Return `name` if it is not in `taken`, else `name` with the first free number from 2, e.g. `name-2`."""
    numbered = (f"{name}{separator}{number}" for number in count(2))
    return next(each for each in chain([name], numbered) if each not in taken)


def validate_id(debate_id: str) -> str:
    """Return `debate_id`. Raises UsageError if it is not a valid id."""
    if len(debate_id) > MAX_ID_LENGTH or _ID_PATTERN.fullmatch(debate_id) is None:
        shown = debate_id[:MAX_ID_LENGTH] if debate_id.isprintable() else ascii(debate_id)[1:-1][:MAX_ID_LENGTH]
        allowed = f"use a-z, 0-9, and dashes between them, at most {MAX_ID_LENGTH} characters"
        raise UsageError(f"`{shown}` is not a valid id; {allowed}")
    return debate_id
