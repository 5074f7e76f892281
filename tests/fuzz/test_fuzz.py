"""Fuzz tests of everything that reads untrusted files and replies, by mutations that keep much of their structure.

Each target asserts the promises of the program (see `fuzz_targets`). `make soak` tries more examples.
"""

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
"""Seconds after which a call counts as hanging."""
SHARE = st.floats(0, 1, exclude_max=True)
CHANGES = st.lists(
    st.builds(Change, st.sampled_from([*BYTE_CHANGES, *VALUE_CHANGES]), SHARE, SHARE, st.integers(0, 999)),
    min_size=1,
    max_size=5,
)
EXAMPLES = settings(
    max_examples=max(30, settings().max_examples // 4),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@contextmanager
def watched() -> Generator[None]:
    """Fail if the block takes longer than LIMIT_S."""

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
def test_a_mutated_file_is_accepted_or_refused(target: str, data: st.DataObject) -> None:
    """No traceback, no hang; errors of one line that name the file; the file is unchanged."""
    seed = data.draw(st.sampled_from(range(len(seeds(target)))), label="seed")
    changes = data.draw(CHANGES, label="changes")
    with watched():
        TARGETS[target](changed(seeds(target)[seed], changes))


@pytest.mark.parametrize("target", TARGETS)
@EXAMPLES
@given(data=st.binary(max_size=300))
def test_random_bytes_are_refused(target: str, data: bytes) -> None:
    """With the same promises."""
    with watched():
        TARGETS[target](data)


@pytest.mark.parametrize("target", TARGETS)
def test_the_seeds_are_valid(target: str) -> None:
    """Every seed is accepted."""
    assert all(TARGETS[target](seed) for seed in seeds(target))


@pytest.mark.parametrize("kind", [*BYTE_CHANGES, *VALUE_CHANGES])
def test_every_change_changes_something(kind: str) -> None:
    """In at least one seed, at one of ten positions."""
    tried = [Change(kind, at / 10, 0.5, choice) for at in range(10) for choice in (1, 7, 30)]
    assert any(changed(seed, [change]) not in {seed, b""} for seed in seeds("config") for change in tried)
