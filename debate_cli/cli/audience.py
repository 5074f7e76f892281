"""Whoever watches a run may leave before its end, as `head` does."""

from __future__ import annotations

import re
from collections.abc import Callable

from debate_cli.cli.screen import nobody_reads
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Asked, Event
from debate_cli.domain.tasks import Cue, Task
from debate_cli.render import hostile
from debate_cli.render.watcher import Watcher

_SECONDS = re.compile(r"\d+(?:\.\d+)? s\b")


class Audience:
    """Shows a run to a watcher until nobody reads what that writes; then `left` is called once, and nothing more shown."""

    def __init__(
        self, watcher: Watcher, left: Callable[[], None] = lambda: None, *, aside: Callable[[str], None] | None = None
    ) -> None:
        """`aside` is told the warnings of a run whose watcher shows none."""
        self.gone = False
        self._aside = aside
        self.left = left
        self._watcher = watcher
        self._noted: set[str] = set()
        """What was noted since the last event, without its numbers of seconds."""
        self._repeated = 0

    def event(self, event: Event, debate: Debate) -> None:
        """See `Watcher`."""
        if not isinstance(event, Asked):
            self._count()
        self._show(lambda: self._watcher.event(event, debate))

    def asking(self, task: Task) -> None:
        """See `Watcher`."""
        self._show(lambda: self._watcher.asking(task))

    def text(self, cue: Cue, piece: str) -> None:
        """See `Watcher`."""
        self._show(lambda: self._watcher.text(cue, piece))

    def note(self, note: str) -> None:
        """See `Watcher`. What is noted of several calls, as when their server is down, is shown once and then counted."""
        same = _SECONDS.sub("", note)
        if same in self._noted:
            self._repeated += 1
            return
        self._noted.add(same)
        self._show(lambda: self._watcher.note(note))

    def warn(self, note: str) -> None:
        """What must be told however little is shown, without control characters: a note, or else a line of its own."""
        if self._aside is None:
            self._show(lambda: self._watcher.note(note))
        else:
            self._aside(f"note: {hostile.line(note)}")

    def _count(self) -> None:
        """Tell how often the notes since the last event came again."""
        times = "once" if self._repeated == 1 else f"{self._repeated} times"
        if self._repeated:
            self._show(lambda: self._watcher.note(f"the same {times} more, for other calls"))
        self._noted.clear()
        self._repeated = 0

    def _show(self, showing: Callable[[], None]) -> None:
        if self.gone:
            return
        try:
            showing()
        except OSError as error:
            if not nobody_reads(error):
                raise
            self.gone = True
            self.left()
