"""Ctrl-C is answered at once, however little is shown."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from cli_support import CONFIGS, start_process, wait_until

ENDLESS = ["run", str(CONFIGS / "mock.yaml"), "--id", "one", "--set", "models.default.latency_s=3600"]
"""A debate whose first answers never come."""


@pytest.mark.parametrize("options", [["-q"], ["--json"]], ids=" ".join)
def test_the_stopping_is_told_before_the_answers_under_way_are_given_up(here: Path, options: list[str]) -> None:
    """In one line on stderr; stdout stays what it is."""
    journal = here / "transcripts/one.jsonl"
    with start_process(*ENDLESS, *options, cwd=here) as running:
        wait_until(lambda: journal.exists() and journal.read_bytes().count(b"\n") >= 3, "both openings to be asked for")
        running.signal(signal.SIGINT)
        wait_until(lambda: running.err.read_text().endswith("\n"), "the note")
        told = running.err.read_text(), running.out.read_text()
        running.signal(signal.SIGINT)
        assert running.wait().code == 130
    assert (told[0].startswith("note: Stopping: nothing new is asked;"), told[0].count("\n"), told[1]) == (True, 1, "")
