"""Layout of help pages at 80 columns."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from cli_support import debate

from debate_cli.cli.app import COMMANDS, EXAMPLES_HEADING, load_command, reflow_help

WIDTH = 80


@pytest.fixture(scope="module", params=["", *COMMANDS])
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A command (the root is "") and its help."""
    words = [request.param] if request.param else []
    done = debate(*words, "--help", cwd=tmp_path_factory.mktemp("help"), env={"COLUMNS": str(WIDTH)})
    assert done.code == 0
    return request.param, done.out


def options(shown: str) -> list[str]:
    """The lines of its frames, without them."""
    return [line.strip("│ ") for line in shown.splitlines() if line.startswith("│")]


def words(text: str) -> set[str]:
    """The words of a text, without the stops around them."""
    return {word.strip(".:;,") for word in text.split()}


def test_no_line_is_wider_than_the_window(page: tuple[str, str]) -> None:
    """80 columns, and no name is cut."""
    assert [line for line in page[1].splitlines() if len(line) > WIDTH] == []
    assert "…" not in page[1]


def test_prose_fills_its_lines(page: tuple[str, str]) -> None:
    """A line ends only where the next word does not fit."""
    prose = page[1].split("\n╭")[0].split(EXAMPLES_HEADING)[0]
    for part in re.split(r"\n\s*\n", prose):
        for line, following in pairwise(part.strip().splitlines()):
            assert len(line.strip()) + 1 + len(following.split()[0]) > WIDTH - 2


def test_an_example_is_one_line(page: tuple[str, str]) -> None:
    """It can be copied."""
    name, shown = page
    if not name:
        return
    _, _, written = load_command(name).help.partition(EXAMPLES_HEADING)
    lines = {line.strip() for line in shown.splitlines()}
    assert {line.strip() for line in written.splitlines() if line.strip()} <= lines


def test_no_word_of_the_options_is_broken(page: tuple[str, str]) -> None:
    """Each word of an option's help is on one line."""
    name, shown = page
    if not name:
        return
    option_help = words(" ".join(options(shown)))
    assert [param.name for param in load_command(name).params if not words(param.help) <= option_help] == []


def test_types_are_not_pythons(page: tuple[str, str]) -> None:
    """A flag has no type; a number is N."""
    assert re.findall(r"<(?:bool|str|int|int range|float|path|list\[str\])>", page[1]) == []


def test_long_lists_of_choices_are_in_the_help_text(tmp_path: Path) -> None:
    """The type column would leave no room for the help."""
    shown = " ".join(debate("replay", "--help", cwd=tmp_path, env={"COLUMNS": str(WIDTH)}).out.split())
    assert "ONLY Show only this part: turns, scores, │ │ trace, verdict, briefing." in shown


def test_paragraphs_are_joined_and_examples_kept() -> None:
    """One line per paragraph, one line per example."""
    assert reflow_help("A\nb.\n\nC\nd.\n\nExamples:\n\n  e f\n\n  g") == "A b.\n\nC d.\n\nExamples:\n\n  e f\n  g"
