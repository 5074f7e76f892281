"""A rubric from a YAML file: settings per judging system, held against the rules that a configuration's are held against."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from debate_cli.domain.assessment import SYSTEM_KINDS
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.config_checks import KeyPath, Problem, check_config
from debate_cli.domain.suggestions import format_suggestion_or_list
from debate_cli.errors import ConfigError
from debate_cli.storage.config_errors import MAX_PROBLEMS, allowed_keys, problems_from_validation
from debate_cli.storage.config_rest import check_valid_parts
from debate_cli.storage.plain import get_child, is_mapping
from debate_cli.storage.redact import Redactor
from debate_cli.storage.yaml_positions import SourceMap, SourcePosition, parse_yaml
from debate_cli.storage.yaml_text import read_yaml_text
from debate_cli.systems.rubric import Rubric

_EXAMPLE = "such as `structured: {weights: {logic: 0.5}}`"
_MINIMAL_CONFIG = {
    "topic": "?",
    "models": {"default": {"model": "mock/any"}},
    "debaters": [{"name": "?0", "side": "for"}, {"name": "?1", "side": "against"}],
}
"""A configuration with which nothing is wrong, but for what a rubric adds."""
_SYSTEMS = ("judging", "systems")
_KEYS_CHECKED_TOGETHER = {
    "thresholds": ({"draw", "clear"},),
    "min_judges": ({"min_judges", "judges"}, {"min_judges", "personas"}),
}
"""Key of a contradiction -> sets of keys; a rubric that names none of them whole may contradict itself, by what is stored, or not."""


def load_rubric(path: Path) -> Rubric:
    """The rubric at `path`: `structured: {weights: ..., thresholds: ...}` and so on; an empty section changes nothing.

    Raises ConfigError with one line for every fault: `file:line:column: key.path: what is wrong; what to do`.
    """
    parsed = parse_yaml(read_yaml_text(path, absent="write one, or correct the name"))
    places = SourceMap(str(path), parsed.positions or {(): SourcePosition(1, 1)}, key_positions=parsed.key_positions)
    before = [places.format_fault(fault) for fault in parsed.faults[: MAX_PROBLEMS + 1]]
    data: Any = parsed.data
    if is_mapping(data) and data:
        problems = [*_find_problems(data)]
    else:
        problems = [] if before else [Problem((), f"this is no rubric; it takes settings per system, {_EXAMPLE}")]
    if before or problems:
        raise ConfigError(*places.format_problems(problems, before, Redactor()))
    return Rubric({name: change or {} for name, change in data.items()})


def _find_problems(data: Mapping[str, Any]) -> Iterable[Problem]:
    """All that is wrong with a rubric, each with its key path."""
    changes: dict[str, Mapping[str, Any]] = {}
    for name, change in data.items():
        if name not in SYSTEM_KINDS:
            yield Problem((name,), f"there is no judging system of this name{_suggestion(name)}", is_key_error=True)
        elif is_mapping(change):
            changes[name] = change
            if change.get("kind", name) != name:
                yield Problem((name, "kind"), f"leave it out, or write {name}")
        elif change is not None:
            yield Problem((name,), f"must be a mapping of settings, {_EXAMPLE}")
    yield from _settings_problems(changes)


def _suggestion(name: str) -> str:
    """What a system of no such name was probably meant for, as the rest of a sentence."""
    owners = [kind for kind in SYSTEM_KINDS if name in _system_keys(kind)]
    if owners:
        return f"; it is a setting of {', '.join(owners)}, so indent it beneath one"
    return format_suggestion_or_list(name, SYSTEM_KINDS)


def _system_keys(kind: str) -> set[str]:
    """The settings of a system."""
    return allowed_keys((*_SYSTEMS, 0), {"judging": {"systems": [{"kind": kind}]}}) - {"kind"}


def _settings_problems(changes: Mapping[str, Mapping[str, Any]]) -> Iterable[Problem]:
    """What would be wrong with the same settings in a configuration."""
    names = [*changes]
    around = {**_MINIMAL_CONFIG, "judging": {"systems": [{**change, "kind": name} for name, change in changes.items()]}}
    for problem in _config_problems(around):
        if problem.path[:2] == _SYSTEMS and len(problem.path) > len(_SYSTEMS):
            name, rest = names[int(problem.path[2])], problem.path[3:]
            if _is_caused_by_rubric(changes[name], rest):
                yield problem._replace(path=(name, *rest))


def _config_problems(data: dict[str, Any]) -> Sequence[Problem]:
    try:
        config = DebateConfig.model_validate(data)
    except ValidationError as error:
        found = problems_from_validation(error, data)
        return [*found, *check_valid_parts(data, found, (check_config,))]
    return check_config(config)


def _is_caused_by_rubric(change: Mapping[str, Any], path: KeyPath) -> bool:
    """Whether a problem at `path` comes of this change alone: the models that judges name are the debate's own."""
    if path[-1:] in {("judge",), ("model",)} and isinstance(_value_at(change, path), str | None):
        return False
    together = _KEYS_CHECKED_TOGETHER.get(str(path[-1])) if path else None
    return together is None or any(keys <= _sibling_keys(change, path) for keys in together)


def _sibling_keys(change: Mapping[str, Any], path: KeyPath) -> set[str]:
    """The keys named in the mapping at `path`, and beside it."""
    within, beside = _value_at(change, path), _value_at(change, path[:-1])
    return {key for there in (within, beside) if is_mapping(there) for key in there}


def _value_at(data: Any, path: KeyPath) -> Any:
    for part in path:
        data = get_child(data, part)
    return data
