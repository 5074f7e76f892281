"""Groups failures by cause, so that one line names every debater or judge affected.

A cause such as a server that is down often hits all calls in flight. A failure is therefore reported once those calls have
settled; later failures of the same cause are counted and reported at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from debate_cli.domain.events import AssessmentCompleted, Event, Failure, TaskFailed, TurnCompleted
from debate_cli.domain.tasks import Brief, Task, speech_key
from debate_cli.render import theme
from debate_cli.systems.registry import get_system

MAX_FAILURE_NAMES = 4
"""Longest list of debaters or judges that is written out."""
FailureKey = tuple[str, str, bool]
"""Cause, message, and whether a judge failed (else a debater)."""
PriorReport = Literal["no", "of_them", "of_others"]
"""Whether a cause was reported before: not at all, for the same actors, or for others."""


class FailureGroup(NamedTuple):
    """Failures of one cause. Names and message are untrusted and not sanitized."""

    failures: tuple[Failure, ...]
    """At least one, in the order of the debate."""
    prior_report: PriorReport = "no"
    """The same for all of them."""

    @property
    def names(self) -> str:
        """The names of the debaters or judges; for many judges, their systems."""
        names = list(dict.fromkeys(map(_actor_name, self.failures)))
        if len(names) > MAX_FAILURE_NAMES:
            names = list(dict.fromkeys(name.partition("/")[0] for name in names)) if self._is_judging else names
        if len(names) > MAX_FAILURE_NAMES:
            names = [*names[: MAX_FAILURE_NAMES - 1], f"{len(names) - MAX_FAILURE_NAMES + 1} more"]
        return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]

    @property
    def what(self) -> str:
        """The failed action: `could not speak`, `could not judge round 2`."""
        count = len({failure.task.key for failure in self.failures})
        first = self.failures[0].task
        done = "could not judge" if self._is_judging else "could not speak"
        if self.prior_report == "of_them":
            return f"{done} {'once' if count == 1 else f'{count} times'} more"
        if count == 1 and isinstance(first, Brief) and not get_system(first.system).judges_texts:
            done = f"{done} {theme.format_brief(first).partition(', ')[2]}"
        return f"{done} either" if self.prior_report == "of_others" else done

    @property
    def why(self) -> str:
        """The error message, or a reference to the earlier report of it."""
        return self.failures[0].message if self.prior_report == "no" else "for the same reason"

    @property
    def separator(self) -> str:
        """Separator between `what` and `why`."""
        return ": " if self.prior_report == "no" else ", "

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
    """Keys of the tasks in flight at the first failure, which may fail the same way."""


class FailureGrouper:
    """Follows tasks and events, and decides which failures to report when."""

    def __init__(self) -> None:
        self._out: dict[str, Task] = {}
        self._pending: dict[FailureKey, _PendingGroup] = {}
        self._reported: dict[FailureKey, frozenset[str]] = {}
        """Names reported by cause."""

    def asking(self, task: Task) -> None:
        """Note that `task` is in flight."""
        self._out[task.key] = task

    def record_event(self, event: Event) -> None:
        """Note the task that an event settles."""
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
        """Return groups to report now: new causes whose concurrent tasks have all settled."""
        return self._pop(
            cause
            for cause, group in self._pending.items()
            if cause not in self._reported and not group.pending_keys & self._out.keys()
        )

    def rest(self) -> tuple[FailureGroup, ...]:
        """Return everything not reported yet, without waiting."""
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
            found += _split_reported(failures, self._reported.get(cause))
            self._reported[cause] = self._reported.get(cause, frozenset()) | set(map(_actor_name, failures))
        return tuple(found)


def _split_reported(failures: tuple[Failure, ...], reported: frozenset[str] | None) -> list[FailureGroup]:
    """Split failures of one cause into actors for whom it was already reported, and others.

    `reported`: names of those actors; None if the cause is new, which gives one group.
    """
    if reported is None:
        return [FailureGroup(failures)]
    them = tuple(failure for failure in failures if _actor_name(failure) in reported)
    others = tuple(failure for failure in failures if _actor_name(failure) not in reported)
    return [
        *([FailureGroup(them, "of_them")] if them else []),
        *([FailureGroup(others, "of_others")] if others else []),
    ]


def _sort_failures(failures: Sequence[Failure]) -> tuple[Failure, ...]:
    """Sort speeches by index, judgments by key."""
    return tuple(
        sorted(failures, key=lambda item: (0, item.task.key) if isinstance(item.task, Brief) else (item.task.index, ""))
    )


def _actor_name(failure: Failure) -> str:
    """The debater's name, or the judge's as in its reports: `moderator`, `panel/security_analyst`."""
    return theme.format_brief(failure.task).partition(", ")[0] if isinstance(failure.task, Brief) else failure.who
