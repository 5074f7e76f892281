"""The fixture that collects figures and prints their table at the end."""

from collections.abc import Iterator

import pytest
from bench.figures import Figures


@pytest.fixture(scope="session")
def figures() -> Iterator[Figures]:
    """The figures of this run."""
    found = Figures()
    yield found
    print(f"\n\n{found.table()}\n")
