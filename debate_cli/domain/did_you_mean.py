"""The word that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

_COMPARED = 100
"""Names that a wrong one is compared with."""
_WORD_CHARS = 60
"""Comparing takes time with the square of a word."""


def closest(word: str, known: Iterable[str]) -> str | None:
    """The one of `known` that `word` was probably meant for, if any; long words and lists are not looked at."""
    names = sorted(name for name in islice(known, _COMPARED) if len(name) <= _WORD_CHARS)
    close = get_close_matches(word.lower(), names, n=1, cutoff=0.6) if len(word) <= _WORD_CHARS else []
    return close[0] if close else None


def suggestion(word: str, known: Iterable[str]) -> str:
    """`; did you mean …?` where one of `known` is close to `word`, else nothing."""
    meant = closest(word, known)
    return f"; did you mean `{meant}`?" if meant is not None else ""


def suggestion_or_list(word: str, known: Iterable[str]) -> str:
    """The suggestion; where there is none, `; known are …` with all of `known`."""
    names = tuple(known)
    return suggestion(word, names) or f"; known are {', '.join(names)}"
