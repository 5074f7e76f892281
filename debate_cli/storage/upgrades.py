"""Upgrades of older transcripts, by numbered functions: `m001_…` upgrades version 1 to version 2, and so on.

A step takes a transcript of its version as JSON data and returns one of the next version. Add each step together with a
transcript and a journal of the old version in `tests/storage/versions/`, which the tests read.
"""

from collections.abc import Callable, Sequence
from typing import Any

from debate_cli.errors import NewerVersionError, TranscriptError

UpgradeStep = Callable[[dict[str, Any]], dict[str, Any]]


def m001_optional_keys(data: dict[str, Any]) -> dict[str, Any]:
    """Upgrade a transcript of debate-cli 0.1. Version 2 only adds keys that may be absent, so nothing is changed."""
    return data


UPGRADE_STEPS: tuple[UpgradeStep, ...] = (m001_optional_keys,)
"""The steps in order; the first upgrades version 1 to version 2."""
_VERSION_CHARS = 20
SCHEMA_VERSION = 1 + len(UPGRADE_STEPS)
"""The version of new transcripts."""


def check_version(version: object, where: str, kind: str, newest: int = SCHEMA_VERSION) -> int:
    """The schema version of a file, from 1 to `newest`. `kind`: what the file should be. Raises TranscriptError."""
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise TranscriptError(f"{where}: is not a {kind} of debate-cli; name another file")
    if version > newest:
        needed = f"it needs a debate-cli that knows schema_version {str(version)[:_VERSION_CHARS]}"
        raise NewerVersionError(f"{where}: written by a newer version; {needed} (this one knows {newest})")
    return version


def upgrade_transcript(
    data: dict[str, Any], version: int, steps: Sequence[UpgradeStep] = UPGRADE_STEPS
) -> dict[str, Any]:
    """Upgrade `data` from `version` (1 to `len(steps)` + 1) to the newest version; set `schema_version`.

    Raises the error of a step (KeyError, TypeError, ValueError...) if `data` does not fit its version.
    """
    for step in steps[version - 1 :]:
        data = step(data)
    return {**data, "schema_version": 1 + len(steps)}
