"""The files of debates in a folder, told apart by their names alone. Nothing here reads one."""

from __future__ import annotations

import os
from pathlib import Path

TRANSCRIPT_SUFFIX, JOURNAL_SUFFIX = ".json", ".jsonl"
"""Suffixes of the two forms of a debate on disk."""
_SCHEMA_SUFFIX = ".schema.json"


def list_debate_files(folder: Path) -> list[Path]:
    """Transcripts in `folder`, and journals of debates that have none, sorted by name. Raises OSError."""
    with os.scandir(folder) as entries:  # names alone are looked at: a folder may hold thousands
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
    """Whether it is a file, or a link to one; a link that leads nowhere, or round in a circle, is none."""
    try:
        return entry.is_file()
    except OSError:
        return False


def is_schema_file(name: str) -> bool:
    """Whether a file is named as the JSON Schemas are that lie beside configurations and transcripts."""
    return name.endswith(_SCHEMA_SUFFIX)
