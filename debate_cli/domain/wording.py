"""When two wordings are the same words: case, spaces and typography aside."""

from __future__ import annotations

import unicodedata

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
