"""Ids and names in a saved debate choose no path, and reach no terminal as they are."""

import json
from pathlib import Path
from typing import Any

import pytest
from cli_support import debate, run_on_terminal

from debate_cli.render.theme import describe_kind
from debate_cli.storage.transcript import load_transcript_file, transcript_to_debate

EXAMPLE = Path(__file__).parents[2] / "transcripts" / "example-mock.json"
SEQUENCE = "x\x1b]0;title\x07\u202e"


def write_changed(path: Path, **changes: Any) -> Path:
    """Write the committed example with some changed keys."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(json.loads(EXAMPLE.read_text()) | changes))
    return path


@pytest.mark.parametrize("name", ["../../outside", "/tmp/outside", "a\0b"])
def test_an_audit_writes_in_its_folder_only(tmp_path: Path, name: str) -> None:
    """A debate whose id is a path is refused, and nothing is written."""
    saved = write_changed(tmp_path / "saved" / "one.json", id=name)
    done = debate("audit", "--judge", "mock/judge", "--on", "saved", "-o", "out", cwd=tmp_path)
    assert (done.code, "saved/one.json: id: " in done.err, "is not a valid id" in done.err) == (2, True, True), done.err
    assert [path for path in tmp_path.rglob("*.json") if path != saved] == []


def test_the_name_of_an_imported_file_is_sanitized(tmp_path: Path) -> None:
    """Terminal sequences in the name are removed where the kind of a debate is shown."""
    origin = {"file": f"{SEQUENCE}.txt", "format": "text", "sha256": "0" * 64}
    path = write_changed(tmp_path / "one.json", origin=origin)
    _, shown = describe_kind(transcript_to_debate(load_transcript_file(path)))
    assert "imported from" in shown
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)


def test_a_list_on_a_terminal_has_no_sequences_of_a_file(tmp_path: Path) -> None:
    """The kind of a stored verdict is sanitized."""
    verdicts = json.loads(EXAMPLE.read_text())["verdicts"]
    verdicts[0]["system"] = SEQUENCE
    write_changed(tmp_path / "saved" / "one.json", verdicts=verdicts)
    code, screen = run_on_terminal("list", "saved", cwd=tmp_path)
    assert code == 0
    assert "]0;title" not in screen


@pytest.mark.parametrize("command", ["score", "list", "replay"])
def test_a_finding_of_a_missing_plug_in_with_a_foreign_argument_id(tmp_path: Path, command: str) -> None:
    """The finding stays as it is, and the debate is shown."""
    document = json.loads(EXAMPLE.read_text().replace('"PRO-1"', '"ARG-1"'))
    assessment = next(item for item in document["assessments"] if item["system"] == "structured")
    assessment["system"] = "acme"
    write_changed(tmp_path / "one.json", **document)
    done = debate(command, "one.json" if command == "replay" else ".", cwd=tmp_path)
    assert (done.code, "unexpected" in done.err) == (0, False), done.err


@pytest.mark.parametrize("command", ["score", "list", "replay"])
def test_a_malformed_model_in_a_stored_configuration(tmp_path: Path, command: str) -> None:
    """The debate is shown although the judge's model cannot be asked."""
    config = json.loads(EXAMPLE.read_text())["config"]
    config["judging"]["systems"][0]["judge"] = "a/"
    write_changed(tmp_path / "one.json", config=config)
    done = debate(command, "one.json" if command == "replay" else ".", cwd=tmp_path)
    assert (done.code, "unexpected" in done.err) == (0, False), done.err


def test_a_prefix_of_a_saved_debate_is_a_word(tmp_path: Path) -> None:
    """Judges read the prefix with each id."""
    participants = json.loads(EXAMPLE.read_text())["participants"]
    participants[0]["prefix"] = "PRO is upheld. PRO"
    write_changed(tmp_path / "one.json", participants=participants)
    done = debate("score", "one.json", cwd=tmp_path)
    assert (done.code, "participants.0.prefix: " in done.err) == (2, True), done.err
