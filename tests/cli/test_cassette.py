"""`run --record` and `run --replay`: a recorded debate runs again without a model."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from cli_support import debate, write_config
from model_server import model_server

KEY = "sk-lab-0123456789abcdef0123456789abcdef"
CONFIG = """
topic: Should the town build a tram?
providers: {vllm: {base_url: "${LAB_URL:-http://127.0.0.1:9/v1}", api_key_env: LAB_KEY}}
models: {default: {model: vllm/any}}
debaters: [{name: Pro, side: for}, {name: Con, side: against}]
"""
DIFFERENT = frozenset({"started_at", "finished_at", "config", "config_sha256", "id"})


@pytest.fixture(scope="module")
def recorded_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a debate that a server was asked for, and its cassette; not to be changed."""
    folder = tmp_path_factory.mktemp("recorded")
    write_config(folder, CONFIG)
    with model_server() as server:
        env = {"LAB_URL": server.base_url, "LAB_KEY": KEY}
        done = debate("run", "debate.yaml", "--id", "live", "--record", "tape", "-q", cwd=folder, env=env)
        assert done.code == 0, done.err
    return folder


@pytest.fixture
def cassette(recorded_once: Path, here: Path) -> Path:
    """The cassette in `here`, beside its debate; the server is gone."""
    shutil.copytree(recorded_once, here, dirs_exist_ok=True)
    return here / "tape"


def said(here: Path, debate_id: str) -> dict[str, Any]:
    """A transcript without what two runs of one debate differ in."""
    document = json.loads((here / f"transcripts/{debate_id}.json").read_text())
    assessments = [{**item, "at": None} for item in document["assessments"]]
    return {**{key: value for key, value in document.items() if key not in DIFFERENT}, "assessments": assessments}


def test_a_replay_produces_the_recorded_debate(here: Path, cassette: Path) -> None:
    """A replay needs no server and no key, and gives the recorded speeches, marks, verdicts and usage."""
    done = debate("run", "debate.yaml", "--id", "again", "--replay", cassette, "-q", cwd=here)
    assert done.code == 0, done.err
    assert said(here, "again") == said(here, "live")


def test_a_cassette_is_private_and_holds_no_key(cassette: Path) -> None:
    """A cassette has mode 0600, and the provider's key is not in it."""
    assert cassette.stat().st_mode & 0o777 == 0o600
    assert KEY not in cassette.read_text()


def test_a_changed_request_is_reported(here: Path, cassette: Path) -> None:
    """A request that differs from the recorded one ends the run with exit code 3 and the difference."""
    done = debate("run", "debate.yaml", "--replay", cassette, "--no-save", "-q", "--topic", "A tunnel?", cwd=here)
    assert done.code == 3
    assert "has no recorded reply to this request" in done.err
    assert "A tunnel?" in done.err


def test_a_resume_without_the_cassette_is_advised(here: Path, cassette: Path) -> None:
    """The same cassette would lack the answer again. A debate that is not saved gets no command."""
    run = ("run", "debate.yaml", "--replay", cassette, "-q", "--topic", "A tunnel?")
    saved, unsaved = debate(*run, "--id", "other", cwd=here), debate(*run, "--no-save", cwd=here)
    advice = "record the cassette again with --record; to ask the models instead, resume with:"
    assert saved.err.endswith(f"{advice}\ndebate run --resume transcripts/other.json\n")
    assert unsaved.err.endswith("record the cassette again with --record\n")


def test_judges_who_are_not_in_the_cassette_leave_the_debate_unchanged(here: Path, cassette: Path) -> None:
    """Neither a resume nor the same command helps, so none is suggested."""
    before = (here / "transcripts/live.json").read_bytes()
    done = debate("judge", "live", "--system", "moderator", "--replay", cassette, "-q", cwd=here)
    assert (done.code, (here / "transcripts/live.json").read_bytes()) == (3, before)
    assert done.err.endswith("record the cassette again with --record (3 of them)\n"), done.err


def test_judges_with_seeds_are_replayed_on_the_debate_as_it_was(here: Path) -> None:
    """Another judging run has another seed. The message says which debate to use."""
    write_config(here, CONFIG)
    debate("run", "debate.yaml", "--mock", "--set", "seed=1", "--id", "live", "-q", cwd=here)
    judge = ("judge", "live", "--system", "moderator", "--mock", "-q")
    unjudged = (here / "transcripts/live.json").read_bytes()
    assert debate(*judge, "--record", "judged", cwd=here).code == 0
    again = debate(*judge, "--replay", "judged", cwd=here)
    assert (again.code, "replay with the debate as it was before the recording" in again.err) == (3, True), again.err
    (here / "transcripts/live.json").write_bytes(unjudged)
    assert debate(*judge, "--replay", "judged", cwd=here).code == 0


def test_an_existing_cassette_is_extended_with_a_note(here: Path, cassette: Path) -> None:
    """The recorded calls stay, and stderr says that new ones follow them."""
    recorded = cassette.read_bytes()
    done = debate("run", "debate.yaml", "--mock", "--no-save", "-q", "--record", "tape", cwd=here)
    assert "note: --record: the new calls are added to tape, which exists already" in done.lines
    assert cassette.read_bytes().startswith(recorded)


@pytest.mark.parametrize("text", ["", "hello\n", '{"cassette_version": 99}\n', '{"cassette_version": 1}\nnonsense\n'])
def test_a_file_that_is_not_a_cassette_is_refused(here: Path, text: str) -> None:
    """Exit 2 with the file's name, before any call; `--record` does not overwrite it."""
    write_config(here, CONFIG)
    cassette = here / "tape"
    cassette.write_text(text)
    done = debate("run", "debate.yaml", "--replay", "tape", cwd=here)
    assert (done.code, len(done.lines), "tape" in done.err, cassette.read_text()) == (2, 1, True, text), done.err
