"""Parses a person's answer to a form, in YAML, JSON or plain words. Pure functions."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from pydantic import ValidationError

from debate_cli.domain.config_checks import Problem
from debate_cli.llm.form import Form, FormT, JsonSchema, Violation, find_violations, person_schema
from debate_cli.llm.json_reply import MAX_FAULTS, is_cut_off, parse_reply
from debate_cli.providers.people.yaml_form import describe_value
from debate_cli.yaml_positions import parse_yaml

_FENCE = re.compile(r"^(`{3,}|~{3,})[^\n`]*\n(.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL)
_FALSE_WORDS, _TRUE_WORDS = frozenset({"no", "n", "false"}), frozenset({"yes", "y", "true"})
_JSON_AT_START = re.compile(r"(?:`{3,}\w*\s*)?\{\s*\"")
_IS_EMPTY = "is empty"
NOT_FILLED_IN = "nothing is filled in yet"
UNREADABLE_JSON = "its JSON is cut off, broken, or more than one object; write one whole object"


@dataclass(frozen=True, slots=True)
class PersonAnswer:
    """A person's answer after parsing."""

    text: str
    """The filled-in form as JSON, or the answer in plain words."""
    problems: tuple[str, ...] = ()
    """Errors and missing parts of the answer, one line each."""
    is_usable: bool = True
    """Whether the answer can be used: it is readable, and no required text is missing."""
    is_final: bool = False
    """Whether the answer is kept although the requested form is not filled in. Then the person is not asked again. True
    for an answer in plain words, if the task accepts plain words."""
    is_readable: bool = True
    """Whether the answer could be parsed. A form is readable even if it lacks required texts."""


def read_reply(text: str, form: Form[Any] | None, *, accepts_text: bool = False) -> PersonAnswer:
    """Parse a person's answer. `form`: the requested form. If `form` is None, any text is an answer.

    `accepts_text`: whether plain words without a form are also an answer. Text that begins with JSON never counts as plain
    words.

    If a required text of the form is empty, the answer is not usable.
    """
    text = text.removeprefix("\ufeff").strip()
    if not text:
        return _unreadable(text, NOT_FILLED_IN)
    if form is None:
        return PersonAnswer(text)
    value, problem = _find_form(text, form)
    if value is not None:
        return check_value(value, form)
    if problem is not None:
        return _unreadable(text, problem)
    is_json = _JSON_AT_START.match(text) is not None
    if is_json and is_cut_off(text):
        return _unreadable(text, UNREADABLE_JSON)
    parsed = parse_reply(text, form)
    if parsed.form is not None:
        return check_value(parsed.form.model_dump(mode="json", by_alias=True, exclude_unset=True), form)
    if parsed.outcome == "invalid":
        return _unreadable(text, *parsed.faults)
    if is_json:
        return _unreadable(text, UNREADABLE_JSON)
    if accepts_text:
        return PersonAnswer(text, is_final=True)
    names = ", ".join(form.schema.get("properties", {}))
    return _unreadable(text, f"there is no form in the answer; fill in {names}")


def _unreadable(text: str, *problems: str) -> PersonAnswer:
    return PersonAnswer(text, problems, is_usable=False, is_readable=False)


def check_value(value: Any, form: Form[Any]) -> PersonAnswer:
    """Check a filled-in form. Return it as an answer, with its problems."""
    filled, problems = check_answer(value, form)
    lines = tuple(map(format_problem, problems[:MAX_FAULTS]))
    has_empty_field = any(problem.message.startswith(_IS_EMPTY) for problem in problems)
    if has_empty_field and not _has_content(value, form.schema):
        return _unreadable("{}", NOT_FILLED_IN, *lines)
    is_readable = filled is not None and (form.lenient or not problems)
    text = json.dumps(value, ensure_ascii=False)
    return PersonAnswer(text, lines, is_usable=is_readable and not has_empty_field, is_readable=is_readable)


def check_answer(answer: Any, form: Form[FormT]) -> tuple[FormT | None, list[Problem]]:
    """Return (filled-in form, problems). The form is None if the answer does not fit the form's pydantic model.

    `answer`: the content of a YAML or JSON text. An empty optional field takes its default.
    """
    schema = person_schema(form)
    value = convert_answer(answer, schema)
    problems = [Problem(violation.path, _describe(violation)) for violation in find_violations(value, schema)]
    try:
        return form.model.model_validate_json(json.dumps(value)), problems
    except ValidationError as error:
        faults = error.errors(include_url=False)
        found = [Problem(tuple(each["loc"]), each["msg"].removeprefix("Value error, ")) for each in faults]
        return None, problems or found


def format_problem(problem: Problem) -> str:
    """Return `key.path: what is wrong`."""
    return f"{'.'.join(map(str, problem.path)) or 'the answer'}: {problem.message}"


def _describe(violation: Violation) -> str:
    expected = describe_value(dict(violation.schema))
    if violation.value in (None, ""):
        return f"{_IS_EMPTY}; write {expected}"
    return f"must be {expected}" if violation.is_wrong_type else violation.fault


def _find_form(text: str, form: Form[Any]) -> tuple[dict[str, Any] | None, str | None]:
    fenced = [match[2] for match in _FENCE.finditer(text)]
    names = "|".join(map(re.escape, form.schema.get("properties", {})))
    begin = re.compile(rf"^\s*[\"']?(?:{names})[\"']?\s*:", re.MULTILINE)
    broken: str | None = None
    for candidate in (text, *fenced) if len(fenced) <= 1 else fenced:
        value, _, faults = parse_yaml(candidate, scalars_as_text=True)
        if faults and broken is None and begin.search(candidate):
            (line, column), fault = faults[0]
            broken = f"line {line}, column {column}: {fault}, or write a longer text on indented lines below `|`"
        if not faults and isinstance(value, dict) and value.keys() & form.schema.get("properties", {}).keys():
            return convert_answer(value, person_schema(form)), None
    return None, broken


def convert_answer(value: Any, schema: JsonSchema) -> Any:
    """Return `value` with its texts stripped and, where possible, converted to the types in `schema`.

    An optional field that is empty is left out if `schema` does not allow it to be empty.
    """
    match schema.get("type"):
        case "object" if isinstance(value, dict):
            parts, required = schema.get("properties", {}), schema.get("required", ())
            members = cast("dict[str, Any]", value).items()
            converted = {key: convert_answer(item, parts.get(key, {})) for key, item in members}
            return {
                key: item
                for key, item in converted.items()
                if key in required or item not in (None, "") or not any(find_violations(item, parts.get(key, {})))
            }
        case "array" if value is not None:
            if isinstance(value, str):
                parts = re.split(_item_separator(schema.get("items", {})), value)
                value = [part.strip() for part in parts if part.strip()]
            values = cast("list[Any]", value if isinstance(value, list) else [value])
            return [convert_answer(item, part) for item, part in _pair_items(values, schema)]
        case "integer" | "number" if isinstance(value, str | float):
            with suppress(ValueError):
                number = float(value)
                return int(number) if number.is_integer() else number
            return cast("str", value).strip()
        case "boolean" if isinstance(value, str):
            word = value.strip().casefold()
            return True if word in _TRUE_WORDS else False if word in _FALSE_WORDS else word
        case _:
            return value.strip() if isinstance(value, str) else value


def _item_separator(item: JsonSchema) -> str:
    return r"\n" if item.get("type") == "string" and "enum" not in item else r"[,\n]"


def _pair_items(values: list[Any], schema: JsonSchema) -> Iterator[tuple[Any, JsonSchema]]:
    known: list[JsonSchema] = schema.get("prefixItems", [])
    for number, value in enumerate(values):
        yield value, known[number] if number < len(known) else schema.get("items") or (known[0] if known else {})


def _has_content(value: Any, schema: JsonSchema) -> bool:
    """Whether the person filled in any field."""
    if isinstance(value, dict):
        parts = schema.get("properties", {})
        return any(_has_content(item, parts.get(key, {})) for key, item in cast("dict[str, Any]", value).items())
    if isinstance(value, list):
        return any(_has_content(item, part) for item, part in _pair_items(cast("list[Any]", value), schema))
    return value not in (None, "") and "const" not in schema
