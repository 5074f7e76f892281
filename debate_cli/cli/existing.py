"""Files that stand where a command is to write one: refused before anything is done."""

from __future__ import annotations

from pathlib import Path

from debate_cli.errors import UsageError


def refuse_existing(place: Path, *, force: bool, option: str) -> None:
    """Raise UsageError where what `option` asks for could not be written to `place`, as something stands there."""
    if place.is_dir():
        raise UsageError(f"{option} {place}: this is a folder; name a file")
    if place.exists() and not force:
        raise UsageError(f"{option} {place}: exists already; choose another file, or overwrite it with --force")
