"""Rendering packaged prompts and the user's overrides."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from debate_cli.errors import ConfigError
from debate_cli.llm.prompts import Prompts


@pytest.fixture
def package(tmp_path: Path) -> Iterator[str]:
    """The name of a package that ships the prompts `opening` and `rules`."""
    name = f"prompts_of_{tmp_path.name}"
    folder = tmp_path / name / "prompts"
    folder.mkdir(parents=True)
    (tmp_path / name / "__init__.py").write_text("")
    (folder / "opening.md").write_text("Motion: {{motion}}, by {{ name }}.\n\n")
    (folder / "rules.md").write_text('Be fair: {"a": {"b": 1}}\n')
    sys.path.insert(0, str(tmp_path))
    yield name
    sys.path.remove(str(tmp_path))


def test_placeholders_are_filled_in(package: str) -> None:
    """Final line breaks of the file are removed; unused values are ignored."""
    text = Prompts().render(package, "opening", motion="Tabs", name="Pro", unused="x")
    assert text == "Motion: Tabs, by Pro."


def test_values_are_not_read_as_templates(package: str) -> None:
    """A placeholder inside a value is not filled in."""
    text = Prompts().render(package, "opening", motion="{{name}} \\1", name="Pro")
    assert text == "Motion: {{name}} \\1, by Pro."


def test_an_override_replaces_the_prompt(package: str) -> None:
    """The user's text replaces the shipped prompt and may omit placeholders."""
    prompts = Prompts({"opening": "On {{motion}}!"})
    assert prompts.render(package, "opening", motion="Tabs", name="Pro") == "On Tabs!"


def test_wrong_overrides_are_reported_together() -> None:
    """Unknown prompts and placeholders are named, each on its own line, with a suggestion."""
    overrides = {"openin": "x", "no such prompt": "x", "opening": "{{cuont}} {{zzz}}", "judge_rules": "Be fair."}
    with pytest.raises(ConfigError) as caught:
        Prompts(overrides).validate()
    lines = caught.value.problems
    assert [line.partition(":")[0] for line in lines] == ["prompts.openin", "prompts.no such prompt"] + [
        "prompts.opening"
    ] * 2
    assert "unknown prompt; did you mean `opening`?" in lines[0]
    assert lines[1] == "prompts.no such prompt: unknown prompt"
    assert "unknown placeholder {{cuont}}; this prompt has" in lines[2]
    assert "did you mean `count`?" in lines[2]
