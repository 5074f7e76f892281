"""`--plain`: lines on a terminal too, as a screen reader wants them."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_support import CONFIGS, debate, run_on_terminal

DRAWN = {"TERM": "xterm-256color", "COLUMNS": "100", "NO_COLOR": ""}


@pytest.mark.parametrize(
    "words", [("replay", "one"), ("replay", "one", "--speed", "4"), ("replay", "one", "--only", "trace")], ids=str
)
def test_replay_writes_on_a_terminal_what_it_writes_off_it(two_saved: Path, words: tuple[str, ...]) -> None:
    """Line by line, without a control sequence; nothing is typed out."""
    code, drawn = run_on_terminal(*words, "--plain", cwd=two_saved.parent.parent, env=DRAWN)
    off = debate(*words, cwd=two_saved.parent.parent)
    assert (code, drawn.replace("\r\n", "\n")) == (0, off.out + off.err)


def test_run_writes_lines_on_a_terminal(here: Path) -> None:
    """No control sequence from the first line to the last."""
    code, drawn = run_on_terminal("run", CONFIGS / "mock.yaml", "--no-save", "--plain", cwd=here, env=DRAWN)
    assert (code, "\x1b" in drawn) == (0, False)
    assert "== Round 1: opening ==" in drawn
    assert "Verdict (structured, decides): " in drawn
