"""README's picture of the report."""

from pathlib import Path

import pytest
from browser_support import program
from draw_pages import TARGET, draw

MOST_BYTES = 200_000


def test_the_picture_is_small() -> None:
    """It exists and loads fast."""
    assert TARGET.read_bytes()[8:12] == b"WEBP"
    assert TARGET.stat().st_size <= MOST_BYTES


def test_the_picture_can_be_drawn(tmp_path: Path) -> None:
    """`make screen` still produces it from the committed debate."""
    found = program()
    if found is None:
        pytest.skip("no Chromium: install it as /usr/bin/chromium, or name it in CHROMIUM")
    draw(found, tmp_path / "report.webp")
    assert 10_000 < (tmp_path / "report.webp").stat().st_size <= MOST_BYTES
