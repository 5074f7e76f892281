"""Failures gathered by what caused them: one line names all whom it hit. No styling; no Rich.

What fails for one often fails for all who were asked at the same time, as when their server is down. So a failure is told
when those have settled; what comes of the same cause later is counted, and told at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from debate_cli.domain.events import Assessed, Event, Failed, Failure, Turned
from debate_cli.domain.tasks import Brief, Task, speech_key
from debate_cli.render import look

MOST_NAMED = 4
"""Debaters or judges that are named one by one."""
Cause = tuple[str, str, bool]
"""Cause, message, and whether it kept somebody from judging rather than from speaking."""
Known = Literal["no", "of_them", "of_others"]
"""Whether a cause was told before, and of whom."""


class Trouble(NamedTuple):
    """One cause, and what it kept from being done. Names and message are untrusted and not cleaned."""

    failures: tuple[Failure, ...]
    """One or more, of the same cause; in the order of the debate."""
    known: Known = "no"
    """Of all whom it hit, the same holds."""

    @property
    def whom(self) -> str:
        """The names of those whom it hit; of many judges, those of their systems."""
        names = list(dict.fromkeys(map(_name, self.failures)))
        if len(names) > MOST_NAMED:
            names = list(dict.fromkeys(name.partition("/")[0] for name in names)) if self._judging else names
        if len(names) > MOST_NAMED:
            names = [*names[: MOST_NAMED - 1], f"{len(names) - MOST_NAMED + 1} more"]
        return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]

    @property
    def what(self) -> str:
        """What could not be done: `could not speak`, `could not judge round 2`."""
        count = len({failure.task.key for failure in self.failures})
        first = self.failures[0].task
        done = "could not judge" if self._judging else "could not speak"
        if self.known == "of_them":
            return f"{done} {'once' if count == 1 else f'{count} times'} more"
        if count == 1 and isinstance(first, Brief) and first.system != "panel":
            done = f"{done} {look.brief_words(first).partition(', ')[2]}"
        return f"{done} either" if self.known == "of_others" else done

    @property
    def why(self) -> str:
        """The sentence on the cause; where that was told, that it is the same."""
        return self.failures[0].message if self.known == "no" else "for the same reason"

    @property
    def joint(self) -> str:
        """What stands between `what` and `why`."""
        return ": " if self.known == "no" else ", "

    @property
    def _judging(self) -> bool:
        return isinstance(self.failures[0].task, Brief)

    @property
    def cause(self) -> str:
        """The kind of the failures."""
        return self.failures[0].cause


class _Group(NamedTuple):
    failures: tuple[Failure, ...]
    awaited: frozenset[str]
    """Keys of what was asked at the time of the first, and may fail likewise."""


class Troubles:
    """Sees what is asked and what comes of it, and says which failures are to be told now."""

    def __init__(self) -> None:
        self._out: dict[str, Task] = {}
        self._held: dict[Cause, _Group] = {}
        self._told: dict[Cause, frozenset[str]] = {}
        """Who was named with a cause."""

    def asking(self, task: Task) -> None:
        """A question is out."""
        self._out[task.key] = task

    def happened(self, event: Event) -> None:
        """Take note of what an event settles."""
        match event:
            case Turned():
                self._out.pop(speech_key(event.turn.index), None)
            case Assessed():
                self._out.pop(event.assessment.brief.key, None)
            case Failed():
                self._failed(event.failure)
            case _:
                pass

    def due(self) -> tuple[Trouble, ...]:
        """What is to be told now: causes not told before that nobody else can be hit by who was asked with them."""
        return self._tell(
            cause
            for cause, group in self._held.items()
            if cause not in self._told and not group.awaited & self._out.keys()
        )

    def rest(self) -> tuple[Trouble, ...]:
        """All that is not told yet: nothing more is waited for."""
        self._out.clear()
        return self._tell(self._held)

    def _failed(self, failure: Failure) -> None:
        self._out.pop(failure.task.key, None)
        judging = isinstance(failure.task, Brief)
        cause = failure.cause, failure.message, judging
        likewise = frozenset(key for key, task in self._out.items() if isinstance(task, Brief) == judging)
        group = self._held.get(cause, _Group((), likewise))
        self._held[cause] = group._replace(failures=(*group.failures, failure))

    def _tell(self, causes: Iterable[Cause]) -> tuple[Trouble, ...]:
        found: list[Trouble] = []
        for cause in tuple(causes):
            failures = _ordered(self._held.pop(cause).failures)
            found += _troubles(failures, self._told.get(cause))
            self._told[cause] = self._told.get(cause, frozenset()) | set(map(_name, failures))
        return tuple(found)


def _troubles(failures: tuple[Failure, ...], told: frozenset[str] | None) -> list[Trouble]:
    """One; where the cause was told of some (`told`; None where it was not), those and the others apart."""
    if told is None:
        return [Trouble(failures)]
    them = tuple(failure for failure in failures if _name(failure) in told)
    others = tuple(failure for failure in failures if _name(failure) not in told)
    return [*([Trouble(them, "of_them")] if them else []), *([Trouble(others, "of_others")] if others else [])]


def _ordered(failures: Sequence[Failure]) -> tuple[Failure, ...]:
    """Speeches by their index, judgements by their key."""
    return tuple(
        sorted(failures, key=lambda item: (0, item.task.key) if isinstance(item.task, Brief) else (item.task.index, ""))
    )


def _name(failure: Failure) -> str:
    """The debater, or the judge as its reports are headed: `moderator`, `panel/security_analyst`."""
    return look.brief_words(failure.task).partition(", ")[0] if isinstance(failure.task, Brief) else failure.who
