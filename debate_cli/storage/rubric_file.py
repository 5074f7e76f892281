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
from debate_cli.storage.config_errors import load_yaml, problems_from_validation
from debate_cli.storage.plain_data import is_mapping
from debate_cli.storage.redact import Redactor
from debate_cli.storage.yaml_positions import read_yaml_text
from debate_cli.systems.registry import system_kinds
from debate_cli.systems.rubric import Rubric

_EXAMPLE = "such as `structured: {weights: {logic: 0.5}}`"


def load_rubric(path: Path) -> Rubric:
    """Load the rubric at `path`, e.g. `structured: {weights: ..., thresholds: ...}`. An empty section changes nothing.

    Raises ConfigError with one line per error: `file:line:column: key.path: what is wrong; what to do`.
    """
    data, source_map = load_yaml(str(path), read_yaml_text(path, absent="write one, or correct the name"))
    if not is_mapping(data) or not data:
        raise ConfigError(f"{path}:1:1: this is not a rubric; write settings per system, {_EXAMPLE}")
    problems = [problem for name, change in data.items() for problem in _check_section(name, change)]
    if problems:
        raise ConfigError(*source_map.format_problems(problems, Redactor()))
    return Rubric({name: change or {} for name, change in data.items()})


def _check_section(name: str, change: Any) -> list[Problem]:
    if name not in system_kinds():
        hint = format_suggestion_or_list(name, system_kinds())
        return [Problem((name,), f"unknown judging system{hint}")]
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
