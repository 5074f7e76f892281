"""Text that a reader does not see: in Unicode tag characters, in a code, or in a part of a page that is not shown."""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from collections.abc import Iterator

_TAG_FIRST, _TAG_LAST = 0xE0020, 0xE007E
_TAG_OFFSET = 0xE0000
MIN_TAG_CHARS = 8
"""Tag characters from which they are a text; the flag of Scotland has five."""


def decode_tag_characters(text: str) -> str | None:
    """What is written in Unicode tag characters, if that is more than the name of a flag."""
    codes = [ord(char) - _TAG_OFFSET for char in text if _TAG_FIRST <= ord(char) <= _TAG_LAST]
    return "".join(map(chr, codes)) if len(codes) >= MIN_TAG_CHARS else None


_INVISIBLE_PART = re.compile(
    r"<!--(?P<comment>.{1,500}?)-->|^\[[^\]\n]{0,40}\]:\s*#\s*[(\"'](?P<note>[^\n]{1,300})[)\"']"
    r"|<\w+\b[^<>]{0,200}(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0|hidden\b|"
    r"color\s*[:=]\s*[\"']?\s*(?:white|#fff|transparent))[^<>]{0,200}>(?P<unseen>[^<]{1,500})",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)


def find_invisible_parts(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, content) of comments, and of elements styled not to be seen, in HTML and Markdown."""
    for match in _INVISIBLE_PART.finditer(text):
        yield *match.span(), match["comment"] or match["note"] or match["unseen"]


_BASE64 = re.compile(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{16,}={0,2}(?![A-Za-z0-9+/=_-])")
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:0x)?(?:[0-9A-Fa-f]{2}[ :]?){10,}(?![0-9A-Za-z])")
_BINARY = re.compile(r"(?<![0-9])(?:[01]{8}\s?){4,}(?![0-9])")
_MORSE = re.compile(r"(?<![\w.])(?:[.\-]{1,5}(?:\s*/\s*|[ \t]+|$)){8,}")
_MORSE_LETTERS = dict(
    zip(
        [
            ".-",
            "-...",
            "-.-.",
            "-..",
            ".",
            "..-.",
            "--.",
            "....",
            "..",
            ".---",
            "-.-",
            ".-..",
            "--",
            "-.",
            "---",
            ".--.",
            "--.-",
            ".-.",
            "...",
            "-",
            "..-",
            "...-",
            ".--",
            "-..-",
            "-.--",
            "--..",
        ],
        "abcdefghijklmnopqrstuvwxyz",
        strict=True,
    )
)


def find_encoded_runs(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, decoded) of every run of base64, hexadecimal, binary or Morse code that is readable text."""
    for pattern, decode in (
        (_BASE64, _decode_base64),
        (_HEX, _decode_hex),
        (_BINARY, _decode_binary),
        (_MORSE, _decode_morse),
    ):
        for match in pattern.finditer(text):
            try:
                decoded = decode(match.group().strip())
            except (ValueError, binascii.Error):
                continue
            if decoded.replace("\n", " ").isprintable():
                yield *match.span(), unicodedata.normalize("NFKC", decoded)


def _decode_base64(run: str) -> str:
    return base64.b64decode(
        run.rstrip("=") + "=" * (-len(run.rstrip("=")) % 4),
        altchars=b"-_" if "-" in run or "_" in run else None,
        validate=True,
    ).decode()


def _decode_hex(run: str) -> str:
    return bytes.fromhex(re.sub(r"^0x|[ :]", "", run)).decode()


def _decode_binary(run: str) -> str:
    return bytes(int(byte, 2) for byte in re.findall("[01]{8}", run)).decode()


def _decode_morse(run: str) -> str:
    return " ".join("".join(_MORSE_LETTERS.get(sign, "") for sign in word.split()) for word in run.split("/"))
