"""A place in a text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class SourcePosition:
    """A place in a text; both count from 1."""

    line: int
    column: int
