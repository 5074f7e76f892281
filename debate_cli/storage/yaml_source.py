"""YAML as plain data together with where each part of it stands. Knows nothing of what the data means.

Scalars follow the core schema of YAML 1.2: `no`, `on` and dates are text. Tags are refused, merge keys (`<<`) are
understood. The text is read event by event, so neither depth nor aliases can exhaust memory or the stack.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from debate_cli.storage.plain import is_list, is_mapping
from debate_cli.storage.position import SourcePosition
from debate_cli.storage.yaml_faults import ParseFailure, explain_parse_failure, split_lines

YamlPath = tuple[str | int, ...]
"""Keys and list indices from the root: `("debaters", 0, "model")`."""

MAX_YAML_BYTES = 1024 * 1024
MAX_YAML_DEPTH = 40
MAX_YAML_NODES = 20_000
"""Nodes of a document, aliases counted as often as they are used."""
MAX_DIGITS = 100
"""A longer whole number is text."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_PARSE_EVENTS: Any = getattr(yaml, "parse")  # noqa: B009 - the stubs leave its type open
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_OCTAL_OR_HEX = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INFINITY_OR_NAN = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_TAG_MESSAGE = "tags are not allowed; remove the `!…`, or put a text that begins with it in quotes"
_UNKNOWN_ALIAS_MESSAGE = "the alias names no anchor that stands before it; put a text that begins with `*` in quotes"
_INVALID_KEY_MESSAGE = "a key must be one word or text; put brackets and braces that belong to a text in quotes"
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufeff\uff00-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class YamlFault:
    """Something wrong with the text itself."""

    position: SourcePosition
    path: YamlPath
    message: str


@dataclass(frozen=True, slots=True)
class ParsedYaml:
    """What a text holds."""

    data: Any
    """None, bool, int, float, str, list or dict with text keys; None where the text could not be read at all."""
    positions: Mapping[YamlPath, SourcePosition]
    """Where each value stands; for a list or mapping, where its key does. Values behind an alias have no place."""
    faults: Sequence[YamlFault]
    key_positions: Mapping[YamlPath, SourcePosition] = field(default_factory=dict[YamlPath, SourcePosition])
    """Where each key stands, under the path of its value."""


class _StopReadingError(Exception):
    """The rest of the text cannot be made sense of."""

    def __init__(self, at: SourcePosition, path: YamlPath, message: str) -> None:
        super().__init__(message)
        self.fault = YamlFault(at, path, message)


@dataclass(slots=True)
class _Node:
    """A finished value and how many nodes it stands for."""

    data: Any
    size: int


@dataclass(slots=True)
class _Reader:
    """Builds one document from the parser's events."""

    events: Iterator[Any]
    positions: dict[YamlPath, SourcePosition] = field(default_factory=dict[YamlPath, SourcePosition])
    key_positions: dict[YamlPath, SourcePosition] = field(default_factory=dict[YamlPath, SourcePosition])
    faults: list[YamlFault] = field(default_factory=list[YamlFault])
    anchors: dict[str, _Node] = field(default_factory=dict[str, _Node])
    nodes: int = 0

    def read_document(self) -> Any:
        """The one document of the stream; None for an empty stream."""
        next(self.events)  # the start of the stream
        if isinstance(next(self.events), yaml.StreamEndEvent):
            return None
        data = self._node(next(self.events), ()).data
        next(self.events)  # the end of the document
        after = next(self.events)
        if not isinstance(after, yaml.StreamEndEvent):
            raise _StopReadingError(_position(after), (), "a second document begins here; keep one document a file")
        return data

    def _node(self, event: Any, path: YamlPath) -> _Node:
        if len(path) > MAX_YAML_DEPTH:
            raise _StopReadingError(_position(event), (), f"nested more than {MAX_YAML_DEPTH} deep; flatten it")
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, path)
        tag: str | None = event.tag
        if tag is not None:
            self.faults.append(YamlFault(_position(event), path, _TAG_MESSAGE))
        if isinstance(event, yaml.ScalarEvent):
            self.positions[path] = _position(event)
            node = _Node(_scalar(event), 1)
        elif isinstance(event, yaml.SequenceStartEvent):
            node = self._sequence(event, path)
        else:
            node = self._mapping(event, path)
        self._count(1, event)
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        return node

    def _count(self, nodes: int, event: Any) -> None:
        self.nodes += nodes
        if self.nodes > MAX_YAML_NODES:
            message = f"holds more than {MAX_YAML_NODES} values, aliases expanded; make it smaller"
            raise _StopReadingError(_position(event), (), message)

    def _alias(self, event: Any, path: YamlPath) -> _Node:
        node = self.anchors.get(event.anchor)
        if node is None:
            raise _StopReadingError(_position(event), path, _UNKNOWN_ALIAS_MESSAGE)
        self._count(node.size, event)
        self.positions[path] = _position(event)
        return node

    def _sequence(self, start: Any, path: YamlPath) -> _Node:
        self.positions.setdefault(path, _position(start))
        items: list[Any] = []
        size = 1
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            node = self._node(event, (*path, len(items)))
            items.append(node.data)
            size += node.size
        return _Node(items, size)

    def _mapping(self, start: Any, path: YamlPath) -> _Node:
        self.positions.setdefault(path, _position(start))
        entries: dict[str, Any] = {}
        merged: list[Any] = []
        size = 1
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self._key(event, path)
            inner = (*path, key)
            if key in entries:
                self.faults.append(YamlFault(_position(event), inner, "this key stands here a second time; keep one"))
                del self.positions[inner]
            self.key_positions[inner] = _position(event)
            node = self._node(self._next_value_event(inner), inner)
            size += node.size + 1
            if key == "<<" and not event.style:
                merged.append((node.data, _position(event)))
            else:
                entries[key] = _merge_duplicates(entries.get(key), node.data)
        for source, at in merged:
            self._merge(entries, source, at, path)
        return _Node(entries, size)

    def _next_value_event(self, inner: YamlPath) -> Any:
        """The event of a key's value; a collection is placed where its key stands."""
        event = next(self.events)
        if isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
            self.positions[inner] = self.key_positions[inner]
        return event

    def _key(self, event: Any, path: YamlPath) -> str:
        if not isinstance(event, yaml.ScalarEvent):
            raise _StopReadingError(_position(event), path, _INVALID_KEY_MESSAGE)
        if event.tag is not None:
            self.faults.append(YamlFault(_position(event), path, _TAG_MESSAGE))
        if event.anchor is not None:
            self.anchors[event.anchor] = _Node(event.value, 1)
        key: str = event.value
        return key

    def _merge(self, entries: dict[str, Any], source: Any, at: SourcePosition, path: YamlPath) -> None:
        for part in source if is_list(source) else [source]:
            if not is_mapping(part):
                self.faults.append(
                    YamlFault(
                        at,
                        path,
                        "`<<` takes a mapping, or a list of mappings; name them by their anchors, as in `<<: *base`",
                    )
                )
                continue
            for key, value in part.items():
                entries.setdefault(key, value)


def _merge_duplicates(first: Any, second: Any) -> Any:
    """What counts of a key that stands there twice, where the rest of the text builds on it: mappings count both."""
    return {**first, **second} if is_mapping(first) and is_mapping(second) else second


def parse_yaml(text: str) -> ParsedYaml:
    """Read `text`, at most MAX_BYTES long in UTF-8. Never raises: what is wrong is among the faults."""
    if len(text.encode(errors="replace")) > MAX_YAML_BYTES:
        return _failed_parse(
            YamlFault(SourcePosition(1, 1), (), f"larger than {MAX_YAML_BYTES // 1024} KiB; make it smaller")
        )
    text = text.removeprefix("\ufeff")
    if odd := _UNPRINTABLE.search(text):
        return _failed_parse(
            YamlFault(_position_of(text, odd.start()), (), "a control character stands here; remove it")
        )
    reader = _Reader(iter(_PARSE_EVENTS(text, Loader=_LOADER)))
    try:
        data = reader.read_document()
    except _StopReadingError as stop:
        return ParsedYaml(None, reader.positions, (*reader.faults, stop.fault), reader.key_positions)
    except yaml.MarkedYAMLError as error:
        at, message = explain_parse_failure(parse_failure_from_error(error, text))
        return _failed_parse(YamlFault(at, (), message))
    except (yaml.YAMLError, UnicodeError):
        return _failed_parse(
            YamlFault(SourcePosition(1, 1), (), "this cannot be read as YAML; save the file as UTF-8 text")
        )
    return ParsedYaml(data, reader.positions, tuple(reader.faults), reader.key_positions)


def _failed_parse(fault: YamlFault) -> ParsedYaml:
    return ParsedYaml(None, {}, (fault,))


def parse_failure_from_error(error: yaml.MarkedYAMLError, text: str) -> ParseFailure:
    """What the parser said of `text`."""
    mark: Any = error.problem_mark or error.context_mark
    at = SourcePosition(mark.line + 1, mark.column + 1) if mark is not None else SourcePosition(1, 1)
    begun: Any = error.context_mark
    return ParseFailure(
        problem=error.problem or "",
        context=error.context or "",
        position=at,
        context_position=SourcePosition(begun.line + 1, begun.column + 1) if begun is not None else at,
        lines=split_lines(text),
    )


def _position(event: Any) -> SourcePosition:
    return SourcePosition(event.start_mark.line + 1, event.start_mark.column + 1)


def _position_of(text: str, offset: int) -> SourcePosition:
    before = text[:offset]
    return SourcePosition(before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1)


def _scalar(event: Any) -> Any:
    """The value of a scalar; a quoted or block one is text."""
    value: str = event.value
    if event.style:
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
