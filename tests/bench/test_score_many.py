"""`debate score` over a thousand transcripts, against a process that does nothing but read their JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import median

import pytest
from bench.figures import Figures, in_turns
from bench.processes import DEBATE, spent
from rehearsal_support import config_of, hold

from debate_cli.storage.redact import Redactor
from debate_cli.storage.transcript import dump_transcript, to_transcript
from debate_cli.systems.scoring import score

MANY, FEW = 1000, 100
READ_ALL = "import json, pathlib, sys\nfor path in pathlib.Path(sys.argv[1]).iterdir(): json.loads(path.read_bytes())"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A folder of a thousand transcripts and one of a hundred: one structured debate under many ids."""
    debate = hold(config_of())
    text = dump_transcript(to_transcript(debate, score(debate)), Redactor())
    many, few = tmp_path_factory.mktemp("many"), tmp_path_factory.mktemp("few")
    for number in range(MANY):
        name = f"debate-{number:04}"
        copy = text.replace(json.dumps(debate.id), json.dumps(name), 1)
        (many / f"{name}.json").write_text(copy)
        if number < FEW:
            (few / f"{name}.json").write_text(copy)
    return many, few


@pytest.mark.parametrize("form", ["json", "table", "csv"])
def test_scoring_against_reading(figures: Figures, folders: tuple[Path, Path], form: str) -> None:
    """Scoring a file costs a few times what parsing its JSON costs."""
    many, _ = folders
    pair = in_turns(
        lambda: spent([DEBATE, "score", many, "--format", form]),
        lambda: spent([sys.executable, "-c", READ_ALL, many]),
        5,
    )
    figures.add(f"score 1000 as {form} / json.loads, wall", pair.ratio(), pair.basis(), at_most=4)
    figures.add(f"score 1000 as {form} / json.loads, processor", pair.ratio("cpu_s"), pair.basis("cpu_s"), at_most=4)


@pytest.mark.parametrize("form", ["json", "table"])
def test_memory_does_not_grow(figures: Figures, folders: tuple[Path, Path], form: str) -> None:
    """A thousand files need about the memory of a hundred."""
    peaks = [median(spent([DEBATE, "score", of, "--format", form]).peak_mib for _ in range(3)) for of in folders]
    figures.add(
        f"score 1000 / 100 as {form}, peak memory",
        peaks[0] / peaks[1],
        f"{peaks[0]:.1f} and {peaks[1]:.1f} MiB",
        at_most=1.1,
    )
