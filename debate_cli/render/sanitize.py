"""Removes or escapes invisible and control characters in untrusted text that people read.

`llm.prompt_sanitizer` sanitizes text that models read.
"""

import re
import shlex

from debate_cli.domain.message_text import one_line
from debate_cli.domain.text_normalization import INVISIBLE_CHARS, TERMINAL_SEQUENCES

_LINE_BREAKS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_SHAPING = r"\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200c\u200d\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef"
"""Invisible characters that change the shape or the place of visible characters, e.g. the colour of an emoji."""
_UNPRINTABLE = re.compile(rf"[{INVISIBLE_CHARS}\x85\u2028\u2029](?<![{_SHAPING}])")


def sanitize_text(text: str) -> str:
    """Remove control sequences, control characters, bidi controls and invisible tags.

    Line feeds and tabs stay. All other line breaks become line feeds.
    """
    if text.isascii() and text.isprintable():
        return text
    text = TERMINAL_SEQUENCES.sub("", _LINE_BREAKS.sub("\n", text))
    return _UNPRINTABLE.sub("", _SURROGATES.sub("\ufffd", text))


def sanitize_line(text: str) -> str:
    """Return `text` sanitized on one line: each run of white space becomes one space."""
    return one_line(sanitize_text(text))


def quote_path(path: object) -> str:
    """Return a path sanitized and quoted for a shell, on one line."""
    return shlex.quote(" ".join(sanitize_text(str(path)).splitlines()))


def replace_unprintable(text: str) -> str:
    """Replace control characters, bidi controls and invisible characters with U+FFFD.

    White space (tab, LF, VT, FF, CR) and the characters in `_SHAPING` stay.
    """
    return _UNPRINTABLE.sub("\ufffd", text)


def escape_json(document: str) -> str:
    r"""Replace invisible characters of a JSON document with escapes like `\u200b`."""

    def escape(found: re.Match[str]) -> str:
        units = found[0].encode("utf-16-be", "surrogatepass")
        return "".join(f"\\u{high:02x}{low:02x}" for high, low in zip(units[::2], units[1::2], strict=True))

    return _UNPRINTABLE.sub(escape, document)


def prefix_lines(prefix: str, text: str) -> list[str]:
    """Return the sanitized lines of `text`, each with `prefix` in front. Blank lines are left out.

    If no line is left, the result is `prefix` alone.
    """
    return [f"{prefix}{line}" for line in sanitize_text(text).splitlines() if line.strip()] or [prefix.rstrip()]
