"""Counts and finds words, also in scripts that are written without spaces, such as Chinese, Japanese and Thai."""

import re

UNSPACED = "぀-ヿ㐀-䶿一-鿿豈-﫿฀-๿຀-໿က-႟ក-៿"
"""Characters of scripts without spaces, as ranges to put between the brackets `[` and `]` of a regular expression."""
MAX_WORD_CHARS = 200
"""Maximum length of a word in characters. A longer word, such as encoded data, counts as several words."""
_UNSPACED_CHAR = re.compile(f"[{UNSPACED}]")
_WORD = re.compile(rf"[{UNSPACED}]+|[^\W{UNSPACED}]+")
_UNSPACED_RUN = re.compile(f"[{UNSPACED}]+")


def count_unspaced(text: str) -> int:
    """Return the number of characters in `text` from scripts without spaces."""
    return len(text) - len(_UNSPACED_RUN.sub("", text))


def count_words(text: str) -> int:
    """Return the number of words in `text`. Each character of a script without spaces counts as a word."""
    unspaced = 0 if text.isascii() else count_unspaced(text)
    words = (_UNSPACED_RUN.sub(" ", text) if unspaced else text).split()
    return unspaced + len(words) + sum((len(word) - 1) // MAX_WORD_CHARS for word in words)


def split_words(text: str) -> list[str]:
    """Return the words of `text` without punctuation.

    In scripts without spaces, each pair of neighbouring characters is a word.
    """
    found: list[str] = []
    for run in _WORD.findall(text):
        pairs = [run[at : at + 2] for at in range(len(run) - 1)] if _UNSPACED_CHAR.match(run) else []
        found += pairs or [run]
    return found


def separate_characters(text: str) -> str:
    """Return `text` with a space on both sides of each character of a script without spaces."""
    return _UNSPACED_CHAR.sub(r" \g<0> ", text)
