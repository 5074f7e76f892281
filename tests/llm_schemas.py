"""Hypothesis strategies for small JSON values and form schemas, and the reference validator."""

from typing import Any

from hypothesis import strategies as st
from jsonschema import Draft202012Validator

Json = dict[str, Any]
Schemas = st.SearchStrategy[Json]

NAMES = st.sampled_from(["a", "b", "c"])
SCALARS: st.SearchStrategy[Any] = (
    st.none()
    | st.booleans()
    | st.integers(-3, 12)
    | st.sampled_from([0.5, 1.0, 2.5])
    | st.sampled_from(["", "a", "PRO-1"])
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=12
)


def is_valid(value: Any, schema: Json) -> bool:
    """Validity by the reference implementation."""
    return not list(Draft202012Validator(schema).iter_errors(value))  # pyright: ignore[reportUnknownMemberType]


@st.composite
def leaves(draw: st.DrawFn) -> Json:
    """A schema without subschemas."""
    low = draw(st.integers(0, 3))
    choices: list[Json] = [
        {"type": draw(st.sampled_from(["string", "integer", "number", "boolean", "null"]))},
        {"type": ["string", "null"]},
        {"type": "integer", "minimum": low, "maximum": low + draw(st.integers(0, 6))},
        {"exclusiveMinimum": low, "exclusiveMaximum": low + 3},
        {"enum": draw(st.lists(SCALARS, min_size=1, max_size=3))},
        {"const": draw(SCALARS)},
        {"type": "string", "minLength": 1, "pattern": "^PRO-[0-9]$"},
    ]
    return draw(st.sampled_from(choices))


@st.composite
def objects(draw: st.DrawFn, part: Schemas, *, formlike: bool) -> Json:
    """An object of `part`s; a form-like one is closed and requires all members."""
    members = draw(st.dictionaries(NAMES, part, max_size=3))
    names = sorted(members) if formlike else sorted(members)[:2]
    closed: Json = {"additionalProperties": False} if formlike or draw(st.booleans()) else {}
    return {"type": "object", "properties": members, "required": names} | closed


@st.composite
def lists(draw: st.DrawFn, part: Schemas) -> Json:
    """A list of `part`s."""
    least = draw(st.integers(0, 2))
    return {"type": "array", "items": draw(part), "minItems": least, "maxItems": least + draw(st.integers(0, 2))}


@st.composite
def unions(draw: st.DrawFn, part: Schemas) -> Json:
    """One of some `part`s."""
    return {"anyOf": draw(st.lists(part, min_size=1, max_size=3))}


def schemas(*, formlike: bool) -> Schemas:
    """Schemas of the keywords that forms use."""
    return st.recursive(
        leaves(), lambda part: objects(part, formlike=formlike) | lists(part) | unions(part), max_leaves=6
    )


SCHEMAS = schemas(formlike=False)
FORMLIKE = schemas(formlike=True)
