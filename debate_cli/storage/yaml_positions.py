"""YAML as plain data together with where each part of it stands. Knows nothing of what the data means.

Scalars follow the core schema of YAML 1.2: `no`, `on` and dates are text. Tags are refused, merge keys (`<<`) are
understood. The text is read event by event, so neither depth nor aliases can exhaust memory or the stack.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import yaml

from debate_cli.domain.config_checks import KeyPath, Problem
from debate_cli.storage.config_errors import MAX_PROBLEMS
from debate_cli.storage.plain import is_list, is_mapping


@dataclass(frozen=True, slots=True, order=True)
class SourcePosition:
    """A place in a text; both count from 1."""

    line: int
    column: int


LocatedMessage = tuple[SourcePosition, str]
_CLOSING_BRACKETS = {"[": "]", "{": "}"}
_SPECIAL_SPACE = re.compile(r"^ *(?:- +)*(?:[\w.-]+:)?[ ]*[\xa0\u1680\u2000-\u200b\u202f\u205f\u3000]")
_WIDE_COLON = re.compile(r"^ *(?:- +)*[\w.-]+：")
_MERGE_CONFLICT = re.compile(r"^(?:<{7} |={7}$|>{7} )")
_MISSING_SPACE = re.compile(r"^ *(?:- +)*[A-Za-z_][\w.-]*:(?!//)[^\s:]")
_TOP_KEY = re.compile(r"[\w.-]+:(?=\s|$)")
_HAS_VALUE = re.compile(r":\s+[^\s#|>]")
_KEY = re.compile(r":(?=\s|$)")
_LINE_START = re.compile(r"\s*(?:- +)*")
_TAB_MESSAGE = "a tab stands where the line is indented; indent with blanks"
_AFTER_QUOTE_MESSAGE = (
    "nothing may follow a closing quote; put the whole text in quotes, and write a quote within it twice in '…', "
    'or as \\" in "…"'
)
_TOO_DEEP_MESSAGE = (
    "this line stands deeper than the one above and goes on with its value; align its key with the others, or put a "
    "text that holds `: ` in quotes"
)
_COLON_IN_TEXT_MESSAGE = (
    "a colon inside a text needs quotes; put the whole text in them, or begin a key on a line of its own"
)
_INVALID_FIRST_CHARS = "@`%&*!|>,[]{}?-:"
_VALUE_NOT_ALLOWED = "mapping values are not allowed"
_GENERAL_MESSAGE = (
    "this cannot be read as YAML; look here for a missing quote, bracket or colon, and for wrong indentation"
)


@dataclass(frozen=True, slots=True)
class ParseFailure:
    """What the parser said, and where."""

    problem: str
    context: str
    """What it was reading; empty where it did not say."""
    position: SourcePosition
    context_position: SourcePosition
    """Where what it was reading began; `at` where it did not say."""
    lines: Sequence[str] = field(repr=False)
    """The whole text, by `lines_of`."""

    def line(self, number: int) -> str:
        """A line by its number from 1; empty where there is none."""
        return self.lines[number - 1] if 1 <= number <= len(self.lines) else ""

    @property
    def text_before(self) -> str:
        """What stands before the place on its line."""
        return self.line(self.position.line)[: self.position.column - 1]

    @property
    def text_after(self) -> str:
        """What stands at the place and behind it on its line."""
        return self.line(self.position.line)[self.position.column - 1 :]

    @property
    def is_at_end(self) -> bool:
        """Whether nothing but blanks follows in the whole text."""
        return not self.text_after.strip() and not any(line.strip() for line in self.lines[self.position.line :])

    def content_line_above(self, number: int) -> int:
        """The number of the nearest line above that holds something else than a comment; 0 for none."""
        lines = self.lines
        return next((one for one in range(number - 1, 0, -1) if _has_content(lines[one - 1])), 0)


def split_lines(text: str) -> list[str]:
    """The lines of a text, as the parser counts them."""
    return re.split(r"\r\n|[\n\r\x85\u2028\u2029]", text)


def explain_parse_failure(stumble: ParseFailure) -> LocatedMessage:
    """Where the mistake probably is, and one sentence on what it is and what to do."""
    said = f"{stumble.context}: {stumble.problem}"
    told = (tell(stumble) for words, tell in _EXPLAINERS if re.search(words, said))
    at, message = _find_foreign_character(stumble) or next(told, (stumble.position, _GENERAL_MESSAGE))
    last = len(stumble.lines)
    return (at if at.line <= last else SourcePosition(last, len(stumble.line(last)) + 1)), message


def _has_content(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _find_foreign_character(stumble: ParseFailure) -> LocatedMessage | None:
    """A sign that is no YAML but looks like it, or that another tool left, in the lines of which the parser speaks."""
    for number in sorted({stumble.context_position.line, stumble.position.line, *_joined_lines(stumble)}):
        line = stumble.line(number)
        start = SourcePosition(number, _indent_column(line))
        if _MERGE_CONFLICT.match(line):
            return start, "a mark of a merge conflict stands here; settle the conflict and remove its marks"
        if line.lstrip().startswith("```"):
            return start, "a mark of a Markdown code block stands here; remove it"
        if found := _SPECIAL_SPACE.match(line):
            return SourcePosition(
                number, found.end()
            ), "a special blank stands here, such as a no-break space; type a plain one"
        if found := _WIDE_COLON.match(line):
            return SourcePosition(number, found.end()), "this is not the colon of YAML; write `: `"
    return None


def _joined_lines(stumble: ParseFailure) -> Sequence[int]:
    """The number of the line above where it and the beginning of this one were read as one text, as if it had no key.

    Elsewhere it may stand within a text of its own, in which every sign may be.
    """
    as_one = _VALUE_NOT_ALLOWED in stumble.problem and not _KEY.search(stumble.text_before)
    return (stumble.content_line_above(stumble.position.line),) if as_one else ()


def _indent_column(line: str) -> int:
    return len(line) - len(line.lstrip()) + 1


def _fixed_explanation(message: str, *, at_beginning: bool = False) -> Callable[[ParseFailure], LocatedMessage]:
    """One sentence whatever the text is, at the place or where what was being read began."""
    return lambda stumble: (stumble.context_position if at_beginning else stumble.position, message)


def _explain_colon(stumble: ParseFailure) -> LocatedMessage:
    """A colon where no key can be: inside a text, or because of the line above."""
    if _KEY.search(stumble.text_before):
        return stumble.position, _COLON_IN_TEXT_MESSAGE
    above = stumble.content_line_above(stumble.position.line)
    line = stumble.line(above)
    if above and not _KEY.search(line) and not _is_continuation(stumble, above):
        return _explain_missing_key(stumble, above)
    return SourcePosition(
        stumble.position.line, _indent_column(stumble.text_before + "x")
    ), _TOO_DEEP_MESSAGE if above else _COLON_IN_TEXT_MESSAGE


def _is_continuation(stumble: ParseFailure, number: int) -> bool:
    """Whether a line without a key goes on with the value of a line above that stands less deep."""
    depth = _indent_column(stumble.line(number))
    above = stumble.content_line_above(number)
    while above and _indent_column(stumble.line(above)) >= depth:
        above = stumble.content_line_above(above)
    return bool(above) and _HAS_VALUE.search(stumble.line(above)) is not None


def _explain_missing_key(stumble: ParseFailure, number: int) -> LocatedMessage:
    """A line that should be a key and a value."""
    line = stumble.line(number)
    glued = _MISSING_SPACE.match(line)
    if glued:
        return SourcePosition(number, glued.end()), "a blank is missing after the colon of this key; write `key: value`"
    lead = _LINE_START.match(line)
    column = (lead.end() if lead else 0) + 1
    message = "no colon follows, so this is no key; write `key: value`, or indent a line that goes on with a text above"
    return SourcePosition(number, column), message


def _explain_document(stumble: ParseFailure) -> LocatedMessage:
    """Something that does not belong to the mapping that was read."""
    written = [number for number, line in enumerate(stumble.lines, start=1) if _has_content(line)]
    first = written[0] if written else stumble.position.line
    if stumble.line(first).startswith("%"):
        return _explain_directive(replace(stumble, context_position=SourcePosition(first, 1)))
    if any(stumble.line(number).startswith("...") for number in written if number <= stumble.position.line):
        return stumble.position, "`...` ends a document and nothing may follow it; remove it"
    if not stumble.text_before.strip() and stumble.position.column < _indent_column(stumble.line(first)):
        return (
            stumble.position,
            "this line begins further left than the first one; begin all of them in the same column",
        )
    return stumble.position, "this does not belong to what stands before it; write one mapping of keys to values"


def _explain_entry(stumble: ParseFailure) -> LocatedMessage:
    """Something that is no further entry of the mapping or list that is being read."""
    if stumble.text_before.strip(" -"):
        return _explain_trailing_text(stumble)
    if stumble.text_after.startswith(":"):
        return stumble.position, "a key is missing before this colon; write `key: value`"
    if stumble.text_after.startswith(("- ", "-\t")) or stumble.text_after.rstrip() == "-":
        return stumble.position, "an item of a list stands among keys; indent it below the key whose list it belongs to"
    if stumble.text_after.startswith("-") and re.search(r"collection|sequence", stumble.context):
        return stumble.position, "a blank is missing after the `-` of this item; write `- `"
    if re.search(r"collection|sequence", stumble.context):
        return (
            stumble.position,
            "this line fits no item of the list above; align it with the item's keys, or begin it with `- `",
        )
    return (
        stumble.position,
        "the indentation of this line fits nothing above; align it with the keys that it belongs to",
    )


def _explain_trailing_text(stumble: ParseFailure) -> LocatedMessage:
    """Something behind a value that was complete."""
    last, sign = stumble.text_before.rstrip()[-1:], stumble.text_after[:1]
    if sign in {",", ";"}:
        return stumble.position, f"a line ends without `{sign}`; remove it"
    if sign in {"]", "}"}:
        return stumble.position, f"this `{sign}` closes nothing; remove it"
    if last in {"]", "}"}:
        return stumble.position, "nothing may follow a closing bracket; put a text that begins with a bracket in quotes"
    return stumble.position, _AFTER_QUOTE_MESSAGE if last in {'"', "'"} else _GENERAL_MESSAGE


def _explain_bracket(stumble: ParseFailure) -> LocatedMessage:
    """A list or mapping between brackets that goes wrong."""
    opening = stumble.line(stumble.context_position.line)[stumble.context_position.column - 1 :][:1]
    closing = _CLOSING_BRACKETS.get(opening, "]` or `}")
    left_open = (
        stumble.context_position < SourcePosition(stumble.position.line, 1) and stumble.context_position.column > 1
    )
    if stumble.is_at_end or (left_open and _TOP_KEY.match(stumble.line(stumble.position.line))):
        return stumble.context_position, f"this `{opening}` is never closed; add `{closing}`"
    if stumble.text_after.startswith("{") and stumble.text_before.endswith("$"):
        return SourcePosition(
            stumble.position.line, stumble.position.column - 1
        ), '`${…}` between brackets needs quotes; write "${…}"'
    place = f"the `{opening}` of line {stumble.context_position.line}, column {stumble.context_position.column}"
    if stumble.text_after[:1] in {"]", "}"}:
        return (
            stumble.position,
            f"{place} is closed by `{closing}`, not by `{stumble.text_after[:1]}`; make them a pair",
        )
    return stumble.position, f"a comma or `{closing}` is missing before this, as {place} is still open; add it"


def _explain_first_character(stumble: ParseFailure) -> LocatedMessage:
    """A sign that no value begins with."""
    sign = stumble.text_after[:1]
    if sign == "\t":
        return stumble.position, _TAB_MESSAGE
    if stumble.is_at_end and not sign.strip():
        return stumble.position, "a value or a closing bracket is missing at the end; add it"
    if sign and sign in ",]}" and "flow" in stumble.context:
        return stumble.position, f"a value is missing before this `{sign}`; write one, or remove what is too much"
    return (
        (stumble.position, _bad_start_message(sign))
        if sign and sign in _INVALID_FIRST_CHARS
        else _explain_document(stumble)
    )


def _bad_start_message(sign: str) -> str:
    return f"a text cannot begin with {f'`{sign}`' if sign != '`' else 'a backtick'}; put it in quotes"


def _explain_context_start(stumble: ParseFailure) -> LocatedMessage:
    """The same, noticed behind it."""
    sign = stumble.line(stumble.context_position.line)[stumble.context_position.column - 1 :][:1]
    return stumble.context_position, _bad_start_message(sign)


def _explain_backslash(stumble: ParseFailure) -> LocatedMessage:
    line = stumble.line(stumble.position.line)
    place = line.rfind("\\", 0, stumble.position.column)
    message = (
        "a backslash in double quotes begins a sign such as `\\n`, and this is none; write two, or use single quotes"
    )
    return (SourcePosition(stumble.position.line, place + 1) if place >= 0 else stumble.position), message


def _explain_directive(stumble: ParseFailure) -> LocatedMessage:
    message = "a line that begins with `%` gives orders to the reader of YAML; remove it, or put a text in quotes"
    return stumble.context_position, message


_EXPLAINERS: tuple[tuple[str, Callable[[ParseFailure], LocatedMessage]], ...] = (
    (r"\btab\b", _fixed_explanation(_TAB_MESSAGE)),
    (r"directive|incompatible YAML", _explain_directive),
    (_VALUE_NOT_ALLOWED, _explain_colon),
    (r"mapping keys are not allowed", _explain_first_character),
    (r"sequence entries are not allowed", _fixed_explanation(
        "a list begins on a line of its own; move the `-` to the next line, or put a text that begins with it in quotes")),
    (r"expected ':'", lambda stumble: _explain_missing_key(stumble, stumble.context_position.line)),
    (r"<document start>", _explain_document),
    (r"end of stream|document (?:indicator|separator)", _fixed_explanation(
        "this quote is never closed; add the closing one, or put a text that begins with a quote in other quotes",
        at_beginning=True)),
    (r"quoted scalar|double-quoted", _explain_backslash),
    (r"expected ',' or '[\]}]'", _explain_bracket),
    (r"block (?:mapping|collection|sequence)", _explain_entry),
    (r"an (?:alias|anchor)", _explain_context_start),
    (r"indicator equal to 0|indicator in the range", _fixed_explanation("the number after `|` or `>` is 1 to 9; leave it out")),
    (r"block scalar", _fixed_explanation(
        "after `|` or `>` a text begins on the next line; put one that begins with such a sign in quotes",
        at_beginning=True)),
    (r"\btag\b", _fixed_explanation(
        "tags are not allowed; remove the `!…`, or put a text that begins with it in quotes", at_beginning=True)),
    (r"cannot start any token|node content", _explain_first_character),
)  # fmt: skip
"""Words of the parser, and who knows what they mean; the first that fits."""


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


_MESSAGE_CHARS = 400
_KEY_CHARS = 80
"""Characters of one key in a path that an error shows."""


@dataclass(frozen=True, slots=True)
class SourceMap:
    """Where each part of a configuration comes from."""

    name: str
    """The file as it was named, or `stdin`."""
    positions: Mapping[KeyPath, SourcePosition] = field(default_factory=dict[KeyPath, SourcePosition])
    origins: Mapping[KeyPath, str] = field(default_factory=dict[KeyPath, str])
    """The option or variable that a path was set by."""
    key_positions: Mapping[KeyPath, SourcePosition] = field(default_factory=dict[KeyPath, SourcePosition])
    """Where each key stands."""

    def locate(self, path: KeyPath, *, key: bool = False) -> str:
        """`file:line:column` of a path, or of the nearest thing around it that has a place; an option, and what is no file, by its name.

        What stands at the path is meant, or its `key`.
        """
        place = self._nearest(path, key=key)
        if isinstance(place, SourcePosition):
            return f"{self.name}:{place.line}:{place.column}"
        return place or (f"{self.name}:1:1" if self.positions else self.name)

    def sort_key(self, problem: Problem) -> tuple[int, SourcePosition]:
        """Sorts problems as they stand in the file, options last."""
        place = self._nearest(problem.path, key=problem.is_key_error)
        return (0, place) if isinstance(place, SourcePosition) else (1 if place else 0, SourcePosition(0, 0))

    def _nearest(self, path: KeyPath, *, key: bool) -> SourcePosition | str | None:
        heads = [path[:length] for length in range(len(path), -1, -1)]
        origin = next((self.origins[head] for head in heads if head in self.origins), None)
        if origin is not None:  # what the file says there and below counts no more
            return origin
        for head in heads:
            if key and head == path and head in self.key_positions:
                return self.key_positions[head]
            if head in self.positions:
                return self.positions[head]
        return None

    def format_problem(self, problem: Problem) -> str:
        """One line: `file:line:column: key.path: what is wrong`."""
        key, message = _format_key_path(problem.path), _shorten(problem.message, _MESSAGE_CHARS)
        return (
            f"{self.locate(problem.path, key=problem.is_key_error)}: {key}: {message}"
            if key
            else f"{self.locate(())}: {message}"
        )

    def format_fault(self, fault: YamlFault) -> str:
        """The same of something that is wrong with the text itself."""
        key, where = _format_key_path(fault.path), f"{self.name}:{fault.position.line}:{fault.position.column}"
        return f"{where}: {key}: {fault.message}" if key else f"{where}: {fault.message}"

    def format_problems(
        self, problems: Iterable[Problem], before: Sequence[str], redact: Callable[[str], str]
    ) -> list[str]:
        """The lines `before`, then one for each problem in the order of the file, without secrets; none twice.

        No more than MAX_PROBLEMS, and one that says so.
        """
        ordered = sorted(dict.fromkeys(problems), key=self.sort_key)
        told = [*before, *map(self.format_problem, ordered[: MAX_PROBLEMS + 1])]
        shown = list(dict.fromkeys(redact(line) for line in told))
        if len(shown) > MAX_PROBLEMS:
            shown[MAX_PROBLEMS:] = [f"{escape_unprintable(self.name)}: and more faults; mend these first"]
        return shown


def _format_key_path(path: Sequence[str | int]) -> str:
    return ".".join(_shorten(str(part), _KEY_CHARS) for part in path)


def _shorten(text: str, most: int) -> str:
    """`text` on one line, cut where it is longer than `most`."""
    return escape_unprintable(text if len(text) <= most else f"{text[:most]}…")


def escape_unprintable(text: str) -> str:
    """`text` without what a terminal would act on."""
    return text if text.isprintable() else ascii(text)[1:-1]
