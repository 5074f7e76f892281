"""Paths that cannot be used: one sentence with the reason, and exit code 2. Other files are still processed."""

import os
from pathlib import Path

import pytest
from cli_support import CONFIGS, CommandResult, debate, run_in_shell

MOCK = CONFIGS / "mock.yaml"
LONG = "n" * 300
"""A name that is longer than the file system allows."""
COMMANDS = (
    "score {0}.json",
    "replay {0}.json",
    "diff saved {0}.json",
    "judge {0}.json --mock",
    "judge {0}.txt --mock --system panel",
    "judge saved --mock --config {0}.yaml",
    "judge --collect {0}",
    "review {0}.json",
    "import {0}.txt",
    "init {0}",
    "personas {0}.txt --mock",
    "experiment status {0}",
    "evidence list --evidence {0}",
    "audit --judge mock/a --system structured --out {0}",
    "check {0}.yaml",
    "run {0}.yaml",
    f"run {MOCK} --out {{0}}",
    f"run {MOCK} --report {{0}}.html",
    f"run {MOCK} --record {{0}}",
    f"run {MOCK} --evidence {{0}}",
    f"run {MOCK} --out {{0}} --id one --continue",
    "run --resume {0}.json",
)
"""Command lines with `{0}` in place of a path without its suffix."""


def assert_is_one_sentence(done: CommandResult, reason: str) -> None:
    """Check that the last line on stderr has `reason` and some advice, and that nothing was printed or crashed."""
    assert (done.code, done.out, len(done.lines)) == (2, "", 1), done.err
    assert f" ({reason}); " in done.err
    assert len(done.err) < 400, done.err


@pytest.mark.parametrize("command", COMMANDS)
def test_a_name_that_is_too_long_is_one_sentence(saved: Path, command: str) -> None:
    """A command names the start of a long name, and the reason."""
    done = debate(*command.format(LONG).split(), cwd=saved.parent.parent)
    assert_is_one_sentence(done, "File name too long")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may search every folder")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_path_in_a_folder_without_search_permission_is_one_sentence(saved: Path, command: str) -> None:
    """A command names the path, and the reason."""
    here = saved.parent.parent
    (here / "closed").mkdir(mode=0o600)
    assert_is_one_sentence(debate(*command.format("closed/one").split(), cwd=here), "Permission denied")


@pytest.mark.parametrize("command", ["judge {0} --mock --system panel", "run {0}", "replay {0}", "import {0}"])
def test_a_whole_text_in_place_of_a_path_is_not_repeated(saved: Path, command: str) -> None:
    """E.g. of `debate judge "$(cat README.md)"` only the start is printed."""
    text = "# A [plan](docs/plan.md)\n\nWe should * because:\n" * 200
    args = [text if word == "{0}" else word for word in command.split()]
    assert_is_one_sentence(debate(*args, cwd=saved.parent.parent), "File name too long")


@pytest.mark.parametrize("command", ["score", "judge --mock --no-save -q --system live"])
def test_other_files_are_processed_despite_a_path_that_cannot_be_used(saved: Path, command: str) -> None:
    """The path is reported, the other file is processed, and the exit code is 1."""
    done = debate(*command.split(), f"{LONG}.json", "saved", cwd=saved.parent.parent)
    assert (done.code, "n…: cannot be read (File name too long)" in done.err) == (1, True), done.err
    assert "Con" in done.out


def test_a_long_motion_in_place_of_a_file_gets_the_command_that_debates_it(here: Path) -> None:
    """A motion is recognized even if it is longer than a file name may be."""
    motion = "Should we wait? " * 20
    done = debate("run", motion, cwd=here)
    assert (done.code, f"; to debate a motion: debate run --topic '{motion}'" in done.err) == (2, True), done.err


@pytest.mark.parametrize("command", [pytest.param(f"run {MOCK} -q", marks=pytest.mark.soak), "init"])
def test_a_deleted_working_folder_is_named_as_the_reason(here: Path, command: str) -> None:
    """A command that needs the working folder ends with one sentence and exit code 2."""
    done = run_in_shell(f"mkdir gone; cd gone; rmdir ../gone; debate {command}", here)
    assert (done.code, done.out) == (2, "")
    assert done.lines[-1] == "debate: the working folder was deleted; change to another"


def test_a_run_with_absolute_paths_works_in_a_deleted_working_folder(here: Path) -> None:
    """The working folder is not needed if the configuration and the output folder have absolute paths."""
    done = run_in_shell(f"mkdir gone; cd gone; rmdir ../gone; debate run {MOCK} -q --id one --out {here}", here)
    assert (done.code, (here / "one.json").exists()) == (0, True), done.err
