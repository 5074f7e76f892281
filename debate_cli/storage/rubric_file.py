"""Reads a rubric file, which has settings per judging system.

`systems.rubric` checks how they combine with the settings of a debate.
"""

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from debate_cli.domain.config_checks import Problem
from debate_cli.domain.judging_config import settings_class
from debate_cli.domain.suggestions import format_suggestion_or_list
from debate_cli.errors import ConfigError
from debate_cli.storage.config_errors import MAX_PROBLEMS, SourceMap, problems_from_validation
from debate_cli.storage.plain_data import is_mapping
from debate_cli.storage.redact import Redactor
from debate_cli.storage.yaml_positions import SourcePosition, parse_yaml, read_yaml_text
from debate_cli.systems.registry import system_kinds
from debate_cli.systems.rubric import Rubric

_EXAMPLE = "such as `structured: {weights: {logic: 0.5}}`"


def load_rubric(path: Path) -> Rubric:
    """Load the rubric at `path`, e.g. `structured: {weights: ..., thresholds: ...}`. An empty section changes nothing.

    Raises ConfigError with one line per error: `file:line:column: key.path: what is wrong; what to do`.
    """
    parsed = parse_yaml(read_yaml_text(path, absent="write one, or correct the name"))
    positions = parsed.positions or {(): SourcePosition(1, 1)}
    source_map = SourceMap(str(path), positions, key_positions=parsed.key_positions)
    lines = [source_map.format_fault(fault) for fault in parsed.faults[: MAX_PROBLEMS + 1]]
    problems: list[Problem] = []
    if is_mapping(parsed.data) and parsed.data:
        problems = [problem for name, change in parsed.data.items() for problem in _check_section(name, change)]
    elif not lines:
        problems = [Problem((), f"this is not a rubric; write settings per system, {_EXAMPLE}")]
    if lines or problems:
        raise ConfigError(*source_map.format_problems(problems, lines, Redactor()))
    return Rubric({name: change or {} for name, change in parsed.data.items()})


def _check_section(name: str, change: Any) -> list[Problem]:
    """Return the errors in the settings of the system `name`."""
    if name not in system_kinds():
        hint = format_suggestion_or_list(name, system_kinds())
        return [Problem((name,), f"unknown judging system{hint}", is_key_error=True)]
    if change is None:
        return []
    if not is_mapping(change):
        return [Problem((name,), f"must be a mapping of settings, {_EXAMPLE}")]
    if change.get("kind", name) != name:
        return [Problem((name, "kind"), f"must be {name}, like the section; write that, or remove it")]
    model = settings_class(name)
    try:
        model.model_validate({**change, "kind": name})
    except ValidationError as error:
        found = problems_from_validation(error, change, model)
        return [problem._replace(path=(name, *problem.path)) for problem in found]
    return []
