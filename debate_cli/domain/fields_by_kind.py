"""Fields whose class depends on the `kind` of their value: settings and findings of judging systems and plug-ins."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from debate_cli.domain.frozen_model import FrozenModel


def _require_text(kind: Any) -> Any:
    if not isinstance(kind, str):
        raise ValueError("must be text")  # noqa: TRY004 - pydantic reports a ValueError
    return kind


Kind = Annotated[Any, AfterValidator(_require_text)]
"""Type of `kind` in a base class. A subclass narrows it to `Literal["name"] = "name"`."""


@dataclass(frozen=True)
class ByKind:
    """Annotation of a field: `parse` creates the value. The JSON Schema is the union of the `built_in` classes."""

    parse: Callable[[object, ValidationInfo], object]
    built_in: Callable[[], Mapping[str, type[FrozenModel]]]
    """Kind -> class. Only these are in the committed JSON Schemas."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Parse before the base class checks the value."""
        return core_schema.with_info_before_validator_function(self.parse, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """The union of the built-in classes, distinguished by `kind`."""
        classes = self.built_in()
        for cls in classes.values():
            cls.model_rebuild()
        choices = {kind: cls.__pydantic_core_schema__ for kind, cls in classes.items()}
        return handler(core_schema.tagged_union_schema(choices, discriminator="kind"))
