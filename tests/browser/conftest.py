"""One browser for all tests of pages. Without a browser the tests are skipped."""

from collections.abc import Iterator

import pytest
from browser_support import Chromium, chromium, program


@pytest.fixture(scope="session")
def browser() -> Iterator[Chromium]:
    """A headless Chromium."""
    found = program()
    if found is None:
        pytest.skip("no Chromium: install it as /usr/bin/chromium, or name it in CHROMIUM")
    with chromium(found) as running:
        yield running
