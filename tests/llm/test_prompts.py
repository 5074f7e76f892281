"""Rendering packaged prompts and the user's overrides."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from debate_cli.errors import ConfigError
from debate_cli.llm.prompts import Prompts, find_placeholders


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


def test_json_in_a_prompt_is_not_a_placeholder(package: str) -> None:
    """Braces of an example are unchanged."""
    assert Prompts().render(package, "rules") == 'Be fair: {"a": {"b": 1}}'


def test_a_missing_value_is_a_key_error(package: str) -> None:
    """A placeholder without a value is an error."""
    with pytest.raises(KeyError):
        Prompts().render(package, "opening", motion="Tabs")


def test_an_override_replaces_the_prompt(package: str) -> None:
    """The user's text may omit placeholders."""
    prompts = Prompts({"opening": "On {{motion}}!"}).validate(package)
    assert prompts.render(package, "opening", motion="Tabs", name="Pro") == "On Tabs!"


@pytest.mark.parametrize(
    ("overrides", "problem"),
    [
        ({"opening": "{{motoin}}"}, "prompts.opening: unknown placeholder {{motoin}} (did you mean motion?)"),
        ({"openin": "x"}, "prompts.openin: unknown prompt (did you mean opening?)"),
        ({"zzz": "x"}, "prompts.zzz: unknown prompt"),
        ({"rules": "{{x}}"}, "this prompt has none"),
    ],
)
def test_a_wrong_override_is_a_config_error(package: str, overrides: dict[str, str], problem: str) -> None:
    """Unknown prompts and placeholders are named, with a suggestion."""
    with pytest.raises(ConfigError) as caught:
        Prompts(overrides).validate(package)
    assert problem in str(caught.value)


def test_all_problems_are_reported_together(package: str) -> None:
    """Each problem has its own line."""
    with pytest.raises(ConfigError) as caught:
        Prompts({"zzz": "x", "opening": "{{a}} {{b}}"}).validate(package)
    assert len(caught.value.problems) == 3


def test_placeholders_of_a_text() -> None:
    """Spaces inside the braces do not matter."""
    assert find_placeholders("{{a}} {{ b }} {c} {{d-e}}") == {"a", "b"}


def test_shipped_packages_can_be_checked() -> None:
    """Without arguments, all packages that ship prompts are searched."""
    with pytest.raises(ConfigError, match="unknown prompt"):
        Prompts({"no such prompt": "x"}).validate()
