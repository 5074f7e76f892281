"""Strings of a prescribed form: a `format` by a sample, a simple regular `pattern` by the shortest string that fits.

Patterns may hold literals, `.`, classes, the usual escapes, groups, alternatives and counts. Others are not understood.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

SAMPLES: Mapping[str, str] = MappingProxyType(
    {
        "date": "2026-03-14",
        "date-time": "2026-03-14T09:30:00Z",
        "time": "09:30:00Z",
        "duration": "P1D",
        "email": "reader@example.org",
        "hostname": "example.org",
        "ipv4": "192.0.2.1",
        "ipv6": "2001:db8::1",
        "uri": "https://example.org/source",
        "uri-reference": "/source",
        "uuid": "123e4567-e89b-42d3-a456-426614174000",
    }
)
"""A value per `format`."""
CLASSES: Mapping[str, str] = MappingProxyType({"d": "4", "w": "a", "s": " ", "D": "a", "W": "-", "S": "a"})
"""A character per escape that stands for many."""
CONTROLS: Mapping[str, str] = MappingProxyType({"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v"})
PREFERRED = "a4A-_ .:"
LONGEST = 200
"""Of the counts of a pattern that are tried for a least length."""
_COUNT = re.compile(r"\{(\d+)(?:,(\d*))?\}")


def formed(pattern: str | None, format_: str | None, least: int, most: int | None) -> str | None:
    """A string of `least` to `most` characters that fits `pattern`, else one of that `format`; None where none is found."""
    if pattern is None:
        sample = SAMPLES.get(format_ or "")
        return sample if sample is not None and _fits(sample, "", least, most) else None
    sample = SAMPLES.get(format_ or "", "")
    if sample and _fits(sample, pattern, least, most):
        return sample
    for extra in range(min(least, LONGEST) + 1):
        try:
            found = _Reader(pattern, extra).alternatives()
            if _fits(found, pattern, least, most):
                return found
        except (ValueError, IndexError, re.error):
            return None
    return None


def _fits(text: str, pattern: str, least: int, most: int | None) -> bool:
    return least <= len(text) <= (len(text) if most is None else most) and re.search(pattern, text) is not None


class _Reader:
    """Walks a pattern and writes what it says. An open count is taken `extra` times more than it must be, where it may."""

    def __init__(self, pattern: str, extra: int) -> None:
        self._pattern = pattern
        self._extra = extra
        self._at = 0

    def alternatives(self) -> str:
        """The first alternative from here to the end of the group, the others skipped."""
        found = self._sequence()
        while self._peek() == "|":
            self._at += 1
            self._sequence()
        return found

    def _sequence(self) -> str:
        found = ""
        while self._peek() not in ("", "|", ")"):
            piece = self._piece()
            found += piece * self._times()
        return found

    def _piece(self) -> str:
        sign = self._next()
        match sign:
            case "^" | "$":
                return ""
            case ".":
                return "a"
            case "\\":
                return self._escaped()
            case "[":
                return self._class()
            case "(":
                return self._group()
            case "*" | "+" | "?":
                raise ValueError(sign)
            case _:
                return sign

    def _escaped(self) -> str:
        sign = self._next()
        if sign in "bAZz":
            return ""
        found = CLASSES.get(sign) or CONTROLS.get(sign)
        if found is None and sign.isalnum():
            raise ValueError(sign)
        return found or sign

    def _class(self) -> str:
        start = self._at - 1
        self._at += self._peek() == "^"
        self._at += self._peek() == "]"
        while self._peek() != "]":
            escapes = self._next() == "\\"
            self._at += escapes
        self._at += 1
        allowed = re.compile(self._pattern[start : self._at])
        wide = (*PREFERRED, *map(chr, range(33, 0x250)))
        return next((char for char in wide if allowed.fullmatch(char)), "a")

    def _group(self) -> str:
        if self._peek() == "?":
            name = re.compile(r"\?(?::|P?<\w+>)").match(self._pattern, self._at)
            if name is None:
                raise ValueError(self._pattern[self._at :])
            self._at = name.end()
        found = self.alternatives()
        if self._next() != ")":
            raise ValueError(self._pattern)
        return found

    def _times(self) -> int:
        """How often the piece before is written; reads past the count."""
        least, most = self._count()
        self._at += self._peek() in ("?", "+") and least != most
        return least + self._extra if most is None else min(most, least + self._extra, LONGEST)

    def _count(self) -> tuple[int, int | None]:
        bounds = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(self._peek())
        if bounds is not None:
            self._at += 1
            return bounds
        found = _COUNT.match(self._pattern, self._at)
        if found is None:
            return 1, 1
        self._at = found.end()
        least = int(found[1])
        return least, least if found[2] is None else int(found[2]) if found[2] else None

    def _peek(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _next(self) -> str:
        self._at += 1
        return self._pattern[self._at - 1]
