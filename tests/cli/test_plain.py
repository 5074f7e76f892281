"""`--plain`: lines on a terminal, for screen readers."""

from pathlib import Path

import pytest
from cli_support import CONFIGS, debate, run_on_terminal

DRAWN = {"TERM": "xterm-256color", "COLUMNS": "100", "NO_COLOR": ""}


@pytest.mark.parametrize(
    "words", [("replay", "one"), ("replay", "one", "--speed", "4"), ("replay", "one", "--only", "trace")], ids=str
)
def test_replay_plain_equals_a_pipe(two_saved: Path, words: tuple[str, ...]) -> None:
    """No control sequences; nothing is typed out."""
    code, drawn = run_on_terminal(*words, "--plain", cwd=two_saved.parent.parent, env=DRAWN)
    off = debate(*words, cwd=two_saved.parent.parent)
    assert (code, drawn.replace("\r\n", "\n")) == (0, off.out + off.err)


def test_run_plain_has_no_control_sequences(here: Path) -> None:
    """From the first line to the last."""
    code, drawn = run_on_terminal("run", CONFIGS / "mock.yaml", "--no-save", "--plain", cwd=here, env=DRAWN)
    assert (code, "\x1b" in drawn) == (0, False)
    assert "== Round 1: opening ==" in drawn
    assert "== Verdict ==" in drawn
