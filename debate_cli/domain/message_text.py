"""Formats parts of messages: counts with nouns, sanitized texts, paths, did-you-mean suggestions for misspelt names."""

import re
import shlex
from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

from debate_cli.domain.text_normalization import INVISIBLE_CHARS, TERMINAL_SEQUENCES

_MAX_CANDIDATES = 100
_MAX_WORD_CHARS = 60
_LINE_BREAKS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_SHAPING = r"\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200c\u200d\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef"
"""Invisible characters that change the shape or the place of visible ones, for example of emoji."""
UNPRINTABLE = re.compile(rf"[{INVISIBLE_CHARS}\x85\u2028\u2029](?<![{_SHAPING}])")
"""Matches an invisible or control character, but not the ones in `_SHAPING`."""


def count_noun(count: int, noun: str) -> str:
    """Return the number with its noun, e.g. `1 speech` or `1,200 speeches`."""
    plural = f"{noun}es" if noun.endswith(("ch", "s", "x")) else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"


def spell_number(number: int) -> str:
    """Return the number as a word, e.g. `three`. A number above twelve is returned in digits."""
    words = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    return words[number] if number < len(words) else str(number)


def describe_missing(judgements: int) -> str:
    """Return `1 judgement is missing` or `5 judgements are missing`."""
    return f"{count_noun(judgements, 'judgement')} {'is' if judgements == 1 else 'are'} missing"


def format_wait(seconds: float) -> str:
    """Return a duration as text: below a minute in seconds, else in full minutes, e.g. `30 s` or `2 min`."""
    return f"{seconds:.2g} s" if seconds < 60 else f"{seconds // 60:.0f} min"  # noqa: PLR2004 - a minute


def sanitize_text(text: str) -> str:
    """Remove control sequences, control characters, bidi controls and invisible tags.

    Line feeds and tabs stay. All other line breaks become line feeds.
    """
    if text.isascii() and text.isprintable():
        return text
    text = TERMINAL_SEQUENCES.sub("", _LINE_BREAKS.sub("\n", text))
    return UNPRINTABLE.sub("", _SURROGATES.sub("\ufffd", text))


def quote_path(path: object) -> str:
    """Return a path sanitized and quoted for a shell, on one line."""
    return shlex.quote(" ".join(sanitize_text(str(path)).splitlines()))


def one_line(text: str) -> str:
    """Replace each run of white space in `text` with one space, and strip the ends."""
    return " ".join(text.split())


def printable_line(text: str, max_chars: int | None = None) -> str:
    """Replace each unprintable character of `text` with a space.

    `max_chars`: maximum length of the result; None means no limit.
    """
    return "".join(char if char.isprintable() else " " for char in text)[:max_chars]


def closest_match(word: str, known: Iterable[str]) -> str | None:
    """Return the name in `known` that is most similar to `word`, regardless of case; None if no name is similar.

    If no whole name is similar, the parts of names are compared, e.g. `context` of `context-overflow`.
    """
    if len(word) > _MAX_WORD_CHARS:
        return None
    names = sorted(name for name in islice(known, _MAX_CANDIDATES) if len(name) <= _MAX_WORD_CHARS)
    parts = {part: name for name in reversed(names) for part in re.split("[-_]", name.lower())}
    for owners, cutoff in (({name.lower(): name for name in names}, 0.6), (parts, 0.8)):
        if close := get_close_matches(word.lower(), owners, n=1, cutoff=cutoff):
            return owners[close[0]]
    return None


def format_suggestion(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean …?` with the most similar name, or an empty string if no name is similar."""
    match = closest_match(word, known)
    return f"; {did_you_mean(match)}" if match is not None else ""


def did_you_mean(name: str) -> str:
    """Return ``did you mean `NAME`?``."""
    return f"did you mean `{name}`?"


def format_suggestion_or_list(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean …?` with the most similar name, or `; known are …` if no name is similar."""
    names = tuple(known)
    return format_suggestion(word, names) or f"; known are {', '.join(names)}"
