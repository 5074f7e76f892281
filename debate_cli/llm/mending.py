"""Mending the JSON of a reply that is broken, in bounded time: `json-repair` on a text that may only be read so often.

The library looks ahead at every quote that does not fit, so that its time can grow with the square of a text and more. On
replies that were meant as JSON it reads each character about three times.
"""

from __future__ import annotations

from typing import Any, Self, cast

import json_repair

MAX_REPAIR_CHARS = 50_000
"""A longer text is not mended: what the library gathers it copies at every character."""
MAX_REPAIR_READS = 200_000
"""Characters and slices read for one text, at most: half a second or so, and enough for MOST_CHARS meant as JSON."""
_SLICE_CHARS = 100
"""A slice costs one read, and one more for each so many characters."""


class _RepairLimitError(Exception):
    """The text is so broken that mending it takes too long. Not one that the library would catch."""


class _ReadCounter:
    """Reads that are left."""

    def __init__(self, left: int) -> None:
        self.remaining = left

    def consume(self, reads: int) -> None:
        """Count some; raises _TooMuchError when there are none left."""
        self.remaining -= reads
        if self.remaining < 0:
            raise _RepairLimitError


class _CountedText(str):
    """A text whose reads are counted.

    The library puts signs in by `text[:here] + sign + text[here:]`, so what begins as the text did is counted on.
    """

    __slots__ = ("_meter",)

    _meter: _ReadCounter

    @classmethod
    def wrap(cls, text: str, meter: _ReadCounter) -> Self:
        metered = cls(text)
        metered._meter = meter
        return metered

    def __getitem__(self, key: Any, /) -> str:  # pyright: ignore[reportIncompatibleMethodOverride] - as str takes it
        piece = str.__getitem__(self, key)
        self._meter.consume(1 + len(piece) // _SLICE_CHARS)
        head = isinstance(key, slice) and cast("slice[Any, Any, Any]", key).start is None
        return _CountedText.wrap(piece, self._meter) if head else piece

    def __add__(self, other: str, /) -> str:
        return _CountedText.wrap(str.__add__(self, other), self._meter)


def repair_json(broken: str) -> dict[str, Any] | None:
    """The object that `broken` was meant to be; None where that cannot be told, or not in time."""
    if len(broken) > MAX_REPAIR_CHARS:
        return None
    try:
        value: Any = json_repair.loads(_CountedText.wrap(broken, _ReadCounter(MAX_REPAIR_READS)), skip_json_loads=True)
    except Exception:  # noqa: BLE001 - on some texts the library stumbles: AssertionError, IndexError, RecursionError ...
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) and value else None
