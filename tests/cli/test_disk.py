"""Disks that are full and folders that cannot be written: one sentence, exit 1, and the debate so far is not lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli_support import CONFIGS, LIMIT_S, CommandResult, debate

DEBATE = Path(sys.executable).with_name("debate")
MOCK = CONFIGS / "mock.yaml"
RUN = f"run {MOCK} --id one -q"


def limited(here: Path, command: str, kilobytes: int) -> CommandResult:
    """`debate COMMAND` where no file can grow beyond so many kB: to a writer that is a full disk."""
    script = f"ulimit -f {kilobytes}; exec {DEBATE} {command}"
    env = {"PATH": os.environ["PATH"], "HOME": str(here.parent), "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        ["bash", "-c", script], cwd=here, env=env, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    return CommandResult(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="session")
def sizes(tmp_path_factory: pytest.TempPathFactory) -> int:
    """Kilobytes of the transcript of that debate, rounded down."""
    folder = tmp_path_factory.mktemp("sizes")
    assert debate("run", MOCK, "--id", "one", "-q", cwd=folder).code == 0
    return (folder / "transcripts/one.json").stat().st_size // 1024


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_a_disk_that_fills_up_leaves_the_debate_so_far(here: Path, sizes: int, share: float) -> None:
    """On stdout as JSON, and in the journal, from which it goes on when there is room."""
    done = limited(here, RUN, int(sizes * share))
    assert done.code == 1
    assert len(done.lines) == 1
    assert "free some space" in done.err
    printed = json.loads(done.out)
    stored = json.loads(debate("replay", "one", "--format", "json", cwd=here).out)
    assert printed["id"] == stored["id"] == "one"
    assert len(printed["turns"]) >= len(stored["turns"])
    assert debate("run", "--resume", "one", "-q", cwd=here).code == 0
    assert sorted(path.name for path in (here / "transcripts").iterdir()) == ["one.json"]


def test_a_disk_without_room_for_the_transcript_keeps_the_journal(here: Path, sizes: int) -> None:
    """Everything was said and judged: resuming writes it down and asks nothing."""
    done = limited(here, RUN, sizes)
    assert (done.code, len(done.lines)) == (1, 1)
    whole = json.loads(done.out)
    assert (whole["status"], len(whole["turns"])) == ("complete", 6)
    assert (here / "transcripts/one.jsonl").exists()
    assert not (here / "transcripts/one.json").exists()
    tape = here / "tape"
    assert debate("run", "--resume", "one", "-q", "--record", tape, cwd=here).code == 0
    assert not tape.exists() or tape.read_bytes().count(b"\n") <= 1
    assert json.loads((here / "transcripts/one.json").read_text())["verdicts"] == whole["verdicts"]


def test_judging_on_a_full_disk_leaves_the_transcript_as_it_was(saved: Path, sizes: int) -> None:
    """The longer transcript does not fit: exit 1, and the old one is there byte for byte."""
    before = saved.read_bytes()
    done = limited(saved.parent.parent, "judge saved --mock --system live", sizes // 2)
    assert done.code == 1
    assert saved.read_bytes() == before


@pytest.mark.parametrize(
    "command", [f"run {MOCK} --id one --out /proc/debates", "judge saved --mock --out /proc/debates"]
)
def test_where_no_folder_can_be_made_nothing_is_asked(saved: Path, command: str) -> None:
    """Exit 1, one line, before any call."""
    done = debate(*command.split(), cwd=saved.parent.parent)
    assert (done.code, done.out, len(done.lines), "/proc/debates" in done.err) == (1, "", 1, True), done.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
@pytest.mark.parametrize("command", [f"run {MOCK} --id one", "judge saved --mock", "score saved --write"])
def test_a_folder_that_is_read_only_stays_as_it_is(saved: Path, command: str) -> None:
    """Exit 1, one line that names what could not be written."""
    before = saved.read_bytes()
    saved.parent.chmod(0o555)
    try:
        done = debate(*command.split(), cwd=saved.parent.parent)
        assert (done.code, len(done.lines), "transcripts" in done.err) == (1, 1, True), done.err
        assert (saved.read_bytes(), list(saved.parent.iterdir())) == (before, [saved])
    finally:
        saved.parent.chmod(0o755)
