"""Standard output on a device that is full: one sentence that says so."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cli_support import CONFIGS

MOCK = str(CONFIGS / "mock.yaml")


@pytest.mark.parametrize(
    "command",
    ["score saved --json", f"run {MOCK} --no-save --json", f"run {MOCK} --no-save", "replay saved", "list", "list --json",
     "replay saved --format json"],
)  # fmt: skip
def test_a_full_device_is_told_in_one_sentence(saved: Path, command: str) -> None:
    """Exit 1 and what is wrong with the output; no traceback, nothing to report."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "debate_cli", *command.split()],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=saved.parent.parent,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "debate: standard output cannot be written (No space left on device); send it to a place that has room for it"
    ]


@pytest.mark.parametrize(
    ("options", "left"),
    [([], "the debate so far is in transcripts/one.jsonl; go on with: debate run --resume transcripts/one.json"),
     (["--json"], "the debate is saved: transcripts/one.json")],
    ids=["under way", "at its end"],
)  # fmt: skip
def test_a_full_device_does_not_hide_what_was_saved(here: Path, options: list[str], left: str) -> None:
    """The one sentence says where the debate is, and how to go on where it is not finished."""
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "debate_cli", "run", MOCK, "--id", "one", *options]
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, cwd=here, text=True, timeout=60, check=False
        )
    assert done.returncode == 1
    assert done.stderr.splitlines() == [f"debate: standard output cannot be written (No space left on device); {left}"]


@pytest.mark.parametrize(
    ("command", "left"),
    [("judge saved --json", "the debate is saved: transcripts/saved.json"),
     ("judge saved -q", "the debate is saved: transcripts/saved.json"),
     ("judge saved", "the debate so far is in transcripts/saved.jsonl; go on with: debate run --resume transcripts/saved.json"),
     ("judge saved other", "what was judged is saved")],
    ids=["document", "verdict", "under way", "several"],
)  # fmt: skip
def test_a_full_device_does_not_hide_what_was_judged(saved: Path, command: str, left: str) -> None:
    """One sentence here too."""
    shutil.copy(saved, saved.with_name("other.json"))
    with Path("/dev/full").open("wb") as full:
        words = [sys.executable, "-m", "debate_cli", *command.split(), "--mock", "--system", "panel"]
        done = subprocess.run(
            words, stdout=full, stderr=subprocess.PIPE, cwd=saved.parent.parent, text=True, timeout=60, check=False
        )
    assert done.returncode == 1
    assert done.stderr.splitlines() == [f"debate: standard output cannot be written (No space left on device); {left}"]
