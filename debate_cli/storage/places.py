"""Where each part of a file that people write comes from, and its faults as lines that name the place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from debate_cli.domain.config_checks import KeyPath, Problem
from debate_cli.storage.config_errors import MAX_PROBLEMS
from debate_cli.storage.position import SourcePosition
from debate_cli.storage.yaml_source import YamlFault

_MESSAGE_CHARS = 400
_KEY_CHARS = 80
"""Characters of one key in a path that an error shows."""


@dataclass(frozen=True, slots=True)
class SourceMap:
    """Where each part of a configuration comes from."""

    name: str
    """The file as it was named, or `stdin`."""
    positions: Mapping[KeyPath, SourcePosition] = field(default_factory=dict[KeyPath, SourcePosition])
    origins: Mapping[KeyPath, str] = field(default_factory=dict[KeyPath, str])
    """The option or variable that a path was set by."""
    key_positions: Mapping[KeyPath, SourcePosition] = field(default_factory=dict[KeyPath, SourcePosition])
    """Where each key stands."""

    def locate(self, path: KeyPath, *, key: bool = False) -> str:
        """`file:line:column` of a path, or of the nearest thing around it that has a place; an option, and what is no file, by its name.

        What stands at the path is meant, or its `key`.
        """
        place = self._nearest(path, key=key)
        if isinstance(place, SourcePosition):
            return f"{self.name}:{place.line}:{place.column}"
        return place or (f"{self.name}:1:1" if self.positions else self.name)

    def sort_key(self, problem: Problem) -> tuple[int, SourcePosition]:
        """Sorts problems as they stand in the file, options last."""
        place = self._nearest(problem.path, key=problem.is_key_error)
        return (0, place) if isinstance(place, SourcePosition) else (1 if place else 0, SourcePosition(0, 0))

    def _nearest(self, path: KeyPath, *, key: bool) -> SourcePosition | str | None:
        heads = [path[:length] for length in range(len(path), -1, -1)]
        origin = next((self.origins[head] for head in heads if head in self.origins), None)
        if origin is not None:  # what the file says there and below counts no more
            return origin
        for head in heads:
            if key and head == path and head in self.key_positions:
                return self.key_positions[head]
            if head in self.positions:
                return self.positions[head]
        return None

    def format_problem(self, problem: Problem) -> str:
        """One line: `file:line:column: key.path: what is wrong`."""
        key, message = _format_key_path(problem.path), _shorten(problem.message, _MESSAGE_CHARS)
        return (
            f"{self.locate(problem.path, key=problem.is_key_error)}: {key}: {message}"
            if key
            else f"{self.locate(())}: {message}"
        )

    def format_fault(self, fault: YamlFault) -> str:
        """The same of something that is wrong with the text itself."""
        key, where = _format_key_path(fault.path), f"{self.name}:{fault.position.line}:{fault.position.column}"
        return f"{where}: {key}: {fault.message}" if key else f"{where}: {fault.message}"

    def format_problems(
        self, problems: Iterable[Problem], before: Sequence[str], redact: Callable[[str], str]
    ) -> list[str]:
        """The lines `before`, then one for each problem in the order of the file, without secrets; none twice.

        No more than MAX_PROBLEMS, and one that says so.
        """
        ordered = sorted(dict.fromkeys(problems), key=self.sort_key)
        told = [*before, *map(self.format_problem, ordered[: MAX_PROBLEMS + 1])]
        shown = list(dict.fromkeys(redact(line) for line in told))
        if len(shown) > MAX_PROBLEMS:
            shown[MAX_PROBLEMS:] = [f"{escape_unprintable(self.name)}: and more faults; mend these first"]
        return shown


def _format_key_path(path: Sequence[str | int]) -> str:
    return ".".join(_shorten(str(part), _KEY_CHARS) for part in path)


def _shorten(text: str, most: int) -> str:
    """`text` on one line, cut where it is longer than `most`."""
    return escape_unprintable(text if len(text) <= most else f"{text[:most]}…")


def escape_unprintable(text: str) -> str:
    """`text` without what a terminal would act on."""
    return text if text.isprintable() else ascii(text)[1:-1]
