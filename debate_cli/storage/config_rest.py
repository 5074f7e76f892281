"""The checks of the whole for a configuration that is not valid: so that one run names every fault, not the first layer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Any

from pydantic import ValidationError

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.config_checks import KeyPath, Problem
from debate_cli.storage.config_errors import MAX_PROBLEMS, problems_of
from debate_cli.storage.plain import copied, inside, is_list, is_mapping

_REQUIRED = frozenset(name for name, field in DebateConfig.model_fields.items() if field.is_required())
_ROUNDS = 4
"""Taking a wrong value out can leave its surroundings wrong; this often they are taken out as well."""


def checks_of_the_rest(
    data: dict[str, Any], found: Sequence[Problem], checks: Sequence[Callable[[DebateConfig], Iterable[Problem]]]
) -> list[Problem]:
    """What `checks` say of `data` without the parts that `found` names, where that is a configuration at all.

    A problem that may come of what was taken out is left away.
    """
    rest = copied(data)
    found, wrong = _put_right(rest, found)
    for _ in range(_ROUNDS):
        wrong += [_meant(_take_out(rest, problem.path)) for problem in found]
        try:
            config = DebateConfig.model_validate(rest)
        except ValidationError as error:
            found = problems_of(error, rest)
            continue
        break
    else:
        return []
    if any(path[:1] in {("models",), ()} for path in wrong):
        return []
    said = islice((problem for check in checks for problem in check(config)), MAX_PROBLEMS)
    return [problem for problem in said if not any(_touches(problem.path, path) for path in wrong)]


def _put_right(data: dict[str, Any], found: Sequence[Problem]) -> tuple[list[Problem], list[KeyPath]]:
    """Give misspelt sections that cannot be missing their names: the other problems, and the paths they then have."""
    others: list[Problem] = []
    named: list[KeyPath] = []
    for problem in found:
        meant = _meant(problem.path)
        if len(meant) == 1 and problem.path[0] in data and meant[0] in _REQUIRED - set(data):
            data[str(meant[0])] = data.pop(str(problem.path[0]))
            named.append(meant)
        else:
            others.append(problem)
    return others, named


def _take_out(data: Any, path: KeyPath) -> KeyPath:
    """Remove the innermost key on `path` that is there; the path removed. Items of lists go with their list."""
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


def _meant(path: KeyPath) -> KeyPath:
    """The path with a misspelt section's name as it was probably meant: its absence has consequences elsewhere."""
    close = get_close_matches(str(path[0]), DebateConfig.model_fields, n=1) if path else []
    return (close[0], *path[1:]) if close else path


def _touches(path: KeyPath, wrong: KeyPath) -> bool:
    """Whether a problem at `path` lies in the mapping that something was taken out of, or around it."""
    around = wrong[:-1] if len(wrong) > 1 else wrong
    shared = min(len(path), len(around))
    return path[:shared] == around[:shared]
