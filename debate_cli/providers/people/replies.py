"""Parses a person's answer to a form, in YAML, JSON or plain words. Pure functions."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

import yaml

from debate_cli.llm.form import Form, JsonSchema
from debate_cli.llm.json_reply import parse_reply

_FENCE = re.compile(r"^(`{3,}|~{3,})[^\n`]*\n(.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL)
_FALSE_WORDS, _TRUE_WORDS = frozenset({"no", "n", "false"}), frozenset({"yes", "y", "true"})
_STARTS = (
    yaml.FlowMappingStartToken,
    yaml.FlowSequenceStartToken,
    yaml.BlockMappingStartToken,
    yaml.BlockSequenceStartToken,
)
_ENDS = (yaml.FlowMappingEndToken, yaml.FlowSequenceEndToken, yaml.BlockEndToken)
MAX_DEPTH = 40
NOT_FILLED_IN = "nothing is filled in yet"


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
    """Whether the person answered in plain words although a form was requested. The person is then not asked again."""
    is_readable: bool = True
    """Whether the answer could be parsed. A form is also readable if it lacks required texts."""


def read_reply(text: str, form: Form[Any] | None, *, accepts_text: bool = False) -> PersonAnswer:
    """Parse a person's answer. `form`: the requested form. If `form` is None, any text is an answer.

    `accepts_text`: whether plain words without a form are also an answer.

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
    parsed = parse_reply(text, form)
    if parsed.form is not None:
        return check_value(parsed.form.model_dump(mode="json", exclude_unset=True), form)
    if parsed.outcome == "invalid":
        return _unreadable(text, *parsed.faults)
    if accepts_text:
        return PersonAnswer(text, is_final=True)
    names = ", ".join(form.schema.get("properties", {}))
    return _unreadable(text, f"there is no form in the answer; fill in {names}")


def _unreadable(text: str, *problems: str) -> PersonAnswer:
    return PersonAnswer(text, problems, is_usable=False, is_readable=False)


def check_value(value: Mapping[str, Any], form: Form[Any]) -> PersonAnswer:
    """Check a filled-in form. Return it as an answer, with its problems."""
    texts = list(_walk_texts(value, form.schema))
    empty = tuple(
        f"{where} is empty"
        for where, text, part in texts
        if not text.strip() and (part.get("minLength", 0) > 0 or "enum" in part or "const" in part)
    )
    if empty and not any(text.strip() for _, text, part in texts if not {"const", "enum"} & part.keys()):
        return _unreadable("{}", NOT_FILLED_IN, *empty)
    text = json.dumps(value, ensure_ascii=False)
    parsed = parse_reply(text, form)
    rest = tuple(fault for fault in parsed.faults if not any(fault.startswith(f"{item[:-9]}:") for item in empty))
    is_readable = parsed.outcome == "valid" or (form.lenient and parsed.outcome == "off_schema")
    return PersonAnswer(text, (*empty, *rest), is_usable=is_readable and not empty, is_readable=is_readable)


def _find_form(text: str, form: Form[Any]) -> tuple[dict[str, Any] | None, str | None]:
    fenced = [match[2] for match in _FENCE.finditer(text)]
    names = "|".join(map(re.escape, form.schema.get("properties", {})))
    begin = re.compile(rf"^\s*[\"']?(?:{names})[\"']?\s*:", re.MULTILINE)
    broken: str | None = None
    for candidate in (text, *fenced) if len(fenced) <= 1 else fenced:
        try:
            value = load_yaml_strings(candidate)
        except yaml.YAMLError as error:
            if begin.search(candidate):
                broken = broken or _describe_yaml_error(error)
            continue
        if isinstance(value, dict) and set(cast("dict[str, Any]", value)) & set(form.schema.get("properties", {})):
            return cast("dict[str, Any]", convert_strings(value, form.schema)), None
    return None, broken


def load_yaml_strings(text: str) -> Any:
    """Load YAML or JSON with all scalars as strings. Raises yaml.YAMLError, also for anchors, aliases and tags."""
    depth = 0
    for token in yaml.scan(text, Loader=yaml.BaseLoader):
        depth += isinstance(token, _STARTS) - isinstance(token, _ENDS)
        if depth > MAX_DEPTH:
            raise yaml.YAMLError("nested too deeply")
        if isinstance(token, yaml.AliasToken | yaml.AnchorToken | yaml.TagToken):
            raise yaml.MarkedYAMLError(
                problem="a text that begins with *, & or ! needs quotes, or a line of its own after `|`",
                problem_mark=token.start_mark,
            )
    return yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - it builds strings, lists and mappings only


def _describe_yaml_error(error: yaml.YAMLError) -> str:
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return f"the answer is not valid YAML ({error})"
    mark = error.problem_mark
    return f"line {mark.line + 1}, column {mark.column + 1}: {error.problem}; write a longer text on indented lines below `|`"


def convert_strings(value: Any, schema: JsonSchema) -> Any:
    """Return `value` with its strings converted to the types in `schema` where possible."""
    match schema.get("type"):
        case "object" if isinstance(value, dict):
            parts = schema.get("properties", {})
            members = cast("dict[str, Any]", value)
            return {str(key): convert_strings(item, parts.get(key, {})) for key, item in members.items()}
        case "array":
            if isinstance(value, str):
                value = [part.strip() for part in re.split(r"[,\n]", value) if part.strip()]
            values = cast("list[Any]", value if isinstance(value, list) else [value])
            return [convert_strings(item, part) for item, part in pair_items(values, schema)]
        case "integer" | "number" if isinstance(value, str):
            with suppress(ValueError):
                number = float(value)
                return int(number) if number.is_integer() and "." not in value else number
            return value
        case "boolean":
            word = value.strip().casefold() if isinstance(value, str) else ""
            return True if word in _TRUE_WORDS else False if word in _FALSE_WORDS else value
        case _:
            return value.strip() if isinstance(value, str) else value


def pair_items(values: list[Any], schema: JsonSchema) -> Iterator[tuple[Any, JsonSchema]]:
    """Yield each item of a list with the item's schema."""
    known: list[JsonSchema] = schema.get("prefixItems", [])
    for number, value in enumerate(values):
        yield value, known[number] if number < len(known) else schema.get("items") or (known[0] if known else {})


def _walk_texts(value: Any, schema: JsonSchema, path: str = "") -> Iterator[tuple[str, str, JsonSchema]]:
    if isinstance(value, str):
        yield path or "the answer", value, schema
    elif isinstance(value, Mapping):
        parts = schema.get("properties", {})
        for key, item in cast("Mapping[str, Any]", value).items():
            yield from _walk_texts(item, parts.get(key, {}), f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for number, (item, part) in enumerate(pair_items(cast("list[Any]", value), schema)):
            yield from _walk_texts(item, part, f"{path}[{number}]")
