"""The shipped configurations are valid, and name their schema."""

from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from debate_cli.storage.config_file import read_config_file
from debate_cli.storage.schema import config_schema

CONFIGS = sorted((Path(__file__).parent.parent.parent / "configs").glob("*.yaml"))
SCHEMA = Draft202012Validator(config_schema())


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_it_needs_no_variable_and_says_how_to_run_it(path: Path) -> None:
    """A shipped configuration is valid without variables, and its first lines name its schema and its command."""
    loaded = read_config_file(path, env={})
    assert (len(loaded.config.debaters) >= 2, loaded.secrets) == (True, ())
    text = path.read_text(encoding="utf-8")
    assert not list(SCHEMA.iter_errors(yaml.safe_load(text)))  # pyright: ignore[reportUnknownMemberType]
    lines = text.splitlines()
    assert lines[0] == "# yaml-language-server: $schema=./debate.schema.json"
    assert any(line.startswith("#") and f"debate run configs/{path.name}" in line for line in lines[1:10])
