"""The base class of configuration values: how it treats empty sections and booleans."""

from functools import cache
from typing import Any, cast, get_args

from pydantic import AliasChoices, ValidationInfo, model_validator
from pydantic.fields import FieldInfo

from debate_cli.domain.frozen_model import FrozenModel


class ConfigModel(FrozenModel):
    """A value of a configuration. An empty section (null) means its defaults, and `true` is not a number."""

    @model_validator(mode="before")
    @classmethod
    def _normalize_input(cls, data: object, info: ValidationInfo) -> object:
        if info.mode == "json" or not isinstance(data, dict):  # we wrote the JSON, and there are many transcripts
            return data
        written = cast("dict[str, object]", data)
        sections, numbers = _section_and_number_fields(cls)
        if not any(_needs_normalizing(key, value, sections, numbers) for key, value in written.items()):
            return written
        return {
            key: str(value).lower() if isinstance(value, bool) and key in numbers else value
            for key, value in written.items()
            if value is not None or key not in sections
        }


def _needs_normalizing(key: str, value: object, sections: frozenset[str], numbers: frozenset[str]) -> bool:
    return (value is None and key in sections) or (isinstance(value, bool) and key in numbers)


@cache
def _section_and_number_fields(model: type[ConfigModel]) -> tuple[frozenset[str], frozenset[str]]:
    """Names and aliases of the fields that are sections, and of the fields that take numbers but no booleans."""
    fields = model.model_fields | {alias: field for field in model.model_fields.values() for alias in _aliases(field)}
    return (
        frozenset(name for name, field in fields.items() if _is_section(field)),
        frozenset(name for name, field in fields.items() if _is_numeric(field)),
    )


def _aliases(field: FieldInfo) -> list[str]:
    choices = field.validation_alias
    return [str(name) for name in choices.choices] if isinstance(choices, AliasChoices) else []


def _is_section(field: FieldInfo) -> bool:
    return field.default_factory is not None or isinstance(field.default, FrozenModel | dict | tuple)


def _is_numeric(field: FieldInfo) -> bool:
    """Whether a field takes numbers but no booleans, which pydantic would convert to 0 and 1."""
    types = _allowed_types(field.annotation)
    return bool not in types and not types.isdisjoint({int, float})


def _allowed_types(annotation: Any) -> set[Any]:
    """The types that an annotation allows: the members of unions, and the types of the values of literals."""
    inner = get_args(annotation)
    if not inner:
        return {annotation if isinstance(annotation, type) else type(annotation)}
    return {found for part in inner for found in _allowed_types(part)}
