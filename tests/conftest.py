"""Options that all tests share."""

from __future__ import annotations

import pytest
from hypothesis import settings

# CI uses the same examples each time; `make soak` looks for new ones.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile("wide", deadline=None, max_examples=1500)
settings.load_profile("steady")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--bench`: run the benchmarks, which print figures and assert nothing about time."""
    parser.addoption("--bench", action="store_true", help="run the benchmarks in tests/bench")


def pytest_ignore_collect(collection_path: object, config: pytest.Config) -> bool | None:
    """Skip the benchmarks without `--bench`."""
    if "bench" in str(collection_path).split("tests")[-1].split("/")[1:2] and not config.getoption("--bench"):
        return True
    return None
