"""The one base of all domain values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import wraps
from typing import Annotated, Any, Concatenate, ParamSpec, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict


def to_utc(at: datetime) -> datetime:
    """The same moment in UTC; without an offset it is taken for UTC.

    Raises ValueError where UTC has no such year.
    """
    try:
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except OverflowError as error:
        msg = "no moment of the years 1 to 9999 in UTC"
        raise ValueError(msg) from error


UtcDatetime = Annotated[datetime, AfterValidator(to_utc)]
"""In UTC."""


P = ParamSpec("P")
R = TypeVar("R")


class FrozenModel(BaseModel):
    """A frozen value that refuses unknown fields and numbers that are not finite."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, ser_json_inf_nan="strings", defer_build=True
    )

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with `update` laid over it, its values unchecked; what was concluded from the old fields is left behind.

        Raises KeyError for a name that is no field.
        """
        for name in update or ():
            type(self).model_fields[name]
        copied = super().model_copy(update=update, deep=deep)
        held = vars(copied)
        for name in held.keys() - type(self).model_fields.keys():
            del held[name]
        return copied


V = TypeVar("V", bound=FrozenModel)


def memoize_on_value(conclude: Callable[Concatenate[V, P], R]) -> Callable[Concatenate[V, P], R]:
    """`conclude`, a pure function of a value and of what can be hashed, done once for each value and kept with it.

    Like a `cached_property` of the value, for rooms above its own. What it returns must not be changed by those who ask.
    """
    name = f"{conclude.__module__}.{conclude.__qualname__}"

    @wraps(conclude)
    def asked(value: V, *rest: P.args, **named: P.kwargs) -> R:
        kept: dict[object, R] = vars(value).setdefault(_MEMO_KEY, {})
        key = (name, rest, tuple(named.items()))
        if key not in kept:
            kept[key] = conclude(value, *rest, **named)
        return kept[key]

    return asked


_MEMO_KEY = "concluded"
"""Where a value keeps what was concluded from it; no field."""
