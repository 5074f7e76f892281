"""Transcripts on disk: read whole and checked, written whole or not at all."""

from __future__ import annotations

import json
import os
import re
from codecs import BOM_UTF8
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import pydantic_core
from pydantic import ValidationError
from pydantic_core import to_json

from debate_cli.errors import NewerVersionError, TranscriptError
from debate_cli.storage.config_errors import format_validation_error
from debate_cli.storage.disk import atomic_write
from debate_cli.storage.json_form import Redact, dump_json_document
from debate_cli.storage.plain import is_mapping
from debate_cli.storage.regular import open_regular_file
from debate_cli.storage.transcript import Transcript, find_contradiction, transcript_to_json
from debate_cli.storage.upgrades import SCHEMA_VERSION, UPGRADE_STEPS, UpgradeStep, upgrade_transcript

TRANSCRIPT_SUFFIX = ".json"
MAX_TRANSCRIPT_BYTES = 128 * 1024 * 1024
_FIRST_READ_BYTES = 256 * 1024
"""Read at first: room for as much as may come is not made for every file."""
_VERSION_CHARS = 20
_CURRENT_VERSION_START = re.compile(rb'\s*\{\s*"schema_version"\s*:\s*%d\s*,' % SCHEMA_VERSION)
"""How a transcript of the newest version begins: it is read in one go."""


class _InvalidNumberError(ValueError):
    """What stands where JSON has a number is none."""


def load_transcript_file(path: Path) -> Transcript:
    """The transcript at `path`, upgraded where it is of an older version; the file stays as it is.

    Raises TranscriptError with one sentence where the file is not a transcript, not whole, not valid or too new.
    """
    return parse_transcript(_read_bytes(path), str(path))


def parse_transcript(data: bytes, name: str, steps: Sequence[UpgradeStep] = UPGRADE_STEPS) -> Transcript:
    """The transcript that `data` is; `name` is what errors call it. Raises as `load` does.

    `steps` lead from their versions to the form that `Transcript` has.
    """
    data = data.removeprefix(BOM_UTF8)
    transcript = _parse_current_version(data) if steps is UPGRADE_STEPS and _CURRENT_VERSION_START.match(data) else None
    if transcript is None:
        transcript = _parse_with_upgrades(data, name, steps)
    fault = find_contradiction(transcript)
    if fault is not None:
        raise TranscriptError(f"{name}: {_one_line(fault)}; restore the file")
    return transcript


def _parse_with_upgrades(data: bytes, name: str, steps: Sequence[UpgradeStep]) -> Transcript:
    """The same, each fault told precisely."""
    fields = _parse_json_object(data, name)
    version = _parse_version(fields, name, newest=1 + len(steps))
    try:
        newest = {**upgrade_transcript(fields, version, steps), "schema_version": SCHEMA_VERSION}
        return Transcript.model_validate_json(json.dumps(newest))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the document"
        raise TranscriptError(
            f"{name}: {_one_line(where)}: {_one_line(format_validation_error(first))}; restore the file"
        ) from error
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise TranscriptError(f"{name}: is not what version {version} wrote; restore the file") from error


def write_transcript(path: Path, transcript: Transcript, redact: Redact, *, overwrite: bool = False) -> None:
    """Write `transcript` to `path`, whole and on the disk when this returns; an existing file only with `overwrite`.

    Raises StorageError; what was there is then untouched.
    """
    atomic_write(path, dump_json_document(transcript_to_json(transcript), redact), overwrite=overwrite)


def dump_transcript(transcript: Transcript, redact: Redact) -> str:
    """The text of the file that `write` writes."""
    return dump_json_document(transcript_to_json(transcript), redact).decode()


def _parse_current_version(data: bytes) -> Transcript | None:
    """The transcript that `data` is; None where it is none, which is then told precisely on the slow way."""
    try:
        transcript = Transcript.model_validate_json(data)
    except ValidationError:
        return None
    return None if _may_hold_non_finite([verdict.notes for verdict in transcript.verdicts]) else transcript


def _may_hold_non_finite(notes: Any) -> bool:
    """Whether a free-form part may hold a number that is none; the values' own fields see to that themselves.

    A text that speaks of infinity is taken for one: the slow way then tells.
    """
    text = to_json(notes, inf_nan_mode="constants")
    return b"NaN" in text or b"Infinity" in text


def _read_bytes(path: Path) -> bytes:
    try:
        with os.fdopen(open_regular_file(path), "rb") as file:
            data = file.read(_FIRST_READ_BYTES)
            if len(data) == _FIRST_READ_BYTES:
                data += file.read(MAX_TRANSCRIPT_BYTES + 1 - _FIRST_READ_BYTES)
    except IsADirectoryError as error:
        raise TranscriptError(f"{path}: this is a folder; name a transcript") from error
    except FileNotFoundError as error:
        raise TranscriptError(f"{path}: no such file; name a transcript") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a file name"
        raise TranscriptError(f"{_one_line(str(path))}: cannot be read ({reason}); name a transcript") from error
    if len(data) > MAX_TRANSCRIPT_BYTES:
        raise TranscriptError(f"{path}: larger than {MAX_TRANSCRIPT_BYTES // 1024**2} MiB; this is no transcript")
    return data


def _parse_json_object(data: bytes, name: str) -> dict[str, Any]:
    """The JSON object that `data` is, strictly read."""
    if not data.strip():
        raise TranscriptError(f"{name}: is empty; restore the file, or name a transcript")
    try:
        fields: Any = json.loads(data.decode("utf-8"), parse_constant=_reject_constant, parse_float=_parse_finite_float)
    except UnicodeDecodeError as error:
        what = "is cut off" if error.reason == "unexpected end of data" else "not valid UTF-8"
        raise TranscriptError(f"{name}: {what}; restore the file") from error
    except RecursionError as error:
        raise TranscriptError(f"{name}: nested too deep for a transcript; name another file") from error
    except json.JSONDecodeError as error:
        what = "is cut off" if _is_cut_off(data) else "is not valid JSON"
        where = f"line {error.lineno}, column {error.colno}"
        raise TranscriptError(f"{name}: {what} ({where}); restore the file, or name a transcript") from error
    except _InvalidNumberError as error:
        raise TranscriptError(f"{name}: {error}; restore the file") from error
    except ValueError as error:
        raise TranscriptError(f"{name}: holds a number with too many digits; restore the file") from error
    if not is_mapping(fields):
        raise TranscriptError(f"{name}: is not a transcript of debate-cli; name another file")
    return fields


def _is_cut_off(data: bytes) -> bool:
    """Whether what is wrong with these bytes is that they end: the faster parser tells that apart."""
    try:
        pydantic_core.from_json(data)
    except ValueError as error:
        return str(error).startswith("EOF") and data.lstrip()[:1] == b"{"
    return False


def _reject_constant(word: str) -> NoReturn:
    raise _InvalidNumberError(f"holds {word}, which is no number in JSON")


def _parse_finite_float(digits: str) -> float:
    number = float(digits)
    if number in {float("inf"), float("-inf")}:
        raise _InvalidNumberError("holds a number too large to be one")
    return number


def _parse_version(fields: dict[str, Any], name: str, *, newest: int) -> int:
    """The version of a transcript, from 1 to `newest`."""
    version = fields.get("schema_version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise TranscriptError(f"{name}: is not a transcript of debate-cli; name another file")
    if version > newest:
        needed = f"it needs a debate-cli that knows schema_version {_one_line(str(version))[:_VERSION_CHARS]}"
        raise NewerVersionError(f"{name}: written by a newer version; {needed} (this one knows {newest})")
    return version


def _one_line(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text)[:200]
