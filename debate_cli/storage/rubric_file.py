"""A rubric from a YAML file: settings per judging system, held against the rules that a configuration's are held against."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from debate_cli.domain.assessment import SYSTEM_KINDS
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.config_checks import KeyPath, Problem, check
from debate_cli.domain.did_you_mean import suggestion_or_list
from debate_cli.errors import ConfigError
from debate_cli.scoring.rubric import Rubric
from debate_cli.storage.config_errors import MAX_PROBLEMS, keys_at, problems_of
from debate_cli.storage.config_rest import checks_of_the_rest
from debate_cli.storage.places import Places
from debate_cli.storage.plain import inside, is_mapping
from debate_cli.storage.position import Position
from debate_cli.storage.redact import Redactor
from debate_cli.storage.yaml_source import parse
from debate_cli.storage.yaml_text import text_of

_SUCH_AS = "such as `structured: {weights: {logic: 0.5}}`"
_AROUND = {
    "topic": "?",
    "models": {"default": {"model": "mock/any"}},
    "debaters": [{"name": "?0", "side": "for"}, {"name": "?1", "side": "against"}],
}
"""A configuration with which nothing is wrong, but for what a rubric adds."""
_SYSTEMS = ("judging", "systems")
_TOGETHER = {"thresholds": ({"draw", "clear"},), "min_judges": ({"min_judges", "judges"}, {"min_judges", "personas"})}
"""Key of a contradiction -> sets of keys; a rubric that names none of them whole may contradict itself, by what is stored, or not."""


def load_rubric(path: Path) -> Rubric:
    """The rubric at `path`: `structured: {weights: ..., thresholds: ...}` and so on; an empty section changes nothing.

    Raises ConfigError with one line for every fault: `file:line:column: key.path: what is wrong; what to do`.
    """
    parsed = parse(text_of(path, absent="write one, or correct the name"))
    places = Places(str(path), parsed.places or {(): Position(1, 1)}, keys=parsed.keys)
    before = [places.fault_line(fault) for fault in parsed.faults[: MAX_PROBLEMS + 1]]
    data: Any = parsed.data
    if is_mapping(data) and data:
        problems = [*_problems(data)]
    else:
        problems = [] if before else [Problem((), f"this is no rubric; it takes settings per system, {_SUCH_AS}")]
    if before or problems:
        raise ConfigError(*places.lines(problems, before, Redactor()))
    return Rubric({name: change or {} for name, change in data.items()})


def _problems(data: Mapping[str, Any]) -> Iterable[Problem]:
    """All that is wrong with a rubric, each with its key path."""
    changes: dict[str, Mapping[str, Any]] = {}
    for name, change in data.items():
        if name not in SYSTEM_KINDS:
            yield Problem((name,), f"there is no judging system of this name{_meant(name)}", of_key=True)
        elif is_mapping(change):
            changes[name] = change
            if change.get("kind", name) != name:
                yield Problem((name, "kind"), f"leave it out, or write {name}")
        elif change is not None:
            yield Problem((name,), f"must be a mapping of settings, {_SUCH_AS}")
    yield from _of_settings(changes)


def _meant(name: str) -> str:
    """What a system of no such name was probably meant for, as the rest of a sentence."""
    owners = [kind for kind in SYSTEM_KINDS if name in _keys_of(kind)]
    if owners:
        return f"; it is a setting of {', '.join(owners)}, so indent it beneath one"
    return suggestion_or_list(name, SYSTEM_KINDS)


def _keys_of(kind: str) -> set[str]:
    """The settings of a system."""
    return keys_at((*_SYSTEMS, 0), {"judging": {"systems": [{"kind": kind}]}}) - {"kind"}


def _of_settings(changes: Mapping[str, Mapping[str, Any]]) -> Iterable[Problem]:
    """What would be wrong with the same settings in a configuration."""
    names = [*changes]
    around = {**_AROUND, "judging": {"systems": [{**change, "kind": name} for name, change in changes.items()]}}
    for problem in _in_configuration(around):
        if problem.path[:2] == _SYSTEMS and len(problem.path) > len(_SYSTEMS):
            name, rest = names[int(problem.path[2])], problem.path[3:]
            if _is_of_rubric(changes[name], rest):
                yield problem._replace(path=(name, *rest))


def _in_configuration(data: dict[str, Any]) -> Sequence[Problem]:
    try:
        config = DebateConfig.model_validate(data)
    except ValidationError as error:
        found = problems_of(error, data)
        return [*found, *checks_of_the_rest(data, found, (check,))]
    return check(config)


def _is_of_rubric(change: Mapping[str, Any], path: KeyPath) -> bool:
    """Whether a problem at `path` comes of this change alone: the models that judges name are the debate's own."""
    if path[-1:] in {("judge",), ("model",)} and isinstance(_value(change, path), str | None):
        return False
    together = _TOGETHER.get(str(path[-1])) if path else None
    return together is None or any(keys <= _named_beside(change, path) for keys in together)


def _named_beside(change: Mapping[str, Any], path: KeyPath) -> set[str]:
    """The keys named in the mapping at `path`, and beside it."""
    within, beside = _value(change, path), _value(change, path[:-1])
    return {key for there in (within, beside) if is_mapping(there) for key in there}


def _value(data: Any, path: KeyPath) -> Any:
    for part in path:
        data = inside(data, part)
    return data
