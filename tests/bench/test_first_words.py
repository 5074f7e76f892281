"""How soon a command that reads saved debates says its first useful word."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from statistics import median

import pytest
from bench.figures import Figures
from bench.processes import DEBATE
from rehearsal_support import config_of, hold

from debate_cli.storage.redact import Redactor
from debate_cli.storage.transcript import dump_transcript, to_transcript
from debate_cli.systems.scoring import score

FILES = 100
ROUNDS = 15
SOON_S = 0.3


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hundred transcripts: one structured debate under many ids."""
    debate = hold(config_of())
    text = dump_transcript(to_transcript(debate, score(debate)), Redactor())
    made = tmp_path_factory.mktemp("saved")
    for number in range(FILES):
        name = f"debate-{number:03}"
        (made / f"{name}.json").write_text(text.replace(json.dumps(debate.id), json.dumps(name), 1))
    return made


@pytest.mark.parametrize("command", ["list", "score", "score --format json", "replay"])
def test_first_words_come_soon(figures: Figures, folder: Path, command: str) -> None:
    """The first byte on a pipe, of a hundred transcripts; of one of them for `replay`."""
    name, *options = command.split()
    given = folder / "debate-000.json" if name == "replay" else folder
    waits = sorted(_first_byte_s([DEBATE, name, str(given), *options]) for _ in range(ROUNDS))
    basis = f"best {waits[0]:.3f} s, worst {waits[-1]:.3f} s"
    figures.add(f"first byte, {command}", median(waits), basis, unit=" s", at_most=SOON_S)


def _first_byte_s(command: list[str]) -> float:
    """Seconds until `command` has written something to stdout; it is then read to its end."""
    started = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.read(1)
        waited = time.perf_counter() - started
        process.stdout.read()
    assert process.returncode == 0
    return waited
