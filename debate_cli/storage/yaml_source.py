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
from debate_cli.storage.position import Position
from debate_cli.storage.yaml_faults import Stumble, explained, lines_of

Path = tuple[str | int, ...]
"""Keys and list indices from the root: `("debaters", 0, "model")`."""

MAX_BYTES = 1024 * 1024
MAX_DEPTH = 40
MAX_NODES = 20_000
"""Nodes of a document, aliases counted as often as they are used."""
MAX_DIGITS = 100
"""A longer whole number is text."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_EVENTS: Any = getattr(yaml, "parse")  # noqa: B009 - the stubs leave its type open
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_PREFIXED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_TAGGED = "tags are not allowed; remove the `!…`, or put a text that begins with it in quotes"
_UNKNOWN_ALIAS = "the alias names no anchor that stands before it; put a text that begins with `*` in quotes"
_ODD_KEY = "a key must be one word or text; put brackets and braces that belong to a text in quotes"
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufeff\uff00-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong with the text itself."""

    at: Position
    path: Path
    message: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a text holds."""

    data: Any
    """None, bool, int, float, str, list or dict with text keys; None where the text could not be read at all."""
    places: Mapping[Path, Position]
    """Where each value stands; for a list or mapping, where its key does. Values behind an alias have no place."""
    faults: Sequence[Fault]
    keys: Mapping[Path, Position] = field(default_factory=dict[Path, Position])
    """Where each key stands, under the path of its value."""


class _StopReadingError(Exception):
    """The rest of the text cannot be made sense of."""

    def __init__(self, at: Position, path: Path, message: str) -> None:
        super().__init__(message)
        self.fault = Fault(at, path, message)


@dataclass(slots=True)
class _Node:
    """A finished value and how many nodes it stands for."""

    data: Any
    size: int


@dataclass(slots=True)
class _Reader:
    """Builds one document from the parser's events."""

    events: Iterator[Any]
    places: dict[Path, Position] = field(default_factory=dict[Path, Position])
    keys: dict[Path, Position] = field(default_factory=dict[Path, Position])
    faults: list[Fault] = field(default_factory=list[Fault])
    anchors: dict[str, _Node] = field(default_factory=dict[str, _Node])
    nodes: int = 0

    def document(self) -> Any:
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

    def _node(self, event: Any, path: Path) -> _Node:
        if len(path) > MAX_DEPTH:
            raise _StopReadingError(_position(event), (), f"nested more than {MAX_DEPTH} deep; flatten it")
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, path)
        tag: str | None = event.tag
        if tag is not None:
            self.faults.append(Fault(_position(event), path, _TAGGED))
        if isinstance(event, yaml.ScalarEvent):
            self.places[path] = _position(event)
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
        if self.nodes > MAX_NODES:
            message = f"holds more than {MAX_NODES} values, aliases expanded; make it smaller"
            raise _StopReadingError(_position(event), (), message)

    def _alias(self, event: Any, path: Path) -> _Node:
        node = self.anchors.get(event.anchor)
        if node is None:
            raise _StopReadingError(_position(event), path, _UNKNOWN_ALIAS)
        self._count(node.size, event)
        self.places[path] = _position(event)
        return node

    def _sequence(self, start: Any, path: Path) -> _Node:
        self.places.setdefault(path, _position(start))
        items: list[Any] = []
        size = 1
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            node = self._node(event, (*path, len(items)))
            items.append(node.data)
            size += node.size
        return _Node(items, size)

    def _mapping(self, start: Any, path: Path) -> _Node:
        self.places.setdefault(path, _position(start))
        entries: dict[str, Any] = {}
        merged: list[Any] = []
        size = 1
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self._key(event, path)
            inner = (*path, key)
            if key in entries:
                self.faults.append(Fault(_position(event), inner, "this key stands here a second time; keep one"))
                del self.places[inner]
            self.keys[inner] = _position(event)
            node = self._node(self._placed(inner), inner)
            size += node.size + 1
            if key == "<<" and not event.style:
                merged.append((node.data, _position(event)))
            else:
                entries[key] = _both(entries.get(key), node.data)
        for source, at in merged:
            self._merge(entries, source, at, path)
        return _Node(entries, size)

    def _placed(self, inner: Path) -> Any:
        """The event of a key's value; a collection is placed where its key stands."""
        event = next(self.events)
        if isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
            self.places[inner] = self.keys[inner]
        return event

    def _key(self, event: Any, path: Path) -> str:
        if not isinstance(event, yaml.ScalarEvent):
            raise _StopReadingError(_position(event), path, _ODD_KEY)
        if event.tag is not None:
            self.faults.append(Fault(_position(event), path, _TAGGED))
        if event.anchor is not None:
            self.anchors[event.anchor] = _Node(event.value, 1)
        key: str = event.value
        return key

    def _merge(self, entries: dict[str, Any], source: Any, at: Position, path: Path) -> None:
        for part in source if is_list(source) else [source]:
            if not is_mapping(part):
                self.faults.append(
                    Fault(
                        at,
                        path,
                        "`<<` takes a mapping, or a list of mappings; name them by their anchors, as in `<<: *base`",
                    )
                )
                continue
            for key, value in part.items():
                entries.setdefault(key, value)


def _both(first: Any, second: Any) -> Any:
    """What counts of a key that stands there twice, where the rest of the text builds on it: mappings count both."""
    return {**first, **second} if is_mapping(first) and is_mapping(second) else second


def parse(text: str) -> Parsed:
    """Read `text`, at most MAX_BYTES long in UTF-8. Never raises: what is wrong is among the faults."""
    if len(text.encode(errors="replace")) > MAX_BYTES:
        return _unread(Fault(Position(1, 1), (), f"larger than {MAX_BYTES // 1024} KiB; make it smaller"))
    text = text.removeprefix("\ufeff")
    if odd := _UNPRINTABLE.search(text):
        return _unread(Fault(_position_of(text, odd.start()), (), "a control character stands here; remove it"))
    reader = _Reader(iter(_EVENTS(text, Loader=_LOADER)))
    try:
        data = reader.document()
    except _StopReadingError as stop:
        return Parsed(None, reader.places, (*reader.faults, stop.fault), reader.keys)
    except yaml.MarkedYAMLError as error:
        at, message = explained(stumble_of(error, text))
        return _unread(Fault(at, (), message))
    except (yaml.YAMLError, UnicodeError):
        return _unread(Fault(Position(1, 1), (), "this cannot be read as YAML; save the file as UTF-8 text"))
    return Parsed(data, reader.places, tuple(reader.faults), reader.keys)


def _unread(fault: Fault) -> Parsed:
    return Parsed(None, {}, (fault,))


def stumble_of(error: yaml.MarkedYAMLError, text: str) -> Stumble:
    """What the parser said of `text`."""
    mark: Any = error.problem_mark or error.context_mark
    at = Position(mark.line + 1, mark.column + 1) if mark is not None else Position(1, 1)
    begun: Any = error.context_mark
    return Stumble(
        problem=error.problem or "",
        context=error.context or "",
        at=at,
        begun=Position(begun.line + 1, begun.column + 1) if begun is not None else at,
        lines=lines_of(text),
    )


def _position(event: Any) -> Position:
    return Position(event.start_mark.line + 1, event.start_mark.column + 1)


def _position_of(text: str, offset: int) -> Position:
    before = text[:offset]
    return Position(before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1)


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
    if _PREFIXED.fullmatch(value):
        return int(value, 0) if len(value) <= MAX_DIGITS else value
    if _FLOAT.fullmatch(value):
        return float(value)
    return float(value.replace(".", "")) if _SPECIAL.fullmatch(value) else value
