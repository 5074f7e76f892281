"""Texts within values, and when two wordings are the same words: case, spaces and typography aside."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import cast

_SIGNS = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′`´＇", "'"),
        **dict.fromkeys("“”„‟″«»＂", '"'),
        **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"),
        "\u00ad": None,
    }
)  # fmt: skip
EDGES = " \t\n\"'.,;:!?-"
"""Signs at the ends of a quote that are none of its words."""


def normalised(text: str) -> str:
    """NFKC, casefolded, runs of white space as one space, quotation marks and dashes as their plain forms."""
    plain = unicodedata.normalize("NFKC", text).translate(_SIGNS).casefold()
    return " ".join(plain.split())


def words_of(quote: str) -> str:
    """What is the same for quotes of the same words."""
    return normalised(quote).strip(EDGES)


def strings_in(value: object) -> Iterator[str]:
    """Every text within a value as JSON has them, keys aside, from first to last."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in cast("Mapping[str, object]", value).values():
            yield from strings_in(item)
    elif isinstance(value, Iterable):
        for item in cast("Iterable[object]", value):
            yield from strings_in(item)
