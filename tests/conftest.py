"""Options and fixtures that all tests share."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# CI uses the same few examples each time; `make soak` looks for new ones.
settings.register_profile("steady", deadline=None, derandomize=True, max_examples=15)
settings.register_profile("wide", deadline=None, max_examples=1500)
settings.load_profile("steady")
# A shell that starts the tests in the background ignores Ctrl-C and Ctrl-\ for them; the commands under test would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
TESTS = Path(__file__).parent
SOAK = bool(os.environ.get("SOAK"))
"""Set by `make soak`: every byte, every event, the largest inputs. CI takes samples."""


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Event loop of tests that are coroutines; anyio's pytest plug-in runs them."""
    return "asyncio"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The folder that commands are run in; empty."""
    folder = tmp_path / "here"
    folder.mkdir()
    return folder


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--bench`: run the benchmarks, which print figures and assert nothing about time."""
    parser.addoption("--bench", action="store_true", help="run the benchmarks in tests/bench")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests and rows that are marked `soak`, without the environment variable SOAK."""
    rare = [] if SOAK else [item for item in items if item.get_closest_marker("soak") is not None]
    if rare:
        config.hook.pytest_deselected(items=rare)
        items[:] = [item for item in items if item.get_closest_marker("soak") is None]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip the benchmarks without `--bench`, and tests/soak without the environment variable SOAK."""
    wanted = {"bench": bool(config.getoption("--bench")), "soak": SOAK}
    return True if collection_path.parent == TESTS and not wanted.get(collection_path.name, True) else None
