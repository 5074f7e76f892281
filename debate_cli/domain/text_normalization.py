"""Normalized texts, for comparisons that ignore case, spaces and typography."""

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
"""Characters stripped from the ends of a quote before it is compared."""


def normalize_text(text: str) -> str:
    """`text` in NFKC, casefolded, with single spaces and plain quotation marks and dashes."""
    plain = unicodedata.normalize("NFKC", text).translate(_PLAIN_PUNCTUATION).casefold()
    return " ".join(plain.split())


def normalize_quote(quote: str) -> str:
    """`quote` normalized, without punctuation at its ends; equal for quotes of the same words."""
    return normalize_text(quote).strip(QUOTE_EDGE_CHARS)


def iter_strings(value: object) -> Iterator[str]:
    """Every text in a JSON value, in order; keys are not included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in cast("Mapping[str, object]", value).values():
            yield from iter_strings(item)
    elif isinstance(value, Iterable):
        for item in cast("Iterable[object]", value):
            yield from iter_strings(item)
