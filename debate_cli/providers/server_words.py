"""What may be repeated of a server's own words in a message: one clean short line without secrets."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from typing import Any, cast

from debate_cli.llm.secret_spellings import compile_secret_pattern

MAX_MESSAGE_CHARS = 200
_REDACTED = "[redacted]"
_SECRET = re.compile(
    r"""
    \b(?:bearer|basic)\s+[^\s"',;]{4,}                           # an Authorization header's value
    | \b(?:x-api-key|api[-_ ]?key|authorization)\b["']?\s*[:=]\s*["']?[^\s"',;]{4,}
    | \b(?:sk|pk|rk|gsk|xai|key|csk)[-_][\w*.…-]{4,}             # keys by their prefixes, masked ones too
    | \bAIza[\w*-]{6,}
    | (?<=://)[^\s/@]+@                                          # credentials in a URL
    """,
    re.VERBOSE | re.IGNORECASE,
)
_TITLE = re.compile(r"<title[^>]*>([^<]{1,200})", re.IGNORECASE)
_TAG = re.compile(r"<[^>]{0,500}>?")


def extract_error_message(body: str, secrets: Iterable[str] = ()) -> str:
    """What a response body says, for a message: at most MAX_CHARS printable characters on one line, secrets taken out.

    Understands the JSON shapes in use (`error.message`, `message`, `detail`, lists of these) and HTML pages (the title).
    """
    return sanitize_message(_find_message(body), secrets)


def sanitize_message(text: str, secrets: Iterable[str] = ()) -> str:
    """`text` without control and format characters, secrets and line breaks, cut to MAX_CHARS."""
    printable = "".join(
        " " if unicodedata.category(sign)[0] in "CZ" else sign for sign in unicodedata.normalize("NFKC", text)
    )
    if known := compile_secret_pattern(secrets):
        printable = known.sub(_REDACTED, printable)
    line = " ".join(_SECRET.sub(_REDACTED, printable).split())
    return line if len(line) <= MAX_MESSAGE_CHARS else line[: MAX_MESSAGE_CHARS - 1].rstrip() + "…"


def _find_message(body: str) -> str:
    body = body.strip()[:20_000]
    if body.startswith("<"):
        title = _TITLE.search(body)
        return title.group(1) if title else _TAG.sub(" ", body)
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        return body
    return _find_first_text(parsed) or body


def _find_first_text(value: Any, depth: int = 0) -> str:
    if isinstance(value, str):
        return value
    if depth > 3:  # noqa: PLR2004 - the known shapes are not deeper
        return ""
    if isinstance(value, list):
        return next((words for item in cast("list[Any]", value) if (words := _find_first_text(item, depth + 1))), "")
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        names = ("error", "message", "msg", "detail", "errors", "error_description")
        return next((words for name in names if (words := _find_first_text(fields.get(name), depth + 1))), "")
    return ""
