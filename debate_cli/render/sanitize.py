"""Removes or escapes invisible and control characters in untrusted text that people read.

`llm.prompt_sanitizer` sanitizes text that models read.
"""

import re

from debate_cli.domain.message_text import UNPRINTABLE, one_line, sanitize_text


def sanitize_line(text: str) -> str:
    """Return `text` sanitized on one line: each run of white space becomes one space."""
    return one_line(sanitize_text(text))


def replace_unprintable(text: str) -> str:
    """Replace control characters, bidi controls and invisible characters with U+FFFD.

    White space (tab, LF, VT, FF, CR) and the characters in `_SHAPING` of `domain.message_text` stay.
    """
    return UNPRINTABLE.sub("\ufffd", text)


def escape_json(document: str) -> str:
    r"""Replace invisible characters of a JSON document with escapes like `\u200b`."""

    def escape(found: re.Match[str]) -> str:
        units = found[0].encode("utf-16-be", "surrogatepass")
        return "".join(f"\\u{high:02x}{low:02x}" for high, low in zip(units[::2], units[1::2], strict=True))

    return UNPRINTABLE.sub(escape, document)


def prefix_lines(prefix: str, text: str) -> list[str]:
    """Return the sanitized lines of `text`, each with `prefix` in front. Blank lines are left out.

    If no line is left, the result is `prefix` alone.
    """
    return [f"{prefix}{line}" for line in sanitize_text(text).splitlines() if line.strip()] or [prefix.rstrip()]
