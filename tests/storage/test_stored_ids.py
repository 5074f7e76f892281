"""Suggestions for a misspelt id of a stored debate."""

from pathlib import Path

import pytest

from debate_cli.storage.transcript_store import expand_references, suggest_debate_id


def folder_of(place: Path, *names: str) -> Path:
    """A folder with empty files."""
    place.mkdir(exist_ok=True)
    for name in names:
        (place / name).write_text("")
    return place


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("my-debat", "my-debate"),
        ("ym-debate", "my-debate"),
        ("joural", "journal"),
    ],
    ids=["a letter less", "two swapped", "of a journal"],
)
def test_the_closest_id_is_suggested(tmp_path: Path, name: str, known: str) -> None:
    """The id is that of a transcript or of a journal."""
    folder = folder_of(tmp_path, "my-debate.json", "journal.jsonl", "transcript.schema.json")
    assert suggest_debate_id(name, [tmp_path / "gone", folder]) == f"; did you mean `{known}`?"


@pytest.mark.parametrize("name", ["xyzzy", "", "transcript.schema"])
def test_without_a_close_id_nothing_is_suggested(tmp_path: Path, name: str) -> None:
    """The name of a schema is never suggested."""
    assert suggest_debate_id(name, [folder_of(tmp_path, "my-debate.json", "transcript.schema.json")]) == ""


def test_a_misspelt_id_among_others_is_kept(tmp_path: Path) -> None:
    """The reader reports it, after the others are read."""
    folder = folder_of(tmp_path / "home", "my-debate.json")
    assert [path.name for path in expand_references(["my-debat", "my-debate"], [folder])] == [
        "my-debat",
        "my-debate.json",
    ]
