"""Whether a JSON value satisfies a JSON Schema: the part of the language that forms use, and no more.

Keywords other than those of `_CHECKS` are not looked at. Not among them is `maxLength`: it keeps models short where a
grammar enforces it, but a text that grew longer is no reason to ask again. `$ref` does not occur in forms.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from debate_cli.llm.quoting import clean

_NAMES: Mapping[type, str] = {bool: "boolean", str: "string", int: "integer", dict: "object", list: "array"}
SHOWN_CHARS = 60
"""Of a value that a message quotes, at most."""


def breaches(value: Any, schema: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """One line for each place where `value` (as `json.loads` gives it) strays from `schema`, named by its path."""
    for keyword, check in _CHECKS:
        if keyword in schema:
            yield from check(value, schema, path)


def same(left: Any, right: Any) -> bool:
    """Equality of JSON values: 1 is 1.0, but true is not 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, list) and isinstance(right, list):
        ours, theirs = cast("list[Any]", left), cast("list[Any]", right)
        return len(ours) == len(theirs) and all(same(a, b) for a, b in zip(ours, theirs, strict=True))
    if isinstance(left, dict) and isinstance(right, dict):
        here, there = cast("dict[str, Any]", left), cast("dict[str, Any]", right)
        return here.keys() == there.keys() and all(same(here[key], there[key]) for key in here)
    return bool(left == right)


def type_of(value: Any) -> str:
    """JSON Schema's word for the type of a value; a whole number is `integer` however it is written."""
    if isinstance(value, float):
        return "integer" if value.is_integer() else "number"
    kind = cast("type[object]", type(value))
    return _NAMES.get(kind, "null")


def _line(path: str, fault: str) -> str:
    return f"{path or 'the object'}: {fault}"


def _shown(value: Any) -> str:
    text = clean(json.dumps(value, ensure_ascii=False)[: 2 * SHOWN_CHARS])
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…"


def _type(value: Any, schema: Mapping[str, Any], path: str) -> Iterator[str]:
    wanted = schema["type"]
    allowed: Sequence[str] = [wanted] if isinstance(wanted, str) else wanted
    found = type_of(value)
    if found not in allowed and not (found == "integer" and "number" in allowed):
        yield _line(path, f"must be {' or '.join(allowed)}, not {found}")


def _enum(value: Any, schema: Mapping[str, Any], path: str) -> Iterator[str]:
    if not any(same(value, option) for option in schema["enum"]):
        yield _line(path, f"must be one of {', '.join(map(_shown, schema['enum']))}, not {_shown(value)}")


def _const(value: Any, schema: Mapping[str, Any], path: str) -> Iterator[str]:
    if not same(value, schema["const"]):
        yield _line(path, f"must be {_shown(schema['const'])}, not {_shown(value)}")


def _any_of(value: Any, schema: Mapping[str, Any], path: str) -> Iterator[str]:
    attempts = [list(breaches(value, option, path)) for option in schema["anyOf"]]
    if attempts and all(attempts):
        yield from min(attempts, key=len)


def _required(value: Any, schema: Mapping[str, Any], path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name in schema["required"]:
            if name not in value:
                yield _line(path, f"lacks {name}")


def _properties(value: Any, schema: Mapping[str, Any], path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name, part in schema["properties"].items():
            if name in value:
                yield from breaches(value[name], part, f"{path}.{name}" if path else name)


def _closed(value: Any, schema: Mapping[str, Any], path: str) -> Iterator[str]:
    if isinstance(value, dict) and schema["additionalProperties"] is False:
        for name in cast("dict[str, Any]", value):
            if name not in schema.get("properties", {}):
                yield _line(path, f"must not have {_shown(name)}")


def _items(value: Any, schema: Mapping[str, Any], path: str) -> Iterator[str]:
    if not isinstance(value, list):
        return
    rest = schema["items"]
    first = len(schema.get("prefixItems", ()))
    entries = cast("list[Any]", value)
    if rest is False and len(entries) > first:
        yield _line(path, f"must have no more than {first} items")
    if isinstance(rest, dict):
        part = cast("dict[str, Any]", rest)
        for index, entry in enumerate(entries[first:], start=first):
            yield from breaches(entry, part, f"{path}[{index}]")


def _prefix_items(value: Any, schema: Mapping[str, Any], path: str) -> Iterator[str]:
    """Each part must be answered; in another order will do, as no provider but a grammar keeps to one."""
    if not isinstance(value, list):
        return
    entries, parts = cast("list[Any]", value), schema["prefixItems"]
    by_place = [list(breaches(entry, part, f"{path}[{index}]")) for index, (entry, part) in _places(entries, parts)]
    if any(by_place) and not _answers_each(entries[: len(parts)], parts):
        for faults in by_place:
            yield from faults


def _places(entries: Sequence[Any], parts: Sequence[Any]) -> Iterator[tuple[int, tuple[Any, Any]]]:
    return enumerate(zip(entries, parts, strict=False))


def _answers_each(entries: Sequence[Any], parts: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the entries can be dealt out to the parts, each entry to the first part that takes it."""
    open_parts = list(parts)
    for entry in entries:
        place = next((part for part in open_parts if not any(breaches(entry, part))), None)
        if place is None:
            return False
        open_parts.remove(place)
    return True


def _size(kind: type, keyword: str, noun: str) -> Callable[[Any, Mapping[str, Any], str], Iterator[str]]:
    """The check of a `min…` or `max…` keyword on the length of a value."""
    least = keyword.startswith("min")

    def check(value: Any, schema: Mapping[str, Any], path: str) -> Iterator[str]:
        bound = schema[keyword]
        if isinstance(value, kind) and (len(value) < bound if least else len(value) > bound):  # pyright: ignore[reportArgumentType]
            yield _line(path, f"must have at {'least' if least else 'most'} {bound} {noun}")

    return check


def _bound(keyword: str, words: str, holds: Callable[[float, float], bool]) -> _Check:
    """The check of a bound on a number."""

    def check(value: Any, schema: Mapping[str, Any], path: str) -> Iterator[str]:
        if isinstance(value, int | float) and not isinstance(value, bool) and not holds(value, schema[keyword]):
            yield _line(path, f"must be {words} {schema[keyword]}, not {_shown(value)}")

    return check


def _pattern(value: Any, schema: Mapping[str, Any], path: str) -> Iterator[str]:
    if isinstance(value, str) and re.search(schema["pattern"], value) is None:
        yield _line(path, f"must match {schema['pattern']}")


_Check = Callable[[Any, Mapping[str, Any], str], Iterator[str]]
_CHECKS: tuple[tuple[str, _Check], ...] = (
    ("type", _type),
    ("enum", _enum),
    ("const", _const),
    ("anyOf", _any_of),
    ("required", _required),
    ("additionalProperties", _closed),
    ("properties", _properties),
    ("prefixItems", _prefix_items),
    ("items", _items),
    ("minItems", _size(list, "minItems", "items")),
    ("maxItems", _size(list, "maxItems", "items")),
    ("minLength", _size(str, "minLength", "characters")),
    ("minimum", _bound("minimum", "at least", lambda value, bound: value >= bound)),
    ("maximum", _bound("maximum", "at most", lambda value, bound: value <= bound)),
    ("exclusiveMinimum", _bound("exclusiveMinimum", "above", lambda value, bound: value > bound)),
    ("exclusiveMaximum", _bound("exclusiveMaximum", "below", lambda value, bound: value < bound)),
    ("pattern", _pattern),
)
