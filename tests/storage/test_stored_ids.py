"""The id of a stored debate that a misspelt one was meant for."""

from __future__ import annotations

from pathlib import Path

import pytest

from debate_cli.errors import UsageError
from debate_cli.storage.transcript_store import expand_references, find_debate, suggest_debate_id

MADE_UP = "should-a-startup-of-under-ten-people-adopt"


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
        (MADE_UP, f"{MADE_UP}-20260302-090000-b2b2"),
    ],
    ids=["a letter less", "two swapped", "of a journal", "without its date"],
)
def test_the_closest_id_was_meant(tmp_path: Path, name: str, known: str) -> None:
    """That of a transcript or a journal; of several debates on a motion, the newest's."""
    made_up = [f"{MADE_UP}-2026030{day}-090000-{tail}.json" for day, tail in ((1, "a1a1"), (2, "b2b2"))]
    folder = folder_of(tmp_path, "my-debate.json", "journal.jsonl", "transcript.schema.json", *made_up)
    assert suggest_debate_id(name, [tmp_path / "gone", folder]) == f"; did you mean `{known}`?"


@pytest.mark.parametrize("name", ["xyzzy", "", "transcript.schema"])
def test_where_none_is_close_nothing_is_said(tmp_path: Path, name: str) -> None:
    """Nor of what is no debate."""
    assert suggest_debate_id(name, [folder_of(tmp_path, "my-debate.json", "transcript.schema.json")]) == ""


def test_among_thousands_the_one_that_begins_alike_is_found(tmp_path: Path) -> None:
    """Not all of a large folder are compared."""
    folder = folder_of(tmp_path, *(f"a{number}.json" for number in range(300)), "my-debate.json")
    assert suggest_debate_id("my-debtae", [folder]) == "; did you mean `my-debate`?"


def test_whoever_names_a_debate_by_a_wrong_id_is_told(tmp_path: Path) -> None:
    """Where one is asked for, and where it is the only one of many that may be."""
    folder = folder_of(tmp_path / "home", "my-debate.json")
    said = f"`my-debat`: there is no such debate in {folder}; did you mean `my-debate`?"
    with pytest.raises(UsageError) as one:
        find_debate("my-debat", [folder])
    with pytest.raises(UsageError) as many:
        expand_references(["my-debat"], [folder])
    assert (str(one.value), str(many.value)) == (said, said)


def test_beside_others_a_wrong_id_is_left_for_reading_to_report(tmp_path: Path) -> None:
    """So that the others are read."""
    folder = folder_of(tmp_path / "home", "my-debate.json")
    assert [path.name for path in expand_references(["my-debat", "my-debate"], [folder])] == [
        "my-debat",
        "my-debate.json",
    ]
