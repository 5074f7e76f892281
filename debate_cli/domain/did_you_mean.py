"""The word that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

_MAX_CANDIDATES = 100
"""Names that a wrong one is compared with."""
_MAX_WORD_CHARS = 60
"""Comparing takes time with the square of a word."""


def closest_match(word: str, known: Iterable[str]) -> str | None:
    """The one of `known` that `word` was probably meant for, if any; long words and lists are not looked at."""
    names = sorted(name for name in islice(known, _MAX_CANDIDATES) if len(name) <= _MAX_WORD_CHARS)
    close = get_close_matches(word.lower(), names, n=1, cutoff=0.6) if len(word) <= _MAX_WORD_CHARS else []
    return close[0] if close else None


def format_suggestion(word: str, known: Iterable[str]) -> str:
    """`; did you mean …?` where one of `known` is close to `word`, else nothing."""
    meant = closest_match(word, known)
    return f"; did you mean `{meant}`?" if meant is not None else ""


def format_suggestion_or_list(word: str, known: Iterable[str]) -> str:
    """The suggestion; where there is none, `; known are …` with all of `known`."""
    names = tuple(known)
    return format_suggestion(word, names) or f"; known are {', '.join(names)}"
