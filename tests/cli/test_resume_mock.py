"""`run --resume` with the mock in the place of every model, and what a crash cost told where nothing else is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_support import CONFIGS, debate, write_config

from debate_cli.storage.journal import Journal
from debate_cli.storage.redact import Redactor
from debate_cli.storage.transcript import to_transcript, transcript_to_events
from debate_cli.storage.transcript_store import open_debate

REAL = """
topic: Should the town build a tram?
providers: {vllm: {base_url: "http://127.0.0.1:9/v1", api_key_env: null}}
models: {default: {model: vllm/scripted}}
debaters: [{name: Pro, side: for}, {name: Con, side: against}]
limits: {max_attempts: 1}
"""


@pytest.mark.parametrize("config", [(), ("debate.yaml",)], ids=["stored", "given"])
def test_the_mock_stands_for_every_model_on_resume(here: Path, config: tuple[str, ...]) -> None:
    """A server that is down is not asked; the debate comes to its verdict by mocks."""
    write_config(here, REAL)
    assert debate("run", "debate.yaml", "--id", "one", "-q", cwd=here).code == 3
    done = debate("run", *config, "--resume", "one", "--mock", "-q", cwd=here)
    assert done.code == 0, done.err
    stored = json.loads((here / "transcripts/one.json").read_text())
    assert {turn["exchange"]["model"] for turn in stored["turns"]} == {"mock/unscripted"}


@pytest.mark.parametrize("option", ["--quiet", "--json"])
def test_what_a_crash_cost_is_told_on_stderr(here: Path, option: str) -> None:
    """A torn last line, cut off, is a line on stderr where no notes are shown."""
    assert debate("run", CONFIGS / "mock.yaml", "--id", "one", "--max-tokens", "9000", "-q", cwd=here).code == 4
    write_torn(here)
    done = debate("run", "--resume", "one", option, "--max-tokens", "900000", cwd=here)
    assert done.code == 0, done.err
    assert [line for line in done.lines if line.startswith("note: ") and "one.jsonl" in line], done.err


def write_torn(here: Path) -> None:
    """Make a journal of the stopped debate, its last line torn."""
    path = here / "transcripts/one.json"
    events = list(transcript_to_events(to_transcript(open_debate(path).debate)))
    with Journal.create(path.with_suffix(".jsonl"), events, Redactor(), overwrite=True):
        pass
    path.unlink()
    with path.with_suffix(".jsonl").open("a") as file:
        file.write('{"type": "turn')


def test_a_mock_that_stands_in_is_named_wherever_models_are(here: Path) -> None:
    """One line on stderr when it is resumed; then in the header of each form and in the list."""
    write_config(here, REAL)
    debate("run", "debate.yaml", "--id", "one", "-q", cwd=here)
    done = debate("run", "--resume", "one", "--mock", "-q", cwd=here)
    told = [line for line in done.lines if line.startswith("note: ")]
    assert told == ["note: --mock: the mock answers what is left, in the place of vllm/scripted"]
    words = "mock/unscripted (configured: vllm/scripted)"
    for form in ("terminal", "markdown", "html"):
        assert words in debate("replay", "one", "--format", form, cwd=here).out, form
    assert debate("list", cwd=here).out.split("\t")[3] == "mock/unscripted"


def test_a_mock_in_the_place_of_mocks_is_not_worth_a_line(here: Path) -> None:
    """Nothing is told where the configured models are mocks themselves."""
    debate("run", CONFIGS / "mock.yaml", "--id", "one", "--max-tokens", "9000", "-q", cwd=here)
    done = debate("run", "--resume", "one", "--mock", "--max-tokens", "900000", "-q", cwd=here)
    assert (done.code, [line for line in done.lines if "place of" in line]) == (0, [])


def test_a_whole_debate_is_left_as_it_is_and_not_called_saved(saved: Path) -> None:
    """Nothing is asked and nothing written: where it stands is told all the same."""
    before = saved.read_bytes()
    done = debate("run", "--resume", "saved", "-q", cwd=saved.parent.parent)
    assert (done.code, saved.read_bytes()) == (0, before)
    assert done.lines == [
        "note: the debate is complete already: nothing was asked",
        "unchanged: transcripts/saved.json",
    ]


def test_resuming_a_whole_debate_changes_nothing(saved: Path) -> None:
    """It is shown again; the file is as it was."""
    before = saved.read_bytes()
    done = debate("run", "--resume", "saved", "-q", cwd=saved.parent.parent)
    assert (done.code, saved.read_bytes(), "Con wins narrowly" in done.out) == (0, before, True)
