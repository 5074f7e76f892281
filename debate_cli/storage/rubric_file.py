"""A rubric file: settings per judging system, checked like those of a configuration."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.config_checks import KeyPath, Problem, check_config
from debate_cli.domain.suggestions import format_suggestion_or_list
from debate_cli.errors import ConfigError
from debate_cli.storage.config_errors import MAX_PROBLEMS, SourceMap, allowed_keys, problems_from_validation, value_at
from debate_cli.storage.plain_data import is_mapping
from debate_cli.storage.redact import Redactor
from debate_cli.storage.yaml_positions import SourcePosition, parse_yaml, read_yaml_text
from debate_cli.systems.registry import system_kinds
from debate_cli.systems.rubric import Rubric

_EXAMPLE = "such as `structured: {weights: {logic: 0.5}}`"
_MINIMAL_CONFIG = {
    "topic": "?",
    "models": {"default": {"model": "mock/any"}},
    "debaters": [{"name": "?0", "side": "for"}, {"name": "?1", "side": "against"}],
}
"""A valid configuration to which the settings of a rubric are added for the check."""
_SYSTEMS = ("judging", "systems")
_KEYS_CHECKED_TOGETHER = {
    "thresholds": ({"draw", "clear"},),
    "min_judges": ({"min_judges", "judges"}, {"min_judges", "personas"}),
}
"""Key at which a contradiction is reported -> sets of keys.

A rubric causes the contradiction only if it contains all keys of a set.
"""


def load_rubric(path: Path) -> Rubric:
    """The rubric at `path`: `structured: {weights: ..., thresholds: ...}` and so on.

    An empty section changes nothing. Raises ConfigError with one line per error: `file:line:column: key.path: what is
    wrong; what to do`.
    """
    parsed = parse_yaml(read_yaml_text(path, absent="write one, or correct the name"))
    source_map = SourceMap(
        str(path), parsed.positions or {(): SourcePosition(1, 1)}, key_positions=parsed.key_positions
    )
    lines = [source_map.format_fault(fault) for fault in parsed.faults[: MAX_PROBLEMS + 1]]
    problems: list[Problem] = []
    if is_mapping(parsed.data) and parsed.data:
        problems = _find_problems(parsed.data)
    elif not lines:
        problems = [Problem((), f"this is not a rubric; write settings per system, {_EXAMPLE}")]
    if lines or problems:
        raise ConfigError(*source_map.format_problems(problems, lines, Redactor()))
    return Rubric({name: change or {} for name, change in parsed.data.items()})


def _find_problems(data: Mapping[str, Any]) -> list[Problem]:
    problems: list[Problem] = []
    changes: dict[str, Mapping[str, Any]] = {}
    for name, change in data.items():
        if name not in system_kinds():
            problems.append(Problem((name,), f"unknown judging system{_suggestion(name)}", is_key_error=True))
        elif is_mapping(change):
            changes[name] = change
            if change.get("kind", name) != name:
                problems.append(Problem((name, "kind"), f"must be {name}, like the section; write that, or remove it"))
        elif change is not None:
            problems.append(Problem((name,), f"must be a mapping of settings, {_EXAMPLE}"))
    return [*problems, *_settings_problems(changes)]


def _suggestion(name: str) -> str:
    owners = [kind for kind in system_kinds() if name in _setting_names(kind)]
    if owners:
        return f"; `{name}` is a setting of {', '.join(owners)}, so indent it beneath one"
    return format_suggestion_or_list(name, system_kinds())


def _setting_names(kind: str) -> set[str]:
    return allowed_keys((*_SYSTEMS, 0), {"judging": {"systems": [{"kind": kind}]}}) - {"kind"}


def _settings_problems(changes: Mapping[str, Mapping[str, Any]]) -> Iterable[Problem]:
    """The errors of these settings (system -> settings), found by adding them to a minimal configuration."""
    names = [*changes]
    systems = [{**change, "kind": name} for name, change in changes.items()]
    for problem in _config_problems({**_MINIMAL_CONFIG, "judging": {"systems": systems}}):
        if problem.path[:2] == _SYSTEMS and len(problem.path) > len(_SYSTEMS):
            name, rest = names[int(problem.path[2])], problem.path[3:]
            if _is_caused_by_rubric(changes[name], rest):
                yield problem._replace(path=(name, *rest))


def _config_problems(data: dict[str, Any]) -> Sequence[Problem]:
    try:
        return check_config(DebateConfig.model_validate(data))
    except ValidationError as error:
        return problems_from_validation(error, data)


def _is_caused_by_rubric(change: Mapping[str, Any], path: KeyPath) -> bool:
    """Whether the rubric alone causes a problem at `path`. A debate has the models and bounds that a rubric leaves out."""
    if path[-1:] in {("judge",), ("model",)} and isinstance(value_at(change, path), str | None):
        return False
    together = _KEYS_CHECKED_TOGETHER.get(str(path[-1])) if path else None
    if together is None:
        return True
    parts = (value_at(change, path), value_at(change, path[:-1]))
    named = {key for part in parts if is_mapping(part) for key in part}
    return any(keys <= named for keys in together)
