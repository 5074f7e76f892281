"""Whole files: what is at a path is the old content or the new one, and nothing is left lying about."""

from __future__ import annotations

from pathlib import Path

import pytest

from debate_cli.errors import StorageError
from debate_cli.storage.atomic_write import atomic_write


def test_a_new_file_is_written(tmp_path: Path) -> None:
    """With the folders above it, and nothing beside it."""
    atomic_write(tmp_path / "a" / "b.json", b"x")
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b.json"]


def test_an_existing_file_stays(tmp_path: Path) -> None:
    """Without `overwrite` nothing is touched, and nothing is left beside it."""
    (tmp_path / "b").write_bytes(b"old")
    with pytest.raises(StorageError, match="exists already; choose another id or folder"):
        atomic_write(tmp_path / "b", b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("b", b"old")]


def test_an_existing_file_is_replaced_when_told(tmp_path: Path) -> None:
    """With `overwrite` the new content takes the old one's place."""
    (tmp_path / "b").write_bytes(b"old")
    atomic_write(tmp_path / "b", b"new", overwrite=True)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("b", b"new")]


def test_a_file_of_secrets_is_its_owners_alone(tmp_path: Path) -> None:
    """The mode is set from the first byte on."""
    atomic_write(tmp_path / "b", b"x", mode=0o600)
    assert (tmp_path / "b").stat().st_mode & 0o777 == 0o600


def test_a_folder_in_the_way_is_an_error(tmp_path: Path) -> None:
    """A sentence with the path, not an OSError."""
    (tmp_path / "b").mkdir()
    with pytest.raises(StorageError, match="b: cannot be written"):
        atomic_write(tmp_path / "b", b"x", overwrite=True)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that nobody may write to")
def test_more_space_is_advised_only_where_it_would_help() -> None:
    """A folder that takes no files has room enough."""
    with pytest.raises(StorageError, match=r"cannot be written .*; choose another folder") as caught:
        atomic_write(Path("/proc/self/b"), b"x")
    assert "space" not in str(caught.value)
