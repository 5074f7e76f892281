"""A folder to work in, with debates made by hand in `transcripts/`."""

from __future__ import annotations

from pathlib import Path

import pytest
from saved_support import another, fixed, save


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The folder that commands are run in; empty."""
    folder = tmp_path / "here"
    folder.mkdir()
    return folder


@pytest.fixture
def saved(here: Path) -> Path:
    """Two transcripts, `transcripts/one.json` and `transcripts/two.json` in `here`; the first of them."""
    save(here / "transcripts" / "two.json", another())
    return save(here / "transcripts" / "one.json", fixed())
