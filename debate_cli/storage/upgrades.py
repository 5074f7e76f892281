"""Older transcripts brought up to date, by numbered steps: `m001_…` makes version 2 of version 1, and so on.

A step gets the whole transcript as JSON data of its version and returns that of the next. Version 1 is the first, so there
is no step yet; with the first step comes the transcript of version 1 that its test upgrades.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

UpgradeStep = Callable[[dict[str, Any]], dict[str, Any]]

UPGRADE_STEPS: tuple[UpgradeStep, ...] = ()
"""In order; the first makes version 2."""
SCHEMA_VERSION = 1 + len(UPGRADE_STEPS)
"""The version that is written."""


def upgrade_transcript(
    data: dict[str, Any], version: int, steps: Sequence[UpgradeStep] = UPGRADE_STEPS
) -> dict[str, Any]:
    """`data` of `version` (1 to `len(steps)` + 1) in the newest version, with its `schema_version` set.

    Raises whatever a step raises where `data` is not of the version it says: KeyError, TypeError, ValueError...
    """
    for step in steps[version - 1 :]:
        data = step(data)
    return {**data, "schema_version": 1 + len(steps)}
