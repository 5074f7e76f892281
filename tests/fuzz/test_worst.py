"""The worst inputs of a mebibyte do not hang the program; each had, or could have. A guard: speed is not asserted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from fuzz_worst import CASES, MIB

TESTS = Path(__file__).parent.parent
LARGEST = 16 * MIB


@pytest.mark.slow
@pytest.mark.parametrize("target", CASES)
def test_no_input_hangs(target: str) -> None:
    """In a process of its own, which ends itself with a stack when one takes too long; the last line names the case."""
    done = subprocess.run(
        [sys.executable, TESTS / "fuzz_worst.py", target], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, f"{done.stdout.splitlines()[-1:]}: {done.stderr[-3000:]}"


@pytest.mark.parametrize("target", CASES)
def test_the_cases_are_told_apart_and_large(target: str) -> None:
    """A case that is found again by its name, and at least one of the size that the limits speak of."""
    cases = list(CASES[target]())
    assert len({name for name, _ in cases}) == len(cases)
    assert any(MIB // 2 < len(data) <= LARGEST for _, data in cases)
