"""`debate … | head`: whoever reads leaves before the end, and the command ends quietly."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli_support import CONFIGS, LIMIT_S, CommandResult, debate

DEBATE = Path(sys.executable).with_name("debate")
CLOSED = 141
"""As a shell tells it of what SIGPIPE ended."""
SLOW = f"run {CONFIGS / 'mock.yaml'} --id one --set models.default.latency_s=0.3"


def headed(here: Path, command: str, reader: str = "head -n 1", also: str = "") -> CommandResult:
    """`debate COMMAND | READER` with the exit code of `debate`; `also` is a redirection of it."""
    script = f"{DEBATE} {command} {also} | {reader}; exit ${{PIPESTATUS[0]}}"
    env = {"PATH": os.environ["PATH"], "HOME": str(here.parent), "NO_COLOR": "1"}
    done = subprocess.run(
        ["bash", "-c", script], cwd=here, env=env, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    return CommandResult(done.returncode, done.stdout, done.stderr)


def test_a_debate_that_nobody_reads_stops_and_can_be_resumed(here: Path) -> None:
    """Two lines say how; what is in is kept, closed as interrupted, and resuming completes it."""
    done = headed(here, SLOW)
    assert (done.code, done.out) == (CLOSED, "Debate: one (structured)\n")
    assert done.lines[0] == "saved: transcripts/one.json"
    assert "nobody reads" in done.lines[1]
    assert done.lines[2:] == ["debate run --resume transcripts/one.json"]
    stopped = json.loads((here / "transcripts/one.json").read_text())
    assert (stopped["closed"], stopped["status"]) == ("interrupted", "incomplete")
    assert debate("run", "--resume", "one", "-q", cwd=here).code == 0


def test_a_debate_whose_every_word_goes_nowhere_keeps_what_is_in(here: Path) -> None:
    """Stdout and stderr into one closed pipe: nothing can be told, and nothing is lost."""
    done = headed(here, SLOW, also="2>&1")
    assert (done.code, done.err) == (CLOSED, "")
    assert json.loads((here / "transcripts/one.json").read_text())["closed"] == "interrupted"


@pytest.mark.parametrize(
    "command",
    [
        "replay saved",
        "replay saved --format html",
        "score saved --json",
        "list",
        "diff saved saved --json",
        "judge saved",
    ],
)
def test_other_commands_end_quietly(saved: Path, command: str) -> None:
    """Whether or not they noticed: no traceback, no word of a broken pipe."""
    done = headed(saved.parent.parent, command, reader="true")
    assert done.code in {0, CLOSED}
    assert not any(words in done.err for words in ("Traceback", "BrokenPipe", "Errno", "unexpected", "Exception"))


def test_a_gate_that_was_not_met_is_told_though_nobody_reads(saved: Path) -> None:
    """The exit code that a command chose stands."""
    done = headed(saved.parent.parent, "score saved --fail-under 10", reader="true")
    assert done.code in {5, CLOSED}


def test_what_was_done_before_the_reader_left_counts_as_done(saved: Path) -> None:
    """A debate that had ended when its summary was no longer read is a success."""
    here = saved.parent.parent
    done = headed(here, "run --resume saved --json", reader="true")
    assert (done.code, "unchanged: transcripts/saved.json" in done.err) == (0, True)
