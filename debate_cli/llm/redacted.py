"""What a model says, without secrets: a server may repeat the key that it was sent, in its answers too.

Done where the answer comes in, so that neither a screen nor a file nor another provider's model gets to see it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from debate_cli.errors import ModelError
from debate_cli.llm.port import RESTART, Model, OnText, Reply, Request


class Redact(Protocol):
    """Takes secrets out of a text; doing it twice changes nothing more."""

    knows: bool
    """Whether it knows any secret by its value."""

    def __call__(self, text: str) -> str:
        """`text` without secrets."""
        ...

    def unsure(self, text: str) -> int:
        """How many characters at the end of `text` may be the beginning of a secret."""
        ...


class Redacted:
    """A model whose replies, streams and errors hold no secret."""

    def __init__(self, model: Model, redact: Redact) -> None:
        self._model = model
        self._redact = redact

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """The model's answer, redacted."""
        stream = _Stream(on_text, self._redact) if on_text is not None and self._redact.knows else None
        try:
            reply = await self._model.complete(request, on_text if stream is None else stream)
        except ModelError as error:
            error.args = tuple(self._redact(part) if isinstance(part, str) else part for part in error.args)
            raise
        if stream is not None:
            stream.end()
        refusal = None if reply.refusal is None else self._redact(reply.refusal)
        return replace(reply, text=self._redact(reply.text), refusal=refusal)


class _Stream:
    """An `OnText` that passes on what can no longer be the beginning of a secret."""

    def __init__(self, on_text: OnText, redact: Redact) -> None:
        self._on_text = on_text
        self._redact = redact
        self._held = ""

    def __call__(self, piece: str) -> None:
        if piece == RESTART:
            self._held = ""
            self._on_text(RESTART)
            return
        self._held = self._redact(self._held + piece)
        self._pass_on(len(self._held) - self._redact.unsure(self._held))

    def end(self) -> None:
        """Pass on the rest."""
        self._pass_on(len(self._held))

    def _pass_on(self, count: int) -> None:
        if count:
            self._on_text(self._held[:count])
            self._held = self._held[count:]
