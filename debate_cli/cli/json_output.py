"""JSON on stdout: as it is for a program, and escaped where a terminal would act on a sign of it, or show none."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

from debate_cli.cli.screen import write_chunks
from debate_cli.render import hostile


def write_json_chunks(pieces: Iterable[str]) -> None:
    """Write a document, or lines of JSON, to stdout piece by piece; what is read from it is the same on a terminal."""
    write_chunks(map(hostile.escape_json, pieces) if sys.stdout.isatty() else pieces)


def print_json(value: Any) -> None:
    """Write `value` as one document, its text readable."""
    write_json_chunks([json.dumps(value, ensure_ascii=False, indent=2) + "\n"])
