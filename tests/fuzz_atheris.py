"""Runs a target of `fuzz_targets` under atheris: coverage-guided, from the target's seeds, with structure-aware changes.

Entry points are `tests/fuzz/atheris_*.py`; `make fuzz` installs atheris, which is no dependency, and runs them. Options of
libFuzzer may be given on the command line: `-max_total_time=600`, `-seed=7`, or a file to reproduce a finding.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

LONGEST_S = 10
"""One input may take so long, instrumented; libFuzzer reports a longer one as a finding with its stack."""
LONGEST_INPUT = {"reply": 8 * 1024}
"""Bytes. What is slow by its size is told by `fuzz_worst`; small inputs are tried faster."""
LONGEST_FILE = 96 * 1024
"""Of the other targets, whose seeds are as large."""
INSTRUMENTED = ("debate_cli",)
OWN_SHARE = 0.3
"""Of changes that are libFuzzer's own, which follow the comparisons that the program makes."""
CORPUS = Path(".fuzz")
"""Folder in the working folder for what was found interesting, and for findings."""


def fuzz(name: str) -> None:
    """Fuzz the target `name` until the time is over or something is found."""
    atheris: Any = importlib.import_module("atheris")
    with atheris.instrument_imports(include=list(INSTRUMENTED)):
        targets: Any = import_module("fuzz_targets")
    changed, random_changes = _mutation()

    def mutated(data: bytes, max_size: int, seed: int) -> bytes:
        random = Random(seed)
        if random.random() < 0.3:
            return atheris.Mutate(data, max_size)
        return changed(data, random_changes(random))[:max_size]

    def run(data: bytes) -> None:
        targets.TARGETS[name](data)

    corpus = CORPUS / name
    _plant(corpus, name)
    options = [
        f"-max_len={LONGEST_INPUT.get(name, LONGEST_FILE)}",
        f"-timeout={LONGEST_S}",
        "-rss_limit_mb=4096",
        f"-artifact_prefix={CORPUS}/",
    ]
    given = sys.argv[1:]
    files = [] if any(not option.startswith("-") for option in given) else [str(corpus)]
    atheris.Setup([sys.argv[0], *options, *given, *files], run, custom_mutator=mutated)
    atheris.Fuzz()


def _mutation() -> tuple[Any, Any]:
    module: Any = import_module("fuzz_mutation")
    return module.changed, module.random_changes


def _plant(corpus: Path, name: str) -> None:
    """Put the seeds into the corpus, where they are missing."""
    corpus.mkdir(parents=True, exist_ok=True)
    module: Any = import_module("fuzz_seeds")
    for number, data in enumerate(module.seeds(name)):
        (corpus / f"seed-{number}").write_bytes(data)


def main() -> None:
    """Fuzz the target that the script is named after: `atheris_reply.py` fuzzes `reply`."""
    with contextlib.suppress(KeyboardInterrupt):
        fuzz(Path(sys.argv[0]).stem.removeprefix("atheris_"))
        os._exit(0)
