"""The protocol `Observer`, to which the engine reports the events of a run."""

from typing import Protocol

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import DebateOpened, DebateResumed, Event, JudgingOpened
from debate_cli.domain.tasks import Cue, Task


def is_judging_only(first: Event, debate: Debate) -> bool:
    """Return whether a run only judges an existing debate. `first`: the first event of the run."""
    if isinstance(first, JudgingOpened):
        return True
    return debate.document_name is not None and not isinstance(first, DebateOpened | DebateResumed)


class Observer(Protocol):
    """Receives what happens in one run. The event loop calls the methods, so they must return at once."""

    def event(self, event: Event, debate: Debate) -> None:
        """Receive an event that was written to disk, and the debate that includes it.

        The first event is `DebateOpened`, `DebateResumed` or `JudgingOpened`.
        """

    def asking(self, task: Task) -> None:
        """Receive a task whose answer is now requested: a cue (for a debater) or a brief (for a judge)."""

    def text(self, cue: Cue, piece: str) -> None:
        """Receive the next piece of a speech, neither parsed nor sanitized. The piece `RESTART` means that the speech begins again."""

    def note(self, note: str) -> None:
        """Receive a message for the user, for example about a retry."""


class NullObserver(Observer):
    """Observer that does nothing."""
