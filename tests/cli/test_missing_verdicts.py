"""Missing verdicts, unfinished debates, and inputs that are mistaken for each other."""

import json
from pathlib import Path

import pytest
from cli_support import debate


def unfinished(saved: Path) -> None:
    """Make of a saved debate one that its budget stopped."""
    document = json.loads(saved.read_text())
    saved.write_text(json.dumps(document | {"status": "incomplete", "closed": "budget"}))


def test_a_system_without_a_verdict_is_reported(saved: Path) -> None:
    """A system that has not judged is reported with the command that lets it judge."""
    done = debate("score", saved, "--system", "panel", "--json", cwd=saved.parent.parent)
    assert (done.code, done.json[0]["verdicts"]) == (0, [])
    assert "no `panel` verdict yet; run: debate judge" in done.err


@pytest.mark.parametrize("command", ["score", "judge"])
def test_verdicts_on_an_unfinished_debate_say_so(saved: Path, command: str) -> None:
    """A note says that the verdicts of an unfinished debate are on the speeches so far."""
    unfinished(saved)
    options = ("--system", "structured", "--mock") if command == "judge" else ()
    done = debate(command, saved, *options, cwd=saved.parent.parent)
    assert done.code == 0
    assert "the debate is unfinished, so its verdicts cover only the 6 speeches so far" in done.err


def test_a_saved_debate_is_not_a_configuration(saved: Path) -> None:
    """A transcript in place of a configuration gives one line, not one for each key."""
    done = debate("run", saved, "--mock", cwd=saved.parent.parent)
    assert (done.code, len(done.err.splitlines())) == (2, 1), done.err
    assert "this is a saved debate, not a configuration; continue it with --resume" in done.err


def test_with_the_mock_no_model_is_required(here: Path) -> None:
    """With --mock a configuration without models runs; without it, each missing model is named."""
    (here / "debate.yaml").write_text("topic: x\ndebaters: [{name: A, side: for}, {name: B, side: against}]\n")
    mocked = debate("run", "--mock", "--quiet", "--no-save", cwd=here)
    bare = debate("run", "--no-save", cwd=here)
    assert (mocked.code, bare.code, bare.err.count("names no model")) == (0, 2, 3), mocked.err + bare.err
