"""Worst-case inputs (a mebibyte in `make soak`) do not hang the program."""

import subprocess
import sys
from pathlib import Path

import pytest
from fuzz_worst import CASES, MIB

TESTS = Path(__file__).parent.parent
LARGEST = 16 * MIB


@pytest.mark.slow
def test_no_input_hangs() -> None:
    """Runs in one process that ends with a stack trace if one input takes too long; its last line names the case."""
    done = subprocess.run(
        [sys.executable, TESTS / "fuzz_worst.py"], capture_output=True, text=True, timeout=3600, check=False
    )
    assert done.returncode == 0, f"{done.stdout.splitlines()[-1:]}: {done.stderr[-3000:]}"


@pytest.mark.parametrize("target", CASES)
def test_the_cases_have_unique_names_and_are_large(target: str) -> None:
    """At least one is as large as the limits allow."""
    cases = list(CASES[target]())
    assert len({name for name, _ in cases}) == len(cases)
    assert any(MIB // 2 < len(data) <= LARGEST for _, data in cases)
