"""At most one process works on a debate."""

import errno
import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from debate_cli.errors import StorageError
from debate_cli.storage import lock
from debate_cli.storage.lock import lock_debate, lock_holder, remove_stale_lock

HOLD = """
import sys
from collections.abc import Callable
from pathlib import Path
from debate_cli.storage.lock import lock_debate
with lock_debate(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_process_is_refused_with_the_pid_of_the_first(tmp_path: Path) -> None:
    """Journal and transcript of one debate share the lock."""
    command = [sys.executable, "-c", HOLD, str(tmp_path / "a.jsonl")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(StorageError, match=f"process {holder.pid} is working"), lock_debate(tmp_path / "a.json"):
            pass
        holder.communicate()


def test_the_lock_of_a_killed_process_is_released(tmp_path: Path) -> None:
    """A lock file that a killed process left behind does not block."""
    command = [sys.executable, "-c", HOLD, str(tmp_path / "a.jsonl")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        os.kill(holder.pid, signal.SIGKILL)
        holder.communicate()
    assert (tmp_path / "a.lock").exists()
    with lock_debate(tmp_path / "a.jsonl"):
        assert (tmp_path / "a.lock").read_text() == f"{os.getpid()}\n"


def test_only_a_stale_lock_file_is_removed(tmp_path: Path) -> None:
    """The lock file of a killed process is removed, and that of a working process is kept."""
    path, lock_file = tmp_path / "a.json", tmp_path / "a.lock"
    lock_file.write_text("4711\n")
    remove_stale_lock(path)
    assert not lock_file.exists()
    with lock_debate(path):
        remove_stale_lock(path)
        assert lock_file.exists()


def test_a_lock_leaves_nothing_behind(tmp_path: Path) -> None:
    """The lock file is removed even if the guarded block fails."""
    with pytest.raises(ZeroDivisionError), lock_debate(tmp_path / "a.json"):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("module", "name"), [(fcntl, "flock"), (lock, "write_all")])
def test_a_lock_that_failed_is_not_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str
) -> None:
    """After a full disk or a file system without locks, the same process can lock the debate."""

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(module, name, fail)
    opened = len([*Path("/proc/self/fd").iterdir()])
    with pytest.raises(StorageError, match="cannot be locked"), lock_debate(tmp_path / "a.json"):
        pass
    assert len([*Path("/proc/self/fd").iterdir()]) == opened
    monkeypatch.undo()
    with lock_debate(tmp_path / "a.json"):
        assert lock_holder(tmp_path / "a.json") == os.getpid()


def make_fifo(path: Path, _: Path) -> None:
    """A FIFO without a writer."""
    os.mkfifo(path)


@pytest.mark.parametrize("make", [Path.symlink_to, Path.hardlink_to, make_fifo])
def test_a_lock_file_that_is_not_a_regular_file_is_refused(tmp_path: Path, make: Callable[[Path, Path], None]) -> None:
    """A link or FIFO in place of the lock file is refused, and the target of the link is unchanged."""
    victim = tmp_path / "victim"
    victim.write_text("keep me")
    make(tmp_path / "a.lock", victim)
    with pytest.raises(StorageError, match=r"a.lock: "), lock_debate(tmp_path / "a.json"):
        pass
    assert victim.read_text() == "keep me"
    assert lock_holder(tmp_path / "a.json") is None
