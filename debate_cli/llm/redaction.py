"""Removes secrets from a model's replies and errors, because a server may quote the API key."""

import base64
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Protocol
from urllib.parse import quote, quote_plus

from debate_cli.errors import ModelError
from debate_cli.llm.model import RESTART, Model, OnText, Reply, Request

MIN_ENCODED_CHARS = 8
"""A secret in hexadecimal or Base64 code is removed only if the code has at least this many characters, because shorter
codes occur in ordinary text."""
MAX_ENCODED_FACTOR = 9
"""Maximum length of an encoded secret, as a multiple of the secret's length. In a URL, one `€` becomes nine
characters."""
_UP_TO_8_BACKSLASHES = r"\\{0,8}"


def compile_secret_pattern(secrets: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern that finds `secrets` in plain and encoded form; None if there are no secrets."""
    longest_first = sorted(set(secrets), key=lambda secret: (-len(secret), secret))
    spellings = [
        spelling
        for secret in longest_first
        for spelling in ("".join(map(_character_pattern, secret)), *map(re.escape, sorted(_encodings(secret))))
    ]
    return re.compile("|".join(spellings)) if spellings else None


def _character_pattern(char: str) -> str:
    if char == "\\":
        return r"\\{1,16}"
    if char.isascii() and char.isalnum():
        return char
    plain = f"{_UP_TO_8_BACKSLASHES}{re.escape(char)}"
    return rf"(?:{plain}|\\{{1,8}}u(?i:{ord(char):04x}))" if ord(char) <= 0xFFFF else plain  # noqa: PLR2004 - larger ones have no single \u escape


def _encodings(secret: str) -> set[str]:
    data = secret.encode(errors="surrogatepass")
    in_urls = {quote(data), quote(data, safe=""), quote_plus(data)} - {secret}
    coded = {data.hex(), data.hex().upper(), *_base64(data)}
    return in_urls | {code for code in coded if len(code) >= MIN_ENCODED_CHARS}


def _base64(data: bytes) -> Iterator[str]:
    """Yield the Base64 encodings that `data` can have as a part of longer data.

    The encoding depends on the number of bytes before `data`.
    """
    for before in range(3):
        code = base64.b64encode(bytes(before) + data).decode()
        first, last = -(-before * 8 // 6), (before + len(data)) * 8 // 6
        yield code[first:last]
        yield code[first:last].replace("+", "-").replace("/", "_")


class SecretRedactor(Protocol):
    """Removes secrets from a text. Idempotent."""

    def __call__(self, text: str) -> str:
        """Return `text` without secrets."""
        ...

    def uncertain_tail(self, text: str) -> int:
        """Return how many characters at the end of `text` could be the start of a secret."""
        ...


class RedactingModel:
    """Removes secrets from the answers and errors of `model`."""

    def __init__(self, model: Model, redact: SecretRedactor) -> None:
        self._model = model
        self._redact = redact

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer `request`. Remove secrets from the stream, the reply and errors."""
        stream = None if on_text is None else _RedactingStream(on_text, self._redact)
        try:
            reply = await self._model.complete(request, stream)
        except ModelError as error:
            error.args = tuple(self._redact(part) if isinstance(part, str) else part for part in error.args)
            raise
        if stream is not None:
            stream.flush()
        refusal = None if reply.refusal is None else self._redact(reply.refusal)
        return replace(reply, text=self._redact(reply.text), refusal=refusal)


class _RedactingStream:
    def __init__(self, on_text: OnText, redact: SecretRedactor) -> None:
        self._on_text = on_text
        self._redact = redact
        self._buffer = ""

    def __call__(self, piece: str) -> None:
        if piece == RESTART:
            self._buffer = ""
            self._on_text(RESTART)
            return
        self._buffer = self._redact(self._buffer + piece)
        self._emit(len(self._buffer) - self._redact.uncertain_tail(self._buffer))

    def flush(self) -> None:
        self._emit(len(self._buffer))

    def _emit(self, count: int) -> None:
        if count:
            self._on_text(self._buffer[:count])
            self._buffer = self._buffer[count:]
