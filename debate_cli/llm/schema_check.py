"""Checks a JSON value against a JSON Schema, for the keywords that forms use (`_CHECKS`).

Differs from a general validator in two ways. `maxLength` is ignored: it keeps models short where a grammar enforces it,
but a longer text is accepted. The entries of a list of known items may come in any order.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from debate_cli.llm.prompt_sanitizer import sanitize_for_prompt

_JSON_TYPES: Mapping[type, str] = {bool: "boolean", str: "string", int: "integer", dict: "object", list: "array"}
KeyPath = tuple[str | int, ...]
MAX_SHOWN_CHARS = 60
"""Maximum length of a quoted value in a message."""


class Violation(NamedTuple):
    """A part of a value that violates its part of a schema."""

    path: KeyPath
    fault: str
    """`must be at least 1, not 0`, for example."""
    value: Any
    schema: Mapping[str, Any]
    is_type: bool = False
    """Whether the value has a wrong type."""

    def __str__(self) -> str:
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.path)
        return f"{place.removeprefix('.') or 'the object'}: {self.fault}"


def find_violations(value: Any, schema: Mapping[str, Any], path: KeyPath = ()) -> Iterator[Violation]:
    """Each place where `value` (from `json.loads`) violates `schema`."""
    for keyword, check in _CHECKS:
        if keyword in schema:
            yield from check(value, schema, path)


def is_equal_json(left: Any, right: Any) -> bool:
    """Equality of JSON values: 1 is 1.0, but true is not 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, list) and isinstance(right, list):
        ours, theirs = cast("list[Any]", left), cast("list[Any]", right)
        return len(ours) == len(theirs) and all(is_equal_json(a, b) for a, b in zip(ours, theirs, strict=True))
    if isinstance(left, dict) and isinstance(right, dict):
        here, there = cast("dict[str, Any]", left), cast("dict[str, Any]", right)
        return here.keys() == there.keys() and all(is_equal_json(here[key], there[key]) for key in here)
    return bool(left == right)


def json_type(value: Any) -> str:
    """The JSON Schema type of a value; a whole number is `integer`, also when written as 1.0."""
    if isinstance(value, float):
        return "integer" if value.is_integer() else "number"
    kind = cast("type[object]", type(value))
    return _JSON_TYPES.get(kind, "null")


def _format_value(value: Any) -> str:
    text = sanitize_for_prompt(json.dumps(value, ensure_ascii=False)[: 2 * MAX_SHOWN_CHARS])
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}…"


def _type(value: Any, schema: Mapping[str, Any], path: KeyPath) -> Iterator[Violation]:
    wanted = schema["type"]
    allowed: Sequence[str] = [wanted] if isinstance(wanted, str) else wanted
    found = json_type(value)
    if found not in allowed and not (found == "integer" and "number" in allowed):
        yield Violation(path, f"must be {' or '.join(allowed)}, not {found}", value, schema, is_type=True)


def _enum(value: Any, schema: Mapping[str, Any], path: KeyPath) -> Iterator[Violation]:
    if not any(is_equal_json(value, option) for option in schema["enum"]):
        yield Violation(
            path,
            f"must be one of {', '.join(map(_format_value, schema['enum']))}, not {_format_value(value)}",
            value,
            schema,
        )


def _const(value: Any, schema: Mapping[str, Any], path: KeyPath) -> Iterator[Violation]:
    if not is_equal_json(value, schema["const"]):
        yield Violation(path, f"must be {_format_value(schema['const'])}, not {_format_value(value)}", value, schema)


def _any_of(value: Any, schema: Mapping[str, Any], path: KeyPath) -> Iterator[Violation]:
    attempts = [list(find_violations(value, option, path)) for option in schema["anyOf"]]
    if attempts and all(attempts):
        yield from min(attempts, key=len)


def _required(value: Any, schema: Mapping[str, Any], path: KeyPath) -> Iterator[Violation]:
    if isinstance(value, dict):
        for name in schema["required"]:
            if name not in value:
                yield Violation(path, f"lacks {name}", value, schema)


def _properties(value: Any, schema: Mapping[str, Any], path: KeyPath) -> Iterator[Violation]:
    if isinstance(value, dict):
        for name, part in schema["properties"].items():
            if name in value:
                yield from find_violations(value[name], part, (*path, name))


def _additional_properties(value: Any, schema: Mapping[str, Any], path: KeyPath) -> Iterator[Violation]:
    if isinstance(value, dict) and schema["additionalProperties"] is False:
        for name in cast("dict[str, Any]", value):
            if name not in schema.get("properties", {}):
                yield Violation(path, f"must not have {_format_value(name)}", value, schema)


def _items(value: Any, schema: Mapping[str, Any], path: KeyPath) -> Iterator[Violation]:
    if not isinstance(value, list):
        return
    rest = schema["items"]
    first = len(schema.get("prefixItems", ()))
    entries = cast("list[Any]", value)
    if rest is False and len(entries) > first:
        yield Violation(path, f"must have no more than {first} items", value, schema)
    if isinstance(rest, dict):
        part = cast("dict[str, Any]", rest)
        for index, entry in enumerate(entries[first:], start=first):
            yield from find_violations(entry, part, (*path, index))


def _prefix_items(value: Any, schema: Mapping[str, Any], path: KeyPath) -> Iterator[Violation]:
    """Check that each part has an answer. Any order is valid, because only grammars enforce the order."""
    if not isinstance(value, list):
        return
    entries, parts = cast("list[Any]", value), schema["prefixItems"]
    by_place = [
        list(find_violations(entry, part, (*path, index)))
        for index, (entry, part) in enumerate(zip(entries, parts, strict=False))
    ]
    if any(by_place) and not _can_match_all(entries[: len(parts)], parts):
        for faults in by_place:
            yield from faults


def _can_match_all(entries: Sequence[Any], parts: Sequence[Mapping[str, Any]]) -> bool:
    open_parts = list(parts)
    for entry in entries:
        free_part = next((part for part in open_parts if not any(find_violations(entry, part))), None)
        if free_part is None:
            return False
        open_parts.remove(free_part)
    return True


def _length_check(kind: type, keyword: str, noun: str) -> _Check:
    """Create the check of a `min…` or `max…` keyword for the length of a value."""
    least = keyword.startswith("min")

    def check(value: Any, schema: Mapping[str, Any], path: KeyPath) -> Iterator[Violation]:
        bound = schema[keyword]
        if isinstance(value, kind) and (len(value) < bound if least else len(value) > bound):  # pyright: ignore[reportArgumentType]
            yield Violation(path, f"must have at {'least' if least else 'most'} {bound} {noun}", value, schema)

    return check


def _number_check(keyword: str, words: str, holds: Callable[[float, float], bool]) -> _Check:
    def check(value: Any, schema: Mapping[str, Any], path: KeyPath) -> Iterator[Violation]:
        if isinstance(value, int | float) and not isinstance(value, bool) and not holds(value, schema[keyword]):
            yield Violation(path, f"must be {words} {schema[keyword]}, not {_format_value(value)}", value, schema)

    return check


def _pattern(value: Any, schema: Mapping[str, Any], path: KeyPath) -> Iterator[Violation]:
    if isinstance(value, str) and re.search(schema["pattern"], value) is None:
        yield Violation(path, f"must match {schema['pattern']}", value, schema)


_Check = Callable[[Any, Mapping[str, Any], KeyPath], Iterator[Violation]]
_CHECKS: tuple[tuple[str, _Check], ...] = (
    ("type", _type),
    ("enum", _enum),
    ("const", _const),
    ("anyOf", _any_of),
    ("required", _required),
    ("additionalProperties", _additional_properties),
    ("properties", _properties),
    ("prefixItems", _prefix_items),
    ("items", _items),
    ("minItems", _length_check(list, "minItems", "items")),
    ("maxItems", _length_check(list, "maxItems", "items")),
    ("minLength", _length_check(str, "minLength", "characters")),
    ("minimum", _number_check("minimum", "at least", lambda value, bound: value >= bound)),
    ("maximum", _number_check("maximum", "at most", lambda value, bound: value <= bound)),
    ("exclusiveMinimum", _number_check("exclusiveMinimum", "above", lambda value, bound: value > bound)),
    ("exclusiveMaximum", _number_check("exclusiveMaximum", "below", lambda value, bound: value < bound)),
    ("pattern", _pattern),
)
