"""Formats each error of a configuration as a line: `file:line:column: key.path: what is wrong; what to do`."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import Any, cast, get_args

from pydantic import BaseModel, ValidationError

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.config_checks import CONFIGURABLE_PHASES, KeyPath, Problem
from debate_cli.domain.judging_config import settings_class
from debate_cli.domain.message_text import closest_match, format_suggestion
from debate_cli.domain.turn import Phase
from debate_cli.errors import ConfigError
from debate_cli.llm.redaction import Redactor
from debate_cli.plugins import SYSTEMS
from debate_cli.storage.plain_data import get_child, is_list, is_mapping
from debate_cli.yaml_positions import NodePosition, SourcePosition, YamlFault, escape_unprintable, parse_yaml

MAX_PROBLEMS = 200
"""Maximum number of errors of one file that are reported at once."""
_MESSAGE_CHARS = 400
_KEY_CHARS = 80
_QUOTED = re.compile(r"'([^']*)'")
_MESSAGES = {
    "missing": "is missing; add it",
    "string_type": "must be text; put it in quotes",
    "string_too_short": "is empty; write a text",
    "int": "must be a whole number",
    "float": "must be a number",
    "bool": "must be true or false",
    "greater_than": "must be above {gt:,.15g}",
    "greater_than_equal": "must be at least {ge:,.15g}",
    "less_than": "must be below {lt:,.15g}",
    "less_than_equal": "must be at most {le:,.15g}",
    "too_short": "is empty; add an item, or remove the key",
    "model": "must be a mapping of keys to values",
    "dict": "must be a mapping of keys to values",
    "tuple": "must be a list; put its items in brackets, or write a `-` before each",
    "list": "must be a list; put its items in brackets, or write a `-` before each",
    "union_tag_not_found": "has no `kind`; add one, such as `kind: structured`",
}
_EXAMPLE_MODEL = "openai/gpt-5"
_PATTERN_MESSAGES = {
    "model": f"must be `provider/model`, such as `{_EXAMPLE_MODEL}`",
    "prefix": "must have 1 to 16 letters and digits, and begin with a letter",
}
_REDACT = Redactor()
_DEPENDENT_SECTIONS = {"models": ("debaters", "judging"), "evidence": ("judging",), "providers": ("models",)}
_SYSTEM_DEPTH = 3
"""Length of the key path of a judging system, e.g. (`judging`, `systems`, 0)."""
_UNLISTED_PHASES = frozenset(get_args(Phase)) - frozenset(CONFIGURABLE_PHASES)


@dataclass(frozen=True, slots=True)
class SourceMap:
    """Where each part of a configuration comes from: a position in the file, an option or a variable."""

    name: str
    """The file as the user named it, or `stdin`."""
    positions: Mapping[KeyPath, NodePosition] = field(default_factory=dict[KeyPath, NodePosition])
    """Position of each key and value in the file, by key path."""
    origins: Mapping[KeyPath, str] = field(default_factory=dict[KeyPath, str])
    """Maps the key path of a value to the option or variable that the value comes from. Values from the file are left
    out."""

    def locate(self, path: KeyPath) -> str:
        """Return the origin of the value at `path`: an option, a variable, or `file:line:column`.

        A missing value has the position of the nearest mapping or list around it.
        """
        return self._format_position(self._find(path))

    def _format_position(self, found: SourcePosition | str) -> str:
        return found if isinstance(found, str) else f"{self.name}:{found.line}:{found.column}"

    def _find(self, path: KeyPath, *, is_key: bool = False) -> SourcePosition | str:
        heads = [path[:length] for length in range(len(path), -1, -1)]
        origin = next((self.origins[head] for head in heads if head in self.origins), None)
        if origin is not None:
            return origin
        head = next((head for head in heads if head in self.positions), None)
        if head is None:
            return self.name
        return self.positions[head].key if is_key and head == path else self.positions[head].value

    def format_problem(self, problem: Problem) -> str:
        """Return one line: `file:line:column: key.path: what is wrong; what to do`.

        If the value comes from an option or a variable, the line begins with the option or variable instead of
        `file:line:column`.
        """
        where = self._format_position(self._find(problem.path, is_key=problem.is_key_error))
        key = ".".join(_shorten(str(part), _KEY_CHARS) for part in problem.path)
        names_key = where.startswith("--") and where not in {"--set", "--var"}
        message = _shorten(problem.message, _MESSAGE_CHARS)
        return f"{where}: {message}" if names_key or not key else f"{where}: {key}: {message}"

    def format_problems(self, problems: Iterable[Problem], redact: Callable[[str], str] = _REDACT) -> list[str]:
        """Return one line per problem in the order of the file, without duplicates.

        After MAX_PROBLEMS lines, a last line says that there are more.
        """

        def rank(problem: Problem) -> tuple[bool, SourcePosition | str]:
            found = self._find(problem.path, is_key=problem.is_key_error)
            return isinstance(found, str), found

        return limit_lines(self.name, map(redact, map(self.format_problem, sorted(problems, key=rank))))


def load_yaml(name: str, text: str) -> tuple[Any, SourceMap]:
    """Parse YAML. Return the data, and the positions of keys and values. Raises ConfigError with one line per error."""
    parsed = parse_yaml(text)
    if parsed.faults:
        raise ConfigError(*limit_lines(name, format_faults(name, parsed.faults)))
    return parsed.data, SourceMap(name, parsed.positions)


def format_faults(name: str, faults: Iterable[YamlFault]) -> Iterator[str]:
    """Yield one line per YAML error in the file `name`."""
    for (line, column), message in faults:
        yield _REDACT(f"{name}:{line}:{column}: {_shorten(message, _MESSAGE_CHARS)}")


def limit_lines(name: str, lines: Iterable[str]) -> list[str]:
    """Return the first MAX_PROBLEMS of `lines`. If there are more, another line says so. `name`: name of the file."""
    shown = list(dict.fromkeys(islice(lines, MAX_PROBLEMS + 1)))
    if len(shown) > MAX_PROBLEMS:
        shown[MAX_PROBLEMS:] = [f"{escape_unprintable(name)}: there are more errors; correct these first"]
    return shown


def problems_from_validation(error: ValidationError, data: Any, model: type[BaseModel] = DebateConfig) -> list[Problem]:
    """Return one problem for each wrong value in `data`. `model`: the class that rejected `data`."""
    found: dict[KeyPath, list[Any]] = {}
    for item in error.errors(include_url=False):
        found.setdefault(_key_path(item, data), []).append(item)
    parents = {path[:length] for path in found for length in range(len(path))}
    misspelt = {
        (*path[:-1], closest_match(str(path[-1]), _allowed_keys(path[:-1], data, model)))
        for path, items in found.items()
        if items[0]["type"] == "extra_forbidden"
    }
    innermost = (
        (path, items)
        for path, items in found.items()
        if path not in parents and not (path in misspelt and items[0]["type"] in {"missing", "extra_forbidden"})
    )
    return [_merge_errors(path, items, data, model) for path, items in islice(innermost, MAX_PROBLEMS + 1)]


@dataclass(slots=True)
class ConfigRepair:
    """Replaces wrong parts of a configuration, so that checks can find the errors in the other parts."""

    data: dict[str, Any]
    """The configuration, which `repair` changes in place."""
    renamed: dict[KeyPath, KeyPath] = field(default_factory=dict[KeyPath, KeyPath])
    """The keys that `repair` renamed: maps the new path of each key to the path in the file."""
    skipped_sections: set[str] = field(default_factory=set[str])
    """Names of the sections that checks skip, because `repair` may have caused the errors in them.

    If `repair` removes a section or one of its entries, this set gets the names of that section and of the sections that
    depend on it.
    """
    _replaced: set[KeyPath] = field(default_factory=set[KeyPath])

    def repair(self, problem: Problem) -> None:
        """Rename the misspelt key in `problem`, or replace the wrong value with a valid one.

        If neither is possible, the key or value is removed.
        """
        *inner, key = problem.path or ("",)
        parent, is_misspelt = value_at(self.data, tuple(inner)), problem.is_key_error
        match = closest_match(str(key), _allowed_keys(tuple(inner), self.data)) if is_misspelt else None
        if match is not None and is_mapping(parent) and match not in parent:
            parent[match] = parent.pop(str(key))
            self.renamed[*inner, match] = self.written_path(problem.path)
        elif is_misspelt or problem.path in self._replaced:
            self._remove(problem.path)
        elif problem.path[:2] == ("judging", "systems") and problem.path[3:] in {(), ("kind",)}:
            self._remove(problem.path[:2])
        elif is_mapping(parent) or is_list(parent):
            self._replaced.add(problem.path)
            text = f"mock/{len(self._replaced)}"  # valid as a name, a side and a model
            cast("Any", parent)[key] = {"model": text} if _is_model_entry(problem.path) else text

    def written_path(self, path: KeyPath) -> KeyPath:
        """Return the key path in the user's file for `path`, a key path in `data`. `repair` may have renamed keys."""
        heads = (path[:length] for length in range(len(path), 0, -1))
        head = next((head for head in heads if head in self.renamed), ())
        return (*self.renamed.get(head, ()), *path[len(head) :])

    def _remove(self, path: KeyPath) -> None:
        for length in range(len(path), 0, -1):
            parent, key = value_at(self.data, path[: length - 1]), path[length - 1]
            if is_mapping(parent) and key in parent:
                del parent[str(key)]
                if length <= 2:  # noqa: PLR2004  a section, or an entry of one
                    self.skipped_sections |= {str(path[0]), *_DEPENDENT_SECTIONS.get(str(path[0]), ())}
                return


def format_validation_error(item: Any) -> str:
    """Return the message of a pydantic error, without advice. `item`: an item of `ValidationError.errors()`."""
    if item["type"] == "extra_forbidden":
        return "unknown key"
    message = _message(item)
    return message if item["type"] == "value_error" else message.partition(";")[0]


def _allowed_keys(path: KeyPath, data: Any, model: type[BaseModel] = DebateConfig) -> set[str]:
    if model is DebateConfig and path[:2] == ("judging", "systems") and len(path) >= _SYSTEM_DEPTH:
        system = value_at(data, path[:_SYSTEM_DEPTH])
        kind = get_child(system, "kind")
        if isinstance(kind, str) and SYSTEMS.has(kind):  # the schema of DebateConfig has the built-in systems only
            return _allowed_keys(path[_SYSTEM_DEPTH:], system, settings_class(kind))
    root = _schema_of(model)
    nodes = [root]
    for part in path:
        members = [member for node in nodes for member in _members(node, data, root)]
        rest = "items" if isinstance(part, int) else "additionalProperties"
        inner = (member.get("properties", {}).get(part) or member.get(rest) for member in members)
        nodes = [node for node in inner if is_mapping(node)]
        data = get_child(data, part)
    return {name for node in nodes for member in _members(node, data, root) for name in member.get("properties", {})}


@cache
def _schema_of(model: type[BaseModel]) -> dict[str, Any]:
    return model.model_json_schema()


def _members(schema: dict[str, Any], data: Any, root: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "$ref" in schema:
        yield from _members(root["$defs"][schema["$ref"].rpartition("/")[2]], data, root)
        return
    options: list[dict[str, Any]] = schema.get("anyOf") or schema.get("oneOf") or []
    chosen = schema.get("discriminator", {}).get("mapping", {}).get(str(get_child(data, "kind")))
    for option in [{"$ref": chosen}] if chosen else options:
        yield from _members(option, data, root)
    if not options:
        yield schema


def _merge_errors(path: KeyPath, items: Sequence[Any], data: Any, model: type[BaseModel]) -> Problem:
    item, value = items[0], value_at(data, path)
    kind: str = item["type"]
    words = [
        word for each in items if each["type"] == "literal_error" for word in _QUOTED.findall(each["ctx"]["expected"])
    ]
    if words:
        is_phase = path[:2] in {("format", "phases"), ("format", "rounds")}
        listed = [word for word in words if not (is_phase and word in _UNLISTED_PHASES)]
        return Problem(path, _unknown_word_message(value, listed))
    if kind == "union_tag_invalid":
        known = _QUOTED.findall(item["ctx"]["expected_tags"])
        return Problem((*path, "kind"), _unknown_word_message(item["ctx"]["tag"], known))
    if kind == "extra_forbidden":
        hint = format_suggestion(str(path[-1]), _allowed_keys(path[:-1], data, model))
        return Problem(path, f"unknown key{hint or '; remove it, or correct its name'}", is_key_error=True)
    if kind.startswith("model_") and _is_model_entry(path):
        model_name = _shorten(value, _KEY_CHARS) if isinstance(value, str) else _EXAMPLE_MODEL
        return Problem(
            path, f"must be a mapping; write `{_shorten(str(path[-1]), _KEY_CHARS)}: {{model: {model_name}}}`"
        )
    if kind == "string_type" and value is None:
        return Problem(path, "is empty; write a text, in quotes if it begins with `#`")
    if kind == "string_pattern_mismatch" and path[-1] in _PATTERN_MESSAGES:
        return Problem(path, _PATTERN_MESSAGES[str(path[-1])])
    return Problem(path, _message(item))


def _is_model_entry(path: KeyPath) -> bool:
    return path[:-1] == ("models",)


def _message(item: Any) -> str:
    kind: str = item["type"]
    if kind == "value_error":
        return str(item["ctx"]["error"])
    message = _MESSAGES.get(kind) or _MESSAGES.get(kind.partition("_")[0])
    if message is not None:
        return message.format(**item.get("ctx", {}))
    words = re.sub(r"^\w+ should", "must", item["msg"])
    return words[:1].lower() + words[1:]


def _unknown_word_message(value: Any, words: Sequence[str]) -> str:
    known = list(dict.fromkeys(words))
    expected = f"must be {'one of ' if len(known) > 1 else ''}{', '.join(known)}"
    if not isinstance(value, str):
        return expected
    return f"{expected}, not `{_shorten(value, _KEY_CHARS)}`{format_suggestion(value, known)}"


def _key_path(item: Any, data: Any) -> KeyPath:
    parts: KeyPath = item["loc"]
    path: list[str | int] = []
    for number, part in enumerate(parts, start=1):
        in_list = is_list(data) and isinstance(part, int)
        in_mapping = is_mapping(data) and part in data and data.get("kind") != part
        is_missing = number == len(parts) and item["type"] == "missing"
        if in_list or in_mapping or is_missing:
            path.append(part)
            data = get_child(data, part)
    return tuple(path)


def value_at(data: Any, path: KeyPath) -> Any:
    """Return the value at `path`; None if there is no value."""
    for part in path:
        data = get_child(data, part)
    return data


def _shorten(text: str, most: int) -> str:
    return escape_unprintable(text if len(text) <= most else f"{text[:most]}…")
