"""Did-you-mean suggestions for misspelt names."""

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

_MAX_CANDIDATES = 100
"""Maximum number of names with which a misspelt name is compared."""
_MAX_WORD_CHARS = 60
"""Longer words are not compared, because the time grows with the square of the length."""


def closest_match(word: str, known: Iterable[str]) -> str | None:
    """Return the name in `known` closest to `word`; None if none is similar. Long words and lists are not compared."""
    names = sorted(name for name in islice(known, _MAX_CANDIDATES) if len(name) <= _MAX_WORD_CHARS)
    close = get_close_matches(word.lower(), names, n=1, cutoff=0.6) if len(word) <= _MAX_WORD_CHARS else []
    return close[0] if close else None


def format_suggestion(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean …?` if `known` contains a similar name, else an empty string."""
    match = closest_match(word, known)
    return f"; did you mean `{match}`?" if match is not None else ""


def format_suggestion_or_list(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean …?` if `known` contains a similar name, else `; known are …` with all names."""
    names = tuple(known)
    return format_suggestion(word, names) or f"; known are {', '.join(names)}"
