"""The files of debates in a folder, told apart by their names alone. Nothing here reads one."""

from __future__ import annotations

from pathlib import Path

TRANSCRIPT, JOURNAL = ".json", ".jsonl"
"""Suffixes of the two forms of a debate on disk."""
_SCHEMA = ".schema.json"


def debates_in(folder: Path) -> list[Path]:
    """Transcripts in `folder`, and journals of debates that have none, sorted by name. Raises OSError."""
    names = [place for place in folder.iterdir() if not place.name.startswith(".")]
    whole = [place for place in names if place.suffix == TRANSCRIPT and not is_schema(place) and place.is_file()]
    have = {place.with_suffix(JOURNAL) for place in whole}
    unfinished = [place for place in names if place.suffix == JOURNAL and place not in have]
    return sorted([*whole, *unfinished])


def is_schema(path: Path) -> bool:
    """Whether a file is named as the JSON Schemas are that lie beside configurations and transcripts."""
    return path.name.endswith(_SCHEMA)
