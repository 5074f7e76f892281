"""Versions of journals and transcripts, and the steps that upgrade a transcript of an older version.

A journal of an older version is read without a step.
"""

from collections.abc import Callable, Sequence
from typing import Any

from debate_cli.errors import NewerVersionError, TranscriptError

UpgradeStep = Callable[[dict[str, Any]], dict[str, Any]]


def m001_optional_keys(data: dict[str, Any]) -> dict[str, Any]:
    """Upgrade a transcript from version 1 to 2. Changes nothing, because version 2 only adds optional keys."""
    return data


UPGRADE_STEPS: tuple[UpgradeStep, ...] = (m001_optional_keys,)
"""Upgrade steps in order. The first step upgrades version 1 to version 2."""
_VERSION_CHARS = 20
SCHEMA_VERSION = 1 + len(UPGRADE_STEPS)


def check_version(version: object, where: str, kind: str) -> int:
    """Return `version` if it is from 1 to SCHEMA_VERSION. Raises TranscriptError for any other version.

    `where`: name of the file in errors. `kind`: what the file should be, e.g. `transcript`.
    """
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise TranscriptError(f"{where}: is not a {kind} of debate-cli; give the path of a {kind}")
    if version > SCHEMA_VERSION:
        versions = (
            f"schema_version {str(version)[:_VERSION_CHARS]}; the installed debate-cli reads up to {SCHEMA_VERSION}"
        )
        raise NewerVersionError(f"{where}: written by a newer version ({versions}); upgrade debate-cli")
    return version


def upgrade_transcript(
    data: dict[str, Any], version: int, steps: Sequence[UpgradeStep] = UPGRADE_STEPS
) -> dict[str, Any]:
    """Upgrade `data` from `version` to the newest version, and set `schema_version`.

    If `data` is not a transcript of `version`, an error such as KeyError or TypeError is possible.
    """
    for step in steps[version - 1 :]:
        data = step(data)
    return {**data, "schema_version": 1 + len(steps)}
