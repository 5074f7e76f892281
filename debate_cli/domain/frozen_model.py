"""The base class of all domain values, and UTC times."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import wraps
from typing import Annotated, Any, Concatenate, ParamSpec, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict


def to_utc(at: datetime) -> datetime:
    """`at` in UTC; a time without an offset is read as UTC.

    Raises ValueError if the year in UTC is not 1 to 9999.
    """
    try:
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except OverflowError as error:
        msg = "must be a time in the years 1 to 9999 in UTC"
        raise ValueError(msg) from error


UtcDatetime = Annotated[datetime, AfterValidator(to_utc)]
"""A time in UTC."""


P = ParamSpec("P")
R = TypeVar("R")


class FrozenModel(BaseModel):
    """A frozen value. Rejects unknown fields and non-finite numbers."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, ser_json_inf_nan="strings", defer_build=True
    )

    def __hash__(self) -> int:
        """The hash of all fields, computed once. Raises TypeError if a field cannot be hashed."""
        fields = vars(self)
        if _HASH_KEY not in fields:
            fields[_HASH_KEY] = hash(tuple(fields[name] for name in type(self).model_fields))
        return fields[_HASH_KEY]

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with the fields in `update` replaced, without validation. Memoized results are not copied.

        Raises KeyError for an unknown field.
        """
        known = type(self).model_fields
        for name in update or ():
            known[name]
        copied = super().model_copy(update=update, deep=deep)
        fields = vars(copied)
        for name in fields.keys() - known.keys():
            del fields[name]
        return copied


F = TypeVar("F", bound="FrozenModel")


def copy_fields(source: FrozenModel, target: type[F], **changes: Any) -> F:
    """A value of the class `target`: the fields that it shares with `source`, then `changes`. Skips validation."""
    fields = vars(source)
    shared = {name: fields[name] for name in target.model_fields if name in fields}
    return target.model_construct(None, **{**shared, **changes})


_HASH_KEY = "_computed_hash"
"""Attribute that holds the hash of a value; pydantic does not list names that begin with an underscore."""
V = TypeVar("V", bound=FrozenModel)


def memoize_on_value(function: Callable[Concatenate[V, P], R]) -> Callable[Concatenate[V, P], R]:
    """Decorator for a pure function of a value and hashable arguments: stores the result on the value.

    Works like `cached_property`, for functions outside of the class. Callers must not change the result.
    """
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def memoized(value: V, *rest: P.args, **named: P.kwargs) -> R:
        results: dict[object, R] | None = vars(value).get(_MEMO_KEY)
        if results is None:
            results = vars(value)[_MEMO_KEY] = {}
        key = (name, rest, tuple(named.items()))
        if key not in results:
            results[key] = function(value, *rest, **named)
        return results[key]

    return memoized


_MEMO_KEY = "_memoized"
"""Attribute of a value that holds its memoized results; see `_HASH_KEY`."""
