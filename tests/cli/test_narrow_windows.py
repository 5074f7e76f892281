"""What is said beside the data in a narrow window: lines end between words there, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_support import debate, run_on_terminal

WRONG = "topic: Ought we?\nformatt: {}\ndebaters:\n  - {name: Ada, model: openai/gpt-4.1}\n"


@pytest.mark.parametrize("columns", [40, 60])
def test_errors_are_broken_at_words(here: Path, columns: int) -> None:
    """A wrong key and a missing one: no line is left to the terminal, and read together they say what they say in a pipe."""
    (here / "wrong.yaml").write_text(WRONG)
    code, drawn = run_on_terminal("run", "wrong.yaml", cwd=here, columns=columns)
    rows = drawn.splitlines()
    assert (code, max(map(len, rows)) <= columns) == (2, True), drawn
    assert " ".join(drawn.split()) == " ".join(debate("run", "wrong.yaml", cwd=here).err.split())


def test_through_a_pipe_a_fault_is_a_line(here: Path) -> None:
    """However long it is, so that it can be searched for; the window's width says nothing there."""
    (here / "wrong.yaml").write_text(WRONG)
    done = debate("run", "wrong.yaml", cwd=here, env={"COLUMNS": "40"})
    assert all(line.startswith("wrong.yaml:") for line in done.lines)
