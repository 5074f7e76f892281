"""Mutations of a file: of its bytes, its lines and the values in it. They are data, so that hypothesis can shrink them."""

import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, cast

import yaml

# fmt: off
TOKENS: tuple[bytes, ...] = (
    b"\x00", b"\xff\xfe", b"\xc3", b"\xed\xa0\x80", b"\x1b]0;x\x07", b"\r", "\u2028".encode(), "\u202e".encode(),
    b"&a ", b"*a", b"<<: *a\n", b"!!python/object:os.system ", b"!x ", b"? ", b"- ", b"\n---\n", b"%YAML 1.2\n", b"# ",
    b"{", b"}", b"[", b"]", b'"', b"'", b"\\", b",", b":", b": ", b"|\n", b">-\n", b"\t", b"\n", b"  ", b"`", b"@",
    b"NaN", b"-Infinity", b"1e999", b"0x1F", b".inf", b"9" * 5000, b"-0", b"null", b"true", b"\\ud800", b"\\u0000",
    b"${", b"${A:-", b"$${", b"topic: again\n", b'"schema_version": 2,', b'"schema_version": true,', b'"a": 1, "a": 2,',
    b"<think>", b"</think>", b"```json\n", b"```", b"}{", b"{}", b"//", b"/* ", b"system: ", b"<|im_start|>",
    "a\u0301".encode() * 40, b"sk-aaaaaaaaaaaaaaaaaaaa", b"Bearer abcdefgh12345678", b"a://b:c@d", b"../../x",
)
"""Byte sequences with a meaning in YAML, JSON, prompts or terminals."""
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 10**30, 10**90, -0.0, 1e308, float("nan"), float("inf"), 0.1, 1e-320,
    "", " ", "for", "Pro", "PRO-1", "draw", "\x1b[2J\n", "\u202e", "\ud800", "\x00", "k" * 5000, "a" + "\u0301" * 200,
    "${X}", "${X:-y}", "${", "sk-aaaaaaaaaaaaaaaaaaaa", "../../x", "2026-01-01T00:00:00", "9999-12-31T23:59:59-14:00",
    [], {}, [[]], [None], {"": {}}, {"kind": "panel"}, {"kind": []}, [1] * 60, {"a": 1, "kind": "structured"},
)
"""Values of unexpected types and sizes."""
# fmt: on


@dataclass(frozen=True, slots=True)
class Change:
    """One mutation: its kind, its position and its length (shares of the whole, 0 to 1), and its argument."""

    kind: str
    at: float
    reach: float = 0.1
    choice: int = 0
    """Index into TOKENS or VALUES, or a count."""


def changed(data: bytes, changes: Sequence[Change]) -> bytes:
    """`data` with the changes applied in order; changes of values first, if it is JSON or YAML."""
    inner = [change for change in changes if change.kind in VALUE_CHANGES]
    if inner:
        data = _revalued(data, inner)
    for change in changes:
        if change.kind in BYTE_CHANGES:
            data = BYTE_CHANGES[change.kind](data, change)
    return data


def _span(data: bytes, change: Change) -> tuple[int, int]:
    start = int(change.at * len(data))
    return start, start + int(change.reach * (len(data) - start))


def _cut(data: bytes, change: Change) -> bytes:
    return data[: _span(data, change)[0]]


def _drop(data: bytes, change: Change) -> bytes:
    start, end = _span(data, change)
    return data[:start] + data[end:]


def _repeat(data: bytes, change: Change) -> bytes:
    start, end = _span(data, change)
    times = min(2 + change.choice % 50, 1 + 100_000 // max(1, end - start))
    return data[:start] + data[start:end] * times + data[end:]


def _put(data: bytes, change: Change) -> bytes:
    start = _span(data, change)[0]
    return data[:start] + TOKENS[change.choice % len(TOKENS)] + data[start:]


def _nest(data: bytes, change: Change) -> bytes:
    start, end = _span(data, change)
    before, after = ((b"[", b"]"), (b'{"a": ', b"}"), (b"- ", b""))[change.choice % 3]
    depth = 1 + change.choice
    return data[:start] + before * depth + data[start:end] + after * depth + data[end:]


def _flip(data: bytes, change: Change) -> bytes:
    start = min(_span(data, change)[0], len(data) - 1)
    return data[:start] + bytes([data[start] ^ (1 << change.choice % 8)]) + data[start + 1 :] if data else data


def _double_line(data: bytes, change: Change) -> bytes:
    lines = data.splitlines(keepends=True)
    place = int(change.at * len(lines))
    return b"".join([*lines[: place + 1], *lines[place:]])


def _swap_lines(data: bytes, change: Change) -> bytes:
    lines = data.splitlines(keepends=True)
    if len(lines) > 1:
        first, second = int(change.at * len(lines)) % len(lines), change.choice % len(lines)
        lines[first], lines[second] = lines[second], lines[first]
    return b"".join(lines)


BYTE_CHANGES: dict[str, Callable[[bytes, Change], bytes]] = {
    "cut": _cut,
    "drop": _drop,
    "repeat": _repeat,
    "put": _put,
    "nest": _nest,
    "flip": _flip,
    "double line": _double_line,
    "swap lines": _swap_lines,
}


def _revalued(data: bytes, changes: Sequence[Change]) -> bytes:
    """`data` as JSON (which is YAML too) with values changed, line by line for a journal.

    Unchanged if it cannot be parsed, or if a YAML alias makes it contain itself or a part twice.
    """
    lines = data.splitlines() if data.startswith(b"{") and b"}\n{" in data else [data]
    try:
        values = [_read(line) for line in lines]
    except (ValueError, yaml.YAMLError, RecursionError):
        return data
    for change in changes:
        place = int(change.at * len(values)) % len(values)
        spots = list(_spots(values[place]))
        if spots:
            holder, key = spots[int(change.reach * len(spots)) % len(spots)]
            VALUE_CHANGES[change.kind](holder, key, change)
    return b"\n".join(json.dumps(value).encode() for value in values)


def _read(data: bytes) -> Any:
    """The value in `data`. Raises ValueError for a part that is shared: as JSON it would have no end, or be huge."""
    value = json.loads(data) if data.lstrip().startswith(b"{") else yaml.safe_load(data)
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        here = waiting.pop()
        if isinstance(here, dict | list):
            if id(cast("object", here)) in seen:
                raise ValueError("a part is shared")
            seen.add(id(cast("object", here)))
            waiting += cast("dict[Any, Any]", here).values() if isinstance(here, dict) else cast("list[Any]", here)
    return value


def _spots(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key or index) in a value."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        here = waiting.pop()
        if isinstance(here, dict | list):
            holder = cast("dict[Any, Any] | list[Any]", here)
            keys: list[Any] = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            found += [(holder, key) for key in keys]
            waiting += [holder[key] for key in keys]
    return found


def _replace(holder: Any, key: Any, change: Change) -> None:
    holder[key] = deepcopy(VALUES[change.choice % len(VALUES)])  # else a value could come to contain itself


def _remove(holder: Any, key: Any, _change: Change) -> None:
    del holder[key]


def _rename(holder: Any, key: Any, change: Change) -> None:
    if isinstance(holder, dict):
        other = cast("dict[str, Any]", holder)
        names = [*other, f"{key}s", "", "\x1b[2J", "kind"]
        other[names[change.choice % len(names)]] = other.pop(key)


def _copy(holder: Any, key: Any, change: Change) -> None:
    if isinstance(holder, list):
        cast("list[Any]", holder)[key:key] = [
            deepcopy(cast("object", holder[key])) for _ in range(1 + change.choice % 20)
        ]


def _wrap(holder: Any, key: Any, change: Change) -> None:
    for _ in range(change.choice % 100):
        holder[key] = [holder[key]] if change.choice % 2 else {"a": holder[key]}


def _swap(holder: Any, key: Any, change: Change) -> None:
    keys: list[Any] = list(cast("dict[Any, Any]", holder)) if isinstance(holder, dict) else list(range(len(holder)))
    other = keys[change.choice % len(keys)]
    holder[key], holder[other] = holder[other], holder[key]


VALUE_CHANGES: dict[str, Callable[[Any, Any, Change], None]] = {
    "replace": _replace,
    "remove": _remove,
    "rename": _rename,
    "copy": _copy,
    "wrap": _wrap,
    "swap": _swap,
}
