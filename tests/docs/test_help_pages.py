"""Help pages in a window of 80 columns: no word broken, lines filled, examples as they were written."""

from __future__ import annotations

import inspect
import re
from itertools import pairwise
from pathlib import Path

import pytest
from cli_support import debate

from debate_cli.cli.app import COMMANDS, load_command
from debate_cli.cli.help_format import EXAMPLES_HEADING, reflow_help

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
    """Nor does the terminal have to break one."""
    assert [line for line in page[1].splitlines() if len(line) > WIDTH] == []


def test_prose_fills_its_lines(page: tuple[str, str]) -> None:
    """A line ends where the next word would not fit: the breaks of the source are not those of the page."""
    prose = page[1].split("\n╭")[0].split(EXAMPLES_HEADING)[0]
    for part in re.split(r"\n\s*\n", prose):
        for line, following in pairwise(part.strip().splitlines()):
            assert len(line.strip()) + 1 + len(following.split()[0]) > WIDTH - 2


def test_an_example_is_one_line(page: tuple[str, str]) -> None:
    """It can be copied whole."""
    name, shown = page
    if not name:
        return
    _, _, written = (inspect.getdoc(inspect.unwrap(load_command(name).callback)) or "").partition(EXAMPLES_HEADING)
    lines = {line.strip() for line in shown.splitlines()}
    assert {line.strip() for line in written.splitlines() if line.strip()} <= lines


def test_no_word_of_the_options_is_broken(page: tuple[str, str]) -> None:
    """Each word of their help stands whole on a line of its frame."""
    name, shown = page
    if not name:
        return
    told = words(" ".join(options(shown)))
    assert [param.name for param in load_command(name).params if not words(param.help) <= told] == []


def test_types_are_no_pythons(page: tuple[str, str]) -> None:
    """A flag takes nothing, a number is N."""
    assert re.findall(r"<(?:bool|str|int|int range|float|path|list\[str\])>", page[1]) == []


def test_many_choices_stand_in_words(tmp_path: Path) -> None:
    """A list of them would leave no room for the help beside it."""
    shown = " ".join(debate("replay", "--help", cwd=tmp_path, env={"COLUMNS": str(WIDTH)}).out.split())
    assert "ONLY Only this part: turns, scores, trace, │ │ verdict, briefing." in shown


def test_paragraphs_are_joined_and_examples_kept() -> None:
    """One line a paragraph, one line an example."""
    assert reflow_help("A\nb.\n\nC\nd.\n\nExamples:\n\n  e f\n\n  g") == "A b.\n\nC d.\n\nExamples:\n\n  e f\n  g"


def test_the_command_stays_as_it_is() -> None:
    """A page is made of a copy: what options take is the same after it was shown."""
    command = load_command("replay")
    before = [(param.name, param.metavar, param.help) for param in command.params]
    with command.make_context("replay", ["x"]) as context:
        command.get_help(context)
    assert [(param.name, param.metavar, param.help) for param in command.params] == before
