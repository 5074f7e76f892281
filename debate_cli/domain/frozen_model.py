"""Base classes of frozen values, and functions that cache their results on frozen values."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, wraps
from operator import is_
from typing import Annotated, Any, Concatenate, ParamSpec, Self, TypeVar, cast, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationInfo,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema


def to_utc(at: datetime) -> datetime:
    """Convert `at` to UTC.

    A time without an offset is taken as UTC. Raises ValueError for a year (in UTC) outside 1 to 9999.
    """
    try:
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except OverflowError as error:
        msg = "must be a time in the years 1 to 9999 in UTC"
        raise ValueError(msg) from error


UtcDatetime = Annotated[datetime, AfterValidator(to_utc)]


P = ParamSpec("P")
R = TypeVar("R")


class FrozenModel(BaseModel):
    """Base class of frozen values. Rejects unknown fields and non-finite numbers."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, ser_json_inf_nan="strings", defer_build=True
    )

    def __hash__(self) -> int:
        """Return the hash of all fields, computed once. Raises TypeError if a field cannot be hashed."""
        fields = vars(self)
        if _HASH_KEY not in fields:
            fields[_HASH_KEY] = hash(tuple(fields[name] for name in type(self).model_fields))
        return fields[_HASH_KEY]

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return an unvalidated copy with the fields in `update` replaced. Memoized results are not copied.

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
    """Return a new object of the class `target`. Its fields are copied from `source`, or taken from `changes`.

    Nothing is validated.
    """
    fields = vars(source)
    shared = {name: fields[name] for name in target.model_fields if name in fields}
    return target.model_construct(None, **shared | changes)


_HASH_KEY = "_computed_hash"
V = TypeVar("V", bound=FrozenModel)


def memoize_on_value(function: Callable[Concatenate[V, P], R]) -> Callable[Concatenate[V, P], R]:
    """Decorator for a pure function. Caches the results inside the first argument, which must be a frozen value.

    All other arguments must be hashable.
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


class ConfigModel(FrozenModel):
    """Base class of configuration values. A null section gets its defaults. Booleans are not accepted as numbers."""

    @model_validator(mode="before")
    @classmethod
    def _normalize_input(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        given = cast("dict[str, object]", data)
        sections, numbers = _section_and_number_fields(cls)
        normalized = given.copy()
        for key, value in given.items():
            if value is None:
                if key in sections:
                    del normalized[key]
            elif (value is True or value is False) and key in numbers:
                normalized[key] = str(value).lower()
        return normalized


@cache
def _section_and_number_fields(model: type[ConfigModel]) -> tuple[frozenset[str], frozenset[str]]:
    types = {name: _allowed_types(field.annotation) for name, field in model.model_fields.items()}
    sections = (
        name
        for name, field in model.model_fields.items()
        if field.default_factory is not None or isinstance(field.default, FrozenModel | dict | tuple)
    )
    numbers = (name for name, found in types.items() if bool not in found and found & {int, float})
    return frozenset(sections), frozenset(numbers)


def _allowed_types(annotation: Any) -> set[Any]:
    inner = get_args(annotation)
    if not inner:
        return {annotation if isinstance(annotation, type) else type(annotation)}
    return {found for part in inner for found in _allowed_types(part)}


def _require_text(kind: Any) -> Any:
    if not isinstance(kind, str):
        raise ValueError("must be text")  # noqa: TRY004 - pydantic reports a ValueError
    return kind


Kind = Annotated[Any, AfterValidator(_require_text)]
"""Type of the field `kind` in a base class. A subclass declares e.g. `kind: Literal["panel"] = "panel"`."""


@dataclass(frozen=True)
class ByKind:
    """Annotation of a field whose value has a key `kind`. The `kind` selects the class of the value."""

    parse: Callable[[object, ValidationInfo], object]
    built_in: Callable[[], Mapping[str, type[FrozenModel]]]
    """Returns the built-in classes by kind, for the JSON Schema."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return a schema that calls `parse` before it checks the value."""
        return core_schema.with_info_before_validator_function(self.parse, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Return the union of the built-in classes, distinguished by `kind`."""
        classes = self.built_in()
        for cls in classes.values():
            cls.model_rebuild()
        choices = {kind: cls.__pydantic_core_schema__ for kind, cls in classes.items()}
        return handler(core_schema.tagged_union_schema(choices, discriminator="kind"))


Item = TypeVar("Item")
Value = TypeVar("Value")
KEPT_VALUES = 8
"""Maximum number of intermediate results that `fold_growing` stores. The newest are stored."""


def fold_growing(
    cache: FrozenModel, name: Hashable, items: tuple[Item, ...], start: Value, step: Callable[[Value, Item], Value]
) -> Value:
    """Return `functools.reduce(step, items, start)`. If items were added since the last call, only these are processed.

    `cache` stores intermediate results under `name`. All calls with the same `cache` and `name` must have the same
    `start` and `step`.
    """
    folds = _folds_of(cache).newest
    known, results = folds.get(name, ((), (start,)))
    shared = _shared_prefix_length(known, items)
    kept = len(results) - (len(known) - shared)
    begin, values = (shared, results[:kept]) if kept > 0 else (0, (start,))
    for item in items[begin:]:
        values = (*values[1 - KEPT_VALUES :], step(values[-1], item))
    if shared < len(items):
        folds[name] = items, values  # new tuples, because judges in other threads may read the old ones
    return values[-1]


class _Folds:
    def __init__(self) -> None:
        self.newest: dict[Hashable, tuple[tuple[Any, ...], tuple[Any, ...]]] = {}
        """Maps each `name` given to `fold_growing` to (items, intermediate results)."""


@memoize_on_value
def _folds_of(first: FrozenModel) -> _Folds:
    del first
    return _Folds()


def _shared_prefix_length(known: tuple[object, ...], items: tuple[object, ...]) -> int:
    count = min(len(known), len(items))
    if known[:count] == items[:count]:
        return count
    return next((place for place, same in enumerate(map(is_, known, items)) if not same), count)
