"""Texts within values, and when two wordings are the same words: case, spaces and typography aside."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import cast

_PLAIN_PUNCTUATION = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′`´＇", "'"),
        **dict.fromkeys("“”„‟″«»＂", '"'),
        **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"),
        "\u00ad": None,
    }
)  # fmt: skip
QUOTE_EDGE_CHARS = " \t\n\"'.,;:!?-"
"""Signs at the ends of a quote that are none of its words."""


def normalize_text(text: str) -> str:
    """NFKC, casefolded, runs of white space as one space, quotation marks and dashes as their plain forms."""
    plain = unicodedata.normalize("NFKC", text).translate(_PLAIN_PUNCTUATION).casefold()
    return " ".join(plain.split())


def normalize_quote(quote: str) -> str:
    """What is the same for quotes of the same words."""
    return normalize_text(quote).strip(QUOTE_EDGE_CHARS)


def iter_strings(value: object) -> Iterator[str]:
    """Every text within a value as JSON has them, keys aside, from first to last."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in cast("Mapping[str, object]", value).values():
            yield from iter_strings(item)
    elif isinstance(value, Iterable):
        for item in cast("Iterable[object]", value):
            yield from iter_strings(item)
