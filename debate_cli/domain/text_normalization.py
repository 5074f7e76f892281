"""Normalizes texts for comparisons that ignore case, spaces, typography and invisible characters."""

import re
import unicodedata
from itertools import takewhile

_PLAIN_PUNCTUATION = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′`´＇", "'"),
        **dict.fromkeys("“”„‟″«»＂", '"'),
        **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"),
        "\u00ad": None,
    }
)  # fmt: skip
QUOTE_EDGE_CHARS = " \t\n\"'.,;:!?-"
"""Characters that are removed from the ends of a quote before it is compared."""

TERMINAL_SEQUENCES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI
    r"|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\x9d]*(?:\x07|\x1b\\|\x9c)"  # OSC
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x90\x98\x9c\x9e\x9f]*(?:\x1b\\|\x9c)"  # DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]?"  # two-character sequences, and an ESC alone
)
INVISIBLE_CHARS = (
    r"\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u202a-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    r"\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Invisible characters, for use inside a regex character class."""
_INVISIBLE = re.compile(f"[{INVISIBLE_CHARS}]")
_ESCAPED_CHAR = re.compile(r"(?<!\\)\\++u([0-9a-fA-F]{4})")
_ESCAPED_SEQUENCE = re.compile(r'(?<!\\)\\++u001[bB](?:\[[0-?]*[@-\[\]-~]|\][^"\\]*\\++u0007|[0-Z^-~])')
r"""Matches a terminal escape sequence, e.g. for a colour, in JSON. It begins with the text `\u001b`."""


def reveal_text(text: str) -> str:
    r"""Return `text` without invisible characters and terminal sequences. Valid JSON stays valid.

    JSON escapes of letters and digits, e.g. `\u0041`, are decoded.
    """
    if "\\u" in text:
        text = _ESCAPED_CHAR.sub(_decode_escape, _ESCAPED_SEQUENCE.sub("", text))
    return remove_invisible(text)


def remove_invisible(text: str) -> str:
    """Return `text` without invisible characters and terminal sequences."""
    if _INVISIBLE.search(text) is None:  # terminal sequences begin with an invisible character
        return text
    return _INVISIBLE.sub("", TERMINAL_SEQUENCES.sub("", text))


def is_invisible(char: str) -> bool:
    """Return whether the character `char` is invisible."""
    return _INVISIBLE.match(char) is not None


def _decode_escape(escape: re.Match[str]) -> str:
    char = chr(int(escape[1], 16))
    if char.isascii() and char.isalnum():
        return char
    return "" if _INVISIBLE.match(char) else escape[0]


def normalize_text(text: str) -> str:
    """Return `text` in NFKC and lower case, with single spaces, plain quotation marks and plain dashes."""
    plain = unicodedata.normalize("NFKC", text).translate(_PLAIN_PUNCTUATION).casefold()
    return " ".join(plain.split())


def normalize_quote(quote: str) -> str:
    """Normalize `quote` and remove punctuation at its ends."""
    return normalize_text(quote).strip(QUOTE_EDGE_CHARS)


def common_prefix_length(one: str, other: str) -> int:
    """Return the number of characters in the common prefix of both texts."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def ascii_slug(text: str, separator: str = "-") -> str:
    """Return the words of `text` in lower-case ASCII, joined by `separator`. Other characters are dropped."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", separator, plain).strip(separator)
