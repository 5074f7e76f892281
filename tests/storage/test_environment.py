"""The environment, and the `.env` files behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

from debate_cli.errors import ConfigError
from debate_cli.storage.variables import load_environment


def test_a_file_adds_and_never_overrides(tmp_path: Path) -> None:
    """The process's own environment first, then the file beside the configuration, then the working folder's."""
    beside, here = tmp_path / "beside", tmp_path / "here"
    for folder, text in ((beside, "A=beside\nB=beside\n"), (here, "A=here\nB=here\nC='here'\nexport D=here # so\nE\n")):
        folder.mkdir()
        (folder / ".env").write_text(text)
    found = load_environment(beside, {"A": "own"}, here=here)
    assert found == {"A": "own", "B": "beside", "C": "here", "D": "here"}


def test_nothing_in_a_file_is_expanded(tmp_path: Path) -> None:
    """A key may hold a dollar sign."""
    (tmp_path / ".env").write_text("A=x${HOME}y\n")
    assert load_environment(tmp_path, {"HOME": "z"}, here=tmp_path)["A"] == "x${HOME}y"


def test_no_file_is_no_error(tmp_path: Path) -> None:
    """The environment is what it is."""
    assert load_environment(tmp_path, {"A": "x"}, here=tmp_path / "gone") == {"A": "x"}


@pytest.mark.parametrize(("data", "words"), [(b"A=\xff", "not valid UTF-8"), (b"a" * 1_048_577, "larger than")])
def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path, data: bytes, words: str) -> None:
    """A sentence that names the file."""
    (tmp_path / ".env").write_bytes(data)
    with pytest.raises(ConfigError, match=words):
        load_environment(tmp_path, {}, here=tmp_path)
