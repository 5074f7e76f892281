"""What a model says, without secrets: a server may repeat the key that it was sent, in its answers too.

Done where the answer comes in, so that neither a screen nor a file nor another provider's model gets to see it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from debate_cli.errors import ModelError
from debate_cli.llm.port import RESTART, Model, OnText, Reply, Request


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
