"""`run --resume --mock`, and notes on what a crash lost."""

import json
from pathlib import Path

import pytest
from cli_support import CONFIGS, debate, write_config

from debate_cli.llm.redaction import Redactor
from debate_cli.storage.journal import Journal
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
def test_resume_mock_replaces_every_model(here: Path, config: tuple[str, ...]) -> None:
    """`--resume --mock` replaces every model, so that a server that is down is not asked."""
    write_config(here, REAL)
    assert debate("run", "debate.yaml", "--id", "one", "-q", cwd=here).code == 3
    done = debate("run", *config, "--resume", "one", "--mock", "-q", cwd=here)
    assert done.code == 0, done.err
    stored = json.loads((here / "transcripts/one.json").read_text())
    assert {turn["exchange"]["model"] for turn in stored["turns"]} == {"mock/unscripted"}


@pytest.mark.parametrize("option", ["--quiet", "--json"])
def test_losses_of_a_crash_are_reported_on_stderr(here: Path, option: str) -> None:
    """An incomplete last line is reported on stderr, also with --quiet and --json."""
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


def test_a_replaced_model_is_named_everywhere(here: Path) -> None:
    """A model that the mock replaced is named on stderr, in each header and in the list."""
    write_config(here, REAL)
    debate("run", "debate.yaml", "--id", "one", "-q", cwd=here)
    done = debate("run", "--resume", "one", "--mock", "-q", cwd=here)
    output = [line for line in done.lines if line.startswith("note: ")]
    assert output == ["note: --mock: the mock replaces vllm/scripted for the rest of the debate"]
    words = "mock, no model (configured: vllm/scripted)"
    for form in ("terminal", "markdown", "html"):
        assert words in debate("replay", "one", "--format", form, cwd=here).out, form
    assert debate("list", cwd=here).out.rstrip().split("\t")[3::4] == ["mock/unscripted", "rehearsal in part"]


def test_resuming_a_complete_debate_reports_unchanged(saved: Path) -> None:
    """Resuming a complete debate asks nothing, writes nothing and says so."""
    before = saved.read_bytes()
    done = debate("run", "--resume", "saved", "-q", cwd=saved.parent.parent)
    assert (done.code, saved.read_bytes()) == (0, before)
    assert done.lines == ["note: the debate is complete; no model was asked", "unchanged: transcripts/saved.json"]
