"""Compares a stored verdict with the recomputed one: conclusions and numbers, never sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isclose

from pydantic import JsonValue

from debate_cli.domain.verdict import Notes, Verdict

TOLERANCE = 1e-6
"""Numbers closer than this are equal."""


def verdicts_match(stored: Verdict, recomputed: Verdict) -> bool:
    """Whether winner, victory, margin, scores and the numeric notes that both verdicts have are equal.

    Verdicts under different rules never match. Wording may change between versions, and a later version may add notes.
    """
    if (stored.rules, stored.winner, stored.victory) != (recomputed.rules, recomputed.winner, recomputed.victory):
        return False
    if stored.scores.keys() != recomputed.scores.keys() or not _are_equal(stored.margin, recomputed.margin):
        return False
    if not all(_are_equal(score, recomputed.scores[name]) for name, score in stored.scores.items()):
        return False
    ours, theirs = _numeric_notes(stored), _numeric_notes(recomputed)
    return all(_are_equal(ours[path], theirs[path]) for path in ours.keys() & theirs.keys())


def _numeric_notes(verdict: Verdict) -> dict[str, float]:
    """Path -> number."""
    return dict(_numbers(verdict.notes.to_json() if isinstance(verdict.notes, Notes) else verdict.notes, ""))


def _are_equal(first: float | None, second: float | None) -> bool:
    if first is None or second is None:
        return first is second
    return isclose(first, second, rel_tol=0, abs_tol=TOLERANCE)


def _numbers(value: JsonValue, path: str) -> Iterator[tuple[str, float]]:
    """Every number in a note, with its path."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _numbers(item, f"{path}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _numbers(item, f"{path}[{index}]")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value
