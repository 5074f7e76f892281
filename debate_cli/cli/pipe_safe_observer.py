"""Whoever watches a run may leave before its end, as `head` does."""

from __future__ import annotations

import re
from collections.abc import Callable

from debate_cli.cli.console import is_broken_pipe
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Event, TaskStarted
from debate_cli.domain.tasks import Cue, Task
from debate_cli.observer import Observer
from debate_cli.render import sanitize

_DURATION = re.compile(r"\d+(?:\.\d+)? s\b")


class PipeSafeObserver:
    """Shows a run to a watcher until nobody reads what that writes; then `left` is called once, and nothing more shown."""

    def __init__(
        self, watcher: Observer, left: Callable[[], None] = lambda: None, *, aside: Callable[[str], None] | None = None
    ) -> None:
        """`aside` is told the warnings of a run whose watcher shows none."""
        self.is_closed = False
        self._print_warning = aside
        self.on_close = left
        self._observer = watcher
        self._seen_notes: set[str] = set()
        """What was noted since the last event, without its numbers of seconds."""
        self._repeat_count = 0

    def event(self, event: Event, debate: Debate) -> None:
        """See `Watcher`."""
        if not isinstance(event, TaskStarted):
            self._report_repeats()
        self._forward(lambda: self._observer.event(event, debate))

    def asking(self, task: Task) -> None:
        """See `Watcher`."""
        self._forward(lambda: self._observer.asking(task))

    def text(self, cue: Cue, piece: str) -> None:
        """See `Watcher`."""
        self._forward(lambda: self._observer.text(cue, piece))

    def note(self, note: str) -> None:
        """See `Watcher`. What is noted of several calls, as when their server is down, is shown once and then counted."""
        same = _DURATION.sub("", note)
        if same in self._seen_notes:
            self._repeat_count += 1
            return
        self._seen_notes.add(same)
        self._forward(lambda: self._observer.note(note))

    def warn(self, note: str) -> None:
        """What must be told however little is shown, without control characters: a note, or else a line of its own."""
        if self._print_warning is None:
            self._forward(lambda: self._observer.note(note))
        else:
            self._print_warning(f"note: {sanitize.sanitize_line(note)}")

    def _report_repeats(self) -> None:
        """Tell how often the notes since the last event came again."""
        times = "once" if self._repeat_count == 1 else f"{self._repeat_count} times"
        if self._repeat_count:
            self._forward(lambda: self._observer.note(f"the same {times} more, for other calls"))
        self._seen_notes.clear()
        self._repeat_count = 0

    def _forward(self, showing: Callable[[], None]) -> None:
        if self.is_closed:
            return
        try:
            showing()
        except OSError as error:
            if not is_broken_pipe(error):
                raise
            self.is_closed = True
            self.on_close()
