"""Property and fuzz tests of everything that reads what others wrote: files and answers, changed in ways that keep their structure.

Each target holds the program to its promises (see `fuzz_targets`); `make fuzz` goes on where these stop.
"""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

import pytest
from fuzz_mutation import BYTE_CHANGES, VALUE_CHANGES, Change, changed
from fuzz_seeds import seeds
from fuzz_targets import TARGETS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

LIMIT_S = 60
"""A call that takes longer hangs."""
SHARE = st.floats(0, 1, exclude_max=True)
CHANGES = st.lists(
    st.builds(Change, st.sampled_from([*BYTE_CHANGES, *VALUE_CHANGES]), SHARE, SHARE, st.integers(0, 999)),
    min_size=1,
    max_size=5,
)
EXAMPLES = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@contextmanager
def watched() -> Generator[None]:
    """Fail where the block takes too long."""

    def ring(_number: int, _frame: FrameType | None) -> None:
        raise AssertionError(f"took longer than {LIMIT_S} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(LIMIT_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("target", TARGETS)
@EXAMPLES
@given(data=st.data())
def test_what_was_changed_is_taken_or_refused_plainly(target: str, data: st.DataObject) -> None:
    """No traceback, no hang, errors of one line that name the file, and the file as it was."""
    seed = data.draw(st.sampled_from(range(len(seeds(target)))), label="seed")
    changes = data.draw(CHANGES, label="changes")
    with watched():
        TARGETS[target](changed(seeds(target)[seed], changes))


@pytest.mark.parametrize("target", TARGETS)
@EXAMPLES
@given(data=st.binary(max_size=300))
def test_so_is_any_other_file(target: str, data: bytes) -> None:
    """What was never one of ours."""
    with watched():
        TARGETS[target](data)


@pytest.mark.parametrize("target", TARGETS)
def test_the_seeds_are_as_they_should_be(target: str) -> None:
    """Fuzzing starts from what is taken."""
    assert all(TARGETS[target](seed) for seed in seeds(target))


@pytest.mark.parametrize("kind", [*BYTE_CHANGES, *VALUE_CHANGES])
def test_every_change_changes_something(kind: str) -> None:
    """Wherever a seed has the lines or values for it."""
    tried = [Change(kind, at / 10, 0.5, choice) for at in range(10) for choice in (1, 7, 30)]
    assert any(changed(seed, [change]) not in {seed, b""} for seed in seeds("config") for change in tried)
