"""Lists the debate files in a folder by their names, without reading them."""

import os
from pathlib import Path

TRANSCRIPT_SUFFIX, JOURNAL_SUFFIX = ".json", ".jsonl"
"""A transcript is `ID.json`, a journal `ID.jsonl`."""
_SCHEMA_SUFFIX = ".schema.json"


def list_debate_files(folder: Path) -> list[Path]:
    """Transcripts in `folder`, and journals without a transcript, sorted by name. Raises OSError."""
    with os.scandir(folder) as entries:
        found = {entry.name: entry for entry in entries if not entry.name.startswith(".")}
    whole = {
        name.removesuffix(TRANSCRIPT_SUFFIX)
        for name, entry in found.items()
        if name.endswith(TRANSCRIPT_SUFFIX) and not is_schema_file(name) and _is_file(entry)
    }
    unfinished = [
        name for name in found if name.endswith(JOURNAL_SUFFIX) and name.removesuffix(JOURNAL_SUFFIX) not in whole
    ]
    return [folder / name for name in sorted([*(name + TRANSCRIPT_SUFFIX for name in whole), *unfinished])]


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Whether `entry` is a file or a link to one. False for broken and circular links."""
    try:
        return entry.is_file()
    except OSError:
        return False


def is_schema_file(name: str) -> bool:
    """Whether a file name is that of a JSON Schema."""
    return name.endswith(_SCHEMA_SUFFIX)
