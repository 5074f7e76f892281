"""The folder that tests of experiments run commands in."""

from pathlib import Path

import pytest


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """An empty folder below the test's temporary folder."""
    folder = tmp_path / "here"
    folder.mkdir()
    return folder
