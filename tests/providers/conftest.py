"""What every test of a provider needs."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def no_profile_of_ours(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep Anthropic's SDK from reading a profile of whoever runs the tests."""
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path))


@pytest.fixture
def cassette(tmp_path: Path) -> Path:
    """Where a cassette is, once there is one."""
    return tmp_path / "run.cassette"
