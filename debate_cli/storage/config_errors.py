"""Errors of a configuration as one line each: `file:line:column: key.path: what is wrong; what to do`.

Translates the errors of pydantic, and finds the position of every key path.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from debate_cli.domain.config import KEY_ALIASES, DebateConfig
from debate_cli.domain.config_checks import CONFIGURABLE_PHASES, KeyPath, Problem
from debate_cli.domain.suggestions import closest_match, format_suggestion
from debate_cli.domain.turn import Phase
from debate_cli.storage.plain_data import get_child, is_list, is_mapping
from debate_cli.storage.yaml_positions import SourcePosition, YamlFault, escape_unprintable

MAX_PROBLEMS = 200
"""Maximum number of errors of one file that are reported at once."""
GENERAL_OPTIONS = frozenset({"--set", "--var"})
"""Options that can set any key. An error about such a value names the key too."""
_MESSAGE_CHARS = 400
_KEY_CHARS = 80
"""Maximum length of one key in a path that an error shows."""
_WORD_CHARS = 60
"""Maximum length of a wrong value that an error repeats."""
_QUOTED = re.compile(r"'([^']*)'")

_WHOLE_NUMBER = "must be a whole number"
_NUMBER = "must be a number"
_BOOLEAN = "must be true or false"
_MAPPING = "must be a mapping of keys to values"
_LIST = "must be a list; put its items in brackets, or write a `-` before each"
_MESSAGES = {
    "missing": "is missing; add it",
    "string_type": "must be text; put it in quotes",
    "string_unicode": "contains characters that are not valid Unicode; remove them",
    "string_too_short": "is empty; write a text",
    "string_too_long": "must have at most {max_length} characters",
    "int_type": _WHOLE_NUMBER,
    "int_parsing": _WHOLE_NUMBER,
    "int_from_float": _WHOLE_NUMBER,
    "int_parsing_size": "is a number with too many digits",
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "finite_number": "must be a finite number",
    "bool_type": _BOOLEAN,
    "bool_parsing": _BOOLEAN,
    "greater_than": "must be above {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "less_than": "must be below {lt:g}",
    "less_than_equal": "must be at most {le:g}",
    "too_short": "is empty; add an item, or remove the key",
    "too_long": "must have at most {max_length} items",
    "model_type": _MAPPING,
    "model_attributes_type": _MAPPING,
    "dict_type": _MAPPING,
    "tuple_type": _LIST,
    "list_type": _LIST,
    "union_tag_not_found": "has no `kind`; add one, such as `kind: structured`",
}
"""Kind of a pydantic error -> message, with placeholders for the error's context."""
_PATTERN_MESSAGES = {
    "model": "must be `provider/model`, such as `openai/gpt-5`",
    "prefix": "must be 1 to 16 letters and digits that begin with a letter",
}
_WORD_HINTS: Mapping[KeyPath, str] = {("providers", "kind"): "; `openai` is every server that has OpenAI's API"}
"""First and last key of a path -> advice that an error adds to its list of valid words."""
_EXPECTED_WORDS = {"literal_error": "expected", "union_tag_invalid": "expected_tags"}
"""Kind of an error that lists the valid words -> key of the list in the error's context."""
_UNLISTED_PHASES = frozenset(get_args(Phase)) - frozenset(CONFIGURABLE_PHASES)
"""Phases that must not be listed in a configuration."""


@dataclass(frozen=True, slots=True)
class SourceMap:
    """The origin of each part of a configuration: position in the file, option or variable."""

    name: str
    """The file as the user named it, or `stdin`."""
    positions: Mapping[KeyPath, SourcePosition] = field(default_factory=dict[KeyPath, SourcePosition])
    """Position of each value."""
    origins: Mapping[KeyPath, str] = field(default_factory=dict[KeyPath, str])
    """Key path -> the option or variable that set it."""
    key_positions: Mapping[KeyPath, SourcePosition] = field(default_factory=dict[KeyPath, SourcePosition])
    """Position of each key."""

    def locate(self, path: KeyPath, *, key: bool = False) -> str:
        """`file:line:column` of the value at `path`, or of the nearest part of the file around it.

        `key`: whether to return the position of the key instead. If an option or a variable set the value, the result
        is the name of that.
        """
        position = self._nearest(path, key=key)
        if isinstance(position, SourcePosition):
            return f"{self.name}:{position.line}:{position.column}"
        return position or (f"{self.name}:1:1" if self.positions else self.name)

    def format_problem(self, problem: Problem) -> str:
        """One line: `file:line:column: key.path: what is wrong; what to do`.

        If an option such as `--topic` set the value, its name is shown instead of position and key.
        """
        key = ".".join(_shorten(str(part), _KEY_CHARS) for part in problem.path)
        message = _shorten(problem.message, _MESSAGE_CHARS)
        where = self.locate(problem.path, key=problem.is_key_error)
        names_key = where.startswith("--") and where not in GENERAL_OPTIONS
        return f"{where}: {message}" if names_key or not key else f"{where}: {key}: {message}"

    def format_fault(self, fault: YamlFault) -> str:
        """One line: `file:line:column: what is wrong; what to do`."""
        message = _shorten(fault.message, _MESSAGE_CHARS)
        return f"{self.name}:{fault.position.line}:{fault.position.column}: {message}"

    def format_problems(
        self, problems: Iterable[Problem], before: Sequence[str], redact: Callable[[str], str]
    ) -> list[str]:
        """The lines `before`, then one line per problem in file order; redacted, without duplicates.

        At most MAX_PROBLEMS lines, and one line that says that there are more.
        """
        ordered = sorted(dict.fromkeys(problems), key=self._sort_key)
        lines = [*before, *map(self.format_problem, ordered[: MAX_PROBLEMS + 1])]
        shown = list(dict.fromkeys(map(redact, lines)))
        if len(shown) > MAX_PROBLEMS:
            shown[MAX_PROBLEMS:] = [f"{escape_unprintable(self.name)}: and more errors; correct these first"]
        return shown

    def _sort_key(self, problem: Problem) -> tuple[int, SourcePosition]:
        position = self._nearest(problem.path, key=problem.is_key_error)
        return (0, position) if isinstance(position, SourcePosition) else (1 if position else 0, SourcePosition(0, 0))

    def _nearest(self, path: KeyPath, *, key: bool) -> SourcePosition | str | None:
        heads = [path[:length] for length in range(len(path), -1, -1)]
        origin = next((self.origins[head] for head in heads if head in self.origins), None)
        if origin is not None:
            return origin
        if key and path in self.key_positions:
            return self.key_positions[path]
        return next((self.positions[head] for head in heads if head in self.positions), None)


def problems_from_validation(error: ValidationError, data: Any, model: type[BaseModel] = DebateConfig) -> list[Problem]:
    """One problem for each wrong value in `data`, at most MAX_PROBLEMS + 1.

    The errors of all members of a union become one problem. `model`: the class that `data` does not fit.
    """
    found: dict[KeyPath, list[Any]] = {}
    for item in error.errors(include_url=False):
        found.setdefault(_key_path(item["loc"], data), []).append(item)
    parents = {path[:length] for path in found for length in range(len(path))}
    misspelled = {
        _meant_key(path, data, model) for path, items in found.items() if items[0]["type"] == "extra_forbidden"
    }
    innermost = (
        (path, items)
        for path, items in found.items()
        if path not in parents and not (items[0]["type"] == "missing" and path in misspelled)
    )
    return [_merge_errors(path, items, data, model) for path, items in islice(innermost, MAX_PROBLEMS + 1)]


def _meant_key(path: KeyPath, data: Any, model: type[BaseModel]) -> KeyPath:
    return (*path[:-1], closest_match(str(path[-1]), allowed_keys(path[:-1], data, model)) or path[-1])


def format_validation_error(item: Any) -> str:
    """The message for one pydantic error about stored data, without advice."""
    kind: str = item["type"]
    if kind == "extra_forbidden":
        return "unknown key"
    if kind in _EXPECTED_WORDS:
        expected: str = item["ctx"][_EXPECTED_WORDS[kind]]
        words = _QUOTED.findall(expected)
        return f"must be one of {', '.join(words)}" if len(words) > 1 else f"must be {expected}"
    if kind.startswith(("datetime", "timezone")):
        return "must be a time such as 2026-01-31T12:00:00Z"
    message = _message(item)
    return message if kind == "value_error" else message.partition(";")[0]


def allowed_keys(path: KeyPath, data: Any, model: type[BaseModel] = DebateConfig) -> set[str]:
    """The keys that `model` allows in the mapping at `path`. `data`: the whole value, which names the kinds of systems."""
    root = _schema_of(model)
    nodes = [root]
    for part in path:
        nodes = [inner for node in nodes for member in _members(node, data, root) for inner in _children(member, part)]
        data = get_child(data, part)
    return {name for node in nodes for member in _members(node, data, root) for name in member.get("properties", {})}


@cache
def _schema_of(model: type[BaseModel]) -> dict[str, Any]:
    return model.model_json_schema()


def _children(schema: dict[str, Any], part: str | int) -> Iterator[dict[str, Any]]:
    inner = schema.get("properties", {}).get(part) or schema.get(
        "items" if isinstance(part, int) else "additionalProperties"
    )
    if is_mapping(inner):
        yield inner


def _members(schema: dict[str, Any], data: Any, root: dict[str, Any]) -> list[dict[str, Any]]:
    """The members of the union `schema`, or `schema` itself; references are resolved in `root`.

    If `data` has a known `kind`, only the member of this kind.
    """
    if "$ref" in schema:
        return _members(root["$defs"][schema["$ref"].rpartition("/")[2]], data, root)
    options: list[dict[str, Any]] = schema.get("anyOf") or schema.get("oneOf") or []
    if not options:
        return [schema]
    kind = get_child(data, "kind")
    mapping = schema.get("discriminator", {}).get("mapping", {})
    if isinstance(kind, str) and kind in mapping:
        options = [{"$ref": mapping[kind]}]
    return [member for option in options for member in _members(option, data, root)]


def _merge_errors(path: KeyPath, items: Sequence[Any], data: Any, model: type[BaseModel]) -> Problem:
    """One problem for all errors about one value."""
    item = items[0]
    kind: str = item["type"]
    value = value_at(data, path)
    words = [
        word for each in items if each["type"] == "literal_error" for word in _QUOTED.findall(each["ctx"]["expected"])
    ]
    if words:
        listed = [word for word in words if path[:1] != ("format",) or word not in _UNLISTED_PHASES]
        return Problem(path, _unknown_word_message(value, listed, _WORD_HINTS.get((*path[:1], *path[-1:]), "")))
    if kind == "literal_error":
        return Problem(path, f"must be the number {item['ctx']['expected']}, without quotes")
    if kind == "union_tag_invalid":
        known = _QUOTED.findall(item["ctx"]["expected_tags"])
        return Problem((*path, "kind"), _unknown_word_message(item["ctx"]["tag"], known))
    if kind == "extra_forbidden":
        return Problem(path, _unknown_key_message(path, data, model), is_key_error=True)
    if kind == "string_type" and (value is None or is_list(value) or is_mapping(value)):
        return Problem(path, _not_text_message(value))
    if kind == "string_pattern_mismatch" and path[-1] in _PATTERN_MESSAGES:
        return Problem(path, _PATTERN_MESSAGES[str(path[-1])])
    return Problem(path, _message(item))


def _message(item: Any) -> str:
    kind: str = item["type"]
    context: dict[str, Any] = item.get("ctx", {})
    if kind == "value_error":
        return str(context["error"])
    message: str = item["msg"]
    return _MESSAGES[kind].format(**context) if kind in _MESSAGES else message[:1].lower() + message[1:]


def _unknown_key_message(path: KeyPath, data: Any, model: type[BaseModel]) -> str:
    name = str(path[-1])
    parent = value_at(data, path[:-1])
    others = KEY_ALIASES.get((str(path[0]), name), ())
    other = next((key for key in others if is_mapping(parent) and key in parent), None)
    if other is not None:
        return f"`{name}` and `{other}` are two names of one key; keep one"
    hint = format_suggestion(name, allowed_keys(path[:-1], data, model))
    return f"unknown key{hint or '; remove it, or correct its name'}"


def _not_text_message(value: Any) -> str:
    if value is None:
        return "is empty; write a text, in quotes if it begins with `#`"
    kind = "list; put a text that contains brackets" if is_list(value) else "mapping; put a text that contains `: `"
    return f"must be text, not a {kind} in quotes"


def _unknown_word_message(value: Any, words: Sequence[str], hint: str = "") -> str:
    known = list(dict.fromkeys(words))
    expected = f"must be {known[0]}" if len(known) == 1 else f"must be one of {', '.join(known)}"
    if not isinstance(value, str):
        return expected
    return f"{expected}, not `{_shorten(value, _WORD_CHARS)}`{hint}{format_suggestion(value, known)}"


def _key_path(loc: Iterable[str | int], data: Any) -> KeyPath:
    """The key path of an error: pydantic's location without the names of union members."""
    parts = tuple(loc)
    path: list[str | int] = []
    for number, part in enumerate(parts):
        in_list = is_list(data) and isinstance(part, int)
        in_mapping = is_mapping(data) and part in data and data.get("kind") != part
        is_missing_key = number == len(parts) - 1 and is_mapping(data) and not _is_union_member(part, data)
        if in_list or in_mapping or is_missing_key:
            path.append(part)
            data = get_child(data, part)
    return tuple(path)


def _is_union_member(part: str | int, data: Mapping[str, Any]) -> bool:
    """Whether a part of a location is the name of a union member, such as `literal['a','b']` or `Personality`."""
    return not isinstance(part, str) or "[" in part or part[:1].isupper() or data.get("kind") == part


def value_at(data: Any, path: KeyPath) -> Any:
    """The value at `path`; None if there is none."""
    for part in path:
        data = get_child(data, part)
    return data


def _shorten(text: str, most: int) -> str:
    """`text` on one line without control characters, cut to `most` characters."""
    return escape_unprintable(text if len(text) <= most else f"{text[:most]}…")
