"""Checks a form that a person filled in, and describes each problem in plain words. Pure functions."""

import json
from collections.abc import Mapping
from typing import Any, cast

from pydantic import ValidationError

from debate_cli.domain.config_checks import Problem
from debate_cli.llm.form import Form, FormT, JsonSchema, find_violations, person_schema
from debate_cli.providers.people.replies import pair_items
from debate_cli.providers.people.yaml_form import describe_value


def check_answer(answer: Any, form: Form[FormT]) -> tuple[FormT | None, list[Problem]]:
    """Return (filled-in form, problems). The form is None if there are problems.

    `answer`: the content of a YAML file. An empty field takes its default.
    """
    schema = person_schema(form)
    value = drop_empty_fields(answer, schema)
    problems: list[Problem] = []
    for violation in find_violations(value, schema):
        expected = describe_value(dict(violation.schema))
        message = f"must be {expected}" if violation.is_wrong_type else violation.fault
        problems.append(Problem(violation.path, f"is empty; write {expected}" if violation.value is None else message))
    if problems:
        return None, problems
    try:
        return form.model.model_validate_json(json.dumps(value)), []
    except ValidationError as error:
        faults = error.errors(include_url=False)
        return None, [Problem(tuple(each["loc"]), each["msg"].removeprefix("Value error, ")) for each in faults]


def drop_empty_fields(value: Any, schema: JsonSchema) -> Any:
    """Return `value` without empty optional fields, and without spaces around texts. In an integer field, 3.0 becomes 3."""
    if isinstance(value, Mapping):
        parts: Mapping[str, JsonSchema] = schema.get("properties", {})
        required = schema.get("required", ())
        members = cast("Mapping[str, Any]", value).items()
        filled = {key: drop_empty_fields(item, parts.get(key, {})) for key, item in members}
        return {key: item for key, item in filled.items() if key in required or item is not None}
    if isinstance(value, list):
        entries = cast("list[Any]", value)
        return [drop_empty_fields(item, part) for item, part in pair_items(entries, schema)]
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, float) and schema.get("type") == "integer" and value.is_integer():
        return int(value)
    return value
