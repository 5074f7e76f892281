"""Keeping a stream honest when a call is made again."""

from __future__ import annotations

from debate_cli.llm.port import RESTART, OnText


class RestartableStream:
    """An `OnText` that knows whether what it passed on is still standing."""

    def __init__(self, on_text: OnText) -> None:
        self._on_text = on_text
        self._has_output = False

    def __call__(self, piece: str) -> None:
        """Pass `piece` on."""
        self._has_output = piece != RESTART
        self._on_text(piece)

    def restart(self) -> None:
        """Say that what was streamed is void, if anything was."""
        if self._has_output:
            self(RESTART)


def make_restartable(on_text: OnText | None) -> RestartableStream | None:
    """A `Restartable` where somebody listens."""
    return None if on_text is None else RestartableStream(on_text)
