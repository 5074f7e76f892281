"""Help is true: the root's table, the commands' help, and the exit codes."""

import ast
import inspect
import re
import shlex
from collections.abc import Collection
from pathlib import Path

import pytest
from cli_support import debate

from debate_cli import cli, errors
from debate_cli.cli.app import COMMANDS, load_command

EXIT_CODES = {0: "done", 1: "failed", 2: "wrong input", 3: "a provider failed", 4: "budget reached",
              5: "a gate was not met", 6: "a batch is in progress", 130: "interrupted", 141: "output pipe closed"}  # fmt: skip


def words(text: str) -> str:
    """Text without the frames and line breaks of a help page."""
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", text).split())


def summary(name: str) -> str:
    """The first paragraph of a command's help."""
    return load_command(name).help.partition("\n\n")[0]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str, tmp_path: Path) -> None:
    """Usage, then the summary."""
    done = debate(name, "--help", cwd=tmp_path, env={"COLUMNS": "200"})
    assert (done.code, done.err) == (0, "")
    assert words(done.out).startswith(f"Usage: debate {name} ")
    assert summary(name) in words(done.out)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_and_argument_is_explained(name: str) -> None:
    """Each has a help text."""
    assert [param.name for param in load_command(name).params if not getattr(param, "help", None)] == []


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_the_root_lists_commands_and_exit_codes(option: str, tmp_path: Path) -> None:
    """Each with its meaning."""
    done = debate(option, cwd=tmp_path, env={"COLUMNS": "200"})
    assert done.code == 0
    for name in COMMANDS:
        assert f"{name} {summary(name)}" in words(done.out)
    assert "Exit codes: " + ", ".join(f"{code} {meaning}" for code, meaning in EXIT_CODES.items()) in words(done.out)


@pytest.mark.parametrize(
    ("name", "codes"),
    [("run", EXIT_CODES.keys() - {6}), ("judge", EXIT_CODES), ("score", (0, 1, 2, 5, 141))],
    ids=["run", "judge", "score"],
)
def test_a_command_lists_its_exit_codes(name: str, codes: Collection[int], tmp_path: Path) -> None:
    """All that it can end with, and no other."""
    codes_listed = words(debate(name, "--help", cwd=tmp_path, env={"COLUMNS": "200"}).out).partition("Exit codes: ")[2]
    assert {int(found) for found in re.findall(r"(?:^|, )(\d+) ", codes_listed)} == set(codes)


def test_gates_have_their_own_section(tmp_path: Path) -> None:
    """Its heading names the exit code."""
    section = debate("run", "--help", cwd=tmp_path, env={"COLUMNS": "200"}).out.partition("Gates (exit code 5")[2]
    assert set(re.findall(r"│ (--[a-z-]+)", section)) == {
        "--fail-under",
        "--expect-winner",
        "--expect",
        "--max-warnings",
        "--fail-on",
    }


def test_the_examples_of_the_root_parse(tmp_path: Path) -> None:
    """Commands and options exist."""
    examples = debate("--help", cwd=tmp_path, env={"COLUMNS": "200"}).out.partition("Examples:")[2]
    lines = [
        shlex.split(line.strip().split("  ", maxsplit=1)[0]) for line in examples.splitlines() if "  debate " in line
    ]
    assert len(lines) > 4
    for line in lines:
        load_command(line[1]).make_context(line[1], line[2:])


def test_every_error_has_a_listed_exit_code() -> None:
    """The root's help names it."""
    kinds = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, errors.DebateError)]
    assert {kind.exit_code for kind in kinds} <= set(EXIT_CODES) - {0}


def test_exit_codes_are_numbered_in_one_place() -> None:
    """`ExitCode` has the listed codes, and no module of `cli` ends a command or describes its exit codes with a number."""
    assert {code.value: code.meaning for code in errors.ExitCode} == EXIT_CODES
    wrong = [
        f"{path.name}:{node.lineno}"
        for path in sorted(Path(cli.__file__).parent.glob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (
            isinstance(node, ast.Call)
            and ast.unparse(node.func) in {"typer.Exit", "sys.exit"}
            and any(isinstance(part, ast.Constant) for part in ast.walk(node))
        )
        or (isinstance(node, ast.Constant) and re.search(r"Exit codes: \d|, \d+ interrupted", str(node.value)))
    ]
    assert wrong == []
