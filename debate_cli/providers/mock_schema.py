"""JSON schemas laid over one another, so that the mock has one to fill in: references, `allOf`, a branch beside its siblings.

Of the keywords that only say what is not to be (`not`, `if`) nothing is known here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, cast

Json = Mapping[str, Any]
LARGEST = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems"})
SMALLEST = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems"})


def referred(reference: str, root: Json) -> Json:
    """The part of `root` that a local reference names: `#`, `#/$defs/Name`. Raises KeyError where there is none."""
    target: Any = root
    for part in filter(None, reference.lstrip("#").split("/")):
        target = target[part.replace("~1", "/").replace("~0", "~")]
    return as_object(target)


def as_object(schema: object) -> Json:
    """A schema that may have been written as `true`."""
    return cast("Json", schema) if isinstance(schema, Mapping) else {}


def laid_over(parts: Sequence[Json]) -> Json:
    """One schema that says what all of `parts` say, as far as that can be said."""
    return reduce(_both, parts, {})


def _both(one: Json, other: Json) -> Json:
    found = dict(one)
    for key, value in other.items():
        found[key] = _joined(key, found[key], value) if key in found else value
    return found


def _joined(key: str, one: Any, other: Any) -> Any:
    if key in LARGEST or key in SMALLEST:
        return max(one, other) if key in LARGEST else min(one, other)
    joint = _JOINTS.get(key)
    return joint(one, other) if joint is not None else other


def _all_required(one: Sequence[str], other: Sequence[str]) -> list[str]:
    return list(dict.fromkeys([*one, *other]))


def _in_both(one: Sequence[Any], other: Sequence[Any]) -> list[Any]:
    return [value for value in one if value in other] or list(other)


def _all_properties(one: Mapping[str, object], other: Mapping[str, object]) -> dict[str, object]:
    shared = {name: {"allOf": [one[name], other[name]]} for name in one.keys() & other.keys()}
    return {**one, **other, **shared}


_JOINTS: Mapping[str, Callable[[Any, Any], Any]] = {
    "required": _all_required,
    "enum": _in_both,
    "properties": _all_properties,
    "allOf": lambda one, other: [*one, *other],
}
"""How what two schemas say under one keyword becomes one; of others the later counts."""
