"""Commands that read saved debates: time to their first output, and time and memory of scoring a thousand transcripts."""

import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import pytest
from bench.figures import DEBATE, ENVIRONMENT, Figures, run_measured
from rehearsal_support import config_of, run_debate

from debate_cli.llm.redaction import Redactor
from debate_cli.storage.transcript import dump_transcript, to_transcript
from debate_cli.systems.scoring import score

READ_ALL = "import json, pathlib, sys\nfor path in pathlib.Path(sys.argv[1]).iterdir(): json.loads(path.read_bytes())"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Folders of 100 and of 1,000 transcripts, by their number: one structured debate under many ids."""
    debate = run_debate(config_of())
    text = dump_transcript(to_transcript(debate, score(debate)), Redactor())
    made = {count: tmp_path_factory.mktemp(f"saved-{count}") for count in (100, 1000)}
    for count, folder in made.items():
        for number in range(count):
            name = f"debate-{number:04}"
            (folder / f"{name}.json").write_text(text.replace(json.dumps(debate.id), json.dumps(name), 1))
    return made


@pytest.mark.parametrize("command", ["list", "score", "score --format json", "replay"])
def test_first_output(figures: Figures, folders: dict[int, Path], command: str) -> None:
    """A folder of 100 transcripts (one of them for `replay`) shows something at once."""
    name, *options = command.split()
    path = folders[100] / "debate-0000.json" if name == "replay" else folders[100]
    waits = sorted(_first_byte_s([DEBATE, name, str(path), *options]) for _ in range(9))
    figures.add(f"first output of {command}", median(waits), f"worst {waits[-1]:.3f} s", unit=" s", bound=0.5)


@pytest.mark.parametrize("form", ["json", "table", "csv"])
def test_scoring_a_thousand(figures: Figures, folders: dict[int, Path], form: str) -> None:
    """Scoring a file costs a few times what parsing its JSON costs."""
    figures.add_ratio(
        f"score 1000 as {form} / json.loads",
        lambda: run_measured([DEBATE, "score", folders[1000], "--format", form]).cpu_s,
        lambda: run_measured([sys.executable, "-c", READ_ALL, folders[1000]]).cpu_s,
        rounds=5,
        bound=6,
    )


@pytest.mark.parametrize("form", ["json", "table"])
def test_memory_of_scoring(figures: Figures, folders: dict[int, Path], form: str) -> None:
    """A thousand transcripts need about the memory of a hundred."""
    few, many = (run_measured([DEBATE, "score", folders[n], "--format", form]).peak_mib for n in (100, 1000))
    figures.add(f"peak memory, score 1000 / 100 as {form}", many / few, f"{many:.0f}, {few:.0f} MiB", bound=1.1)


def test_memory_of_judging(figures: Figures, folders: dict[int, Path]) -> None:
    """Judging a thousand transcripts needs about the memory of a hundred."""
    options = ["--system", "moderator", "--mock", "--no-save", "--json"]
    few, many = (run_measured([DEBATE, "judge", folders[n], *options]).peak_mib for n in (100, 1000))
    figures.add("peak memory, judge 1000 / 100", many / few, f"{many:.0f}, {few:.0f} MiB", bound=1.1)


def _first_byte_s(command: list[str]) -> float:
    """Seconds until `command` writes to stdout; it is then read to its end."""
    started = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=ENVIRONMENT) as process:
        assert process.stdout is not None
        assert process.stdout.read(1)
        waited = time.perf_counter() - started
        process.stdout.read()
    assert process.returncode == 0
    return waited
