"""Upgrades from version to version, with sample steps and with files of every version."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from debate_cli.domain.events import DebateResumed
from debate_cli.llm.redaction import Redactor
from debate_cli.storage.journal import Journal, read_journal
from debate_cli.storage.transcript import load_transcript_file, transcript_to_debate
from debate_cli.storage.upgrades import SCHEMA_VERSION, UPGRADE_STEPS, upgrade_transcript
from debate_cli.systems.scoring import score, verdicts_match

VERSIONS = Path(__file__).parent / "versions"
"""A transcript and a journal that each older version wrote."""


def m001_double(data: dict[str, Any]) -> dict[str, Any]:
    """Version 2 counts in halves."""
    return {**data, "n": data["n"] * 2}


def m002_rename(data: dict[str, Any]) -> dict[str, Any]:
    """Version 3 calls it m."""
    return {"m": data["n"]}


@pytest.mark.parametrize(
    ("version", "data", "upgraded"),
    [
        (1, {"n": 4}, {"m": 8, "schema_version": 3}),
        (2, {"n": 4}, {"m": 4, "schema_version": 3}),
        (3, {"m": 4}, {"m": 4, "schema_version": 3}),
    ],
)
def test_every_version_is_upgraded_to_the_newest(version: int, data: dict[str, Any], upgraded: dict[str, Any]) -> None:
    """Only the steps from its own version on are applied."""
    assert upgrade_transcript(data, version, (m001_double, m002_rename)) == upgraded


def test_steps_are_numbered_in_order() -> None:
    """The name of a step says which version it upgrades."""
    assert [step.__name__[:4] for step in UPGRADE_STEPS] == [f"m{number:03}" for number in range(1, SCHEMA_VERSION)]


def test_a_transcript_of_version_1_still_has_its_verdicts() -> None:
    """A file of debate-cli 0.1 is read as the newest version; its verdicts are recomputed, persuasion's under newer rules."""
    transcript = load_transcript_file(VERSIONS / "1.json")
    recomputed = score(transcript_to_debate(transcript), runs="all")
    assert transcript.schema_version == SCHEMA_VERSION
    found = [
        (old.system, old.rules == new.rules, verdicts_match(old, new))
        for old, new in zip(transcript.verdicts, recomputed, strict=True)
    ]
    assert found == [("structured", True, True), ("persuasion", False, False)]


def test_a_journal_of_version_1_is_continued_as_the_newest_version(tmp_path: Path) -> None:
    """Its events are kept, the file is rewritten before the first new event, and it is read again."""
    path = Path(shutil.copy(VERSIONS / "1.jsonl", tmp_path))
    before = read_journal(path)
    with Journal.open_existing(path, Redactor()) as journal:
        journal.append(DebateResumed(at=before.events[0].at))
    after = read_journal(path)
    assert (before.version, after.version) == (1, SCHEMA_VERSION)
    assert after.events[:-1] == before.events
