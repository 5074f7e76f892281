"""The word that was probably meant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

from debate_cli.domain.assessment import SYSTEM_KINDS
from debate_cli.errors import UsageError

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


_OPTION = "--system"
_SEPARATORS = re.compile(r"[\s,;+]+")
"""What several names may be parted by in one word."""


def check_system_kind(kind: str) -> None:
    """Raise UsageError where `kind` names no judging system, with the one that was meant; of several in one word, with each."""
    if kind in SYSTEM_KINDS:
        return
    meant = [closest_match(part, SYSTEM_KINDS) for part in _SEPARATORS.split(kind) if part]
    if len(meant) > 1 and None not in meant:
        repeated = " ".join(f"{_OPTION} {name}" for name in dict.fromkeys(meant))
        raise UsageError(f"{_OPTION} {kind}: names several judging systems; repeat the option: {repeated}")
    raise UsageError(
        f"{_OPTION} {kind}: there is no such judging system{format_suggestion_or_list(kind, SYSTEM_KINDS)}"
    )
