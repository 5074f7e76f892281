"""The help of commands in narrow windows."""

import re
from pathlib import Path

import pytest
from cli_support import debate

from debate_cli.cli.app import COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_help_cuts_no_name(here: Path, command: str) -> None:
    """Names, placeholders and words of help are folded if the window is narrow, and never cut."""
    done = debate(command, "--help", cwd=here, env={"COLUMNS": "60"})
    assert done.code == 0
    assert "…" not in done.out


@pytest.mark.parametrize("command", ["run", "judge", "score"])
def test_each_name_of_an_option_is_whole(here: Path, command: str) -> None:
    """Two long names of one option are below each other."""
    done = debate(command, "--help", cwd=here, env={"COLUMNS": "60"})
    assert re.search(r"│ --expect-winner, .*\n│ --expect ", done.out)


@pytest.mark.parametrize(
    ("args", "name"),
    [(("schema",), "KIND"), (("models", "lst"), "ACTION"), (("prompts", "shw", "x"), "ACTION")],
    ids=str,
)
def test_errors_name_an_argument_as_help_does(here: Path, args: tuple[str, ...], name: str) -> None:
    """An error about an argument has the name that the command's help shows."""
    done = debate(*args, cwd=here)
    assert done.code == 2
    assert f"'{name}'" in done.err
    assert name in debate(args[0], "--help", cwd=here).out


@pytest.mark.parametrize(
    "args",
    [
        ("score", "one", "--format", "html"),
        ("import", "one.txt"),
        ("audit", "--judge", "mock/judge"),
        ("experiment", "run", "exp.yaml"),
    ],
    ids=str,
)
def test_a_folder_cannot_be_stdout(here: Path, args: tuple[str, ...]) -> None:
    """`-o -` is refused by commands that write a folder, before they read anything."""
    done = debate(*args, "-o", "-", cwd=here)
    assert (done.code, done.lines) == (
        2,
        ["debate: -o -: this command writes to a folder, not to standard output; give the path of a folder"],
    )


def test_personas_go_to_stdout(here: Path) -> None:
    """`-o -` is the default of `debate personas`."""
    (here / "PLAN.md").write_text("We move in May.")
    done = debate("personas", "PLAN.md", "--mock", "-o", "-", cwd=here)
    assert (done.code, "judging:" in done.out, (here / "-").exists()) == (0, True, False), done.err
