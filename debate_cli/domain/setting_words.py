"""A setting's value as a person would say it, and two of them so that one sees where they differ."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

MAX_SETTING_CHARS = 56
"""Letters that a value is told in."""
LEADING_CONTEXT_CHARS = 16
"""Letters shown before the place where two long values part."""
NOT_SET = "not set"


def format_setting(value: Any) -> str:
    """JSON data on one line: texts as they are, the parts of lists and mappings by commas.

    What has a name is called by it, and a mapping in which one thing is set by that.
    """
    match value:
        case None:
            return NOT_SET
        case bool():
            return "true" if value else "false"
        case str():
            return _single_line(value) or "empty"
        case Mapping():
            return _format_mapping(cast("Mapping[str, Any]", value))
        case Sequence():
            return ", ".join(map(format_setting, cast("Sequence[Any]", value))) or "none"
        case float() if value.is_integer():
            return str(int(value))
        case _:
            return str(value)


def format_setting_pair(first: Any, second: Any, room: int = MAX_SETTING_CHARS) -> tuple[str, str]:
    """Two values in words, each in `room` letters, cut such that the place where they part is seen.

    Values that differ, but not in words, are told as JSON in ASCII: every blank and every type is seen there.
    """
    texts = format_setting(first), format_setting(second)
    if texts[0] == texts[1] and first != second:
        texts = json.dumps(first), json.dumps(second)
    parted = next((place for place, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), min(map(len, texts)))
    start = 0
    if max(map(len, texts)) > room and parted > room - 2 * LEADING_CONTEXT_CHARS:
        earliest = min(parted - LEADING_CONTEXT_CHARS, max(map(len, texts)) - room + 1)
        start = texts[0].find(" ", earliest, parted) + 1 or earliest
    one, other = (_truncate(text, start, room) for text in texts)
    return one, other


def _single_line(text: str) -> str:
    """`text` on one line; what a terminal would act on, or not show, is spelt out."""
    return " ".join("".join(_escape_char(sign) for sign in text).split())


def _escape_char(sign: str) -> str:
    return sign if sign.isprintable() or sign.isspace() else ascii(sign)[1:-1]


def _truncate(text: str, start: int, room: int) -> str:
    before = "…" if start else ""
    rest = text[start:]
    left = room - len(before)
    return before + (rest if len(rest) <= left else f"{rest[: left - 1].rstrip()}…")


def _format_mapping(value: Mapping[str, Any]) -> str:
    if isinstance(value.get("name"), str):
        return format_setting(value["name"])
    parts = {_single_line(key): format_setting(part) for key, part in value.items() if part is not None}
    if len(parts) == 1:
        return next(iter(parts.values()))
    return ", ".join(f"{key} {part}" for key, part in parts.items()) or "none"
