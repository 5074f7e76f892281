"""Groups failures by cause, so that one line names every affected debater or judge.

A cause such as a server that is down often affects all calls in flight. A failure is therefore reported once those
calls have settled; later failures with the same cause are reported at the end.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from debate_cli.domain.events import AssessmentCompleted, Event, Failure, TaskFailed, TurnCompleted
from debate_cli.domain.tasks import Brief, Cue, Task, speech_key
from debate_cli.render import theme
from debate_cli.systems.registry import get_system

MAX_FAILURE_NAMES = 4
"""Maximum number of debaters or judges that are named."""
FailureKey = tuple[str, str, bool]
"""Cause, message, and whether a judge (not a debater) failed."""


class FailureGroup(NamedTuple):
    """Failures with one cause. Names and message are untrusted and not sanitized."""

    failures: tuple[Failure, ...]
    """The failures in the order of the debate, at least one."""
    is_repeat: bool = False
    """Whether the cause was reported before."""

    @property
    def names(self) -> str:
        """The failed debaters or judges, as a list in words. If they are many judges, names their systems instead."""
        names = list(dict.fromkeys(map(_actor_name, self.failures)))
        if len(names) > MAX_FAILURE_NAMES:
            names = list(dict.fromkeys(name.partition("/")[0] for name in names)) if self._is_judging else names
        if len(names) > MAX_FAILURE_NAMES:
            names = [*names[: MAX_FAILURE_NAMES - 1], f"{len(names) - MAX_FAILURE_NAMES + 1} more"]
        return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]

    @property
    def what(self) -> str:
        """The failed action: `could not speak`, `could not judge round 2`."""
        tasks = {failure.task.key: failure.task for failure in self.failures}
        first = next(iter(tasks.values()))
        if isinstance(first, Cue):
            return "could not speak"
        is_named = len(tasks) == 1 and not get_system(first.system).judges_texts
        return f"could not judge {theme.format_brief(first).partition(', ')[2]}" if is_named else "could not judge"

    @property
    def why(self) -> str:
        """The error message, or a reference to the earlier report."""
        return "for the same reason" if self.is_repeat else self.failures[0].message

    @property
    def separator(self) -> str:
        """Separator between `what` and `why`."""
        return ", " if self.is_repeat else ": "

    @property
    def _is_judging(self) -> bool:
        return isinstance(self.failures[0].task, Brief)

    @property
    def cause(self) -> str:
        """The kind of error, in words."""
        return theme.format_cause(self.failures[0].cause)


class _PendingGroup(NamedTuple):
    failures: tuple[Failure, ...]
    pending_keys: frozenset[str]
    """Keys of the tasks in flight at the first failure, which may have the same cause."""


class FailureGrouper:
    """Follows tasks and events, and decides when to report which failures."""

    def __init__(self) -> None:
        self._out: dict[str, Task] = {}
        self._pending: dict[FailureKey, _PendingGroup] = {}
        self._reported: set[FailureKey] = set()

    def asking(self, task: Task) -> None:
        """Record that `task` is in flight."""
        self._out[task.key] = task

    def record_event(self, event: Event) -> None:
        """Record that an event settles its task."""
        match event:
            case TurnCompleted():
                self._out.pop(speech_key(event.turn.index), None)
            case AssessmentCompleted():
                self._out.pop(event.assessment.brief.key, None)
            case TaskFailed():
                self._record_failure(event.failure)
            case _:
                pass

    def pop_ready(self) -> tuple[FailureGroup, ...]:
        """Return the groups to report now: those with a new cause, once all tasks that may share it have ended."""
        return self._pop(
            cause
            for cause, group in self._pending.items()
            if cause not in self._reported and not group.pending_keys & self._out.keys()
        )

    def rest(self) -> tuple[FailureGroup, ...]:
        """Return all groups that were not reported yet, without waiting for tasks in flight."""
        self._out.clear()
        return self._pop(self._pending)

    def _record_failure(self, failure: Failure) -> None:
        self._out.pop(failure.task.key, None)
        judging = isinstance(failure.task, Brief)
        cause = failure.cause, failure.message, judging
        likewise = frozenset(key for key, task in self._out.items() if isinstance(task, Brief) == judging)
        group = self._pending.get(cause, _PendingGroup((), likewise))
        self._pending[cause] = group._replace(failures=(*group.failures, failure))

    def _pop(self, causes: Iterable[FailureKey]) -> tuple[FailureGroup, ...]:
        found: list[FailureGroup] = []
        for cause in tuple(causes):
            failures = _sort_failures(self._pending.pop(cause).failures)
            found.append(FailureGroup(failures, cause in self._reported))
            self._reported.add(cause)
        return tuple(found)


def _sort_failures(failures: Sequence[Failure]) -> tuple[Failure, ...]:
    return tuple(
        sorted(failures, key=lambda item: (0, item.task.key) if isinstance(item.task, Brief) else (item.task.index, ""))
    )


def _actor_name(failure: Failure) -> str:
    """Name of the debater or of the judge, e.g. `moderator`, `panel/security_analyst`."""
    return theme.format_brief(failure.task).partition(", ")[0] if isinstance(failure.task, Brief) else failure.who
