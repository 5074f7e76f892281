"""JSON Schemas of the configuration and the transcript, generated from their models, for editors and programs."""

import ast
import importlib
import inspect
import json
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from types import ModuleType
from typing import Any

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.config_checks import CONFIGURABLE_PHASES, MIN_DEBATERS
from debate_cli.domain.judging_config import settings_class
from debate_cli.plugins import SYSTEMS
from debate_cli.storage.plain_data import is_list, is_mapping
from debate_cli.storage.transcript import Transcript

JSON_SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_MODULES = tuple(
    f"debate_cli.domain.{name}"
    for name in (
        "assessment", "config", "turn", "evidence", "events", "model_call", "participant", "personality", "judging_config", "judging_run", "tasks", "verdict",
    )
)  # fmt: skip
_ANNOTATION_KEYS = ("title", "description", "default")
_VARIABLE_SCHEMA = {"type": "string", "pattern": r"\$\{[A-Za-z_]"}
_FILE_SCHEMA = {
    "type": "object",
    "properties": {"file": {"type": "string"}},
    "required": ["file"],
    "additionalProperties": False,
}


def config_schema() -> dict[str, Any]:
    """Return the schema of `debate.yaml`. It also accepts short forms of values, and `${VAR}`."""
    schema = add_descriptions(DebateConfig.model_json_schema(), _field_docs())
    definitions = schema["$defs"]
    systems = definitions["JudgingConfig"]["properties"]["systems"]
    systems["items"] = {"anyOf": [{"enum": list(SYSTEMS.built_in)}, systems["items"]]}
    form = definitions["FormatConfig"]["properties"]
    for phases in (form["phases"], form["rounds"]["anyOf"][1]):
        phases["items"]["enum"] = list(CONFIGURABLE_PHASES)
    del definitions["Thresholds"]["required"]
    schema["properties"]["debaters"]["minItems"] = MIN_DEBATERS
    schema["properties"]["background"]["anyOf"].append(_FILE_SCHEMA)
    schema["properties"]["topic"]["pattern"] = r"\S"
    for definition in [schema, *definitions.values()]:
        properties = definition.get("properties", {})
        properties |= {key: _allow_null(field) for key, field in properties.items()}
    schema = _allow_variables(schema)
    return {"$schema": JSON_SCHEMA_DIALECT, **schema, "title": "debate.yaml"}


def transcript_schema() -> dict[str, Any]:
    """Return the schema of a transcript.

    A key is optional if transcripts omit it when it is empty. All other keys are required.
    """
    schema = add_descriptions(Transcript.model_json_schema(mode="serialization"), _field_docs())
    schema["required"] = [name for name, field in Transcript.model_fields.items() if field.exclude_if is None]
    return {"$schema": JSON_SCHEMA_DIALECT, **schema, "title": "debate-cli transcript"}


def format_schema(schema: Mapping[str, Any]) -> str:
    """Return the text of a schema file."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _allow_null(field: dict[str, Any]) -> dict[str, Any]:
    return _either(field, {"type": "null"}) if isinstance(field.get("default"), list | dict) else field


def _allow_variables(node: Any) -> Any:
    if is_list(node):
        return [_allow_variables(item) for item in node]
    if not is_mapping(node):
        return node
    if node.get("type") in {"number", "integer", "boolean"}:
        return _either(node, _VARIABLE_SCHEMA)
    return {key: _allow_variables(value) for key, value in node.items()}


def _either(schema: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    about = {key: schema[key] for key in _ANNOTATION_KEYS if key in schema}
    bare = {key: value for key, value in schema.items() if key not in about}
    return {**about, "anyOf": [bare, other]}


def add_descriptions(schema: dict[str, Any], docs: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """Add descriptions to the fields of `schema`. `docs`: descriptions by class and field."""
    for name, definition in [*schema["$defs"].items(), (schema["title"], schema)]:
        for field, words in docs.get(name, {}).items():
            if field in definition.get("properties", {}):
                definition["properties"][field].setdefault("description", words)
    return schema


@cache
def _field_docs() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    of_systems = (
        cls.__module__ for kind in SYSTEMS.built_in for cls in (settings_class(kind), *SYSTEMS.load(kind).findings)
    )
    for name in dict.fromkeys((*_MODULES, *of_systems, Transcript.__module__)):
        found |= field_docs(importlib.import_module(name))
    return found


def field_docs(module: ModuleType) -> dict[str, dict[str, str]]:
    """Return the docstrings beneath the fields of a module's classes, by class and field."""
    classes = [node for node in ast.parse(inspect.getsource(module)).body if isinstance(node, ast.ClassDef)]
    return {node.name: _class_field_docs(node) for node in classes}


def _class_field_docs(node: ast.ClassDef) -> dict[str, str]:
    return {
        field.target.id: inspect.cleandoc(str(beneath.value.value)).replace("\n", " ")
        for field, beneath in pairwise(node.body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(beneath, ast.Expr)
        and isinstance(beneath.value, ast.Constant)
    }
