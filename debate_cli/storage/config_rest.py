"""The checks of the whole for a configuration that is not valid: so that one run names every fault, not the first layer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import islice
from typing import Any

from pydantic import ValidationError

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.config_checks import KeyPath, Problem, check
from debate_cli.storage.config_errors import MAX_PROBLEMS, problems_of
from debate_cli.storage.plain import copied, inside, is_list, is_mapping

Check = Callable[[DebateConfig], Iterable[Problem]]
_ROUNDS = 4
"""Taking a wrong value out can leave its surroundings wrong; this often they are taken out as well."""
_WORD_CHARS = 60
"""Comparing takes time with the square of a word."""
_ANY_MODEL = "mock/any"
_ROLES = frozenset({"models", "debaters", "judging", "limits"})
"""Sections with faults that may come of models or providers that could not be read."""


def checks_of_the_rest(data: dict[str, Any], found: Sequence[Problem], checks: Sequence[Check]) -> list[Problem]:
    """What `checks` say of `data` without the parts that `found` names, where that is a configuration at all.

    A section whose name is misspelt is read as it was probably meant. A problem that may come of what was taken out is
    left away.
    """
    rest = copied(data)
    names = _Names.put_right(rest)
    told: list[Problem] = []
    wrong: list[KeyPath] = []
    known = {problem.path for problem in found}
    for turn in range(_ROUNDS):
        try:
            config = DebateConfig.model_validate(rest)
        except ValidationError as error:
            now = problems_of(error, rest)
            if not turn:
                told = [problem for problem in names.of_all(now) if problem.path not in known]
            wrong += [_take_out(rest, problem.path) for problem in now]
            continue
        said = (problem for one in checks for problem in _said(one, config, wrong))
        return [*told, *names.of_all(islice(said, MAX_PROBLEMS))]
    return told


@dataclass(frozen=True, slots=True)
class _Names:
    """Sections that stand under a misspelt name."""

    written: dict[KeyPath, str] = field(default_factory=dict[KeyPath, str])
    """The path that was meant -> the section's name as it is written; only a part of a section that is there twice."""

    @classmethod
    def put_right(cls, data: dict[str, Any]) -> _Names:
        """Give the misspelt sections of `data` their names; unknown ones are taken out."""
        names = cls()
        for number, name in enumerate([name for name in data if name not in DebateConfig.model_fields]):
            content = data.pop(name)
            compared = number < MAX_PROBLEMS and len(name) <= _WORD_CHARS
            close = get_close_matches(name, DebateConfig.model_fields, n=1) if compared else []
            for meant in close:
                names.add(data, meant, name, content)
        return names

    def add(self, data: dict[str, Any], meant: str, name: str, content: Any) -> None:
        """Put the `content` of the section `name` where it was `meant` to be, behind what is there already."""
        if meant not in data:
            data[meant] = content
            self.written[meant,] = name
            return
        there = data[meant]
        for key, value in content.items() if is_mapping(content) and is_mapping(there) else ():
            if key not in there:
                there[key] = value
                self.written[meant, key] = name

    def of_all(self, problems: Iterable[Problem]) -> list[Problem]:
        """The problems with their paths as they are written, without those that a misspelt name itself may have caused."""
        return [
            problem._replace(path=path) for problem in problems if (path := self._as_written(problem.path)) is not None
        ]

    def _as_written(self, path: KeyPath) -> KeyPath | None:
        name = self.written.get(path[:1]) or self.written.get(path[:2])
        if name is None:
            return path
        return (name, *path[1:]) if len(path) > 1 else None


def _said(one: Check, config: DebateConfig, wrong: Sequence[KeyPath]) -> Iterable[Problem]:
    """What a check says that does not come of what is `wrong` already."""
    touches = _near if one is check else _at
    return [
        problem
        for problem in one(config)
        if not any(touches(problem.path, path) or _follows(problem.path, path) for path in wrong)
    ]


def _take_out(data: Any, path: KeyPath) -> KeyPath:
    """Remove the innermost key on `path` that is there; the path removed. Items of lists go with their list.

    What cannot be missing is replaced by something that nothing is wrong with.
    """
    holder: Any = data
    for part in path[:-1]:
        holder = inside(holder, part)
    stand_in = _stand_in(path)
    if stand_in is not None and (is_mapping(holder) or (is_list(holder) and inside(holder, path[-1]) is not None)):
        holder[path[-1]] = stand_in  # pyright: ignore[reportArgumentType, reportCallIssue] - an index where it is a list
        return path
    return _removed(data, path)


def _removed(data: Any, path: KeyPath) -> KeyPath:
    here = data
    holder: dict[str, Any] = {}
    kept: KeyPath = ()
    for length, part in enumerate(path, start=1):
        if is_mapping(here) and part in here:
            holder, kept = here, path[:length]
        elif not is_list(here):
            break
        here = inside(here, part)
    if kept:
        del holder[str(kept[-1])]
    return kept


def _stand_in(path: KeyPath) -> Any:
    """A value that fits at `path`; None where nothing need stand there."""
    match path:
        case ("topic",):
            return "?"
        case ("debaters",):
            return [_debater(0), _debater(1)]
        case ("debaters", int(number)):
            return _debater(number)
        case ("debaters", int(number), "name" | "side" as key):
            return _debater(number)[key]
        case ("models", _):
            return {"model": _ANY_MODEL}
        case ("models", _, "model"):
            return _ANY_MODEL
        case ("providers", _):
            return {"kind": "mock"}
        case _:
            return None


def _debater(number: int) -> dict[str, str]:
    return {"name": f"?{number}", "side": "against" if number % 2 else "for", "model": _ANY_MODEL}


def _near(path: KeyPath, wrong: KeyPath) -> bool:
    """Whether a problem at `path` lies in the mapping that something was taken out of, or around it."""
    return _at(path, wrong[:-1] if len(wrong) > 1 else wrong)


def _at(path: KeyPath, wrong: KeyPath) -> bool:
    """Whether a problem at `path` lies in what was taken out, or around it."""
    shared = min(len(path), len(wrong))
    return path[:shared] == wrong[:shared]


def _follows(path: KeyPath, wrong: KeyPath) -> bool:
    """Whether a problem at `path` may come of something `wrong` elsewhere."""
    if wrong in {("models",), ("providers",)}:
        return path[:1] == wrong or not _ROLES.isdisjoint(path[:1])
    if path == ("limits", "max_cost_usd"):
        return "price" in wrong
    named = wrong[:1] == ("debaters",) and wrong[2:] in {(), ("name",), ("side",), ("prefix",)}
    return named and path[:1] == ("debaters",) and path[2:] != ("model",)
