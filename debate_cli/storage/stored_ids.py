"""The id of a stored debate that a misspelt one was probably meant for."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path

from debate_cli.domain.did_you_mean import format_suggestion
from debate_cli.storage.folder import list_debate_files


def suggest_debate_id(name: str, folders: Iterable[Path]) -> str:
    """`; did you mean …?` with the id of a debate in one of `folders`; nothing where none is close, or none can be listed.

    An id that begins with `name` is close, however long it is: a made-up one ends in a date, so the last is the newest.
    """
    ids = sorted(
        {path.stem for folder in folders for path in _list_or_empty(folder)},
        key=lambda known: _similarity_key(name, known),
    )
    begun = max((known for known in ids if name and known.startswith(name.lower())), default=None)
    return f"; did you mean `{begun}`?" if begun is not None else format_suggestion(name, ids)


def _similarity_key(name: str, known: str) -> tuple[int, str]:
    """Few begin with the same letters: those are compared first, as not all of a large folder are."""
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(name.lower(), known, strict=False))
    return -sum(1 for _ in alike), known


def _list_or_empty(folder: Path) -> list[Path]:
    try:
        return list_debate_files(folder)
    except OSError:
        return []
