"""Changes or lists the texts inside nested values."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from pydantic import BaseModel

T = TypeVar("T")


def map_texts(value: T, change: Callable[[str], str], *, keys: bool = True, skip: Collection[str] = ()) -> T:
    """Return `value` with `change` applied to every text in its models, dataclasses, lists and mappings.

    `keys`: whether keys of mappings are changed. `skip`: names of fields and keys whose values stay unchanged.
    Changed models are not validated.
    """

    def of_member(name: Any, item: Any) -> Any:
        return item if name in skip else walk(item)

    def walk(item: Any) -> Any:
        if isinstance(item, str):
            return change(item)
        if isinstance(item, list | tuple):
            mapped = map(walk, cast("list[Any]", item))
            return tuple(mapped) if isinstance(item, tuple) else list(mapped)
        if isinstance(item, Mapping):
            members = cast("Mapping[Any, Any]", item).items()
            return {walk(key) if keys else key: of_member(key, part) for key, part in members}
        if isinstance(item, BaseModel):
            names = [*type(item).model_fields]
        elif is_dataclass(item) and not isinstance(item, type):
            names = [field.name for field in fields(item)]
        else:
            return item
        old = {name: getattr(item, name) for name in names}
        new = {name: of_member(name, part) for name, part in old.items()}
        changed = {name: part for name, part in new.items() if part != old[name]}
        if not changed:
            return item
        return item.model_copy(update=changed) if isinstance(item, BaseModel) else replace(item, **changed)

    return walk(value)


def iter_texts(value: object, *, keys: bool = True, skip: Collection[str] = ()) -> Iterator[str]:
    """Yield every text in a JSON value, in order.

    `keys`: whether keys of mappings are included. `skip`: keys whose values are left out.
    """
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in cast("Mapping[str, object]", value).items():
            if keys:
                yield key
            if key not in skip:
                yield from iter_texts(item, keys=keys, skip=skip)
    elif isinstance(value, list | tuple):
        for item in cast("list[object]", value):
            yield from iter_texts(item, keys=keys, skip=skip)
