"""Removes known secrets, and texts that look like API keys, from everything that is written.

Redacted JSON remains valid JSON.
"""

import re
from collections.abc import Iterable
from typing import get_args

from debate_cli.domain.text_normalization import INVISIBLE_CHARS, reveal_text
from debate_cli.domain.turn import Phase
from debate_cli.llm.redaction import MAX_ENCODED_FACTOR, compile_secret_pattern

REDACTED = "[redacted]"
MIN_SECRET_CHARS = 6
"""Minimum length of a redacted value. A shorter value may be part of ordinary words."""
PLACEHOLDER_KEYS = frozenset({
    "ollama", "lm-studio", "not-needed", "no-key-required", "placeholder", "redacted", "default", "structured",
    *get_args(Phase),
})  # fmt: skip
"""Values that are never redacted: dummy keys for servers that need no key, and words of the transcript's format."""
_WORD_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf]))"
r"""Matches the start of a word. In JSON, the `n` of the escape `\n` is not the start of the next word."""
_API_KEY = re.compile(
    _WORD_START
    + r"(?:sk-(?!learn)[A-Za-z0-9_-]{8,}|AIza[A-Za-z0-9_-]{16,}|gsk_[A-Za-z0-9]{16,}|xai-[A-Za-z0-9]{16,}"
    + r"|hf_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|AKIA[A-Z0-9]{16})"
)
_LONG_WORD = r"(?:(?=[A-Za-z._~+/=-]*[0-9])[A-Za-z0-9._~+/=-]{8,}|[A-Za-z0-9._~+/=-]{16,})"
_BEARER = re.compile(rf"({_WORD_START}(?i:bearer)(?:\s|\\[nrt])+){_LONG_WORD}")
_KEY_HEADER = re.compile(
    r"""((?i:x-api-key|api-key|x-goog-api-key)\\?["']?\s*[:=]\s*\\?["']?)([A-Za-z0-9._~+/-]{6,})"""
)
_URL_CREDENTIALS = re.compile(r"""((?<=[A-Za-z0-9+.-])://)[^\s/:@"'\\<>\[\]]*:[^\s/@"'\\<>\[\]]+(?=@)""")

_WORD = re.compile("[!-~]+")
_LAST_WORD = re.compile(
    rf"(?:(?i:bearer|api-key)\S{{0,4}}\s+)?[!-~{INVISIBLE_CHARS}]+\Z|(?i:bearer|api-key)\S{{0,4}}\s*\Z"
)
_MAX_KEY_CHARS = 200
_MAX_DISGUISE_FACTOR = 7
"""Maximum factor by which invisible characters or JSON escapes lengthen a secret."""


class Redactor:
    """Replaces secrets in text.

    `secrets`: values to replace, also in the encodings of JSON, URLs and base64.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        wanted = {secret for secret in secrets if _is_secret(secret)}
        self._values = compile_secret_pattern(wanted)
        self._longest = MAX_ENCODED_FACTOR * max(map(len, wanted), default=0)
        self._is_word_only = all(_WORD.fullmatch(secret) for secret in wanted)
        """Whether all secrets consist of printable ASCII characters without spaces. Then their encodings do too."""

    def __call__(self, text: str) -> str:
        """Return `text` without secrets. Also finds secrets that contain JSON escapes or invisible characters."""
        text = self._redact_plain(text)
        revealed = reveal_text(text)
        if revealed == text:
            return text
        redacted = self._redact_plain(revealed)
        return text if redacted == revealed else redacted

    def _redact_plain(self, text: str) -> str:
        if self._values is not None:
            text = self._values.sub(REDACTED, text)
        text = _API_KEY.sub(REDACTED, text)
        for pattern in (_BEARER, _KEY_HEADER, _URL_CREDENTIALS):
            text = pattern.sub(_keep_prefix, text)  # faster: `re` parses a template such as `\1` again for each text
        return text

    def uncertain_tail(self, text: str) -> int:
        """Return how many characters at the end of `text` may be the beginning of a secret."""
        longest = max(self._longest, _MAX_KEY_CHARS)
        if not self._is_word_only:
            return min(len(text), longest)
        last = _LAST_WORD.search(text)
        return min(len(last.group()) if last else 0, _MAX_DISGUISE_FACTOR * longest)


def _keep_prefix(match: re.Match[str]) -> str:
    return match[1] + REDACTED


def looks_like_secret(text: str) -> bool:
    """Whether `text` contains what looks like a key, a bearer token or a URL with a password."""
    return any(pattern.search(text) for pattern in (_API_KEY, _BEARER, _URL_CREDENTIALS))


def _is_secret(secret: str) -> bool:
    return len(secret) >= MIN_SECRET_CHARS and secret.lower() not in PLACEHOLDER_KEYS and secret not in REDACTED
