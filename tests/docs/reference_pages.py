"""The reference pages, generated from the code: every key of a configuration, every option of the command line."""

import inspect
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, get_args, get_origin

import typer

from debate_cli.cli.app import COMMANDS, EXAMPLES_HEADING, load_command
from debate_cli.storage.schema import config_schema

MADE = "<!-- Generated from the code by `make docs-reference`. Do not edit. -->"
SECTIONS = (
    ("DebateConfig", "", "The whole file"),
    ("ModelSpec", "models.NAME", "Models"),
    ("DebaterConfig", "debaters[]", "Debaters"),
    ("Personality", "debaters[].personality", "Personality in twelve numbers"),
    ("FormatConfig", "format", "Format"),
    ("EvidenceConfig", "evidence", "Sources of a debate"),
    ("EvidenceSource", "evidence.sources[]", "A source with its title"),
    ("WebSearchConfig", "evidence.web", "Web search"),
    ("RerankConfig", "evidence.rerank", "Order of passages by meaning"),
    ("JudgingConfig", "judging", "Judging"),
    ("StructuredSettings", "judging.systems[] with kind: structured", "Structured"),
    ("StructuredWeights", "… weights", "Weights of the structured system"),
    ("Criterion", "… criteria[]", "Criteria of the structured system"),
    ("StructuredJudge", "… judges[]", "Judges of the structured system"),
    ("FallacyDefinition", "… fallacies[]", "Fallacies of the structured system"),
    ("ModeratorSettings", "judging.systems[] with kind: moderator", "Moderator"),
    ("PanelSettings", "judging.systems[] with kind: panel", "Panel"),
    ("PanelJudge", "… judges[]", "Members of a panel"),
    ("LiveSettings", "judging.systems[] with kind: live", "Live"),
    ("PenaltyPoints", "judging.systems[].penalties", "Penalties of live"),
    ("PersuasionSettings", "judging.systems[] with kind: persuasion", "Persuasion"),
    ("PersuasionFactors", "… factors", "Factors of persuasion"),
    ("Keywords", "… keywords", "Keywords of effects"),
    ("VictoryConditions", "… victory_conditions", "Conditions of surrender"),
    ("SourcesSettings", "judging.systems[] with kind: sources", "Sources"),
    ("Thresholds", "… thresholds", "Thresholds of a verdict"),
    ("ProviderSpec", "providers.NAME", "Providers"),
    ("Price", "… price", "Price"),
    ("MockFaults", "models.NAME.faults", "Faults of the mock"),
    ("MockBias", "models.NAME.bias", "Biases of the mock as a judge"),
    ("Limits", "limits", "Limits"),
    ("Output", "output", "Output"),
)
"""Class, its place in the file, heading."""
ABOUT = (
    "Every key of `debate.yaml`. `topic`, `debaters` and a model for each debater and judge are required (`models.default` "
    "serves all; `--mock` replaces all); other keys have defaults. Unknown keys are errors. "
    "`${VAR}` and `${VAR:-default}` insert environment variables into the settings of `providers` and `evidence.web.base_url`, "
    "and `vars` into all other values. "
    "`--set format.arguments=2` changes a key on the command line, `DEBATE__FORMAT__ARGUMENTS=2` in the environment. "
    "`debate check` reports all mistakes with line and column; contradictions between values only once each value is valid."
)
TITLES = {name: title for name, _, title in SECTIONS}


def config_reference() -> str:
    """docs/reference/config.md."""
    schema = config_schema()
    kinds: dict[str, Any] = {**schema["$defs"], "DebateConfig": schema}
    parts = [
        "# Configuration",
        MADE,
        ABOUT,
        "Contents: " + " · ".join(f"[{title}](#{_anchor(title)})" for _, _, title in SECTIONS),
    ]
    for name, place, title in SECTIONS:
        parts += [f"## {title}", *_section(kinds[name], place), _table(_rows(kinds[name]))]
    return "\n\n".join(parts) + "\n"


def cli_reference() -> str:
    """docs/reference/cli.md."""
    parts = [
        "# Command line",
        MADE,
        "`debate COMMAND --help` prints the same. Data goes to stdout, everything else to stderr.",
        _table(
            [
                ("command", "purpose"),
                *((f"[{name}](#debate-{name})", load_command(name).help.partition("\n\n")[0]) for name in COMMANDS),
            ]
        ),
    ]
    for name in COMMANDS:
        parts += _command(name)
    return "\n\n".join(parts) + "\n"


def documented() -> Iterator[tuple[str, str, bool]]:
    """Class, key, and whether the key is explained, of every key of the configuration reference."""
    schema = config_schema()
    kinds: dict[str, Any] = {**schema["$defs"], "DebateConfig": schema}
    for name, _, _ in SECTIONS:
        for key, field in kinds[name]["properties"].items():
            yield name, key, bool(field.get("description"))


def _section(kind: Mapping[str, Any], place: str) -> list[str]:
    said = str(kind.get("description", ""))
    where = f"At `{place}`." if place else ""
    return [" ".join(part for part in (where, said) if part).replace("\n", " ")]


def _rows(kind: Mapping[str, Any]) -> list[tuple[str, ...]]:
    needed = kind.get("required", [])
    found: list[tuple[str, ...]] = [("key", "type", "default", "meaning")]
    for key, field in kind["properties"].items():
        default = "required" if key in needed else _default(field)
        found.append((f"`{key}`", _type(field), default, str(field.get("description", ""))))
    return found


def _default(field: Mapping[str, Any]) -> str:
    if "default" not in field:
        return ""
    value: Any = field["default"]
    if value is None:
        return "–"
    text = re.sub(r'"(\w[\w ]*)"', r"\1", json.dumps(value, ensure_ascii=False))
    return "its own" if text.count("{") + text.count("[") > 1 else f"`{text}`"


def _type(field: Mapping[str, Any]) -> str:
    """A type in words, with its bounds. The text pattern of `${VAR}`, which every value allows, is left out."""
    if "$ref" in field:
        name = str(field["$ref"]).rpartition("/")[2]
        return f"[{name}](#{_anchor(TITLES[name])})"
    choices = field.get("anyOf") or field.get("oneOf")
    if choices:
        found = [_type(choice) for choice in choices if "pattern" not in choice or choice.get("type") != "string"]
        found += [_type(choice) for choice in choices if choice.get("pattern", "$").startswith("^")]
        return " or ".join(dict.fromkeys(word for word in found if word != "null"))
    if "enum" in field or "const" in field:
        return ", ".join(f"`{value}`" for value in field.get("enum", [field.get("const")]))
    if field.get("type") == "array":
        return f"list of {_type(field.get('items', {}))}"
    if field.get("type") == "object":
        return (
            f"name → {_type(field['additionalProperties'])}"
            if isinstance(field.get("additionalProperties"), dict)
            else "mapping"
        )
    return " ".join(part for part in (str(field.get("type", "")), _bounds(field)) if part)


def _bounds(field: Mapping[str, Any]) -> str:
    """The bounds in words, e.g. `0–10`; with an open bound, e.g. `> 0 and ≤ 10`."""
    if "minimum" in field and "maximum" in field:
        return f"{field['minimum']:,.15g}–{field['maximum']:,.15g}"
    signs = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    return " and ".join(f"{sign} {field[key]:,.15g}" for key, sign in signs.items() if key in field)


def _command(name: str) -> list[str]:
    command = load_command(name)
    params = [param for param in command.get_params(typer.Context(command)) if param.name != "help"]
    arguments = [param for param in params if param.param_type_name == "argument"]
    prose, _, examples = command.help.partition(f"{EXAMPLES_HEADING}\n\n")
    usage = " ".join(["debate", name, *map(_placeholder, arguments), "[OPTIONS]"])
    parts = [f"## debate {name}", prose.strip()]
    if examples:
        parts.append(f"```sh\n{inspect.cleandoc(examples)}\n```")
    parts.append(f"```text\n{usage}\n```")
    if arguments:
        parts.append(_table([("argument", "meaning"), *((f"`{_placeholder(each)}`", each.help) for each in arguments)]))
    options = [param for param in params if param.param_type_name == "option"]
    parts.append(_table([("option", "meaning"), *((_spelt(param), _meaning(param)) for param in options)]))
    return [*parts, command.epilog] if command.epilog else parts


def _placeholder(param: Any) -> str:
    shown = param.metavar or _choices(param) or param.name.upper()
    return shown if param.required else f"[{shown}]"


def _spelt(param: Any) -> str:
    value = "" if param.is_flag else f" {param.metavar or _choices(param)}"
    return f"`{', '.join([*param.opts, *param.secondary_opts])}{value}`"


def _choices(param: Any) -> str:
    annotation = param.type_descriptor.annotation
    members = getattr(annotation, "__members__", {})
    values = (
        get_args(annotation) if get_origin(annotation) is Literal else [member.value for member in members.values()]
    )
    return "|".join(map(str, values))


def _meaning(param: Any) -> str:
    extra = "; repeatable" if param.multiple and "repeatable" not in param.help else ""
    default = param.default
    shown = "" if default in (None, False) or param.is_flag else f" Default: `{getattr(default, 'value', default)}`."
    return param.help.removesuffix(".") + extra + "." + shown


def _table(rows: list[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|")


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")
