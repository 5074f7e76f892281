"""Who watches a run: the engine tells it what happens, it shows what it likes. Implementations are beside this file."""

from __future__ import annotations

from typing import Protocol

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import DebateOpened, DebateResumed, Event, JudgingOpened
from debate_cli.domain.tasks import Cue, Task


def is_judging_only(first: Event, debate: Debate) -> bool:
    """Whether nothing but the judging of what is there already is watched, by the first event that is."""
    if isinstance(first, JudgingOpened):
        return True
    return debate.document_name is not None and not isinstance(first, DebateOpened | DebateResumed)


class Observer(Protocol):
    """Watches one run. Calls come from the event loop and must return at once."""

    def event(self, event: Event, debate: Debate) -> None:
        """`event` is on disk; `debate` is the state after it. The first one is `Opened` (or, resuming, `Resumed`)."""
        ...

    def asking(self, task: Task) -> None:
        """A question is about to be sent."""
        ...

    def text(self, cue: Cue, piece: str) -> None:
        """A piece of a speech arrived (of its raw form: JSON text when structure was asked for; see `llm.port.RESTART`)."""
        ...

    def note(self, note: str) -> None:
        """Something worth a line: a retry, a call that was in flight at a crash."""
        ...


class NullObserver:
    """Observer that ignores everything."""

    def event(self, event: Event, debate: Debate) -> None:
        """Ignore the event."""

    def asking(self, task: Task) -> None:
        """Ignore the task."""

    def text(self, cue: Cue, piece: str) -> None:
        """Ignore the text."""

    def note(self, note: str) -> None:
        """Ignore the note."""
