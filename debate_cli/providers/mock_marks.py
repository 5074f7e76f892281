"""What the marks and choices beside a sentence of the mock's say, so that the sentence can say the same.

Reads an answer that is half written: its numbers and choices stand already, its words do not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, cast

Json = Mapping[str, Any]

LISTED = "scores"
"""The property under which an answer gives every participant its marks."""
NOBODY = frozenset({"draw", "nobody"})
"""Choices that put nobody first."""
CHOOSING = ("momentum_toward", "winner", "logic", "rhetoric", "tactics")
"""Properties that may name who comes first, in all or in one respect."""
REASON = "_reason"
"""What a property is called that gives the reason for the number it is named after."""
CLOSE = 0.04
"""Totals that differ by less than this share of the higher one put nobody first: other marks may yet turn them round."""
NO_ONE = ""
"""Nobody comes first, and the answer says so."""


def share(name: str, filled: Json, properties: Json) -> float | None:
    """Where on their scales the whole numbers of an object stand for which its sentence `name` gives the reason, 0-1.

    That is the number it is named after, else all of them together, a total aside. None where there is none.
    """
    numbers = [key for key in filled if key != "total" and _scale(filled[key], properties[key])]
    own = name.removesuffix(REASON)
    meant = [own] if own in numbers else numbers
    most = sum(_scale(filled[key], properties[key]) for key in meant)
    return sum(filled[key] - properties[key]["minimum"] for key in meant) / most if most else None


def first(around: Json, names: Collection[str]) -> str | None:
    """Whom of `names` the choices `around` a sentence put first, else the totals; NO_ONE, or None where neither is there."""
    chosen = [around[key] for key in CHOOSING if isinstance(around.get(key), str)]
    votes = Counter(name for name in chosen if name in names)
    if votes or NOBODY.intersection(chosen):
        return _leader({name: float(count) for name, count in votes.items()}, 0.0)
    totals = _totals(around.get(LISTED))
    return _leader(totals, CLOSE) if len(totals) > 1 else None


def _leader(counts: Mapping[str, float], close: float) -> str:
    """Who has the highest of `counts`, unless another is within `close` of it."""
    best = max(counts, key=lambda name: counts[name], default=NO_ONE)
    rivals = [name for name in counts if name != best and counts[name] >= counts[best] * (1 - close)]
    return NO_ONE if rivals else best


def _totals(scores: object) -> dict[str, float]:
    """Total per participant of a list of scores."""
    listed = cast("list[object]", scores) if isinstance(scores, list) else []
    entries = [cast("Json", entry) for entry in listed if isinstance(entry, dict)]
    return {
        str(entry["participant"]): float(entry["total"])
        for entry in entries
        if "participant" in entry and isinstance(entry.get("total"), int | float)
    }


def _scale(value: object, schema: Json) -> int:
    """How many steps the scale of a whole number has; 0 where `value` is none, or has no bounds."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return schema["maximum"] - schema["minimum"] if whole and {"minimum", "maximum"} <= set(schema) else 0
