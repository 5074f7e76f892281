"""A form: what a model is asked to fill in. Shaped for small JSON schemas and kept apart from the domain's values.

Rules for forms: lists of {name, value} objects, never open dictionaries; reasoning before the score it explains; bounds
in the schema, checked by us whatever the provider does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict


class FormModel(BaseModel):
    """Base of all forms: strict (no numbers in strings), closed, without NaN."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


FormT = TypeVar("FormT", bound=FormModel)


@dataclass(frozen=True, slots=True)
class Form(Generic[FormT]):
    """A form model together with the schema that narrows it for one occasion (which ids exist, how many items)."""

    name: str
    """[a-zA-Z0-9_-]{1,64}"""
    model: type[FormT]
    schema: dict[str, Any]
    """JSON Schema (2020-12, `$ref`s resolved), as narrow as can be: enums of the ids that exist, minItems/maxItems,
    `prefixItems` with `const` where each of a known list must be answered. Whatever it accepts, `model` accepts."""
    lenient: bool = False
    """Whether an answer that `model` accepts is good though it strays from `schema`: the caller weighs the difference
    itself. Else such an answer is asked to be mended."""
