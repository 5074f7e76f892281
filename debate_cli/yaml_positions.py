"""Parses YAML text to plain data, with the line and column of every key and value, and writes such data as YAML.

As in YAML 1.2, `no`, `on` and dates are text. Tags are errors.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from debate_cli.errors import ConfigError
from debate_cli.regular_file import read_regular_file, shorten_path

KeyPath = tuple[str | int, ...]
"""Path to a value in nested data, as keys of mappings and indices of lists."""
MAX_YAML_BYTES = 1024 * 1024
MAX_YAML_DEPTH = 40
MAX_YAML_NODES = 20_000
"""Maximum number of keys and values in a document. An alias counts as a copy of the part that it refers to."""

_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?[0-9]{1,100}")
_TOO_LARGE = f"larger than {MAX_YAML_BYTES // 1024} KiB; make it smaller"
_TOO_DEEP = f"nested more than {MAX_YAML_DEPTH} levels deep; use fewer levels"
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_TEXT_TAG = "tag:yaml.org,2002:str"
_ESCAPED_PAIR = re.compile(r"\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})", re.IGNORECASE)
"""Matches the JSON escape of a character above U+FFFF, such as an emoji. libyaml refuses such escapes."""


_FORMAT_CHARS = re.compile(r"[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufff0-\ufffb]")
"""Matches an invisible character that PyYAML writes without an escape, e.g. one that reverses text."""


class SourcePosition(NamedTuple):
    """Line and column in a text, counted from 1."""

    line: int
    column: int


class NodePosition(NamedTuple):
    """Positions of a key and its value. An item of a list has no key, so both positions are the item's."""

    key: SourcePosition
    value: SourcePosition
    """Position of the value. For a list or mapping after a key, this is the position of the key."""


class YamlFault(NamedTuple):
    """An error in the YAML syntax or structure."""

    position: SourcePosition
    message: str


class ParsedYaml(NamedTuple):
    """The data of a YAML text, the positions of keys and values, and the errors."""

    data: Any = None
    """The data; None if the text could not be parsed. Keys of mappings are text."""
    positions: Mapping[KeyPath, NodePosition] = {}
    """Positions by key path; `()` is the whole document."""
    faults: Sequence[YamlFault] = ()


@cache
def _yaml() -> Any:
    """Return the module PyYAML. It is imported when the first text is parsed, because the import is slow."""
    import yaml

    return yaml


class _FaultError(Exception):
    def __init__(self, position: SourcePosition, message: str) -> None:
        super().__init__(message)
        self.fault = YamlFault(position, message)


def read_yaml_text(path: Path, *, absent: str) -> str:
    """Read a YAML file of at most MAX_YAML_BYTES.

    `absent`: advice if the file does not exist. Raises ConfigError if the file cannot be read as text.
    """
    try:
        data = read_regular_file(path, MAX_YAML_BYTES)
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: no such file; {absent}") from error
    except IsADirectoryError as error:
        raise ConfigError(f"{path}: this is a folder; give the path of a YAML file") from error
    except OSError as error:
        raise ConfigError(
            f"{shorten_path(path)}: cannot be read ({error.strerror}); give the path of a readable file"
        ) from error
    except ValueError as error:
        raise ConfigError(f"{escape_unprintable(str(path))}: not a valid file name; use another name") from error
    if len(data) > MAX_YAML_BYTES:
        raise ConfigError(f"{path}:1:1: {_TOO_LARGE}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        at = _end_of(data[: error.start].decode())
        raise ConfigError(f"{path}:{at.line}:{at.column}: not valid UTF-8; save the file as UTF-8") from error


def parse_yaml(text: str, *, scalars_as_text: bool = False) -> ParsedYaml:
    """Parse `text`. Errors are returned in `faults`, never raised.

    With `scalars_as_text`, numbers, booleans and null stay text. Anchors and aliases are then errors, because a
    person's text that begins with `&` or `*` would otherwise be lost without notice.
    """
    yaml = _yaml()
    try:
        text = text.removeprefix("\ufeff")
        if text.lstrip().startswith(("{", "[")):
            text = _ESCAPED_PAIR.sub(_join_pair, text)
        _check_text(text, allows_anchors=not scalars_as_text)
        return _Builder(scalars_as_text).build_document(
            yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        )
    except _FaultError as error:
        return ParsedYaml(faults=(error.fault,))
    except yaml.MarkedYAMLError as error:
        mark: Any = error.problem_mark or error.context_mark
        last = _end_of(text)
        message = f"not valid YAML ({error.problem}); check quotes, colons and indentation"
        if "nesting depth" in error.problem:  # libyaml limits the depth too, and may fail before our check
            message = _TOO_DEEP
        return ParsedYaml(faults=(YamlFault(min(last, SourcePosition(mark.line + 1, mark.column + 1)), message),))


def dump_yaml(data: Any, width: int) -> str:
    """Return plain data as YAML text that `parse_yaml` reads back unchanged.

    Control characters are escaped, and so are characters that hide or reverse text. Invisible characters that join
    letters are not escaped.
    Keys are texts and keep their order. `width`: number of columns after which long texts continue on the next line.
    `data` must not contain what `parse_yaml` cannot read back: `inf`, `nan`, integers of more than 100 digits, and halves
    of surrogate pairs.
    """
    yaml = _yaml()

    class Dumper(yaml.SafeDumper):
        """Puts a text in quotes if `parse_yaml` would otherwise return another value, e.g. a number for `1e3`."""

    def represent_text(dumper: Any, text: str) -> Any:
        style = None if _plain_value(text) == text else "'"
        if not text.replace("\n", "").isprintable():
            style = '"'
        return dumper.represent_scalar(_TEXT_TAG, text, style=style)

    Dumper.add_representer(str, represent_text)
    written: str = yaml.dump(data, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=width)
    return _FORMAT_CHARS.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


def escape_unprintable(text: str) -> str:
    """Escape control characters and other unprintable characters."""
    return text if text.isprintable() else ascii(text)[1:-1]


def _join_pair(pair: re.Match[str]) -> str:
    character: str = json.loads(f'"{pair[0]}"')
    return f"\\U{ord(character):08x}"


def _check_text(text: str, *, allows_anchors: bool) -> None:
    """Check a YAML text: size, depth, control characters, tags, anchors, number of documents.

    This must run before PyYAML builds nodes, because deep nodes could exhaust the stack.
    """
    if len(text) > MAX_YAML_BYTES:
        raise _FaultError(SourcePosition(1, 1), _TOO_LARGE)
    yaml = _yaml()
    if found := yaml.reader.Reader.NON_PRINTABLE.search(text):
        raise _FaultError(_end_of(text[: found.start()]), "a control character; remove it")
    depth = nodes = documents = 0
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        nodes += isinstance(event, yaml.NodeEvent)
        documents += isinstance(event, yaml.DocumentStartEvent)
        _check_bounds(depth, nodes, event)
        if documents > 1:
            raise _FaultError(_position(event), "a second document begins here; keep one document per file")
        if getattr(event, "tag", None) is not None:
            message = "tags are not allowed; remove the `!…`, or put the whole text in quotes"
            raise _FaultError(_position(event), message)
        if getattr(event, "anchor", None) is not None and not allows_anchors:
            raise _FaultError(_position(event), "a text that begins with `&` or `*` needs quotes; put it in quotes")


def _check_bounds(depth: int, nodes: int, part: Any) -> None:
    if depth > MAX_YAML_DEPTH:
        raise _FaultError(_position(part), _TOO_DEEP)
    if nodes > MAX_YAML_NODES:
        message = f"more than {MAX_YAML_NODES} values, where each alias counts as a copy; make the file smaller"
        raise _FaultError(_position(part), message)


@dataclass(slots=True)
class _Builder:
    scalars_as_text: bool
    positions: dict[KeyPath, NodePosition] = field(default_factory=dict[KeyPath, NodePosition])
    faults: dict[SourcePosition, YamlFault] = field(default_factory=dict[SourcePosition, YamlFault])
    """Faults by position, so that a node with several aliases reports its faults only once."""
    nodes: int = 0

    def build_document(self, root: Any) -> ParsedYaml:
        start = SourcePosition(1, 1)
        self.positions[()] = NodePosition(start, start)
        data = None if root is None else self._build(root, ())
        return ParsedYaml(data, self.positions, tuple(self.faults.values()))

    def _build(self, node: Any, path: KeyPath, key: SourcePosition | None = None) -> Any:
        self.nodes += 1
        _check_bounds(len(path), self.nodes, node)
        start = _position(node)
        self.positions[path] = NodePosition(key or start, start if node.id == "scalar" else key or start)
        if node.id == "scalar":
            return node.value if self.scalars_as_text else _scalar(node)
        if node.id == "sequence":
            items: Any = node.value
            return [self._build(item, (*path, index)) for index, item in enumerate(items)]
        return self._build_mapping(node, path)

    def _build_mapping(self, node: Any, path: KeyPath) -> dict[str, Any]:
        entries: dict[str, Any] = {}
        merged: list[tuple[Any, SourcePosition]] = []
        for key_node, value_node in node.value:
            at = _position(key_node)
            if key_node.id != "scalar":
                raise _FaultError(at, "a key must be plain text; if it contains brackets, put the key in quotes")
            key: str = key_node.value
            if key == "<<" and not key_node.style:
                merged.append((value_node, at))
                continue
            if key in entries:
                where = ".".join(escape_unprintable(str(part)) for part in (*path, key))
                self.faults.setdefault(at, YamlFault(at, f"{where}: duplicate key; keep one"))
            self.nodes += 1
            entries[key] = self._build(value_node, (*path, key), at)
        for source, at in merged:
            self._merge(entries, source, at, path)
        return entries

    def _merge(self, entries: dict[str, Any], node: Any, at: SourcePosition, path: KeyPath) -> None:
        for source in node.value if node.id == "sequence" else [node]:
            if source.id != "mapping":
                message = "`<<` needs a mapping, or a list of mappings; name them by their anchors, as in `<<: *base`"
                self.faults.setdefault(at, YamlFault(at, message))
                continue
            entries |= {**self._build(source, (*path, "<<"), at), **entries}


def _scalar(node: Any) -> Any:
    value: str = node.value
    return value if node.style else _plain_value(value)


def _plain_value(value: str) -> Any:
    """Return the value of a text without quotes: a text, number, boolean or None."""
    if value in _WORDS:
        return _WORDS[value]
    if _INTEGER.fullmatch(value):
        return int(value)
    return float(value) if _FLOAT.fullmatch(value) and not value.isdecimal() else value


def _position(part: Any) -> SourcePosition:
    return SourcePosition(part.start_mark.line + 1, part.start_mark.column + 1)


def _end_of(text: str) -> SourcePosition:
    return SourcePosition(text.count("\n") + 1, len(text) - text.rfind("\n"))
