"""`debate score --check` where a debate, or its judging, is under way or was killed."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cli_support import CONFIGS, RunningProcess, debate, start_process, wait_until

ENDLESS = ["run", str(CONFIGS / "mock.yaml"), "--id", "one", "--set", "models.default.latency_s=3600"]
"""A debate whose first answers never come."""


@pytest.fixture
def journal(here: Path) -> Path:
    """Where the journal of the debate is to be."""
    return here / "transcripts/one.jsonl"


@pytest.fixture
def transcript(here: Path) -> Path:
    """Where its transcript is to be."""
    return here / "transcripts/one.json"


@contextmanager
def under_way(here: Path, journal: Path, command: list[str]) -> Generator[RunningProcess]:
    """The command, as far as its first questions."""
    with start_process(*command, cwd=here) as running:
        wait_until(lambda: journal.exists() and journal.read_bytes().count(b"\n") >= 3, "its first questions")
        yield running


def test_a_debate_under_way_is_not_checked(here: Path, journal: Path) -> None:
    """`score --check`: no verdict is stored yet, so none can differ; one line says that it is still running."""
    with under_way(here, journal, ENDLESS) as running:
        done = debate("score", "transcripts", "--check", cwd=here)
        assert done.code == 0
        assert done.lines == [
            f"transcripts/one.jsonl: still running (process {running.pid}), so its verdicts are not checked"
        ]


def test_a_stopped_debate_is_checked_on_what_it_has(here: Path, journal: Path) -> None:
    """Killed before a verdict was stored, there is nothing that could differ."""
    with under_way(here, journal, ENDLESS) as running:
        running.signal(signal.SIGKILL)
        running.wait()
    done = debate("score", "transcripts", "--check", cwd=here)
    assert (done.code, done.lines) == (0, [])


@pytest.mark.parametrize(("honest", "code"), [(True, 0), (False, 5)])
def test_a_stopped_judging_leaves_the_stored_verdicts_to_check(
    here: Path, journal: Path, transcript: Path, honest: bool, code: int
) -> None:
    """The journal of a judging run lies beside the transcript that it extends: the verdicts there are checked."""
    assert debate("run", CONFIGS / "mock.yaml", "--id", "one", "-q", cwd=here).code == 0
    whole = transcript.read_text()
    slow = here / "slow.yaml"
    slow.write_text((CONFIGS / "mock.yaml").read_text().replace("mock/judge", "mock/judge, latency_s: 3600"))
    with under_way(here, journal, ["judge", "one", "--config", "slow.yaml"]) as running:
        running.signal(signal.SIGKILL)
        running.wait()
    if not honest:
        transcript.write_text(whole.replace('"margin": ', '"margin": 1', 1))
    done = debate("score", "one", "--check", cwd=here)
    assert done.code == code, done.err
