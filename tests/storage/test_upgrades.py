"""Upgrades from version to version, with sample steps."""

from __future__ import annotations

from typing import Any

import pytest

from debate_cli.storage.upgrades import SCHEMA_VERSION, UPGRADE_STEPS, upgrade_transcript


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
