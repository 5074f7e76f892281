"""The fixture that collects figures, and the table at the end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from bench.figures import Figures


@pytest.fixture(scope="session")
def figures() -> Iterator[Figures]:
    """Where every benchmark puts what it found; the table is printed after the last one."""
    found = Figures()
    yield found
    print(f"\n\n{found.table()}\n")
