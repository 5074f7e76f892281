"""Golden files of rendered output. `UPDATE_GOLDEN=1 python -m pytest tests/render` regenerates them."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def golden() -> Callable[[str, str], None]:
    """Compare a text with the golden file of that name, or write the file where UPDATE_GOLDEN is set."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if os.environ.get("UPDATE_GOLDEN"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8"), f"{path} differs; look at it, then set UPDATE_GOLDEN=1"

    return compare
