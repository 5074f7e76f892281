"""YAML text as plain data, with the line and column of every key and value.

Knows nothing of the meaning of the data. Scalars follow the core schema of YAML 1.2: `no`, `on` and dates are text.
Tags are errors; merge keys (`<<`) are supported. Size, depth and the number of values are limited, so that no text can
exhaust memory or the stack.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from debate_cli.errors import ConfigError
from debate_cli.regular_file import read_regular_file

YamlPath = tuple[str | int, ...]
"""Keys and list indices from the root: `("debaters", 0, "model")`."""

MAX_YAML_BYTES = 1024 * 1024
MAX_YAML_DEPTH = 40
MAX_YAML_NODES = 20_000
"""Maximum number of keys and values in a document. An alias counts as much as its target."""
MAX_DIGITS = 100
"""A longer integer is read as text."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_YAML: Any = yaml
"""PyYAML without its incomplete type stubs."""
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_OCTAL_OR_HEX = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INFINITY_OR_NAN = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufeff\uff00-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True, order=True)
class SourcePosition:
    """A position in a text. Both numbers count from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class YamlFault:
    """An error in the YAML syntax or structure."""

    position: SourcePosition
    message: str


@dataclass(frozen=True, slots=True)
class ParsedYaml:
    """The data of a YAML text and the positions of its parts."""

    data: Any = None
    """None, bool, int, float, str, list or dict with text keys; None if the text could not be parsed."""
    positions: Mapping[YamlPath, SourcePosition] = field(default_factory=dict[YamlPath, SourcePosition])
    """Position of each value; for a list or mapping, the position of its key."""
    key_positions: Mapping[YamlPath, SourcePosition] = field(default_factory=dict[YamlPath, SourcePosition])
    """Position of each key, under the path of its value."""
    faults: Sequence[YamlFault] = ()


class _FaultError(Exception):
    """An error that ends the reading of the text."""

    def __init__(self, position: SourcePosition, message: str) -> None:
        super().__init__(message)
        self.fault = YamlFault(position, message)


def read_yaml_text(path: Path, *, absent: str) -> str:
    """Read the text of a YAML file, at most MAX_YAML_BYTES.

    `absent`: advice if there is no file. Raises ConfigError if it cannot be read as text.
    """
    try:
        data = read_regular_file(path, MAX_YAML_BYTES)
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: no such file; {absent}") from error
    except IsADirectoryError as error:
        raise ConfigError(f"{path}: this is a folder; name a file in it") from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}); name a readable file") from error
    except ValueError as error:
        raise ConfigError(f"{escape_unprintable(str(path))}: not a valid file name; name another") from error
    if len(data) > MAX_YAML_BYTES:
        raise ConfigError(f"{path}:1:1: larger than {MAX_YAML_BYTES // 1024} KiB; make it smaller")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        at = _position_of(data[: error.start].decode())
        raise ConfigError(f"{path}:{at.line}:{at.column}: not valid UTF-8; save the file as UTF-8") from error


def parse_yaml(text: str) -> ParsedYaml:
    """Parse `text`, at most MAX_YAML_BYTES long in UTF-8. Never raises: errors are in `faults`."""
    try:
        text = text.removeprefix("\ufeff")
        _check_characters(text)
        _check_structure(text)
        return _Builder().build_document(_YAML.compose(text, Loader=_LOADER))
    except _FaultError as error:
        return ParsedYaml(faults=(error.fault,))
    except yaml.MarkedYAMLError as error:
        return ParsedYaml(faults=(explain_parse_error(error, text),))
    except (yaml.YAMLError, UnicodeError):
        return ParsedYaml(faults=(YamlFault(SourcePosition(1, 1), "not valid YAML; save the file as UTF-8 text"),))


def escape_unprintable(text: str) -> str:
    """Escape control characters and other unprintable characters."""
    return text if text.isprintable() else ascii(text)[1:-1]


def _check_characters(text: str) -> None:
    if len(text.encode(errors="replace")) > MAX_YAML_BYTES:
        raise _FaultError(SourcePosition(1, 1), f"larger than {MAX_YAML_BYTES // 1024} KiB; make it smaller")
    if found := _UNPRINTABLE.search(text):
        raise _FaultError(_position_of(text[: found.start()]), "a control character; remove it")


def _check_structure(text: str) -> None:
    """Check depth, number of values, documents and tags before nodes are built, because building is recursive."""
    depth = nodes = documents = 0
    for event in _YAML.parse(text, Loader=_LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        nodes += isinstance(event, yaml.NodeEvent)
        documents += isinstance(event, yaml.DocumentStartEvent)
        _check_bounds(depth, nodes, event)
        if documents > 1:
            raise _FaultError(_position(event), "a second document begins here; keep one document per file")
        if getattr(event, "tag", None) is not None:
            message = "tags are not allowed; remove the `!…`, or put a text that begins with it in quotes"
            raise _FaultError(_position(event), message)


def _check_bounds(depth: int, nodes: int, part: Any) -> None:
    """Raise _FaultError at `part` if a limit is exceeded. `nodes`: number of keys and values up to there."""
    if depth > MAX_YAML_DEPTH:
        raise _FaultError(_position(part), f"nested more than {MAX_YAML_DEPTH} deep; flatten it")
    if nodes > MAX_YAML_NODES:
        message = f"more than {MAX_YAML_NODES} values, aliases expanded; make it smaller"
        raise _FaultError(_position(part), message)


@dataclass(slots=True)
class _Builder:
    """Builds plain data from nodes and collects positions and faults."""

    positions: dict[YamlPath, SourcePosition] = field(default_factory=dict[YamlPath, SourcePosition])
    key_positions: dict[YamlPath, SourcePosition] = field(default_factory=dict[YamlPath, SourcePosition])
    faults: list[YamlFault] = field(default_factory=list[YamlFault])
    nodes: int = 0

    def build_document(self, root: Any) -> ParsedYaml:
        data = None if root is None else self._build(root, (), _position(root))
        return ParsedYaml(data, self.positions, self.key_positions, tuple(self.faults))

    def _build(self, node: Any, path: YamlPath, position: SourcePosition) -> Any:
        self.nodes += 1
        _check_bounds(len(path), self.nodes, node)
        self.positions[path] = position
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node)
        if isinstance(node, yaml.SequenceNode):
            items: Any = node.value
            return [self._build(item, (*path, index), _position(item)) for index, item in enumerate(items)]
        return self._build_mapping(node, path)

    def _build_mapping(self, node: Any, path: YamlPath) -> dict[str, Any]:
        entries: dict[str, Any] = {}
        merged: list[tuple[Any, SourcePosition]] = []
        for key_node, value_node in node.value:
            at = _position(key_node)
            if not isinstance(key_node, yaml.ScalarNode):
                raise _FaultError(at, "a key must be plain text; put a text with brackets in quotes")
            key: str = key_node.value
            if key == "<<" and not key_node.style:
                merged.append((value_node, at))
                continue
            if key in entries:
                self.faults.append(YamlFault(at, f"{escape_unprintable(key)}: duplicate key; keep one"))
            inner = (*path, key)
            self.nodes += 1
            self.key_positions[inner] = at
            is_scalar = isinstance(value_node, yaml.ScalarNode)
            entries[key] = self._build(value_node, inner, _position(value_node) if is_scalar else at)
        for source, at in merged:
            self._merge(entries, source, at, path)
        return entries

    def _merge(self, entries: dict[str, Any], node: Any, at: SourcePosition, path: YamlPath) -> None:
        for source in node.value if isinstance(node, yaml.SequenceNode) else [node]:
            if not isinstance(source, yaml.MappingNode):
                message = "`<<` needs a mapping, or a list of mappings; name them by their anchors, as in `<<: *base`"
                self.faults.append(YamlFault(at, message))
                continue
            for key, value in self._build(source, (*path, "<<"), at).items():
                entries.setdefault(key, value)


def _scalar(node: Any) -> Any:
    """The value of a scalar node. Quoted and block scalars are text."""
    value: str = node.value
    if node.style:
        return value
    if value in _NULL:
        return None
    if value in _BOOLEANS:
        return _BOOLEANS[value]
    if _INTEGER.fullmatch(value):
        return int(value) if len(value) <= MAX_DIGITS else value
    if _OCTAL_OR_HEX.fullmatch(value):
        return int(value, 0) if len(value) <= MAX_DIGITS else value
    if _FLOAT.fullmatch(value):
        return float(value)
    return float(value.replace(".", "")) if _INFINITY_OR_NAN.fullmatch(value) else value


def _position(part: Any) -> SourcePosition:
    return SourcePosition(part.start_mark.line + 1, part.start_mark.column + 1)


def _position_of(before: str) -> SourcePosition:
    return SourcePosition(before.count("\n") + 1, len(before) - before.rfind("\n"))


_AT_CONTEXT = True
_PARSE_ERRORS: tuple[tuple[str, str, bool], ...] = (
    (r"document start", "this is outside of the mapping above; begin all top-level keys in one column", False),
    (r"mapping values are not allowed", "no colon is allowed here; quote a text with `: `, or correct the line above", False),
    (r"expected ':'", "this is not `key: value`; write a colon and a space after the key, or indent the line", _AT_CONTEXT),
    (r"sequence entries are not allowed", "a list begins on a new line; move the `-` to the next line", False),
    (r"quoted scalar: .*(end of stream|document)", "this quote is never closed; close it", _AT_CONTEXT),
    (r"quoted", "not a valid escape; use single quotes, or write the backslash twice", False),
    (r"expected ',' or '[\]}]'", "a comma or closing bracket is missing (opened in line {line}); add it, or quote the text", False),
    (r"block scalar", "after `|` or `>` the text begins on the next line; quote a text that begins with one of them", _AT_CONTEXT),
    (r"block (mapping|collection|sequence)", "this does not fit the lines above; check indentation and quotes", False),
    (r"undefined alias", "the alias names no anchor above it; quote a text that begins with `*`", False),
    (r"(alias|anchor|tag|directive)", "a text cannot begin with this character; put it in quotes", _AT_CONTEXT),
    (r"cannot start|node content|mapping keys", "a value is missing, or begins with a character that needs quotes", False),
)  # fmt: skip
"""Pattern of the parser's message -> message to show, and whether to show the start of the parsed part as position."""


def explain_parse_error(error: yaml.MarkedYAMLError, text: str) -> YamlFault:
    """The parser's error as one sentence with advice, and its position in `text`."""
    lines = text.splitlines() or [""]
    mark: Any = error.problem_mark or error.context_mark
    begin: Any = error.context_mark or mark
    line, column = int(mark.line), int(mark.column)
    if line < len(lines) and lines[line].startswith("\t", column):
        return YamlFault(SourcePosition(mark.line + 1, mark.column + 1), "indented with a tab; indent with spaces")
    reported = f"{error.context}: {error.problem}"
    other = ("", f"not valid YAML ({error.problem}); check quotes and indentation", False)
    _, message, at_context = next((row for row in _PARSE_ERRORS if re.search(row[0], reported)), other)
    mark = begin if at_context else mark
    end = SourcePosition(len(lines), len(lines[-1]) + 1)
    return YamlFault(
        min(SourcePosition(mark.line + 1, mark.column + 1), end), message.replace("{line}", str(begin.line + 1))
    )
