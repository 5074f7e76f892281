"""How a secret may be written by whoever repeats it: as it is, escaped however often, in a URL, in base64, in hexadecimal."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote, quote_plus

MIN_ENCODED_CHARS = 8
"""Characters from which what a secret's code says is still its own: less is found in any long code."""
MAX_ENCODED_FACTOR = 9
"""A secret's code is at most this many times as long as the secret: a URL writes € as nine signs, JSON as six."""
_ESCAPES = r"\\{0,8}"
"""So many backslashes stand before a sign at the most: a text within a text within a text."""


def compile_secret_pattern(secrets: Iterable[str]) -> re.Pattern[str] | None:
    """Matches each of `secrets` in all its spellings, as part of a longer text too; None where there are none."""
    longest_first = sorted(set(secrets), key=lambda secret: (-len(secret), secret))
    ways = [
        way
        for secret in longest_first
        for way in (_escaped_pattern(secret), *map(re.escape, sorted(_encodings(secret))))
    ]
    return re.compile("|".join(ways)) if ways else None


def _escaped_pattern(secret: str) -> str:
    """A pattern for `secret` in JSON or a program's text, or in such a text that stands in another one."""
    return "".join(map(_character_pattern, secret))


def _character_pattern(sign: str) -> str:
    if sign == "\\":
        return r"\\{1,16}"
    if sign.isascii() and sign.isalnum():
        return sign
    plain = f"{_ESCAPES}{re.escape(sign)}"
    return rf"(?:{plain}|\\{{1,8}}u(?i:{ord(sign):04x}))" if ord(sign) <= 0xFFFF else plain  # noqa: PLR2004 - as JSON does


def _encodings(secret: str) -> set[str]:
    data = secret.encode(errors="surrogatepass")
    in_urls = {quote(data), quote(data, safe=""), quote_plus(data)} - {secret}
    coded = {data.hex(), data.hex().upper(), *_base64(data)}
    return in_urls | {code for code in coded if len(code) >= MIN_ENCODED_CHARS}


def _base64(data: bytes) -> Iterator[str]:
    """What base64 makes of `data` wherever it stands in what is encoded: the signs that hold nothing of its neighbours."""
    for before in range(3):
        code = base64.b64encode(bytes(before) + data).decode()
        first, last = -(-before * 8 // 6), (before + len(data)) * 8 // 6
        yield code[first:last]
        yield code[first:last].replace("+", "-").replace("/", "_")
