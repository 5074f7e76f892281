"""The protocol `Observer`, to which the engine reports a run event by event. Rendering implements it."""

from typing import Protocol

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import DebateOpened, DebateResumed, Event, JudgingOpened
from debate_cli.domain.tasks import Cue, Task


def is_judging_only(first: Event, debate: Debate) -> bool:
    """Whether a run only judges an existing debate. `first` is its first event."""
    if isinstance(first, JudgingOpened):
        return True
    return debate.document_name is not None and not isinstance(first, DebateOpened | DebateResumed)


class Observer(Protocol):
    """Receives the events of one run. Calls come from the event loop and must return at once."""

    def event(self, event: Event, debate: Debate) -> None:
        """An event was written to disk; `debate` is the state after it.

        The first one is `DebateOpened`, `DebateResumed` or `JudgingOpened`.
        """
        ...

    def asking(self, task: Task) -> None:
        """A cue or brief is about to be answered by a model."""
        ...

    def text(self, cue: Cue, piece: str) -> None:
        """A piece of a speech arrived, as the model wrote it: JSON if a form was requested.

        The piece `llm.model.RESTART` means that the speech begins again.
        """
        ...

    def note(self, note: str) -> None:
        """A message for the user, for example about a retry."""
        ...


class NullObserver:
    """Observer that does nothing."""

    def event(self, event: Event, debate: Debate) -> None:
        """Ignore the event."""

    def asking(self, task: Task) -> None:
        """Ignore the task."""

    def text(self, cue: Cue, piece: str) -> None:
        """Ignore the text."""

    def note(self, note: str) -> None:
        """Ignore the note."""
