"""Counts and separates words of scripts that are written without spaces, such as Chinese, Japanese and Thai."""

import re

UNSPACED = "぀-ヿ㐀-䶿一-鿿豈-﫿฀-๿຀-໿က-႟ក-៿"
"""The characters of these scripts, as the inside of a character class of a regular expression."""
_UNSPACED_CHAR = re.compile(f"[{UNSPACED}]")


def count_unspaced(text: str) -> int:
    """Return the number of characters in `text` from scripts without spaces."""
    return len(_UNSPACED_CHAR.findall(text))


def count_words(text: str) -> int:
    """Return the number of words in `text`. Each character of a script without spaces counts as a word."""
    return len(_UNSPACED_CHAR.sub(" x ", text).split())


def separate_characters(text: str) -> str:
    """Return `text` with a space around each character of a script without spaces."""
    return _UNSPACED_CHAR.sub(r" \g<0> ", text)
