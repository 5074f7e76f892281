"""Fixtures of the provider tests."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def without_anthropic_profile(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep Anthropic's SDK from reading a profile of the user who runs the tests."""
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path))
