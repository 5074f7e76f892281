"""The checks of the whole for a configuration that is not valid: so that one run names every fault, not the first layer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import islice
from typing import Any, Protocol

from pydantic import ValidationError

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.config_checks import KeyPath, Problem, check_config
from debate_cli.domain.suggestions import closest_match
from debate_cli.storage.config_errors import (
    MAX_PROBLEMS,
    allowed_keys,
    correct_system_kinds,
    problems_from_validation,
    remove_or_replace,
)
from debate_cli.storage.plain import deep_copy, get_child, is_mapping

ConfigCheck = Callable[[DebateConfig], Iterable[Problem]]
_SYSTEM_KIND_PATH: KeyPath = ("judging", "systems", "kind")
"""Of any judging system; it is put right by itself."""
_MAX_REMOVAL_ROUNDS = 4
"""Taking a wrong value out can leave its surroundings wrong; this often they are taken out as well."""
_MAX_COMPARED_CHARS = 60
"""Comparing takes time with the square of a word."""
_MODEL_SECTIONS = frozenset({"models", "debaters", "judging", "limits"})
"""Sections with faults that may come of models or providers that could not be read."""


def check_valid_parts(
    data: dict[str, Any], found: Sequence[Problem], checks: Sequence[ConfigCheck], unfilled: Iterable[KeyPath] = ()
) -> list[Problem]:
    """What `checks` say of `data` without the parts that `found` and `unfilled` name, where that is a configuration at all.

    A section or a judging system whose name is misspelt is read as it was probably meant. A problem that may come of what
    was taken out is left away.
    """
    rest = deep_copy(data)
    names = _MisspelledSections.correct(rest)
    told: list[Problem] = []
    wrong: list[KeyPath] = correct_system_kinds(rest)
    wrong += [remove_or_replace(rest, path) for path in unfilled if path[:2] + path[3:] != _SYSTEM_KIND_PATH]
    known = {problem.path for problem in found}
    for turn in range(_MAX_REMOVAL_ROUNDS):
        try:
            config = DebateConfig.model_validate(rest)
        except ValidationError as error:
            now = problems_from_validation(error, rest)
            if not turn:
                told = [problem for problem in names.restore_paths(now) if problem.path not in known]
            for problem in now:
                wrong += (
                    _remove_unknown_key(rest, problem.path)
                    if problem.is_key_error
                    else [remove_or_replace(rest, problem.path)]
                )
            continue
        doubted = _consequence_predicate(wrong)
        said = (
            problem for one in checks for problem in one(config) if not doubted(problem, of_whole=one is check_config)
        )
        return [*told, *names.restore_paths(islice(said, MAX_PROBLEMS))]
    return told


@dataclass(frozen=True, slots=True)
class _MisspelledSections:
    """Sections that stand under a misspelt name."""

    original_names: dict[KeyPath, str] = field(default_factory=dict[KeyPath, str])
    """The path that was meant -> the section's name as it is written; only a part of a section that is there twice."""

    @classmethod
    def correct(cls, data: dict[str, Any]) -> _MisspelledSections:
        """Give the misspelt sections of `data` their names; unknown ones are taken out."""
        names = cls()
        for number, name in enumerate([name for name in data if name not in DebateConfig.model_fields]):
            content = data.pop(name)
            compared = number < MAX_PROBLEMS and len(name) <= _MAX_COMPARED_CHARS
            close = get_close_matches(name, DebateConfig.model_fields, n=1) if compared else []
            for meant in close:
                names.add_section(data, meant, name, content)
        return names

    def add_section(self, data: dict[str, Any], meant: str, name: str, content: Any) -> None:
        """Put the `content` of the section `name` where it was `meant` to be, behind what is there already."""
        if meant not in data:
            data[meant] = content
            self.original_names[meant,] = name
            return
        there = data[meant]
        for key, value in content.items() if is_mapping(content) and is_mapping(there) else ():
            if key not in there:
                there[key] = value
                self.original_names[meant, key] = name

    def restore_paths(self, problems: Iterable[Problem]) -> list[Problem]:
        """The problems with their paths as they are written, without those that a misspelt name itself may have caused."""
        return [
            problem._replace(path=path)
            for problem in problems
            if (path := self._original_path(problem.path)) is not None
        ]

    def _original_path(self, path: KeyPath) -> KeyPath | None:
        name = self.original_names.get(path[:1]) or self.original_names.get(path[:2])
        if name is None:
            return path
        return (name, *path[1:]) if len(path) > 1 else None


def _remove_unknown_key(data: Any, path: KeyPath) -> list[KeyPath]:
    """Remove a key that is none; the paths of those that it may have been meant for, which are not there."""
    remove_or_replace(data, path)
    holder = data
    for part in path[:-1]:
        holder = get_child(holder, part)
    absent = {key for key in allowed_keys(path[:-1], data) if not (is_mapping(holder) and key in holder)}
    meant = closest_match(str(path[-1]), allowed_keys(path[:-1], data))
    return [(*path[:-1], key) for key in absent if meant in {None, key}]


class _ConsequencePredicate(Protocol):
    """Whether a problem may come of what was taken out; `of_whole`: the check of the domain tells of it."""

    def __call__(self, problem: Problem, *, of_whole: bool) -> bool: ...


def _consequence_predicate(wrong: Sequence[KeyPath]) -> _ConsequencePredicate:
    """Which problems may come of what was `wrong` and has been taken out."""
    whole = set(wrong)
    partly = {path for one in wrong for path in _dependent_paths(one)}
    models, providers = ("models",) in whole, ("providers",) in whole

    def comes_of_it(problem: Problem, *, of_whole: bool) -> bool:
        path = problem.path
        if path in partly or any(path[:length] in whole for length in range(len(path) + 1)):
            return True
        if of_whole:
            return (models and path[-1:] in {("model",), ("judge",)}) or (providers and path[:1] == ("models",))
        return (models or providers) and not _MODEL_SECTIONS.isdisjoint(path[:1])

    return comes_of_it


def _dependent_paths(wrong: KeyPath) -> Sequence[KeyPath]:
    """Where a check speaks that looks at what stands at `wrong`, too."""
    match wrong:
        case ("format", "kind"):
            return [("format", "phases")]
        case ("judging", "systems") | ("judging", "systems", _):
            return [("judging", "decides")]
        case ("judging", "systems", _, "judges" | "personas" | "judge"):
            return [wrong[:3], (*wrong[:3], "min_judges")]
        case ("providers", _, "kind" | "api_key_env"):
            return [wrong[:2], (*wrong[:2], "base_url")]
        case ("models", _, "model"):
            return [(*wrong[:2], "script")]
        case ("models", _, "script"):
            return [(*wrong[:2], "model")]
        case (*_, "thresholds", _) | ("debaters", _, "model") | (*_, "judges", _, "description" | "model"):
            return [wrong[:-1]]
        case (*_, "price") | (*_, "price", _):
            return [("limits", "max_cost_usd")]
        case _:
            return []
