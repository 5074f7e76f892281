"""What a model says, without secrets: a server may repeat the key that it was sent, in its answers too.

Done where the answer comes in, so that neither a screen nor a file nor another provider's model gets to see it.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Protocol
from urllib.parse import quote, quote_plus

from debate_cli.errors import ModelError
from debate_cli.llm.model import RESTART, Model, OnText, Reply, Request

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


class SecretRedactor(Protocol):
    """Takes secrets out of a text; doing it twice changes nothing more."""

    has_secrets: bool
    """Whether it knows any secret by its value."""

    def __call__(self, text: str) -> str:
        """`text` without secrets."""
        ...

    def uncertain_tail(self, text: str) -> int:
        """How many characters at the end of `text` may be the beginning of a secret."""
        ...


class RedactingModel:
    """A model whose replies, streams and errors hold no secret."""

    def __init__(self, model: Model, redact: SecretRedactor) -> None:
        self._model = model
        self._redact = redact

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """The model's answer, redacted."""
        stream = _RedactingStream(on_text, self._redact) if on_text is not None and self._redact.has_secrets else None
        try:
            reply = await self._model.complete(request, on_text if stream is None else stream)
        except ModelError as error:
            error.args = tuple(self._redact(part) if isinstance(part, str) else part for part in error.args)
            raise
        if stream is not None:
            stream.flush()
        refusal = None if reply.refusal is None else self._redact(reply.refusal)
        return replace(reply, text=self._redact(reply.text), refusal=refusal)


class _RedactingStream:
    """An `OnText` that passes on what can no longer be the beginning of a secret."""

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
        """Pass on the rest."""
        self._emit(len(self._buffer))

    def _emit(self, count: int) -> None:
        if count:
            self._on_text(self._buffer[:count])
            self._buffer = self._buffer[count:]
