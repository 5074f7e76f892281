"""Fixtures of the command line: folders with saved debates."""

import shutil
from pathlib import Path

import pytest
from cli_support import CONFIGS, debate
from saved_support import first_debate, second_debate, write_transcript_file


@pytest.fixture(scope="session")
def saved_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The transcript of configs/mock.yaml; not to be changed."""
    folder = tmp_path_factory.mktemp("saved")
    assert debate("run", CONFIGS / "mock.yaml", "--id", "saved", "--quiet", cwd=folder).code == 0
    return folder / "transcripts" / "saved.json"


@pytest.fixture
def saved(saved_once: Path, here: Path) -> Path:
    """A copy of that transcript, `transcripts/saved.json` in `here`."""
    path = here / "transcripts" / "saved.json"
    path.parent.mkdir()
    shutil.copy(saved_once, path)
    return path


@pytest.fixture
def two_saved(here: Path) -> Path:
    """Two handmade transcripts in `here`, `transcripts/one.json` and `transcripts/two.json`; the path of the first."""
    write_transcript_file(here / "transcripts" / "two.json", second_debate())
    return write_transcript_file(here / "transcripts" / "one.json", first_debate())
