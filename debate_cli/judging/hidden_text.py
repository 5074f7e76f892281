"""Text that a reader does not see: written in Unicode tag characters, or encoded as base64."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

_TAG_FIRST, _TAG_LAST = 0xE0020, 0xE007E
_TAG_OFFSET = 0xE0000
LEAST_HIDDEN = 8
"""Tag characters from which they are a text; the flag of Scotland has five."""
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{24,}={0,2}(?![A-Za-z0-9+/=])")


def tag_text(text: str) -> str | None:
    """What is written in Unicode tag characters, if that is more than the name of a flag."""
    codes = [ord(char) - _TAG_OFFSET for char in text if _TAG_FIRST <= ord(char) <= _TAG_LAST]
    return "".join(map(chr, codes)) if len(codes) >= LEAST_HIDDEN else None


def base64_runs(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, decoded) of every run of base64 that is printable text."""
    for match in _BASE64.finditer(text):
        run = match.group()
        try:
            decoded = base64.b64decode(run + "=" * (-len(run) % 4), validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
        if decoded.replace("\n", " ").isprintable():
            yield *match.span(), decoded
