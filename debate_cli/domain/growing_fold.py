"""Computes values step by step over lists that grow at their end, such as the turns of a debate."""

from collections.abc import Callable, Hashable
from operator import is_
from typing import Any, NamedTuple, TypeVar

from debate_cli.domain.frozen_model import FrozenModel, memoize_on_value

Item = TypeVar("Item")
Value = TypeVar("Value")
KEPT_VALUES = 8
"""Number of last results that are kept. A list without the last few items then need not be folded from its start."""


def fold_growing(
    first: FrozenModel, name: Hashable, items: tuple[Item, ...], start: Value, step: Callable[[Value, Item], Value]
) -> Value:
    """Like `functools.reduce(step, items, start)`, but continues from an earlier call with the same `first` and `name`.

    Each event makes a new debate, with the turns of the debate before and perhaps one more. A fold over turns takes
    only the step for the new turn, so a debate of twice the length takes twice the work.

    `first`: the object that stores the newest results, usually the first turn. `name`: identifies the fold; contains all
    that `start` and `step` depend on, besides the items. `step` must be pure, and callers must not change a result.
    """
    known = _known_fold(first, name)
    prefix = known.prefix or _Prefix((), (start,))
    shared = _count_shared(prefix.items, items)
    kept = len(prefix.values) - (len(prefix.items) - shared)
    begin, values = (shared, prefix.values[:kept]) if kept > 0 else (0, (start,))
    for item in items[begin:]:
        values = (*values[1 - KEPT_VALUES :], step(values[-1], item))
    if shared < len(items):
        known.prefix = _Prefix(items, values)
    return values[-1]


class _Prefix(NamedTuple):
    items: tuple[Any, ...]
    values: tuple[Any, ...]
    """The results after each of the last items, at most KEPT_VALUES; the last one is the result for all items."""


class _KnownFold:
    """The newest list that was folded. `prefix` is replaced as a whole, never changed, because judges run in threads."""

    prefix: _Prefix | None = None


@memoize_on_value
def _known_fold(first: FrozenModel, name: Hashable) -> _KnownFold:
    del first, name
    return _KnownFold()


def _count_shared(known: tuple[object, ...], items: tuple[object, ...]) -> int:
    """Number of equal items at the start of both lists."""
    count = min(len(known), len(items))
    if known[:count] == items[:count]:
        return count
    return next((place for place, same in enumerate(map(is_, known, items)) if not same), count)
