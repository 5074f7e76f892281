"""Atomic writes: a path has either its old or its new content, and no temporary file remains."""

import os
from pathlib import Path

import pytest

from debate_cli.errors import StorageError
from debate_cli.storage.atomic_write import atomic_write, make_folder


def test_an_existing_file_is_kept(tmp_path: Path) -> None:
    """Without `overwrite` an existing file is unchanged, and no temporary file remains."""
    (tmp_path / "b").write_bytes(b"old")
    with pytest.raises(StorageError, match="exists already; choose another id or folder"):
        atomic_write(tmp_path / "b", b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("b", b"old")]


def test_a_new_file_is_private_and_an_old_one_keeps_its_mode(tmp_path: Path) -> None:
    """A new file has mode 0600, and an overwritten file keeps its mode."""
    path = tmp_path / "b"
    atomic_write(path, b"x")
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    atomic_write(path, b"y", overwrite=True)
    assert path.stat().st_mode & 0o777 == 0o644


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that nobody may write to")
def test_more_space_is_advised_only_for_a_full_disk() -> None:
    """The advice depends on the error of the operating system."""
    with pytest.raises(StorageError, match=r"cannot be written .*; choose another folder") as caught:
        atomic_write(Path("/proc/self/b"), b"x")
    assert "space" not in str(caught.value)


def test_a_pipe_is_not_replaced(tmp_path: Path) -> None:
    """A FIFO or device at the path stays, even with `overwrite`."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(StorageError, match="it is a device or a pipe"):
        atomic_write(path, b"new", overwrite=True)
    assert path.is_fifo()


def test_a_folder_below_a_file_is_a_storage_error(tmp_path: Path) -> None:
    """A folder that cannot be examined has the error of a folder that cannot be created."""
    with pytest.raises(StorageError, match="cannot be created"):
        make_folder(tmp_path / ("x" * 300) / "y")
