"""A form as YAML that a person fills in: for each field, a line and a comment that explains it. Pure functions."""

import json
import textwrap
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import cast

from debate_cli.llm.form import JsonSchema

WIDTH = 100
"""Maximum length of a comment line."""
_TYPE_WORDS = {"integer": "a whole number", "number": "a number", "string": "text", "boolean": "yes or no"}


def form_lines(schema: JsonSchema, values: object = None, indent: str = "") -> Iterator[str]:
    """Yield the lines of a form.

    The description of a field becomes a comment above the field. If several fields have the same description, only the
    first field gets the comment.

    `schema`: the JSON Schema of an object. `values`: the answers so far. A field without an answer is empty.
    """
    yield from _object_lines(schema, values, indent, set())


def describe_value(schema: JsonSchema) -> str:
    """Return in words what a field with `schema` takes, for example `a whole number from 1 to 10`."""
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return f"one of: {', '.join(map(str, schema['enum']))}"
    if schema.get("type") == "array":
        return _describe_list(schema)
    words = _TYPE_WORDS.get(schema.get("type", ""), "keys and values")
    return f"{words} {_describe_bounds(schema.get('minimum'), schema.get('maximum'))}".rstrip()


def comment_lines(text: str, prefix: str = "# ") -> Iterator[str]:
    """Yield `text` as comment lines of at most WIDTH characters. Each line begins with `prefix`."""
    for line in text.splitlines():
        for piece in textwrap.wrap(line, WIDTH - len(prefix), break_on_hyphens=False) or [""]:
            yield f"{prefix}{piece}".rstrip()


def to_flow(value: object) -> str:
    """Return `value` as YAML on one line."""
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _describe_list(schema: JsonSchema) -> str:
    low, high, item = schema.get("minItems", 0), schema.get("maxItems"), schema.get("items", {})
    if high == 0:
        return "an empty list"
    if "enum" in item:
        return f"{f'at least {low}' if low else 'any'} of: {', '.join(map(str, item['enum']))}"
    return f"a list of {_describe_bounds(low or None, high) or 'any length'}"


def _describe_bounds(low: float | None, high: float | None) -> str:
    if low is not None and high is not None:
        return f"from {low:g} to {high:g}"
    return f"at least {low:g}" if low is not None else f"at most {high:g}" if high is not None else ""


def _object_lines(schema: JsonSchema, values: object, indent: str, explained: set[str]) -> Iterator[str]:
    known = cast("Mapping[str, object]", values if isinstance(values, Mapping) else {})
    required = schema.get("required", ())
    for name, part in schema.get("properties", {}).items():
        description = part.get("description", "")
        if description and description not in explained:
            explained.add(description)
            yield from comment_lines(f"{name}: {description}", f"{indent}# ")
        value, head = known.get(name), f"{indent}{name}:"
        if part.get("type") == "object":
            yield head
            yield from _object_lines(part, value, f"{indent}  ", explained)
        elif part.get("type") == "array":
            yield from _list_lines(head, part, value, explained)
        else:
            is_optional = name not in required or part.get("minLength") == 0
            yield from _scalar_lines(head, part, value, is_optional=is_optional)


def _scalar_lines(head: str, part: JsonSchema, value: object, *, is_optional: bool) -> Iterator[str]:
    if "const" in part:
        yield f"{head} {to_flow(part['const'])}"
        return
    is_text = part.get("type") == "string" and "enum" not in part
    hints = ([] if is_text else [describe_value(part)]) + (["may stay empty"] if is_optional else [])
    comment = f"  # {', '.join(hints)}" if hints else ""
    if is_text and not value:
        yield f"{head} |{comment}"
        yield f"{_indent_of(head)}  "
    else:
        yield f"{head} {to_flow(value)}".rstrip() + comment


def _list_lines(head: str, part: JsonSchema, value: object, explained: set[str]) -> Iterator[str]:
    indent, item = _indent_of(head), part.get("items", {})
    is_of_objects = item.get("type") == "object"
    entries: list[JsonSchema] = part.get("prefixItems") or ([item] * part.get("minItems", 0) if is_of_objects else [])
    if entries:
        given = cast("list[object]", value) if isinstance(value, list) else []
        yield head
        for entry, values in zip_longest(entries, given[: len(entries)]):
            yield from _entry_lines(entry, values, indent, explained)
        return
    has_example = is_of_objects and not value
    yield f"{head} {to_flow(value or [])}  # {describe_value(part)}{', each like this:' if has_example else ''}"
    if has_example:
        yield from (f"{indent}# {line[len(indent) :]}" for line in _entry_lines(item, None, indent, explained))


def _entry_lines(item: JsonSchema, values: object, indent: str, explained: set[str]) -> Iterator[str]:
    lines = list(_object_lines(item, values, f"{indent}  ", explained))
    first = next((place for place, line in enumerate(lines) if not line.lstrip().startswith("#")), 0)
    for place, line in enumerate(lines):
        yield f"{indent}- {line[len(indent) + 2 :]}" if place == first else line


def _indent_of(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
