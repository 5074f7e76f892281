"""Files that options name for output: no input of the same command is overwritten, and a refused command leaves no file."""

import json
import os
import shutil
import sys
from pathlib import Path
from types import FrameType

import pytest
import yaml
from cli_support import CONFIGS, debate, write_config

from debate_cli.cli.output_files import refuse_inputs

CONFIG = (
    "topic: A tram?\nmodels: {default: {model: mock/a}}\nbackground: {file: brief.md}\nprompts: {opening: opening.md}\n"
    "debaters: [{name: Pro, side: for}, {name: Con, side: against}]\nevidence: {sources: [facts]}\n"
)


def contents(folder: Path) -> dict[str, bytes]:
    """All files in and below a folder, by path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def inputs(saved: Path, here: Path) -> Path:
    """A folder with a saved debate, a configuration with all kinds of files, and files to import and to audit."""
    write_config(here, CONFIG)
    (here / "brief.md").write_text("The line is 4 km long.\n")
    shutil.copy(CONFIGS.parent / "debate_cli/debaters/prompts/opening.md", here)
    (here / "facts").mkdir()
    (here / "facts" / "costs.md").write_text("# Costs\n\nA tram costs 20 million.\n")
    (here / "facts" / "note.json").write_text('{"costs": "A tram costs 20 million."}\n')
    (here / "facts" / "log.jsonl").write_text('{"costs": "A tram costs 20 million."}\n')
    (here / "cfg.json").write_text(json.dumps(yaml.safe_load(CONFIG.replace("facts", "facts/costs.md"))))
    (here / "talk.json").write_text('[{"speaker": "Ann", "text": "Yes."}, {"speaker": "Bo", "text": "No."}]')
    (here / "labels.csv").write_text("id,rater,winner\nsaved,a,Pro\n")
    shutil.copy(saved, here / "page.html")
    (here / "link.yaml").symlink_to("debate.yaml")
    return here


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("run cfg.json --mock --out . --id cfg", "--out"),
        ("run debate.yaml --mock --out facts --id note", "--out"),
        ("run debate.yaml --mock --out facts --id log", "--out"),
        ("judge brief.md --mock --system panel --evidence facts --out facts --id log", "--out"),
        ("run debate.yaml --mock --report debate.yaml", "--report"),
        ("run debate.yaml --mock --report link.yaml", "--report"),
        ("run debate.yaml --mock --report brief.md", "--report"),
        ("run debate.yaml --mock --report opening.md", "--report"),
        ("run debate.yaml --mock --report facts/costs.md", "--report"),
        ("run debate.yaml --mock --background labels.csv --report labels.csv", "--report"),
        ("run debate.yaml --mock --record debate.yaml", "--record"),
        ("run debate.yaml --mock --id new --report transcripts/new.json", "--report"),
        ("run debate.yaml --mock --id new --report transcripts/new.jsonl", "--report"),
        ("run debate.yaml --mock --id new --record transcripts/new.json", "--record"),
        ("run debate.yaml --mock --record tape --report tape", "--report"),
        ("run --resume saved --mock --report transcripts/saved.json", "--report"),
        ("judge saved --mock --report transcripts/saved.json", "--report"),
        ("judge saved --mock --record transcripts/saved.jsonl", "--record"),
        ("judge saved --mock --config debate.yaml --out debate.yaml", "--out"),
        ("judge brief.md --mock --system panel --out brief.md", "--out"),
        ("judge brief.md --mock --system panel --context labels.csv --report labels.csv", "--report"),
        ("replay saved --format html -o transcripts/saved.json", "-o"),
        ("personas brief.md --mock -o brief.md", "-o"),
        ("personas brief.md --mock --config debate.yaml -o debate.yaml", "-o"),
        ("import talk.json -o talk.json", "--out"),
        ("score page.html --format html -o .", "-o"),
        ("audit --judge mock/judge --labels labels.csv --record labels.csv", "--record"),
    ],
)
def test_an_input_is_not_overwritten(inputs: Path, command: str, option: str) -> None:
    """Also with --force, the command is refused before a call, and no file changes."""
    before = contents(inputs)
    force = [] if command.startswith("audit") else ["--force"]
    done = debate(*command.split(), *force, cwd=inputs)
    assert (done.code, done.out) == (2, ""), done.err
    assert done.lines[-1].startswith(f"debate: {option} "), done.err
    assert "choose another file" in done.err
    assert contents(inputs) == before


def test_each_input_is_examined_once(tmp_path: Path) -> None:
    """Many files are written again, e.g. by an import of 100 files. The files are not compared pair by pair."""
    inputs, targets = ([tmp_path / f"{kind}{number}" for number in range(100)] for kind in ("in", "out"))
    for path in (*inputs, *targets):
        path.touch()
    examined = 0

    def count(_frame: FrameType, kind: str, called: object) -> None:
        nonlocal examined
        examined += kind == "c_call" and called is os.stat

    sys.setprofile(count)
    try:
        refuse_inputs(targets, "--out", inputs)
    finally:
        sys.setprofile(None)
    assert 100 < examined < 1000


@pytest.mark.parametrize("option", ["--out", "--report", "--record"])
@pytest.mark.parametrize("command", ["run debate.yaml --mock", "judge brief.md --system panel --mock"])
def test_a_dash_is_no_file(inputs: Path, command: str, option: str) -> None:
    """`-` means stdout elsewhere, so no file of this name is written."""
    done = debate(*command.split(), option, "-", cwd=inputs)
    assert (done.code, f"{option} -: " in done.err, "not to standard output" in done.err) == (2, True, True), done.err
    assert not (inputs / "-").exists()


def test_a_report_of_an_experiment_replaces_no_input(here: Path) -> None:
    """Neither the file of the experiment nor its ledger."""
    shutil.copytree(CONFIGS / "experiment", here / "experiment")
    file = here / "experiment" / "experiment.yaml"
    assert debate("experiment", "run", file, "--mock", "--limit", "1", "-q", cwd=here).code == 0
    ledger = next(here.rglob("*.sqlite"))
    for name in (file, ledger):
        done = debate("experiment", "report", file, "--mock", "--format", "csv", "-o", name, "--force", cwd=here)
        assert (done.code, "would overwrite a file that this command reads" in done.err) == (2, True), done.err


def test_a_judged_transcript_can_still_be_named_with_out(saved: Path) -> None:
    """The transcript itself is where judging is saved by default, so --out may name it."""
    done = debate("judge", "saved", "--mock", "--system", "live", "--out", saved, cwd=saved.parent.parent)
    assert done.code == 0, done.err


@pytest.mark.parametrize(
    "command", ["run debate.yaml --id saved --mock", "run debate.yaml --mock --id new --out debate.yaml"]
)
def test_a_refused_command_leaves_no_cassette(inputs: Path, command: str) -> None:
    """Nothing is recorded, so no cassette is created."""
    before = contents(inputs)
    done = debate(*command.split(), "--record", "tape", cwd=inputs)
    assert (done.code != 0, contents(inputs)) == (True, before), done.err


def test_an_existing_cassette_outlives_a_refused_command(inputs: Path) -> None:
    """A cassette of an earlier command stays, even if it has no calls."""
    (inputs / "tape").write_text('{"cassette_version": 1}\n')
    done = debate("run", "debate.yaml", "--id", "saved", "--mock", "--record", "tape", cwd=inputs)
    assert (done.code, (inputs / "tape").exists()) == (2, True), done.err


@pytest.mark.parametrize(
    "command",
    [
        "run debate.yaml --mock --report",
        "run debate.yaml --mock --record",
        "judge brief.md --system panel --mock --report",
        "replay one -o",
        "personas brief.md --mock -o",
        "experiment report e.yaml --html",
    ],
)
def test_a_path_with_a_slash_is_no_file(inputs: Path, command: str) -> None:
    """A path that ends with a slash means a folder, so no file of this name is written."""
    done = debate(*command.split(), "new/", cwd=inputs)
    assert (done.code, "new/ ends with a slash, so it is a folder; give the path of a file" in done.err) == (2, True), (
        done.err
    )
    assert not (inputs / "new").exists()


@pytest.mark.parametrize(
    "command", ["run debate.yaml --mock --force --report", "replay saved --format html --force -o"]
)
def test_a_pipe_is_not_replaced(inputs: Path, command: str) -> None:
    """--force overwrites files, but neither devices nor pipes."""
    os.mkfifo(inputs / "pipe")
    done = debate(*command.split(), "pipe", cwd=inputs)
    assert (done.code, "pipe: this is a device or a pipe, not a file; give the path of a file" in done.err) == (
        2,
        True,
    ), done.err
    assert (inputs / "pipe").is_fifo()
