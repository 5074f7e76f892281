"""A folder to work in."""

from pathlib import Path

import pytest


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The folder that commands are run in; empty."""
    folder = tmp_path / "here"
    folder.mkdir()
    return folder
